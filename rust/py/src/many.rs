//! `read_many`: the answers of many logs, read by several threads and given out in order (spec S5, S10).

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use lastsaid_core::log::reading::Options;
use lastsaid_core::outcome::Outcome;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyByteArray, PyIterator, PyMemoryView};
use pyo3::{PyTraverseError, PyVisit};

use crate::log::{answer, one};
use crate::opened::{self, Named, Place, Reached};
use crate::options::{Asked, Given, integer};
use crate::strings::type_name;
use crate::workers::{self, Workers};

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
    let options = Arc::new(asked.options()?);
    let threads = threads.map_or_else(|| Ok(cores()), |threads| at_most(&threads))?;
    let total = match &progress {
        Some(progress) if !progress.is_callable() => {
            let found = type_name(progress)?;
            return Err(PyTypeError::new_err(format!("progress takes a callable, not {found}")));
        }
        Some(_) => paths.len().ok(),
        None => None,
    };
    let reading = Reading {
        paths: Some(iterator(paths)?.unbind()),
        failure: None,
        pending: VecDeque::new(),
        ready: VecDeque::new(),
        workers: (threads > 1).then(|| workers(threads, Arc::clone(&options))),
        ahead: threads.saturating_mul(AHEAD),
        options,
        format,
        turn: asked.turn.map(Bound::unbind),
        progress: progress.map(Bound::unbind),
        told: Instant::now(),
        done: 0,
        total,
    };
    Ok(Answers { reading: Mutex::new(Some(reading)), owner: Mutex::new(None), is_closed: AtomicBool::new(false) })
}

/// How many paths a thread are taken ahead: so many results wait, whatever their size.
const AHEAD: usize = 32;
/// More threads than this only wait for each other.
const MOST_THREADS: usize = 256;
/// How often the progress is told.
const TELLING: Duration = Duration::from_millis(100);
/// How long the first wait for a result is; each next is twice as long, up to what a person doesn't notice.
const FIRST_WAIT: Duration = Duration::from_micros(500);
const LONGEST_WAIT: Duration = Duration::from_millis(40);
/// How long paths are taken while there is a result to give out.
const TAKING: Duration = Duration::from_millis(1);

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

type Read = Outcome<lastsaid_core::log::reading::Kept>;
type Done = (Place, Reached<Read>);

fn workers(threads: usize, options: Arc<Options>) -> Workers<Place, Done> {
    Workers::new(threads, move |mut place: Place, stop| {
        let reached = place.read(stop, |log| one(log, &options));
        (place, reached)
    })
}

/// The answers of many logs, in the order of their paths.
#[pyclass(frozen, weakref, module = "lastsaid")]
pub struct Answers {
    /// None when it is over.
    reading: Mutex<Option<Reading>>,
    /// The thread in the middle of a call.
    owner: Mutex<Option<ThreadId>>,
    is_closed: AtomicBool,
}

struct Reading {
    /// None when there are no more.
    paths: Option<Py<PyIterator>>,
    /// What they raised.
    failure: Option<PyErr>,
    /// The paths whose results weren't given out, in order.
    pending: VecDeque<PyResult<Pending>>,
    /// The first results of these that are there.
    ready: VecDeque<workers::Result<Done>>,
    /// None where one thread is enough: the one that asks.
    workers: Option<Workers<Place, Done>>,
    /// How many paths are taken ahead.
    ahead: usize,
    options: Arc<Options>,
    format: &'static str,
    turn: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    told: Instant,
    done: usize,
    total: Option<usize>,
}

/// A path that is being read: its name, and where it is if nobody has begun.
struct Pending {
    given: Py<PyAny>,
    place: Option<Place>,
}

struct Owner<'a>(&'a Mutex<Option<ThreadId>>);

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[pymethods]
impl Answers {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.held(py, |reading| {
            let Some(this) = reading else { return Ok(None) };
            let next = match this.next(py, &self.is_closed) {
                Ok(Some(answer)) => this.tell(py, false).map(|()| Some(answer)),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            if !matches!(next, Ok(Some(_))) {
                *reading = None;
            }
            next
        })
    }

    /// Stop reading; no thread is left, and there are no more answers.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.is_closed.store(true, Ordering::Relaxed);
        self.held(py, |reading| {
            let over = reading.take();
            Ok(drop(over))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(reading) = self.reading.try_lock() else { return Ok(()) };
        let Some(reading) = &*reading else { return Ok(()) };
        visit.call(&reading.paths)?;
        visit.call(&reading.progress)
    }

    fn __clear__(&self) {
        if let Ok(mut reading) = self.reading.try_lock() {
            *reading = None;
        }
    }
}

impl Answers {
    /// One call: other threads wait, a call from inside it is an error.
    fn held<R>(&self, py: Python<'_>, call: impl FnOnce(&mut Option<Reading>) -> PyResult<R>) -> PyResult<R> {
        let me = Some(thread::current().id());
        let owner = || self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if *owner() == me {
            return Err(PyRuntimeError::new_err("read_many is in the middle of another call on this thread"));
        }
        let mut reading = self.reading.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        *owner() = me;
        let _owner = Owner(&self.owner);
        call(&mut reading)
    }
}

impl Reading {
    fn next<'py>(&mut self, py: Python<'py>, is_closed: &AtomicBool) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut wait = FIRST_WAIT;
        loop {
            if is_closed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            self.take_paths(py)?;
            let Some(first) = self.pending.front() else {
                if let Some(failure) = self.failure.take() {
                    return Err(failure);
                }
                self.total = Some(self.done);
                return self.tell(py, true).map(|()| None);
            };
            let is_read = !matches!(first, Ok(Pending { place: None, .. })) || !self.ready.is_empty();
            if is_read && let Some(first) = self.pending.pop_front() {
                let given = first.as_ref().ok().map(|pending| pending.given.clone_ref(py));
                let answer = first.and_then(|pending| self.answer(py, pending, is_closed));
                if is_closed.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                self.done += 1;
                return answer.or_else(|error| yielded(py, error, given)).map(Some);
            }
            let Some(workers) = &self.workers else { return Ok(None) };
            workers.take(&mut self.ready);
            if self.ready.is_empty() {
                if !workers.are_here() {
                    return Err(PyRuntimeError::new_err(
                        "read_many's threads are not in this process: it was forked",
                    ));
                }
                py.detach(|| workers.wait(wait));
                py.check_signals()?;
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }

    /// Take paths ahead, many at once: a thread that has nothing to do must be woken.
    fn take_paths(&mut self, py: Python<'_>) -> PyResult<()> {
        let (Some(paths), true) = (&self.paths, self.pending.len() <= self.ahead / 2) else { return Ok(()) };
        let paths = paths.clone_ref(py).into_bound(py);
        let most = if self.workers.is_some() { self.ahead } else { 1 };
        let begin = Instant::now();
        while self.pending.len() < most && (self.ready.is_empty() || begin.elapsed() < TAKING) {
            match paths.clone().next() {
                Some(Ok(path)) => {
                    let named = named(&path);
                    let pending = match (named, &mut self.workers) {
                        (Ok(named), Some(workers)) => {
                            workers.put(named.place)?;
                            Ok(Pending { given: named.given, place: None })
                        }
                        (Ok(named), None) => Ok(Pending { given: named.given, place: Some(named.place) }),
                        (Err(error), _) => Err(error),
                    };
                    self.pending.push_back(pending);
                }
                other => {
                    self.failure = other.and_then(Result::err);
                    self.paths = None;
                    break;
                }
            }
            if let Some(workers) = &self.workers {
                if self.ready.is_empty() && begin.elapsed() >= TAKING {
                    workers.take(&mut self.ready);
                }
            }
        }
        Ok(())
    }

    /// The first pending path's answer.
    fn answer<'py>(
        &mut self,
        py: Python<'py>,
        pending: Pending,
        is_closed: &AtomicBool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Pending { given, place } = pending;
        let read = |log: opened::Opened<'_>| one(log, &self.options);
        let read = match place {
            Some(place) => opened::path(Named { given, place }, py, Some(is_closed), read)?,
            None => match self.ready.pop_front() {
                Some(Ok((place, reached))) => Named { given, place }.reached(py, reached, read)?,
                Some(Err(panic)) => resume_unwind(panic),
                None => return Err(PyRuntimeError::new_err("no result is there")),
            },
        };
        answer(py, read, self.turn.as_ref().map(|turn| turn.bind(py)), self.format)
    }

    fn tell(&mut self, py: Python<'_>, is_end: bool) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        if is_end || self.told.elapsed() >= TELLING {
            progress.call1(py, (self.done, self.total))?;
            self.told = Instant::now();
        }
        Ok(())
    }
}

fn named(path: &Bound<'_, PyAny>) -> PyResult<Named> {
    if !opened::is_path(path)? {
        return Err(PyTypeError::new_err(format!("read_many takes paths, not {}", type_name(path)?)));
    }
    Named::new(path)
}

/// An exception as a result; what is no `Exception` ends the reading.
fn yielded<'py>(py: Python<'py>, error: PyErr, given: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    if !error.is_instance_of::<PyException>(py) {
        return Err(error);
    }
    // Frames hold what is in them for as long as the exception is kept.
    error.set_traceback(py, None);
    if let Some(given) = given
        && !error.is_instance_of::<PyOSError>(py)
    {
        let note = format!("the log is {}", given.bind(py).repr()?);
        error.value(py).call_method1(intern!(py, "add_note"), (note,))?;
    }
    Ok(error.into_value(py).into_bound(py).into_any())
}
