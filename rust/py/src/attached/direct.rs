//! A look into Python's strings, dicts and lists, as CPython with a global lock lays them out.

use lastsaid_core::formats::dsh::{self, Named};
use lastsaid_core::text::Pieces;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::string::PyStringData;
use pyo3::types::{PyDict, PyList, PyString};

use super::Characters;
use crate::output_fold::AssistantOutputFold;
use crate::strings;

/// The characters of a string, borrowed from it: no UTF-8 copy is made, which Python would keep in the string.
#[inline(always)]
pub fn characters<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Characters<'a>> {
    #[cfg(not(Py_3_14))]
    {
        let object = text.as_ptr();
        // SAFETY: it is a string (or of a subclass) by its type, alive and unchangeable while it is borrowed. Its
        // state is read as the interpreter that this is built for lays it out; a compact ASCII string is ready,
        // and its characters stand behind its head.
        unsafe {
            if ffi::PyUnicode_IS_COMPACT_ASCII(object) != 0 {
                let ascii = object.cast::<ffi::PyASCIIObject>().add(1).cast::<u8>();
                let len = (*object.cast::<ffi::PyASCIIObject>()).length as usize;
                return Ok(Characters::Ascii(std::slice::from_raw_parts(ascii, len)));
            }
        }
    }
    wide_characters(text)
}

#[inline(never)]
fn wide_characters<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Characters<'a>> {
    // SAFETY: as in `characters`; `data` makes an old string ready first.
    Ok(match unsafe { text.data() }? {
        PyStringData::Ucs1(bytes) if bytes.is_ascii() => Characters::Ascii(bytes),
        PyStringData::Ucs1(bytes) => Characters::Latin(bytes),
        PyStringData::Ucs2(units) => Characters::Wide(units),
        PyStringData::Ucs4(points) => Characters::Widest(points),
    })
}

/// Append the strings of a list from that index on; the index of the first element that is none.
#[inline]
pub fn append_each(list: &Bound<'_, PyList>, from: usize, pieces: &mut Pieces<'_>) -> PyResult<Option<usize>> {
    let mut index = from as ffi::Py_ssize_t;
    loop {
        // SAFETY: the index is looked at first. The element is borrowed from the list, which can't change while
        // it is in use: nothing here runs Python code or detaches, neither the look at its type nor at its
        // characters nor the core's buffer; only an error may, after which it is not used.
        let element = unsafe {
            if index >= ffi::PyList_GET_SIZE(list.as_ptr()) {
                return Ok(None);
            }
            Borrowed::from_ptr(list.py(), ffi::PyList_GET_ITEM(list.as_ptr(), index))
        };
        let Ok(text) = element.cast::<PyString>() else { return Ok(Some(index as usize)) };
        strings::append(&text, pieces)?;
        index += 1;
    }
}

/// Set a slot of an object that forbids it to everybody else: a frozen dataclass that is being made.
#[inline]
pub fn set_slot(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: three live objects; what `object.__setattr__` does, without a call of it.
    match unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(object.py())),
    }
}

/// The value of a dict's first member, if that is its name: events, records and blocks begin with their `type`.
///
/// A look at one entry costs half of a lookup.
#[inline(always)]
pub fn first_member<'py>(dict: &Bound<'py, PyDict>, name: &str) -> Option<Bound<'py, PyAny>> {
    // SAFETY: it is a dict, and the value is alive in it until it is owned: nothing here runs Python code.
    unsafe { Some(Bound::from_borrowed_ptr(dict.py(), first(dict.as_ptr(), name.as_bytes())?)) }
}

/// The first value of the dict, borrowed, if it has the name. Runs no Python code.
///
/// # Safety
/// `dict` must be one, the caller must be attached, and use the value before anything can run Python code.
#[inline(always)]
unsafe fn first(dict: *mut ffi::PyObject, name: &[u8]) -> Option<*mut ffi::PyObject> {
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the caller's.
    let is_there = unsafe { ffi::PyDict_Next(dict, &mut at, &mut key, &mut value) } != 0;
    // SAFETY: a dict's key is alive as long as nothing changes the dict.
    (is_there && unsafe { ascii(key) } == Some(name)).then_some(value)
}

/// The characters of an exact string that is ASCII, by a look at its head.
///
/// # Safety
/// `object` must be alive, and stay so for as long as the characters are used.
#[inline(always)]
unsafe fn ascii<'a>(object: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: the caller's; a string's state is read as the interpreter that this is built for lays it out, and
    // the characters of one that is compact and ASCII stand behind its head.
    #[cfg(not(Py_3_14))]
    unsafe {
        if ffi::PyUnicode_CheckExact(object) == 0 || ffi::PyUnicode_IS_COMPACT_ASCII(object) == 0 {
            return None;
        }
        let head = object.cast::<ffi::PyASCIIObject>();
        Some(std::slice::from_raw_parts(head.add(1).cast::<u8>(), (*head).length as usize))
    }
    #[cfg(Py_3_14)]
    // SAFETY: the caller's; every string is ready.
    unsafe {
        if ffi::PyUnicode_CheckExact(object) == 0 || ffi::PyUnicode_KIND(object) != ffi::PyUnicode_1BYTE_KIND {
            return None;
        }
        let len = ffi::PyUnicode_GET_LENGTH(object) as usize;
        let bytes = std::slice::from_raw_parts(ffi::PyUnicode_DATA(object).cast::<u8>(), len);
        bytes.is_ascii().then_some(bytes)
    }
}

/// What the event at that index of a list signals, where that is told by its first member alone: an exact dict
/// that begins with a `type` of an event that stands bare. No reference is counted, so nothing is written to an
/// event that is only passed by, and those `ahead` (-1: before it) are fetched meanwhile.
#[inline]
pub fn kind_at(list: &Bound<'_, PyList>, index: usize, ahead: isize) -> Option<Named> {
    let list = list.as_ptr();
    // SAFETY: the length is looked at first; the event and its members are alive in the list, which nothing here
    // can change: nothing runs Python code.
    unsafe {
        fetch_ahead(list, index as isize, ahead);
        let index = index as ffi::Py_ssize_t;
        if index >= ffi::PyList_GET_SIZE(list) {
            return None;
        }
        let event = ffi::PyList_GET_ITEM(list, index);
        if ffi::PyDict_CheckExact(event) == 0 {
            return None;
        }
        let name = ascii(first(event, b"type")?)?;
        Some(dsh::named(name)).filter(|named| !named.is_envelope)
    }
}

/// Ask for what will be looked at soon: the events of a long list are in no cache, and each is reached by way of
/// four others.
///
/// # Safety
/// `list` must be one, and the caller attached.
#[inline(always)]
unsafe fn fetch_ahead(list: *mut ffi::PyObject, index: isize, ahead: isize) {
    // SAFETY: only elements of the list are looked at, which are alive; to fetch an address has no effect.
    unsafe {
        let at = |steps: isize| {
            let index = index + ahead * steps;
            (0 <= index && index < ffi::PyList_GET_SIZE(list)).then(|| ffi::PyList_GET_ITEM(list, index))
        };
        if let Some(event) = at(24) {
            fetch(event.cast());
        }
        if let Some(event) = at(16).filter(|&event| ffi::PyDict_CheckExact(event) != 0) {
            let keys = (*event.cast::<ffi::PyDictObject>()).ma_keys.cast::<u8>();
            fetch(keys);
            fetch(keys.wrapping_add(64));
        }
        if let Some(event) = at(8).filter(|&event| ffi::PyDict_CheckExact(event) != 0) {
            let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
            if ffi::PyDict_Next(event, &mut at, &mut key, &mut value) != 0 {
                fetch(key.cast());
                fetch(value.cast());
            }
        }
    }
}

/// The method `push_text` as PyO3 made it.
static PUSH_TEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Let `push_text` be called without PyO3 in between, which costs as much as the rest of such a call: an exact
/// string into a fold that nobody has. For everything else the method is as PyO3 made it, and is called.
#[inline]
pub fn shorten_push_text(py: Python<'_>) -> PyResult<()> {
    if PUSH_TEXT.get(py).is_some() { Ok(()) } else { replace_push_text(py) }
}

#[cold]
fn replace_push_text(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<AssistantOutputFold>();
    let made = class.getattr("push_text")?;
    let doc = format!("push_text{}\n--\n\n{}", made.getattr("__text_signature__")?, made.getattr("__doc__")?);
    // Both are kept for as long as the class, which is for ever.
    let doc = Box::leak(std::ffi::CString::new(doc)?.into_boxed_c_str());
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"push_text".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: push_text },
        ml_flags: ffi::METH_O,
        ml_doc: doc.as_ptr(),
    }));
    // SAFETY: the class is one, and the definition is never freed and says of the function what is so.
    let method =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyDescr_NewMethod(class.as_type_ptr(), definition))? };
    PUSH_TEXT.get_or_init(py, || made.unbind());
    class.setattr("push_text", method)
}

/// # Safety
/// To be called by Python as the method of a fold.
unsafe extern "C" fn push_text(fold: *mut ffi::PyObject, text: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls with the thread attached, and has looked that the first is a fold; both are borrowed
    // for the call. Nothing here drops a reference, which PyO3 must know the thread to be attached for, before
    // PyO3's own method is called.
    unsafe {
        let py = Python::assume_attached();
        let fold = Borrowed::from_ptr(py, fold);
        let text = Borrowed::from_ptr(py, text);
        if let Ok(text) = text.cast_exact::<PyString>()
            && fold.cast_unchecked::<AssistantOutputFold>().get().push_exact(py, &text)
        {
            return ffi::Py_NewRef(ffi::Py_None());
        }
        match PUSH_TEXT.get(py) {
            Some(made) => {
                let arguments = [fold.as_ptr(), text.as_ptr()];
                ffi::PyObject_Vectorcall(made.as_ptr(), arguments.as_ptr(), 2, std::ptr::null_mut())
            }
            None => std::ptr::null_mut(),
        }
    }
}

#[inline(always)]
fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint to the processor; it reads nothing that the program sees, and ignores bad addresses.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
