//! `read_many`: its arguments, checked (spec S5). What it gives is in `answers`.

use std::thread;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyIterator, PyMemoryView};

use crate::answers::{Answers, Told};
use crate::opened;
use crate::options::{Asked, Given, integer};
use crate::strings::type_name;

/// What many logs finally say: an iterator of what `read` returns or raises for each, in the order of the paths.
///
/// Several threads read ahead, without the interpreter. Leaving the loop, `close()` and Ctrl-C stop them at once.
///
/// Args:
///     paths: an iterable of paths (of files, or of sessions' directories). It may be a generator: at most 32 paths
///         a thread are taken ahead, with `threads=1` none.
///     format, suffix, session, start, turn, since_seq, on_malformed, explain, max_record_bytes,
///         max_decompressed_bytes: as `read`, for every log.
///     threads: how many logs are read at the same time; as many as there are cores when None, at most 256.
///         The pure Python engine reads one at a time.
///     progress: called by the iterating thread as `progress(done, total)` before it is given a result, at most ten
///         times a second, and once at the end. `total` is None until then if `paths` has no length. What it raises
///         ends the reading.
///
/// Yields:
///     a Selection, or the exception that `read` would have raised for that path, with the path in a note where the
///     exception itself doesn't name it; TypeError for what is no path.
///
/// Raises:
///     ValueError, TypeError: an option is off, or `paths` is one path.
///     what iterating `paths` raises, after the results of the paths before it.
#[pyfunction]
#[pyo3(signature = (
    paths: "collections.abc.Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]]", *,
    format: "str" = Given::default(), suffix: "typing.Literal['own', 'whole']" = Given::default(),
    session: "str | None" = None, start: "int | None" = None, turn: "int | None" = None,
    since_seq: "int | None" = None, on_malformed: "typing.Literal['raise', 'skip']" = Given::default(),
    explain: "bool" = Given::default(), max_record_bytes: "int" = Given::default(),
    max_decompressed_bytes: "int" = Given::default(), threads: "int | None" = None,
    progress: "collections.abc.Callable[[int, int | None], object] | None" = None
) -> "lastsaid._protocol.Answers")]
#[pyo3(
    text_signature = "(paths, *, format='auto', suffix='own', session=None, start=None, turn=None, since_seq=None, \
                         on_malformed='raise', explain=False, max_record_bytes=268435456, \
                         max_decompressed_bytes=68719476736, threads=None, progress=None)"
)]
#[allow(clippy::too_many_arguments)]
pub fn read_many<'py>(
    paths: &Bound<'py, PyAny>,
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
    threads: Option<Bound<'py, PyAny>>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answers> {
    let format = format.format(true)?;
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
    let threads = threads.map_or_else(|| Ok(cores()), |threads| at_most(&threads))?;
    let total = match &progress {
        Some(progress) if !progress.is_callable() => {
            let found = type_name(progress)?;
            return Err(PyTypeError::new_err(format!("progress takes a callable, not {found}")));
        }
        Some(_) => paths.len().ok(),
        None => None,
    };
    let told = progress.map(|progress| Told::new(progress, total));
    Ok(Answers::new(&iterator(paths)?, threads, options, asked.turn, format, told))
}

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 256;

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

fn at_most(threads: &Bound<'_, PyAny>) -> PyResult<usize> {
    match usize::try_from(integer(threads)?) {
        Ok(threads @ 1..) => Ok(threads.min(MOST_THREADS)),
        _ => Err(PyValueError::new_err("threads is not positive, expected at least 1")),
    }
}

fn iterator<'py>(paths: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    let is_data = paths.is_instance_of::<PyByteArray>() || paths.is_instance_of::<PyMemoryView>();
    let wrong = || -> PyResult<PyErr> {
        Ok(PyTypeError::new_err(format!("read_many takes an iterable of paths, not {}", type_name(paths)?)))
    };
    if is_data || opened::is_path(paths)? {
        return Err(wrong()?);
    }
    match paths.try_iter() {
        Err(error) if error.is_instance_of::<PyTypeError>(paths.py()) => Err(wrong()?),
        paths => paths,
    }
}
