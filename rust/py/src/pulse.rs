//! A look up now and then while a log is read: has somebody pressed Ctrl-C, is the answer wanted at all?

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lastsaid_core::log::frames::Gap;
use lastsaid_core::log::source::Source;
use pyo3::prelude::*;

/// What is asked between blocks; its error ends the reading.
pub trait Pulse {
    /// Whether to go on.
    fn beat(&mut self) -> io::Result<()>;
}

/// Ctrl-C and the other signals that Python handles, for a thread that has let the interpreter go.
pub struct Signals {
    /// When to ask next: asking takes the interpreter, which may keep us waiting.
    next: Instant,
    /// Whether this is the thread whose signals they are; asked when first needed.
    is_theirs: Option<bool>,
}

/// Between two looks; a person doesn't notice it.
const PAUSE: Duration = Duration::from_millis(40);

impl Signals {
    /// From now on.
    pub fn new() -> Self {
        Self { next: Instant::now() + PAUSE, is_theirs: None }
    }

    fn look(&mut self) -> PyResult<()> {
        Python::attach(|py| {
            let is_theirs = match self.is_theirs {
                Some(is_theirs) => is_theirs,
                None => {
                    let threading = py.import("threading")?;
                    let main = threading.call_method0("main_thread")?;
                    *self.is_theirs.insert(main.is(&threading.call_method0("current_thread")?))
                }
            };
            if is_theirs { py.check_signals() } else { Ok(()) }
        })
    }
}

impl Pulse for Signals {
    fn beat(&mut self) -> io::Result<()> {
        if self.is_theirs == Some(false) || Instant::now() < self.next {
            return Ok(());
        }
        // Not `io::Error::from`, which makes an InterruptedError look like a call to try again.
        self.look().map_err(io::Error::other)?;
        self.next = Instant::now() + PAUSE;
        Ok(())
    }
}

/// A flag that says stop. Who sets it wants no answer, so the error says nothing.
impl Pulse for &AtomicBool {
    fn beat(&mut self) -> io::Result<()> {
        if self.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

/// A file that is read with a pulse, or bytes in memory.
pub struct Pulsed<T, P> {
    /// What is read.
    pub inner: T,
    /// Asked before each block.
    pub pulse: P,
}

/// So much is read without asking.
const BLOCK: usize = 4 << 20;

impl<F: Read, P: Pulse> Read for Pulsed<F, P> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.pulse.beat()?;
        let len = room.len().min(BLOCK);
        self.inner.read(&mut room[..len])
    }
}

impl<F: Seek, P> Seek for Pulsed<F, P> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        self.inner.stream_position()
    }
}

impl<S: Source, P: Pulse> Source for Pulsed<S, P> {
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
}
