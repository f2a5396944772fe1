//! A value that calls take in turn (spec S10).

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

    /// Take it if nobody has it.
    #[inline(always)]
    pub fn take_free<'a>(&'a self, _py: Python<'a>) -> Option<Seated<'a, T>> {
        (self.enter(this_thread()) == 0).then(|| Seated { seat: self, stays: PhantomData })
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
