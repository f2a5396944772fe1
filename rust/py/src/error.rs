//! Core errors as the exceptions of `lastsaid.errors`, which are defined once, in Python.

use std::io;

use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::log::source::Shorter;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::strings::to_python;

/// The operating system's number of an input or output error.
const EIO: i32 = 5;

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
pub fn busy(py: Python<'_>, message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
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
        let turns = PyTuple::new(py, turns)?;
        class(py, &CLASS, "TurnNotFoundError")?.call1((asked, turns))
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

fn session_not_found(py: Python<'_>, session: Option<&[u8]>, sessions: &[Box<[u8]>]) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let build = || {
        let session = session.map(|session| to_python(py, session)).transpose()?;
        let sessions = sessions.iter().map(|session| to_python(py, session)).collect::<PyResult<Vec<_>>>()?;
        class(py, &CLASS, "SessionNotFoundError")?.call1((session, PyTuple::new(py, sessions)?))
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// An `AmbiguousLogError`: a session's log plain and compressed.
pub fn ambiguous_log(directory: &Bound<'_, PyAny>, plain: &str, compressed: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = directory.py();
    match class(py, &CLASS, "AmbiguousLogError").and_then(|class| class.call1((directory, (plain, compressed)))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A core error whose nodes raise Python exceptions.
pub fn raised(py: Python<'_>, error: Error<PyErr>) -> PyErr {
    match error {
        Error::Malformed(defect) => malformed(py, &defect),
        Error::Io(error) => os_error(py, error, None),
        Error::Foreign(error) => error,
        Error::SessionNotFound(session, sessions) => session_not_found(py, session.as_deref(), &sessions),
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
        Error::SessionNotFound(session, sessions) => Error::SessionNotFound(session, sessions),
        Error::Foreign(never) => match never {},
    }
}

/// An operating system's error with the path it is about, as `open` raises it.
pub fn os_error(py: Python<'_>, error: io::Error, path: Option<&Bound<'_, PyAny>>) -> PyErr {
    let build = || {
        let (code, text) = match (error.raw_os_error(), error.get_ref()) {
            (Some(code), _) => (code, py.import("os")?.call_method1("strerror", (code,))?.str()?.to_string()),
            (None, Some(inner)) if inner.is::<Shorter>() => (EIO, Shorter.to_string()),
            _ => return Err(error.into()),
        };
        let class = py.get_type::<pyo3::exceptions::PyOSError>();
        match path {
            Some(path) => class.call1((code, text, path)),
            None => class.call1((code, text)),
        }
    };
    match build() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
