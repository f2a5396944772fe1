//! Strings between Python's, which may hold unpaired surrogates, and WTF-8, which is how the core writes those.

use lastsaid_core::error::{Kind, Malformed};
use lastsaid_core::text::{self, Pieces, Text};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::attached::{self, Characters};
use crate::error::malformed;

/// WTF-8 as a Python string.
pub fn to_python<'py>(py: Python<'py>, wtf8: &[u8]) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, wtf8).or_else(|_| {
        let text = PyBytes::new(py, wtf8).call_method1(intern!(py, "decode"), ("utf-8", "surrogatepass"))?;
        Ok(text.cast_into::<PyString>()?)
    })
}

/// The characters of a Python string in WTF-8.
#[inline]
pub fn with_wtf8<R>(text: &Bound<'_, PyString>, read: impl FnOnce(&[u8]) -> R) -> PyResult<R> {
    let mut copied = Text::default();
    Ok(match attached::characters(text)? {
        Characters::Ascii(ascii) => read(ascii),
        Characters::Copied(wtf8) => read(&wtf8),
        wide => {
            push_wide(&wide, &mut copied);
            read(copied.as_bytes())
        }
    })
}

/// Append the characters of a Python string.
#[inline(always)]
pub fn append(text: &Bound<'_, PyString>, pieces: &mut Pieces<'_>) -> PyResult<()> {
    let characters = attached::characters(text)?;
    if let Some(into) = pieces.room() {
        match characters {
            Characters::Ascii(ascii) => into.push_ascii(ascii),
            wide => push_wide(&wide, into),
        }
    }
    Ok(())
}

#[inline(never)]
fn push_wide(characters: &Characters<'_>, into: &mut Text) {
    match characters {
        Characters::Ascii(ascii) => into.push_ascii(ascii),
        Characters::Latin(points) => into.push_points(points),
        Characters::Wide(points) => into.push_points(points),
        Characters::Widest(points) => into.push_points(points),
        Characters::Copied(wtf8) => into.push(wtf8),
    }
}

/// Whether a string is nothing but white space (spec S1).
#[inline]
pub fn is_blank(text: &Bound<'_, PyString>) -> PyResult<bool> {
    fn all_blank<P: Copy + Into<u32>>(points: &[P]) -> bool {
        points.iter().all(|&point| char::from_u32(point.into()).is_some_and(char::is_whitespace))
    }
    Ok(match attached::characters(text)? {
        Characters::Ascii(ascii) => text::is_blank(ascii),
        Characters::Latin(points) => all_blank(points),
        Characters::Wide(points) => all_blank(points),
        Characters::Widest(points) => all_blank(points),
        Characters::Copied(wtf8) => text::is_blank(&wtf8),
    })
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
