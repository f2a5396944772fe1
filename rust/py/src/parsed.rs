//! A JSON value that was validated, as the Python objects that `json.loads` makes of it.

use lastsaid_core::json::{Parser, Value};
use lastsaid_core::node::{Node, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList};

use crate::strings::to_python;

/// The objects of a value, which is at most as deep as a record that signals may be (S7).
pub fn to_objects(py: Python<'_>, raw: &[u8]) -> PyResult<Py<PyAny>> {
    let mut parser = Parser::default();
    match parser.parse(raw) {
        Ok(record) => object(py, record.value).map(Bound::unbind),
        // It was validated, so this does not happen.
        Err(_) => object(py, Value::kept(raw)).map(Bound::unbind),
    }
}

fn object<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(shape) = value.shape();
    Ok(match shape {
        Shape::Object => {
            let dict = PyDict::new(py);
            let mut members = value.contents();
            while let Some((name, member)) = members.next() {
                dict.set_item(to_python(py, &name.text())?, object(py, member)?)?;
            }
            dict.into_any()
        }
        Shape::List => {
            let list = PyList::empty(py);
            let mut elements = value.contents();
            while let Some((_, element)) = elements.next() {
                list.append(object(py, element)?)?;
            }
            list.into_any()
        }
        Shape::String => {
            let Ok(text) = value.with_text(|text| to_python(py, text));
            text.transpose()?.into_pyobject(py)?
        }
        Shape::Number => number(py, value.raw())?,
        Shape::Boolean => PyBool::new(py, value.raw() == b"true").to_owned().into_any(),
        Shape::Null | Shape::Other(_) => py.None().into_bound(py),
    })
}

fn number<'py>(py: Python<'py>, raw: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let digits = String::from_utf8_lossy(raw);
    if raw.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return match digits.parse() {
            Ok(number) => Ok(PyFloat::new(py, number).into_any()),
            Err(_) => py.get_type::<PyFloat>().call1((digits,)),
        };
    }
    match digits.parse::<i64>() {
        Ok(number) => Ok(number.into_pyobject(py)?.into_any()),
        Err(_) => py.get_type::<PyInt>().call1((digits,)),
    }
}
