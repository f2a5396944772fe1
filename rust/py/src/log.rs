//! `read` and `read_bytes`: logs in memory, in files and in whatever Python can read (spec S5).

use std::convert::Infallible;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use lastsaid_core::error::Error;
use lastsaid_core::log::reading::{self, Kept as Bytes, Options};
use lastsaid_core::log::source::{File, Memory};
use lastsaid_core::outcome::Outcome;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::{of_bytes, os_error, raised, turn_not_found};
use crate::kept::Kept;
use crate::options::{Asked, Given};
use crate::selection::of_outcome;
use crate::strings::{buffer, type_name};

type Read1 = Result<Outcome<Bytes>, Error<Infallible>>;

/// The answer of a log in memory; options and errors as `read`. Mutable buffers are copied first.
#[pyfunction]
#[pyo3(signature = (
    data: "bytes | bytearray | memoryview", *, format: "str" = Given::default(),
    suffix: "typing.Literal['own', 'whole']" = Given::default(), start: "int | None" = None,
    turn: "int | None" = None, since_seq: "int | None" = None,
    on_malformed: "typing.Literal['raise', 'skip']" = Given::default(), max_record_bytes: "int" = Given::default()
) -> "lastsaid.selection.Selection")]
#[pyo3(text_signature = "(data, *, format='auto', suffix='own', start=None, turn=None, since_seq=None, \
                         on_malformed='raise', max_record_bytes=268435456)")]
#[allow(clippy::too_many_arguments)]
pub fn read_bytes<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    format: Given<'py>,
    suffix: Given<'py>,
    start: Option<Bound<'py, PyAny>>,
    turn: Option<Bound<'py, PyAny>>,
    since_seq: Option<Bound<'py, PyAny>>,
    on_malformed: Given<'py>,
    max_record_bytes: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = format.format(true)?;
    let asked = Asked { suffix, start, turn, since_seq, on_malformed, max_record_bytes };
    let options = asked.options()?;
    let log = if data.is_instance_of::<PyString>() { None } else { buffer(data)? };
    let Some(log) = log else {
        let found = type_name(data)?;
        return Err(PyTypeError::new_err(format!("read_bytes takes bytes, bytearray or memoryview, not {found}")));
    };
    let log = log.as_bytes();
    let outcome = py.detach(|| reading::read(&mut Memory::new(log), &options));
    answer(py, outcome, &asked, name)
}

/// What a log finally says.
///
/// Args:
///     source: a path, or a binary file, which is read from where it stands. Files are read from their end;
///         pipes and other streams forward.
///     suffix: `own`, the last run's own events (S4), or `whole`.
///     start, turn, since_seq: at most one, each instead of `suffix`: from that record (0 is the header), the
///         last turn of that number (-1: the last turn), the events from that seq on.
///     on_malformed: `raise`, or `skip` with the warning `malformed_skipped`.
///     max_record_bytes: the longest line that is examined.
///
/// Raises:
///     MalformedEventError: a record that the answer needs can't be read (S7), with offset and line.
///     TurnNotFoundError: no such turn.
///     OSError: as the operating system says.
///     ValueError, TypeError: an option is off.
#[pyfunction]
#[pyo3(signature = (
    source: "str | os.PathLike[str] | typing.BinaryIO", *, format: "str" = Given::default(),
    suffix: "typing.Literal['own', 'whole']" = Given::default(), start: "int | None" = None,
    turn: "int | None" = None, since_seq: "int | None" = None,
    on_malformed: "typing.Literal['raise', 'skip']" = Given::default(), max_record_bytes: "int" = Given::default()
) -> "lastsaid.selection.Selection")]
#[pyo3(text_signature = "(source, *, format='auto', suffix='own', start=None, turn=None, since_seq=None, \
                         on_malformed='raise', max_record_bytes=268435456)")]
#[allow(clippy::too_many_arguments)]
pub fn read<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: Given<'py>,
    suffix: Given<'py>,
    start: Option<Bound<'py, PyAny>>,
    turn: Option<Bound<'py, PyAny>>,
    since_seq: Option<Bound<'py, PyAny>>,
    on_malformed: Given<'py>,
    max_record_bytes: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = format.format(true)?;
    let asked = Asked { suffix, start, turn, since_seq, on_malformed, max_record_bytes };
    let options = asked.options()?;
    let is_path = source.is_instance_of::<PyString>()
        || source.is_instance_of::<PyBytes>()
        || source.hasattr(intern!(py, "__fspath__"))?;
    let outcome = if is_path { read_path(source, &options)? } else { read_file(source, &options)? };
    answer(py, outcome, &asked, name)
}

fn answer<'py>(py: Python<'py>, outcome: Read1, asked: &Asked<'py>, format: &str) -> PyResult<Bound<'py, PyAny>> {
    match outcome {
        Ok(Outcome { fold, skipped, outside, torn }) => {
            let outcome = Outcome { fold: fold.map_kept(Kept::from), skipped, outside, torn };
            of_outcome(py, &outcome, format)
        }
        Err(Error::TurnNotFound(_, turns)) if asked.turn.is_some() => {
            let none = py.None().into_bound(py);
            Err(turn_not_found(asked.turn.as_ref().unwrap_or(&none), turns))
        }
        Err(error) => Err(raised(py, of_bytes(error))),
    }
}

fn read_path(source: &Bound<'_, PyAny>, options: &Options) -> PyResult<Read1> {
    let py = source.py();
    let path = py.import("os")?.call_method1(intern!(py, "fspath"), (source,))?;
    let decoded = py.import("os")?.call_method1(intern!(py, "fsdecode"), (&path,))?;
    let place: PathBuf = decoded.extract()?;
    if place.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(PyValueError::new_err("embedded null byte"));
    }
    let outcome = py.detach(|| {
        let file = fs::File::open(&place)?;
        let kind = file.metadata()?;
        if kind.is_dir() {
            return Err(Error::Io(io::Error::from_raw_os_error(21)));
        }
        if kind.is_file() {
            reading::read(&mut File::from_here(file)?, options)
        } else {
            reading::read_stream(&mut Interruptible(file), options)
        }
    });
    match outcome {
        Err(Error::Io(error)) => Err(os_error(py, error, &path)),
        outcome => Ok(outcome),
    }
}

/// A pipe or a device: Ctrl-C must reach Python while it keeps us waiting.
struct Interruptible(fs::File);

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    Python::attach(|py| py.check_signals()).map_err(io::Error::other)?;
                }
                done => return done,
            }
        }
    }
}

fn read_file(source: &Bound<'_, PyAny>, options: &Options) -> PyResult<Read1> {
    let py = source.py();
    let is_file = source.hasattr(intern!(py, "read"))? && source.getattr(intern!(py, "read"))?.is_callable();
    if !is_file {
        return Err(PyTypeError::new_err(format!(
            "read takes a path or a binary file, not {}",
            type_name(source)?
        )));
    }
    if source.call_method1(intern!(py, "read"), (0,))?.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("read takes a binary file, not one in text mode; open it with 'rb'"));
    }
    let can_seek =
        source.hasattr(intern!(py, "seekable"))? && source.call_method0(intern!(py, "seekable"))?.is_truthy()?;
    let mut file = PythonFile(source);
    if !can_seek {
        return Ok(reading::read_stream(&mut file, options));
    }
    let outcome = match File::from_here(PythonFile(source)) {
        Ok(mut log) => reading::read(&mut log, options),
        Err(error) => Err(error.into()),
    };
    file.seek(SeekFrom::End(0))?;
    Ok(outcome)
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
