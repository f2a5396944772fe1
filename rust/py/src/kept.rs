//! What a fold keeps of a value: the object itself, or the bytes it is made from when somebody asks.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::parsed::to_objects;

/// A content list or a message id.
pub enum Kept {
    /// Pushed as an object, returned as the same one.
    Object(Py<PyAny>),
    /// Pushed as JSON, made into an object once.
    Json(Arc<Json>),
}

/// A JSON value that was validated when it was pushed.
pub struct Json {
    raw: Box<[u8]>,
    object: PyOnceLock<Py<PyAny>>,
}

impl From<Py<PyAny>> for Kept {
    fn from(object: Py<PyAny>) -> Self {
        Self::Object(object)
    }
}

impl From<Box<[u8]>> for Kept {
    fn from(raw: Box<[u8]>) -> Self {
        Self::Json(Arc::new(Json { raw, object: PyOnceLock::new() }))
    }
}

impl Kept {
    /// Another handle on the same value.
    pub fn share(&self, py: Python<'_>) -> Self {
        match self {
            Self::Object(object) => Self::Object(object.clone_ref(py)),
            Self::Json(json) => Self::Json(Arc::clone(json)),
        }
    }

    /// The Python object: the one that was pushed, or what `json.loads` makes of the bytes.
    pub fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Object(object) => Ok(object.bind(py).clone()),
            Self::Json(json) => {
                json.object.get_or_try_init(py, || to_objects(py, &json.raw)).map(|object| object.bind(py).clone())
            }
        }
    }

    /// The bytes of a value that was pushed as JSON.
    pub fn raw(&self) -> Option<&[u8]> {
        match self {
            Self::Object(_) => None,
            Self::Json(json) => Some(&json.raw),
        }
    }
}
