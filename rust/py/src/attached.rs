//! What is only sound while this thread is attached to the interpreter: the one file with `unsafe`.
//!
//! What each part gains and what it would cost without is in docs/decisions/unsafe.md. The rule here: a borrowed
//! reference never outlives a call that can run Python code, so no function takes a closure while it holds one.
//! Through the stable ABI, or without a global lock, the safe twins at the end of the file do the same.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use pyo3::PyVisit;
use pyo3::prelude::*;

/// A value for one call at a time: other threads wait for it, the same thread is told that it has it already.
///
/// A mutex costs two locked instructions, which is a third of a call that looks at one member. The thread that is
/// attached runs alone, so here two plain stores do; only without a global lock it takes one locked instruction.
pub struct Seat<T> {
    /// The thread in the middle of a call, 0 for none. Written by attached threads only.
    owner: AtomicUsize,
    /// How many threads wait; they have detached. Written by attached threads only.
    waiting: AtomicUsize,
    left: Condvar,
    sleeping: Mutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is reached through a `Seated` alone, of which there is one at a time: see `enter`.
unsafe impl<T: Send> Sync for Seat<T> {}

/// The right to use the value; ends with the call. It stays with its thread, which is attached when it ends.
pub struct Seated<'a, T: Send> {
    seat: &'a Seat<T>,
    stays: PhantomData<*const ()>,
}

/// A number for this thread that no other live thread has, and never 0: the address of something of its own.
fn this_thread() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own).addr())
}

impl<T: Send> Seat<T> {
    /// A free seat.
    pub fn new(value: T) -> Self {
        Self {
            owner: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            left: Condvar::new(),
            sleeping: Mutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    /// Wait until it is free; None when this thread has it.
    #[inline]
    pub fn take<'a>(&'a self, py: Python<'a>) -> Option<Seated<'a, T>> {
        let me = this_thread();
        loop {
            match self.enter(me) {
                0 => return Some(Seated { seat: self, stays: PhantomData }),
                owner if owner == me => return None,
                _ => self.wait(py),
            }
        }
    }

    /// What it holds, for the garbage collector, which does not wait.
    pub fn peek(&self, _collecting: &PyVisit<'_>) -> Option<Seated<'_, T>> {
        (self.enter(this_thread()) == 0).then(|| Seated { seat: self, stays: PhantomData })
    }

    /// Take it if it is free; who had it.
    #[inline]
    fn enter(&self, me: usize) -> usize {
        // The caller is attached and nothing between these two lines detaches, so no other thread runs there.
        #[cfg(not(Py_GIL_DISABLED))]
        {
            let owner = self.owner.load(Ordering::Relaxed);
            if owner == 0 {
                self.owner.store(me, Ordering::Relaxed);
            }
            owner
        }
        #[cfg(Py_GIL_DISABLED)]
        self.owner.compare_exchange(0, me, Ordering::SeqCst, Ordering::SeqCst).unwrap_or_else(|owner| owner)
    }

    #[cold]
    fn wait(&self, py: Python<'_>) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        py.detach(|| {
            let mut sleeping = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
            while self.owner.load(Ordering::SeqCst) != 0 {
                sleeping = self.left.wait(sleeping).unwrap_or_else(PoisonError::into_inner);
            }
        });
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    #[cold]
    fn wake(&self) {
        let _sleeping = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
        self.left.notify_all();
    }
}

impl<T: Send> Drop for Seated<'_, T> {
    #[inline]
    fn drop(&mut self) {
        #[cfg(not(Py_GIL_DISABLED))]
        self.seat.owner.store(0, Ordering::Release);
        #[cfg(Py_GIL_DISABLED)]
        self.seat.owner.store(0, Ordering::SeqCst);
        // Who waits has said so before it detached, that is before this thread ran on, or sees the 0.
        if self.seat.waiting.load(Ordering::SeqCst) > 0 {
            self.seat.wake();
        }
    }
}

impl<T: Send> Deref for Seated<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: there is one `Seated` of a seat, so this is no alias of a `&mut`.
        unsafe { &*self.seat.value.get() }
    }
}

impl<T: Send> DerefMut for Seated<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: there is one `Seated` of a seat, and it is borrowed for as long as this reference lives.
        unsafe { &mut *self.seat.value.get() }
    }
}

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
pub use direct::{append_each, characters, string};
#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED))]
pub use stable::{append_each, characters, string};

/// The characters of a string as Python stores them: as wide as the widest needs.
#[cfg_attr(any(Py_LIMITED_API, Py_GIL_DISABLED), allow(dead_code))]
pub enum Characters<'a> {
    /// Nothing above U+007F.
    Ascii(&'a [u8]),
    /// Nothing above U+00FF.
    Latin(&'a [u8]),
    /// Nothing above U+FFFF.
    Wide(&'a [u16]),
    /// Anything.
    Widest(&'a [u32]),
    /// Not to be had in that form: in WTF-8.
    Copied(std::borrow::Cow<'a, [u8]>),
}

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
mod direct {
    use lastsaid_core::text::Pieces;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::string::PyStringData;
    use pyo3::types::{PyList, PyString};

    use super::Characters;
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
        // SAFETY (of the borrowed elements): nothing in this loop runs Python code or detaches: the type's flags, the
        // characters, and the core's buffer. So the list can't change and the element stays alive in it.
        // The length is read each time nevertheless.
        while index < unsafe { ffi::PyList_GET_SIZE(list.as_ptr()) } {
            let element = unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), index) };
            let element = unsafe { Borrowed::from_ptr(list.py(), element) };
            let Ok(text) = element.cast::<PyString>() else { return Ok(Some(index as usize)) };
            strings::append(&text, pieces)?;
            index += 1;
        }
        Ok(None)
    }

    /// WTF-8 as a Python string.
    pub fn string<'py>(py: Python<'py>, wtf8: &[u8]) -> PyResult<Bound<'py, PyString>> {
        let len = wtf8.len() as ffi::Py_ssize_t;
        // SAFETY: the pointer and the length are those of a slice; what comes back is a new string or null and an
        // exception.
        unsafe {
            let made = ffi::PyUnicode_DecodeUTF8(wtf8.as_ptr().cast(), len, c"surrogatepass".as_ptr());
            Ok(Bound::from_owned_ptr_or_err(py, made)?.cast_into_unchecked())
        }
    }
}

#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED))]
mod stable {
    use std::borrow::Cow;

    use lastsaid_core::text::Pieces;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyList, PyString};

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

    pub fn string<'py>(py: Python<'py>, wtf8: &[u8]) -> PyResult<Bound<'py, PyString>> {
        if let Ok(text) = std::str::from_utf8(wtf8) {
            return Ok(PyString::new(py, text));
        }
        let text = PyBytes::new(py, wtf8).call_method1("decode", ("utf-8", "surrogatepass"))?;
        Ok(text.cast_into::<PyString>()?)
    }
}
