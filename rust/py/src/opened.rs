//! What Python can name as a log, opened: bytes, paths, directories, binary files.

use std::convert::Infallible;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use lastsaid_core::error::Error;
use lastsaid_core::log::directory::{self, Session};
use lastsaid_core::log::source::{File, Memory, Source};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::{ambiguous_log, os_error};
use crate::pulse::{Pulse, Pulsed, Signals};
use crate::strings::{buffer, type_name};

/// A log that can be read at any offset, or once.
pub enum Opened<'a> {
    /// At any offset.
    Sought(&'a mut dyn Source),
    /// Once, from here on.
    Once(&'a mut dyn Read),
}

/// What reading gives; of bytes, which raise nothing by themselves.
pub type Read1<R> = Result<R, Error<Infallible>>;

/// Bytes in memory, with the interpreter released.
pub fn bytes<R: Send>(
    py: Python<'_>,
    log: &[u8],
    read: impl FnOnce(Opened<'_>) -> Read1<R> + Send,
) -> PyResult<Read1<R>> {
    let signals = Signals::new(None);
    let done = py.detach(|| read(Opened::Sought(&mut Pulsed { inner: Memory::new(log), pulse: &signals })));
    signals.raised().map(|()| done)
}

/// A path or a binary file; `what` names the caller in a TypeError.
pub fn source<R: Send>(
    source: &Bound<'_, PyAny>,
    what: &str,
    read: impl Fn(Opened<'_>) -> Read1<R> + Send + Sync,
) -> PyResult<Read1<R>> {
    if is_path(source)? { path(Named::new(source)?, source.py(), None, read) } else { file(source, what, read) }
}

/// Whether it names a file, as `open` takes it.
pub fn is_path(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(source.is_instance_of::<PyString>()
        || source.is_instance_of::<PyBytes>()
        || source.hasattr(intern!(source.py(), "__fspath__"))?)
}

/// The same, but bytes are the log itself.
pub fn source_or_bytes<R: Send>(
    source: &Bound<'_, PyAny>,
    what: &str,
    read: impl Fn(Opened<'_>) -> Read1<R> + Send + Sync,
) -> PyResult<Read1<R>> {
    if !source.is_instance_of::<PyString>()
        && let Some(log) = buffer(source)?
    {
        return bytes(source.py(), log.as_bytes(), read);
    }
    self::source(source, what, read)
}

/// A path, as it was given and as the operating system takes it.
pub struct Named {
    /// The str or bytes, for errors.
    pub given: Py<PyAny>,
    /// Where it is.
    pub place: Place,
}

impl Named {
    /// What a path object stands for.
    pub fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        let is_plain = source.is_exact_instance_of::<PyString>();
        let given = if is_plain { source.clone() } else { py.import("os")?.call_method1("fspath", (source,))? };
        let path: PathBuf = if given.is_instance_of::<PyString>() {
            given.extract()?
        } else {
            py.import("os")?.call_method1("fsdecode", (&given,))?.extract()?
        };
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(PyValueError::new_err("embedded null byte"));
        }
        Ok(Self { given: given.unbind(), place: Place { path, is_led: false } })
    }
}

/// A path of the operating system.
pub struct Place {
    path: PathBuf,
    /// Whether a directory led there: then it is named, not the directory.
    is_led: bool,
}

/// What stands in the way of a path.
pub enum Obstacle {
    /// The operating system.
    Io(io::Error),
    /// A session's log plain and compressed.
    Both(String, String),
    /// A directory without a log.
    NoLog,
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Place {
    /// Read the file that is there, or none if it is no regular file; the interpreter isn't needed.
    pub fn read<R>(&mut self, pulse: &dyn Pulse, read: impl FnOnce(Opened<'_>) -> Read1<R>) -> Reached<R> {
        let mut kind = fs::metadata(&self.path)?;
        if kind.is_dir() {
            match directory::session_in(&self.path)? {
                Session::Log(name) => self.path.push(name),
                Session::Both(plain, compressed) => return Err(Obstacle::Both(plain, compressed)),
                Session::Nothing => return Err(Obstacle::NoLog),
            }
            self.is_led = true;
            kind = fs::metadata(&self.path)?;
            if kind.is_dir() {
                return Err(io::Error::from_raw_os_error(EISDIR).into());
            }
        }
        // Only to open a pipe may take for ever already, and who closes it again ends its writer.
        if !kind.is_file() {
            return Ok(None);
        }
        let file = fs::File::open(&self.path)?;
        let size = file.metadata()?.len();
        let mut log = File::new(Pulsed { inner: file, pulse }, 0, size);
        Ok(Some(read(Opened::Sought(&mut log))))
    }
}

/// What reading a place came to; none where it is no regular file.
pub type Reached<R> = Result<Option<Read1<R>>, Obstacle>;

/// A path, with the interpreter released; another thread may say by a flag that the answer isn't wanted any more.
pub fn path<R: Send>(
    mut named: Named,
    py: Python<'_>,
    is_closed: Option<&AtomicBool>,
    read: impl Fn(Opened<'_>) -> Read1<R> + Send + Sync,
) -> PyResult<Read1<R>> {
    let signals = Signals::new(is_closed);
    let reached = py.detach(|| named.place.read(&signals, &read));
    signals.raised()?;
    named.reached(py, reached, read)
}

impl Named {
    /// What was reached, or its error; what is no regular file is read now.
    pub fn reached<R: Send>(
        &self,
        py: Python<'_>,
        reached: Reached<R>,
        read: impl Fn(Opened<'_>) -> Read1<R> + Send + Sync,
    ) -> PyResult<Read1<R>> {
        match reached {
            Ok(Some(Err(Error::Io(error)))) | Err(Obstacle::Io(error)) => {
                Err(os_error(py, error, Some(&self.name(py)?)))
            }
            Ok(Some(done)) => Ok(done),
            Ok(None) => {
                let name = self.name(py)?;
                let file = py.import("io")?.call_method1("open", (&name, "rb", 0))?;
                let mut pipe = Pipe(file.clone().unbind());
                let done = py.detach(|| read(Opened::Once(&mut pipe)));
                file.call_method0("close")?;
                match done {
                    Err(Error::Io(error)) => Err(os_error(py, error, Some(&name))),
                    done => Ok(done),
                }
            }
            Err(Obstacle::Both(plain, compressed)) => {
                let directory = self.place.path.as_os_str().into_pyobject(py)?;
                Err(ambiguous_log(directory.as_any(), &plain, &compressed))
            }
            Err(Obstacle::NoLog) => {
                let class = py.get_type::<pyo3::exceptions::PyOSError>();
                let what = "Is a directory and holds no session.jsonl";
                Err(PyErr::from_value(class.call1((EISDIR, what, &self.given))?))
            }
        }
    }

    /// The name in an error: as it was given, or where a directory led.
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let given = self.given.bind(py);
        if !self.place.is_led {
            return Ok(given.clone());
        }
        let path = self.place.path.as_os_str();
        if given.is_instance_of::<PyBytes>() {
            return Ok(PyBytes::new(py, path.as_encoded_bytes()).into_any());
        }
        Ok(path.into_pyobject(py)?.into_any())
    }
}

/// The operating system's number for a directory where a file is wanted.
const EISDIR: i32 = 21;

/// A pipe or a device, opened by Python, which lets Ctrl-C through while nobody writes to it.
struct Pipe(Py<PyAny>);

impl Read for Pipe {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| PythonFile(self.0.bind(py)).read(room))
    }
}

fn file<R>(
    source: &Bound<'_, PyAny>,
    what: &str,
    read: impl FnOnce(Opened<'_>) -> Read1<R>,
) -> PyResult<Read1<R>> {
    let py = source.py();
    let is_file = source.hasattr(intern!(py, "read"))? && source.getattr(intern!(py, "read"))?.is_callable();
    if !is_file {
        let found = type_name(source)?;
        return Err(PyTypeError::new_err(format!("{what} takes a path or a binary file, not {found}")));
    }
    if source.call_method1(intern!(py, "read"), (0,))?.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "{what} takes a binary file, not one in text mode; open it with 'rb'"
        )));
    }
    let can_seek =
        source.hasattr(intern!(py, "seekable"))? && source.call_method0(intern!(py, "seekable"))?.is_truthy()?;
    let mut file = PythonFile(source);
    if !can_seek {
        return Ok(read(Opened::Once(&mut file)));
    }
    let done = match File::from_here(PythonFile(source)) {
        Ok(mut log) => read(Opened::Sought(&mut log)),
        Err(error) => Err(error.into()),
    };
    file.seek(SeekFrom::End(0))?;
    Ok(done)
}

/// A binary file of Python's.
struct PythonFile<'a, 'py>(&'a Bound<'py, PyAny>);

fn io_error(error: PyErr) -> io::Error {
    // Not `io::Error::from`, which makes an InterruptedError look like a call to try again.
    io::Error::other(error)
}

impl Read for PythonFile<'_, '_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let py = self.0.py();
        let mut read = || -> PyResult<usize> {
            // A file that never ends and is written in C would never let Ctrl-C through.
            py.check_signals()?;
            let data = self.0.call_method1(intern!(py, "read"), (room.len(),))?;
            // None: a file that doesn't block has nothing now.
            if data.is_none() {
                return Ok(0);
            }
            let Some(data) = buffer(&data)? else {
                let found = type_name(&data)?;
                return Err(PyTypeError::new_err(format!("the file's read() returned {found}, expected bytes")));
            };
            let data = data.as_bytes();
            let Some(room) = room.get_mut(..data.len()) else {
                return Err(PyValueError::new_err("the file's read() returned more than it was asked for"));
            };
            room.copy_from_slice(data);
            Ok(data.len())
        };
        read().map_err(io_error)
    }
}

impl Seek for PythonFile<'_, '_> {
    fn stream_position(&mut self) -> io::Result<u64> {
        self.0.call_method0(intern!(self.0.py(), "tell")).and_then(|at| at.extract()).map_err(io_error)
    }

    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i64::try_from(offset).unwrap_or(i64::MAX), 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        let name = intern!(self.0.py(), "seek");
        self.0.call_method1(name, (offset, whence)).and_then(|at| at.extract()).map_err(io_error)
    }
}
