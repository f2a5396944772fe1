//! What Python can name as a log, opened: bytes, paths, directories, binary files.

use std::convert::Infallible;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use lastsaid_core::error::Error;
use lastsaid_core::log::directory::{self, Session};
use lastsaid_core::log::source::{File, Memory, Source};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::{ambiguous_log, os_error};
use crate::strings::{buffer, type_name};

/// A log that can be read at any offset, or once.
pub enum Opened<'a> {
    /// At any offset.
    Sought(&'a mut dyn Source),
    /// Once, from here on.
    Once(&'a mut dyn Read),
}

/// What reading gives; of bytes, which raise nothing by themselves.
type Read1<R> = Result<R, Error<Infallible>>;

/// Bytes in memory, with the interpreter released.
pub fn bytes<R: Send>(py: Python<'_>, log: &[u8], read: impl FnOnce(Opened<'_>) -> Read1<R> + Send) -> Read1<R> {
    py.detach(|| read(Opened::Sought(&mut Memory::new(log))))
}

/// A path or a binary file; `what` names the caller in a TypeError.
pub fn source<R: Send>(
    source: &Bound<'_, PyAny>,
    what: &str,
    read: impl FnOnce(Opened<'_>) -> Read1<R> + Send,
) -> PyResult<Read1<R>> {
    let is_path = source.is_instance_of::<PyString>()
        || source.is_instance_of::<PyBytes>()
        || source.hasattr(intern!(source.py(), "__fspath__"))?;
    if is_path { path(source, read) } else { file(source, what, read) }
}

/// The same, but bytes are the log itself.
pub fn source_or_bytes<R: Send>(
    source: &Bound<'_, PyAny>,
    what: &str,
    read: impl FnOnce(Opened<'_>) -> Read1<R> + Send,
) -> PyResult<Read1<R>> {
    if !source.is_instance_of::<PyString>()
        && let Some(log) = buffer(source)?
    {
        return Ok(bytes(source.py(), log.as_bytes(), read));
    }
    self::source(source, what, read)
}

/// What stands in the way of a path.
enum Obstacle {
    Io(io::Error),
    Both(String, String),
    NoLog,
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn open(place: &mut PathBuf) -> Result<(fs::File, bool), Obstacle> {
    let mut file = fs::File::open(&place)?;
    let mut kind = file.metadata()?;
    if kind.is_dir() {
        match directory::session_in(place)? {
            Session::Log(name) => place.push(name),
            Session::Both(plain, compressed) => return Err(Obstacle::Both(plain, compressed)),
            Session::Nothing => return Err(Obstacle::NoLog),
        }
        file = fs::File::open(&place)?;
        kind = file.metadata()?;
    }
    Ok((file, kind.is_file()))
}

fn path<R: Send>(
    source: &Bound<'_, PyAny>,
    read: impl FnOnce(Opened<'_>) -> Read1<R> + Send,
) -> PyResult<Read1<R>> {
    let py = source.py();
    let path = py.import("os")?.call_method1(intern!(py, "fspath"), (source,))?;
    let decoded = py.import("os")?.call_method1(intern!(py, "fsdecode"), (&path,))?;
    let mut place: PathBuf = decoded.extract()?;
    if place.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(PyValueError::new_err("embedded null byte"));
    }
    let asked = place.clone();
    let opened = py.detach(|| {
        let (file, is_file) = open(&mut place)?;
        Ok(if is_file {
            let size = file.metadata()?.len();
            let mut log = File::new(file, 0, size);
            read(Opened::Sought(&mut log))
        } else {
            read(Opened::Once(&mut Interruptible(file)))
        })
    });
    // What a directory led to is named, not the directory.
    let path = if place == asked { path } else { place.as_os_str().into_pyobject(py)?.into_any() };
    match opened {
        Ok(Err(Error::Io(error))) | Err(Obstacle::Io(error)) => Err(os_error(py, error, Some(&path))),
        Err(Obstacle::Both(plain, compressed)) => Err(ambiguous_log(&path, &plain, &compressed)),
        Err(Obstacle::NoLog) => {
            let class = py.get_type::<pyo3::exceptions::PyOSError>();
            Err(PyErr::from_value(class.call1((EISDIR, "Is a directory and holds no session.jsonl", path))?))
        }
        Ok(done) => Ok(done),
    }
}

/// The operating system's number for a directory where a file is wanted.
const EISDIR: i32 = 21;

/// A pipe or a device: Ctrl-C must reach Python while it keeps us waiting, and while it never ends.
struct Interruptible(fs::File);

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            Python::attach(|py| py.check_signals()).map_err(io::Error::other)?;
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
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
