//! What is only sound while this thread is attached to the interpreter: the one module with `unsafe`.
//!
//! What each part gains, and what the same costs without, is in docs/decisions/unsafe.md. The rule here: a borrowed
//! reference never outlives a call that can run Python code, so nothing takes a closure while it holds one.

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy)))]
#[allow(unsafe_code)]
mod direct;
#[allow(unsafe_code)]
mod seat;
#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy))]
mod stable;

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy)))]
pub use direct::{append_each, characters, first_member, kind_at, set_slot, shorten_push_text};
pub use seat::Seat;
#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED, PyPy, GraalPy))]
pub use stable::{append_each, characters, first_member, kind_at, set_slot, shorten_push_text};

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
