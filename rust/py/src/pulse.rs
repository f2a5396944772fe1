//! A look up now and then while a log is read: has somebody pressed Ctrl-C, is the answer wanted at all?

use std::fs;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use lastsaid_core::log::frames::Gap;
use lastsaid_core::log::source::{Positioned, Source};
use pyo3::prelude::*;

/// What is asked between blocks; its error ends the reading.
pub trait Pulse: Sync {
    /// Whether to go on.
    fn beat(&self) -> io::Result<()>;
}

/// A flag that says stop. Who sets it wants no answer, so the error says nothing.
impl Pulse for AtomicBool {
    fn beat(&self) -> io::Result<()> {
        if self.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

/// Ctrl-C and the other signals that Python handles, for a call that has let the interpreter go.
pub struct Signals<'a> {
    /// The calling thread. Others that read for it don't ask.
    owner: ThreadId,
    state: Mutex<State>,
    /// What a handler raised: kept here, since another thread may have the answer already.
    has_raised: AtomicBool,
    is_closed: Option<&'a AtomicBool>,
}

struct State {
    /// When to ask next: asking takes the interpreter, which may keep us waiting.
    next: Instant,
    /// Whether this is the thread whose signals they are; asked when first needed.
    is_theirs: Option<bool>,
    raised: Option<PyErr>,
}

/// Between two looks; a person doesn't notice it.
const PAUSE: Duration = Duration::from_millis(40);

impl<'a> Signals<'a> {
    /// From now on, for the thread that calls; with a flag of another thread's that says stop.
    pub fn new(is_closed: Option<&'a AtomicBool>) -> Self {
        let state = State { next: Instant::now() + PAUSE, is_theirs: None, raised: None };
        let owner = thread::current().id();
        Self { owner, state: Mutex::new(state), has_raised: AtomicBool::new(false), is_closed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raise what a handler raised.
    pub fn raised(self) -> PyResult<()> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).raised.map_or(Ok(()), Err)
    }
}

impl State {
    fn look(&mut self) -> PyResult<()> {
        Python::attach(|py| {
            let is_theirs = match self.is_theirs {
                Some(is_theirs) => is_theirs,
                None => {
                    let threading = py.import("threading")?;
                    let main = threading.call_method0("main_thread")?.getattr("ident")?;
                    *self.is_theirs.insert(main.eq(threading.call_method0("get_ident")?)?)
                }
            };
            if is_theirs { py.check_signals() } else { Ok(()) }
        })
    }
}

impl Pulse for Signals<'_> {
    fn beat(&self) -> io::Result<()> {
        self.is_closed.map_or(Ok(()), Pulse::beat)?;
        self.has_raised.beat()?;
        if thread::current().id() != self.owner {
            return Ok(());
        }
        let mut state = self.state();
        if state.is_theirs == Some(false) || Instant::now() < state.next {
            return Ok(());
        }
        if let Err(error) = state.look() {
            state.raised = Some(error);
            self.has_raised.store(true, Ordering::Relaxed);
        }
        state.next = Instant::now() + PAUSE;
        self.has_raised.beat()
    }
}

/// A file that is read with a pulse, or bytes in memory.
pub struct Pulsed<'a, T> {
    /// What is read.
    pub inner: T,
    /// Asked before each block.
    pub pulse: &'a dyn Pulse,
}

/// So much is read without asking.
const BLOCK: usize = 4 << 20;

impl Positioned for Pulsed<'_, fs::File> {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        self.pulse.beat()?;
        let len = room.len().min(BLOCK);
        self.inner.read_at(&mut room[..len], at)
    }

    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        Some(self)
    }
}

impl<S: Source> Source for Pulsed<'_, S> {
    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        self.pulse.beat()?;
        self.inner.block(at, len)
    }

    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        self.inner.gaps(within)
    }

    fn is_torn(&self) -> bool {
        self.inner.is_torn()
    }

    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        self.inner.another()
    }
}
