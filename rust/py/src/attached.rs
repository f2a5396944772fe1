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

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy)))]
pub use direct::{append_each, characters, first_member, kind_at};
#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy))]
pub use stable::{append_each, characters, first_member, kind_at};

/// The characters of a string as Python stores them: as wide as the widest needs.
// Each build makes either the last or the others.
#[allow(dead_code)]
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

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy)))]
mod direct {
    use lastsaid_core::formats::dsh::{self, Named};
    use lastsaid_core::text::Pieces;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::string::PyStringData;
    use pyo3::types::{PyDict, PyList, PyString};

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
        loop {
            // SAFETY: the index is looked at first. The element is borrowed from the list, which can't change while
            // it is in use: nothing here runs Python code or detaches, neither the look at its type nor at its
            // characters nor the core's buffer; only an error may, after which it is not used.
            let element = unsafe {
                if index >= ffi::PyList_GET_SIZE(list.as_ptr()) {
                    return Ok(None);
                }
                fetch_text_ahead(list, index);
                Borrowed::from_ptr(list.py(), ffi::PyList_GET_ITEM(list.as_ptr(), index))
            };
            let Ok(text) = element.cast::<PyString>() else { return Ok(Some(index as usize)) };
            strings::append(&text, pieces)?;
            index += 1;
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

    #[inline(always)]
    fn fetch_text_ahead(list: &Bound<'_, PyList>, index: ffi::Py_ssize_t) {
        // SAFETY: only elements of the list are looked at, which are alive.
        unsafe {
            if index + 12 < ffi::PyList_GET_SIZE(list.as_ptr()) {
                fetch(ffi::PyList_GET_ITEM(list.as_ptr(), index + 12).cast());
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
}

#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy))]
mod stable {
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
}
