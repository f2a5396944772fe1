//! Core errors as the exceptions of `lastsaid.errors`, which are defined once, in Python.

use std::io;

use lastsaid_core::error::{Error, Malformed};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

fn class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyType>> {
    cell.import(py, "lastsaid.errors", name)
}

/// A `MalformedEventError`.
pub fn malformed(py: Python<'_>, defect: &Malformed) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let build = || {
        let place = PyDict::new(py);
        place.set_item("index", defect.index)?;
        place.set_item("offset", defect.offset)?;
        place.set_item("line", defect.line)?;
        class(py, &CLASS, "MalformedEventError")?
            .call((defect.kind.as_str(), &defect.path, &defect.found, defect.expected.as_ref()), Some(&place))
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A `FoldBusyError`.
pub fn busy(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = "the fold is in the middle of another call on this thread";
    match class(py, &CLASS, "FoldBusyError").and_then(|class| class.call1((message,))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A `TurnNotFoundError` for the turn as the caller wrote it.
pub fn turn_not_found(asked: &Bound<'_, PyAny>, turns: Vec<u64>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = asked.py();
    let build = || {
        let turns = pyo3::types::PyTuple::new(py, turns)?;
        class(py, &CLASS, "TurnNotFoundError")?.call1((asked, turns))
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A core error whose nodes raise Python exceptions.
pub fn raised(py: Python<'_>, error: Error<PyErr>) -> PyErr {
    match error {
        Error::Malformed(defect) => malformed(py, &defect),
        Error::Io(error) => error.into(),
        Error::Foreign(error) => error,
        Error::TurnNotFound(turn, turns) => match turn.into_pyobject(py) {
            Ok(turn) => turn_not_found(turn.as_any(), turns),
            Err(never) => match never {},
        },
    }
}

/// A core error of bytes, which raise nothing by themselves.
pub fn of_bytes(error: Error<std::convert::Infallible>) -> Error<PyErr> {
    match error {
        Error::Malformed(defect) => Error::Malformed(defect),
        Error::Io(error) => Error::Io(error),
        Error::TurnNotFound(turn, turns) => Error::TurnNotFound(turn, turns),
        Error::Foreign(never) => match never {},
    }
}

/// An operating system's error with the path it is about, as `open` raises it.
pub fn os_error(py: Python<'_>, error: io::Error, path: &Bound<'_, PyAny>) -> PyErr {
    let Some(code) = error.raw_os_error() else { return error.into() };
    let build = || {
        let text = py.import("os")?.call_method1("strerror", (code,))?;
        py.get_type::<pyo3::exceptions::PyOSError>().call1((code, text, path))
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
