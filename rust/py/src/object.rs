//! A record as Python objects: `Node` over dicts, other mappings, lists and strings (spec S1).

use lastsaid_core::error::Error;
use lastsaid_core::node::{Flow, Key, MAX_ORDINAL, Node, Shape};
use lastsaid_core::text::Pieces;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString};

use crate::attached;
use crate::strings::{self, to_python, type_name, with_wtf8};

/// A Python object.
#[derive(Clone, Debug)]
pub struct Object<'py>(pub Bound<'py, PyAny>);

type Names = [Py<PyString>; Key::NAMES.len()];

/// The member names as interned strings.
#[inline]
fn names(py: Python<'_>) -> &Names {
    static NAMES: PyOnceLock<Names> = PyOnceLock::new();
    match NAMES.get(py) {
        Some(names) => names,
        None => NAMES.get_or_init(py, || Key::NAMES.map(|name| PyString::intern(py, name).unbind())),
    }
}

impl<'py> Object<'py> {
    #[inline(always)]
    fn get(&self, key: Key) -> PyResult<Option<Self>> {
        let py = self.0.py();
        let name = names(py)[key as usize].bind(py);
        match self.0.cast::<PyDict>() {
            Ok(dict) => {
                if key == Key::Type
                    && let Some(value) = attached::first_member(dict, key.as_str())
                {
                    return Ok(Some(Self(value)));
                }
                Ok(dict.get_item(name)?.map(Self))
            }
            Err(_) => self.of_mapping(name),
        }
    }

    #[cold]
    fn of_mapping(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Self>> {
        if self.0.cast::<PyMapping>().is_err() {
            return Ok(None);
        }
        match self.0.get_item(name) {
            Ok(value) => Ok(Some(Self(value))),
            Err(error) if error.is_instance_of::<PyKeyError>(self.0.py()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Node for Object<'_> {
    type Error = PyErr;
    type Kept = Py<PyAny>;

    fn shape(&self) -> PyResult<Shape> {
        let value = &self.0;
        Ok(if value.is_none() {
            Shape::Null
        } else if value.is_instance_of::<PyBool>() {
            Shape::Boolean
        } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
            Shape::Number
        } else if value.is_instance_of::<PyString>() {
            Shape::String
        } else if value.is_instance_of::<PyList>() {
            Shape::List
        } else if self.is_object()? {
            Shape::Object
        } else {
            Shape::Other(type_name(value)?)
        })
    }

    #[inline(always)]
    fn is_object(&self) -> PyResult<bool> {
        Ok(self.0.is_instance_of::<PyDict>() || self.0.cast::<PyMapping>().is_ok())
    }

    #[inline(always)]
    fn members<const N: usize>(&self, keys: [Key; N]) -> PyResult<[Option<Self>; N]> {
        let mut found = [const { None }; N];
        for (slot, key) in found.iter_mut().zip(keys) {
            *slot = self.get(key)?;
        }
        Ok(found)
    }

    #[inline]
    fn list_len(&self) -> Option<usize> {
        self.0.cast::<PyList>().ok().map(PyListMethods::len)
    }

    fn each(&self, visit: &mut dyn FnMut(usize, Self) -> Result<Flow, Error<PyErr>>) -> Result<(), Error<PyErr>> {
        self.each_by(visit)
    }

    #[inline(always)]
    fn each_by(
        &self,
        mut visit: impl FnMut(usize, Self) -> Result<Flow, Error<PyErr>>,
    ) -> Result<(), Error<PyErr>> {
        if let Ok(list) = self.0.cast::<PyList>() {
            for (index, element) in list.iter().enumerate() {
                if visit(index, Self(element))? == Flow::Stop {
                    break;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn append_to(&self, pieces: &mut Pieces<'_>) -> PyResult<bool> {
        match self.0.cast::<PyString>() {
            Ok(text) => strings::append(text, pieces).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    #[inline]
    fn append_each_to(&self, pieces: &mut Pieces<'_>) -> Result<Option<(usize, Self)>, Error<PyErr>> {
        let Ok(list) = self.0.cast::<PyList>() else { return Ok(None) };
        match attached::append_each(list, 0, pieces).map_err(Error::Foreign)? {
            Some(index) => Ok(Some((index, Self(list.get_item(index).map_err(Error::Foreign)?)))),
            None => Ok(None),
        }
    }

    #[inline]
    fn is_blank(&self) -> PyResult<Option<bool>> {
        self.0.cast::<PyString>().ok().map(strings::is_blank).transpose()
    }

    #[inline(always)]
    fn with_text<R>(&self, read: impl FnOnce(&[u8]) -> R) -> PyResult<Option<R>> {
        match self.0.cast::<PyString>() {
            Ok(text) => with_wtf8(text, read).map(Some),
            Err(_) => Ok(None),
        }
    }

    #[inline]
    fn ordinal(&self) -> Option<u64> {
        if self.0.is_instance_of::<PyBool>() || !self.0.is_instance_of::<PyInt>() {
            return None;
        }
        self.0.extract().ok().filter(|number| *number <= MAX_ORDINAL)
    }

    #[inline]
    fn keep(&self) -> Py<PyAny> {
        // A subclass of str is read as the plain string it is; a list is kept as it is.
        match self.0.cast::<PyString>() {
            Ok(text) if text.cast_exact::<PyString>().is_err() => plain(text),
            _ => self.0.clone().unbind(),
        }
    }
}

#[cold]
fn plain(text: &Bound<'_, PyString>) -> Py<PyAny> {
    let plain = with_wtf8(text, |wtf8| to_python(text.py(), wtf8));
    plain.and_then(|plain| plain).unwrap_or_else(|_| text.clone()).into_any().unbind()
}
