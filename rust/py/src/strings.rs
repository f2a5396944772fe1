//! Strings between Python's, which may hold unpaired surrogates, and WTF-8, which is how the core writes those.

use lastsaid_core::error::{Kind, Malformed};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::error::malformed;

/// WTF-8 as a Python string.
pub fn to_python<'py>(py: Python<'py>, wtf8: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(wtf8) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => {
            let text = PyBytes::new(py, wtf8).call_method1("decode", ("utf-8", "surrogatepass"))?;
            Ok(text.cast_into::<PyString>()?)
        }
    }
}

/// The characters of a Python string in WTF-8.
pub fn with_wtf8<R>(text: &Bound<'_, PyString>, read: impl FnOnce(&[u8]) -> R) -> PyResult<R> {
    if let Ok(text) = text.to_str() {
        return Ok(read(text.as_bytes()));
    }
    // An unpaired surrogate: str.encode of the plain string, since a subclass may have its own.
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    let bytes = encode.call1((text, "utf-8", "surrogatepass"))?;
    Ok(read(bytes.cast::<PyBytes>()?.as_bytes()))
}

/// The bytes of a bytes-like object or the UTF-8 of a string; mutable ones are copied.
pub enum Input<'py> {
    /// Immutable, borrowed.
    Bytes(Bound<'py, PyBytes>),
    /// A string that is UTF-8.
    Text(Bound<'py, PyString>),
    /// A copy.
    Copied(Vec<u8>),
}

impl<'py> Input<'py> {
    /// Read `value`; `what` names the caller in the TypeError.
    pub fn new(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str() {
                Ok(_) => Ok(Self::Text(text.clone())),
                Err(_) => {
                    let found = "a string with an unpaired surrogate";
                    let defect = Malformed::new(Kind::NotUtf8, "", found, "text that UTF-8 can hold");
                    Err(malformed(value.py(), &defect))
                }
            };
        }
        match buffer(value)? {
            Some(input) => Ok(input),
            None => Err(PyTypeError::new_err(format!(
                "{what} takes bytes, bytearray, memoryview or str, not {}",
                type_name(value)?
            ))),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Text(text) => text.to_str().unwrap_or_default().as_bytes(),
            Self::Copied(bytes) => bytes,
        }
    }
}

/// The bytes of an object with a buffer, None for an object without.
pub fn buffer<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Input<'py>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(Input::Bytes(bytes.clone())));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Some(Input::Copied(bytes.to_vec())));
    }
    let builtins = value.py().import("builtins")?;
    let view = match builtins.call_method1("memoryview", (value,)) {
        Ok(view) => view,
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => return Ok(None),
        Err(error) => return Err(error),
    };
    let bytes = builtins.call_method1("bytes", (view,))?;
    Ok(Some(Input::Bytes(bytes.cast_into::<PyBytes>()?)))
}

/// The name of an object's type.
pub fn type_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.get_type().name()?.to_string())
}
