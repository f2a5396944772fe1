//! `read`, `read_bytes`, `read_sessions`, `check`: logs in memory, in files and in whatever Python can read (spec S5).

use std::convert::Infallible;

use lastsaid_core::error::Error;
use lastsaid_core::log::reading::{self, Kept as Bytes, Options};
use lastsaid_core::log::source::FromStart;
use lastsaid_core::outcome::Outcome;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::error::{of_bytes, raised, turn_not_found};
use crate::kept::Kept;
use crate::opened::{self, Opened};
use crate::options::{Asked, Given, limits};
use crate::selection::of_outcome;
use crate::strings::{buffer, to_python, type_name};

/// The answer of a log in memory; options and errors as `read`. Mutable buffers are copied first.
#[pyfunction]
#[pyo3(signature = (
    data: "bytes | bytearray | memoryview", *, format: "str" = Given::default(),
    suffix: "typing.Literal['own', 'whole']" = Given::default(), session: "str | None" = None,
    start: "int | None" = None, turn: "int | None" = None, since_seq: "int | None" = None,
    on_malformed: "typing.Literal['raise', 'skip']" = Given::default(), explain: "bool" = Given::default(),
    max_record_bytes: "int" = Given::default(), max_decompressed_bytes: "int" = Given::default(),
    threads: "int" = Given::default()
) -> "lastsaid.selection.Selection")]
#[pyo3(
    text_signature = "(data, *, format='auto', suffix='own', session=None, start=None, turn=None, since_seq=None, \
                         on_malformed='raise', explain=False, max_record_bytes=268435456, \
                         max_decompressed_bytes=68719476736, threads=1)"
)]
#[allow(clippy::too_many_arguments)]
pub fn read_bytes<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    format: Given<'py>,
    suffix: Given<'py>,
    session: Option<Bound<'py, PyAny>>,
    start: Option<Bound<'py, PyAny>>,
    turn: Option<Bound<'py, PyAny>>,
    since_seq: Option<Bound<'py, PyAny>>,
    on_malformed: Given<'py>,
    explain: Given<'py>,
    max_record_bytes: Given<'py>,
    max_decompressed_bytes: Given<'py>,
    threads: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = format.format(true)?;
    let asked = Asked {
        suffix,
        session,
        start,
        turn,
        since_seq,
        on_malformed,
        explain,
        max_record_bytes,
        max_decompressed_bytes,
        threads,
    };
    let options = asked.options()?;
    let log = if data.is_instance_of::<PyString>() { None } else { buffer(data)? };
    let Some(log) = log else {
        let found = type_name(data)?;
        return Err(PyTypeError::new_err(format!("read_bytes takes bytes, bytearray or memoryview, not {found}")));
    };
    answer(py, opened::bytes(py, log.as_bytes(), |log| one(log, &options))?, asked.turn.as_ref(), name)
}

/// What a log finally says.
///
/// The log may be plain, gzip or zstd, told by its first bytes; JSON Lines or one JSON array; a session's own log
/// or the notifications of several.
///
/// Args:
///     source: a path (of a file, or of a session's directory), or a binary file, which is read from where it
///         stands. Files are read from their end; pipes, gzip, arrays and notifications forward.
///     suffix: `own`, the last run's own events (S4), or `whole`.
///     session: whose answer, by id, where the log holds several; else the one that is nobody's child.
///     start, turn, since_seq: at most one, each instead of `suffix`: from that record (0 is the header), the
///         last turn of that number (-1: the last turn), the events from that seq on.
///     on_malformed: `raise`, or `skip` with the warning `malformed_skipped`.
///     explain: add `counts` and `candidates`, for which the whole log is read.
///     max_record_bytes: the longest record that is examined.
///     max_decompressed_bytes: how much of a compressed log is decompressed.
///     threads: how many threads may read a large log; the answer is the same, and the pure engine reads on one.
///
/// Raises:
///     MalformedEventError: a record that the answer needs can't be read (S7), with offset and line.
///     TurnNotFoundError, SessionNotFoundError: no such turn or session, or several sessions and none picked.
///     AmbiguousLogError: a directory holds the session's log twice.
///     OSError: as the operating system says; also of a file that becomes shorter while it is read.
///     ValueError, TypeError: an option is off.
#[pyfunction]
#[pyo3(signature = (
    source: "str | os.PathLike[str] | typing.BinaryIO", *, format: "str" = Given::default(),
    suffix: "typing.Literal['own', 'whole']" = Given::default(), session: "str | None" = None,
    start: "int | None" = None, turn: "int | None" = None, since_seq: "int | None" = None,
    on_malformed: "typing.Literal['raise', 'skip']" = Given::default(), explain: "bool" = Given::default(),
    max_record_bytes: "int" = Given::default(), max_decompressed_bytes: "int" = Given::default(),
    threads: "int" = Given::default()
) -> "lastsaid.selection.Selection")]
#[pyo3(
    text_signature = "(source, *, format='auto', suffix='own', session=None, start=None, turn=None, since_seq=None, \
                         on_malformed='raise', explain=False, max_record_bytes=268435456, \
                         max_decompressed_bytes=68719476736, threads=1)"
)]
#[allow(clippy::too_many_arguments)]
pub fn read<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: Given<'py>,
    suffix: Given<'py>,
    session: Option<Bound<'py, PyAny>>,
    start: Option<Bound<'py, PyAny>>,
    turn: Option<Bound<'py, PyAny>>,
    since_seq: Option<Bound<'py, PyAny>>,
    on_malformed: Given<'py>,
    explain: Given<'py>,
    max_record_bytes: Given<'py>,
    max_decompressed_bytes: Given<'py>,
    threads: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = format.format(true)?;
    let asked = Asked {
        suffix,
        session,
        start,
        turn,
        since_seq,
        on_malformed,
        explain,
        max_record_bytes,
        max_decompressed_bytes,
        threads,
    };
    let options = asked.options()?;
    answer(py, opened::source(source, "read", |log| one(log, &options))?, asked.turn.as_ref(), name)
}

/// What each session of a log finally says, by id, in the order in which they first occur (S4).
///
/// Args:
///     source: as `read`; bytes are the log itself. A log without notifications has one session: its header's `id`.
///     suffix, on_malformed, explain, max_record_bytes, max_decompressed_bytes: as `read`, for every session.
///
/// Raises:
///     as `read`, for the first session of which it is true.
#[pyfunction]
#[pyo3(signature = (
    source: "str | os.PathLike[str] | typing.BinaryIO | bytes | bytearray | memoryview", *,
    format: "str" = Given::default(), suffix: "typing.Literal['own', 'whole']" = Given::default(),
    on_malformed: "typing.Literal['raise', 'skip']" = Given::default(), explain: "bool" = Given::default(),
    max_record_bytes: "int" = Given::default(), max_decompressed_bytes: "int" = Given::default()
) -> "dict[str, lastsaid.selection.Selection]")]
#[pyo3(text_signature = "(source, *, format='auto', suffix='own', on_malformed='raise', explain=False, \
                         max_record_bytes=268435456, max_decompressed_bytes=68719476736)")]
#[allow(clippy::too_many_arguments)]
pub fn read_sessions<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: Given<'py>,
    suffix: Given<'py>,
    on_malformed: Given<'py>,
    explain: Given<'py>,
    max_record_bytes: Given<'py>,
    max_decompressed_bytes: Given<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let name = format.format(true)?;
    let (session, start, turn, since_seq) = (None, None, None, None);
    let asked = Asked {
        suffix,
        session,
        start,
        turn,
        since_seq,
        on_malformed,
        explain,
        max_record_bytes,
        max_decompressed_bytes,
        threads: Given::default(),
    };
    let options = asked.options()?;
    let all = |log: Opened<'_>| match log {
        Opened::Sought(mut log) => reading::read_sessions(&mut log, &options),
        Opened::Once(log) => reading::read_sessions_stream(log, &options),
    };
    let answers = opened::source_or_bytes(source, "read_sessions", all)?;
    let found = PyDict::new(py);
    for (id, outcome) in answers.map_err(|error| raised(py, of_bytes(error)))? {
        found.set_item(to_python(py, &id)?, selection(py, outcome, name)?)?;
    }
    Ok(found)
}

/// Everything that is wrong with a log, in its order; empty when it is sound (S7).
///
/// Each record is examined alone, whether an answer would need it or not.
///
/// Args:
///     source: as `read`; bytes are the log itself.
///     max_record_bytes, max_decompressed_bytes: as `read`; what is beyond them is a problem of kind `too_large`.
///
/// Raises:
///     OSError, AmbiguousLogError: the log can't be opened or read at all.
#[pyfunction]
#[pyo3(signature = (
    source: "str | os.PathLike[str] | typing.BinaryIO | bytes | bytearray | memoryview", *,
    format: "str" = Given::default(), max_record_bytes: "int" = Given::default(),
    max_decompressed_bytes: "int" = Given::default()
) -> "list[lastsaid.problem.Problem]")]
#[pyo3(
    text_signature = "(source, *, format='auto', max_record_bytes=268435456, max_decompressed_bytes=68719476736)"
)]
pub fn check<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    format: Given<'py>,
    max_record_bytes: Given<'py>,
    max_decompressed_bytes: Given<'py>,
) -> PyResult<Bound<'py, PyList>> {
    static PROBLEM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    format.format(true)?;
    let (limit, decompressed) = limits(&max_record_bytes, &max_decompressed_bytes)?;
    let options = Options { limit, decompressed, ..Options::default() };
    let problems = opened::source_or_bytes(source, "check", |log| match log {
        Opened::Sought(mut log) => reading::check(FromStart::new(&mut log), &options),
        Opened::Once(log) => reading::check(log, &options),
    })?;
    let class = PROBLEM.import(py, "lastsaid.problem", "Problem")?;
    let found = problems.map_err(|error| raised(py, of_bytes(error)))?.into_iter().map(|problem| {
        let fields = PyDict::new(py);
        fields.set_item(intern!(py, "kind"), problem.kind)?;
        fields.set_item(intern!(py, "path"), problem.path)?;
        fields.set_item(intern!(py, "offset"), problem.offset)?;
        fields.set_item(intern!(py, "line"), problem.line)?;
        fields.set_item(intern!(py, "message"), problem.message)?;
        class.call((), Some(&fields))
    });
    PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
}

/// What reading one log comes to.
pub type Read = Result<Outcome<Bytes>, Error<Infallible>>;

/// Read one session's answer.
pub fn one(log: Opened<'_>, options: &Options) -> Read {
    match log {
        Opened::Sought(mut log) => reading::read(&mut log, options),
        Opened::Once(log) => reading::read_stream(log, options),
    }
}

fn selection<'py>(py: Python<'py>, outcome: Outcome<Bytes>, format: &str) -> PyResult<Bound<'py, PyAny>> {
    let Outcome { fold, skipped, outside, torn, explanation } = outcome;
    of_outcome(py, &Outcome { fold: fold.map_kept(Kept::from), skipped, outside, torn, explanation }, format)
}

/// What was read as a Selection, or its exception; `turn` as the caller wrote it.
pub fn answer<'py>(
    py: Python<'py>,
    outcome: Read,
    turn: Option<&Bound<'py, PyAny>>,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    match outcome {
        Ok(outcome) => selection(py, outcome, format),
        Err(error) => Err(match (error, turn) {
            (Error::TurnNotFound(_, turns), Some(turn)) => turn_not_found(turn, turns),
            (error, _) => raised(py, of_bytes(error)),
        }),
    }
}
