//! The same through Python's stable interface, or without a global lock: all of it safe, and slower.

use std::borrow::Cow;

use lastsaid_core::formats::dsh::Named;
use lastsaid_core::text::Pieces;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::Characters;
use crate::strings;

pub fn characters<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Characters<'a>> {
    if let Ok(text) = text.to_str() {
        return Ok(Characters::Copied(Cow::Borrowed(text.as_bytes())));
    }
    // An unpaired surrogate: str.encode of the plain string, since a subclass may have its own.
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    let bytes = encode.call1((text, "utf-8", "surrogatepass"))?;
    Ok(Characters::Copied(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec())))
}

pub fn append_each(list: &Bound<'_, PyList>, from: usize, pieces: &mut Pieces<'_>) -> PyResult<Option<usize>> {
    for (index, element) in list.iter().enumerate().skip(from) {
        let Ok(text) = element.cast::<PyString>() else { return Ok(Some(index)) };
        strings::append(text, pieces)?;
    }
    Ok(None)
}

pub fn first_member<'py>(_dict: &Bound<'py, PyDict>, _name: &str) -> Option<Bound<'py, PyAny>> {
    None
}

pub fn kind_at(_list: &Bound<'_, PyList>, _index: usize, _ahead: isize) -> Option<Named> {
    None
}

pub fn shorten_push_text(_py: Python<'_>) -> PyResult<()> {
    Ok(())
}

pub fn set_slot(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    object.py().get_type::<PyAny>().call_method1("__setattr__", (object, name, value)).map(drop)
}
