//! What `read_many` gives: answers in the order of their paths, read by several threads (spec S5, S10).

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use lastsaid_core::log::reading::{Kept, Options};
use lastsaid_core::outcome::Outcome;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyIterator;
use pyo3::{PyTraverseError, PyVisit};

use crate::log::{answer, one};
use crate::opened::{self, Named, Place, Reached};
use crate::strings::type_name;
use crate::workers::{self, Workers};

/// How many paths a thread are taken ahead: so many results wait, whatever their size.
const AHEAD: usize = 32;
/// How often the progress is told.
const TELLING: Duration = Duration::from_millis(100);
/// How long the first wait for a result is; each next is twice as long, up to what a person doesn't notice.
const FIRST_WAIT: Duration = Duration::from_micros(500);
const LONGEST_WAIT: Duration = Duration::from_millis(40);
/// How long paths are taken while there is a result to give out.
const TAKING: Duration = Duration::from_millis(1);

type Read = Outcome<Kept>;
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
    told: Option<Told>,
    done: usize,
}

/// Who is told how far it is.
pub struct Told {
    progress: Py<PyAny>,
    total: Option<usize>,
    last: Instant,
}

impl Told {
    /// From now on; `total` if that is known.
    pub fn new(progress: Bound<'_, PyAny>, total: Option<usize>) -> Self {
        Self { progress: progress.unbind(), total, last: Instant::now() }
    }

    fn tell(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        self.progress.call1(py, (done, self.total))?;
        self.last = Instant::now();
        Ok(())
    }

    fn now_and_then(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        if self.last.elapsed() >= TELLING { self.tell(py, done) } else { Ok(()) }
    }

    fn at_the_end(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        self.total = Some(done);
        self.tell(py, done)
    }
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
                Ok(Some(answer)) => {
                    let done = this.done;
                    let told = this.told.as_mut().map_or(Ok(()), |told| told.now_and_then(py, done));
                    told.map(|()| Some(answer))
                }
                over => over,
            };
            if !matches!(next, Ok(Some(_))) {
                *reading = None;
            }
            next
        })
    }

    /// Stop reading; no thread is left, and there are no more answers.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.refuse_inside()?;
        // Who waits for an answer holds the lock, and lets go of it.
        self.is_closed.store(true, Ordering::Relaxed);
        self.held(py, |reading| {
            *reading = None;
            Ok(())
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(reading) = self.reading.try_lock() else { return Ok(()) };
        let Some(reading) = &*reading else { return Ok(()) };
        visit.call(&reading.paths)?;
        visit.call(reading.told.as_ref().map(|told| &told.progress))
    }

    fn __clear__(&self) {
        if let Ok(mut reading) = self.reading.try_lock() {
            *reading = None;
        }
    }
}

impl Answers {
    /// The answers of these paths, of so many at a time.
    pub fn new(
        paths: &Bound<'_, PyIterator>,
        threads: usize,
        options: Options,
        turn: Option<Bound<'_, PyAny>>,
        format: &'static str,
        told: Option<Told>,
    ) -> Self {
        let options = Arc::new(options);
        let reading = Reading {
            paths: Some(paths.clone().unbind()),
            failure: None,
            pending: VecDeque::new(),
            ready: VecDeque::new(),
            workers: (threads > 1).then(|| workers(threads, Arc::clone(&options))),
            ahead: threads.saturating_mul(AHEAD),
            options,
            format,
            turn: turn.map(Bound::unbind),
            told,
            done: 0,
        };
        Self { reading: Mutex::new(Some(reading)), owner: Mutex::new(None), is_closed: AtomicBool::new(false) }
    }

    fn owner(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse_inside(&self) -> PyResult<()> {
        if *self.owner() == Some(thread::current().id()) {
            return Err(PyRuntimeError::new_err("read_many is in the middle of another call on this thread"));
        }
        Ok(())
    }

    /// One call: other threads wait, a call from inside it is an error.
    fn held<R>(&self, py: Python<'_>, call: impl FnOnce(&mut Option<Reading>) -> PyResult<R>) -> PyResult<R> {
        self.refuse_inside()?;
        let mut reading = self.reading.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        *self.owner() = Some(thread::current().id());
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
                let done = self.done;
                return self.told.as_mut().map_or(Ok(()), |told| told.at_the_end(py, done)).map(|()| None);
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
            here(workers)?;
            workers.take(&mut self.ready);
            if self.ready.is_empty() {
                py.detach(|| workers.wait(wait));
                py.check_signals()?;
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }

    /// Take paths ahead, many at once: a thread that has nothing to do must be woken.
    fn take_paths(&mut self, py: Python<'_>) -> PyResult<()> {
        let (Some(paths), true) = (&self.paths, self.pending.len() <= self.ahead / 2) else { return Ok(()) };
        self.workers.as_ref().map_or(Ok(()), here)?;
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
            if let Some(workers) = &self.workers
                && self.ready.is_empty()
                && begin.elapsed() >= TAKING
            {
                workers.take(&mut self.ready);
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
}

/// In the child of a fork they would never come.
fn here(workers: &Workers<Place, Done>) -> PyResult<()> {
    if workers.are_here() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err("the threads of read_many are not in this process, which was forked from theirs"))
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
