//! Lists and iterators of events: `final_assistant_output`, `select`, `suffix_start` (spec S5).

use std::collections::HashMap;

use lastsaid_core::backward::{self, How};
use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::fold::{Fold, Place};
use lastsaid_core::formats::dsh::{self, Named};
use lastsaid_core::forward::Pass;
use lastsaid_core::node::{Flow, Node};
use lastsaid_core::outcome::Outcome;
use lastsaid_core::records::{Found, Records, Visitor};
use lastsaid_core::signal::Kind;
use lastsaid_core::suffix::{Side, Suffix, lenient};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMapping, PyMemoryView, PySequence, PyString};

use crate::attached;
use crate::error::raised;
use crate::kept::Kept;
use crate::object::Object;
use crate::options::Given;
use crate::selection::{of_outcome, output};
use crate::strings::type_name;

/// A sequence of events; positions are indexes. A list that shrinks meanwhile just ends earlier.
struct ListRecords<'py> {
    events: Bound<'py, PyAny>,
    len: usize,
}

impl<'py> ListRecords<'py> {
    fn new(events: &Bound<'py, PyAny>) -> PyResult<Self> {
        let len = match events.cast::<PyList>() {
            Ok(list) => list.len(),
            Err(_) => events.len()?,
        };
        Ok(Self { events: events.clone(), len })
    }

    fn at<K, V: Visitor<K, PyErr>>(&self, index: u64, visitor: &mut V) -> Result<Flow, Error<PyErr>>
    where
        Py<PyAny>: Into<K>,
    {
        let event = match self.events.cast::<PyList>() {
            Ok(list) => list.get_item(usize::try_from(index).unwrap_or(usize::MAX)),
            Err(_) => self.events.get_item(index),
        };
        match event {
            Ok(event) => visitor.visit(&found(index, event)),
            Err(error) if error.is_instance_of::<PyIndexError>(self.events.py()) => Ok(Flow::Continue),
            Err(error) => Err(Error::Foreign(error)),
        }
    }
}

/// The events of a list that matter to a scan from its end.
///
/// Most signal nothing: of those the scan needs to know only that there are known or unknown ones, which the first
/// of either says. One that streams says no more on the way back. What does matter on the way forth is noted.
struct Speaking<'py> {
    all: ListRecords<'py>,
    list: Bound<'py, PyList>,
    /// What the walk back left for one forth: the indexes of `[from, to)` that signal, last first.
    noted: Vec<u64>,
    from: u64,
    to: u64,
}

impl<'py> Speaking<'py> {
    fn new(list: &Bound<'py, PyList>) -> PyResult<Self> {
        let all = ListRecords::new(list)?;
        Ok(Self { all, list: list.clone(), noted: Vec::new(), from: 0, to: 0 })
    }
}

impl<K> Records<K, PyErr> for Speaking<'_>
where
    Py<PyAny>: Into<K>,
{
    fn begin(&self) -> u64 {
        0
    }

    fn end(&self) -> u64 {
        self.all.len as u64
    }

    fn backward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, PyErr>) -> Result<(), Error<PyErr>> {
        let (mut told_known, mut told_unknown) = (false, false);
        self.noted.clear();
        (self.from, self.to) = (hi, hi);
        for index in (lo..hi).rev() {
            let kind = attached::kind_at(&self.list, index as usize, -1);
            let is_needed = kind.is_none_or(|Named { kind, known, .. }| {
                let told = if known { &mut told_known } else { &mut told_unknown };
                !std::mem::replace(told, true) || !matches!(kind, Kind::Nothing | Kind::Stream(_))
            });
            if is_needed && self.all.at(index, visitor)? == Flow::Stop {
                break;
            }
            self.from = index;
            // Turns are told on the way back.
            if !matches!(kind, Some(Named { kind: Kind::Nothing | Kind::TurnStart | Kind::TurnEnd, .. })) {
                self.noted.push(index);
            }
        }
        Ok(())
    }

    fn forward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, PyErr>) -> Result<(), Error<PyErr>> {
        if lo < self.from || hi > self.to {
            return self.all.forward(lo, hi, visitor);
        }
        for &index in self.noted.iter().rev().filter(|index| (lo..hi).contains(index)) {
            if self.all.at(index, visitor)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn placed(&mut self, defect: Box<Malformed>, place: Place) -> Result<Box<Malformed>, Error<PyErr>> {
        Ok(defect.at_index(place.index.unwrap_or(0)))
    }
}

fn found(index: u64, event: Bound<'_, PyAny>) -> Found<Object<'_>> {
    let place = Place::at_index(index);
    Found { place, start: index, end: index + 1, value: Ok(Object(event)), limits: Ok(()) }
}

impl<K> Records<K, PyErr> for ListRecords<'_>
where
    Py<PyAny>: Into<K>,
{
    fn begin(&self) -> u64 {
        0
    }

    fn end(&self) -> u64 {
        self.len as u64
    }

    fn backward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, PyErr>) -> Result<(), Error<PyErr>> {
        for index in (lo..hi).rev() {
            if self.at(index, visitor)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn forward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, PyErr>) -> Result<(), Error<PyErr>> {
        for index in lo..hi {
            if self.at(index, visitor)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn placed(&mut self, defect: Box<Malformed>, place: Place) -> Result<Box<Malformed>, Error<PyErr>> {
        Ok(defect.at_index(place.index.unwrap_or(0)))
    }
}

/// The output of `events[start:]`: what a fold of them would collect (S2).
///
/// A sequence is walked from its end and not copied; an iterator is read forward. Raises MalformedEventError.
#[pyfunction]
#[pyo3(signature = (
    events: "collections.abc.Iterable[collections.abc.Mapping[str, typing.Any]]",
    start: "int" = Given::default(), *, format: "str" = Given::default()
) -> "list[typing.Any] | None")]
#[pyo3(text_signature = "(events, start=0, *, format='dsh')")]
pub fn final_assistant_output<'py>(
    py: Python<'py>,
    events: &Bound<'py, PyAny>,
    start: Given<'py>,
    format: Given<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    format.format(false)?;
    let how = How { only_output: true, ..How::default() };
    output(py, &scan(events, &start, "final_assistant_output", false, how)?.fold)
}

/// Like `final_assistant_output`, with provenance (S9). Raises MalformedEventError.
///
/// `explain=True` adds `counts` and `candidates`, for which the whole list is read.
#[pyfunction]
#[pyo3(signature = (
    events: "collections.abc.Iterable[collections.abc.Mapping[str, typing.Any]]",
    start: "int" = Given::default(), *, format: "str" = Given::default(), explain: "bool" = Given::default()
) -> "lastsaid.selection.Selection")]
#[pyo3(text_signature = "(events, start=0, *, format='auto', explain=False)")]
pub fn select<'py>(
    py: Python<'py>,
    events: &Bound<'py, PyAny>,
    start: Given<'py>,
    format: Given<'py>,
    explain: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = format.format(true)?;
    of_outcome(py, &scan(events, &start, "select", explain.is_true()?, How::default())?, name)
}

fn scan(
    events: &Bound<'_, PyAny>,
    start: &Given<'_>,
    what: &str,
    explain: bool,
    how: How,
) -> PyResult<Outcome<Kept>> {
    let py = events.py();
    let start = start.integer(0)?;
    if let Ok(list) = events.cast_exact::<PyList>()
        && !explain
    {
        let mut records = Speaking::new(list)?;
        let len = records.all.len as u64;
        let lo = first(start, len);
        return backward::scan(&mut records, lo, len, how).map_err(|error| raised(py, error));
    }
    check(events, what)?;
    let listed;
    let events = if events.cast::<PySequence>().is_ok() {
        events
    } else if start >= 0 {
        return pass(events, start.unsigned_abs(), explain);
    } else {
        listed = PyList::new(py, events.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.into_any();
        &listed
    };
    let mut records = ListRecords::new(events)?;
    let len = records.len as u64;
    let lo = first(start, len);
    if explain {
        let mut explained = Explained { pass: Pass::new(Suffix::Whole, false).explained(true), lo };
        let told = records.forward(0, len, &mut explained).and_then(|()| explained.pass.outcome());
        return told.map_err(|error| raised(py, error));
    }
    backward::scan(&mut records, lo, len, how).map_err(|error| raised(py, error))
}

/// Where a slice starts.
fn first(start: i64, len: u64) -> u64 {
    if start < 0 { len.saturating_sub(start.unsigned_abs()) } else { start.unsigned_abs().min(len) }
}

/// A pass over a whole list, of which the first `lo` events are before what was asked for.
struct Explained {
    pass: Pass<Kept>,
    lo: u64,
}

impl Visitor<Kept, PyErr> for Explained {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<PyErr>>
    where
        N: Node<Error = PyErr>,
        N::Kept: Into<Kept>,
    {
        if found.start < self.lo { self.pass.pass_over(found) } else { self.pass.feed(found) }?;
        Ok(Flow::Continue)
    }
}

fn pass(events: &Bound<'_, PyAny>, start: u64, explain: bool) -> PyResult<Outcome<Kept>> {
    let py = events.py();
    let mut pass = Pass::new(Suffix::Whole, false).explained(explain);
    for (index, event) in (0_u64..).zip(events.try_iter()?) {
        let found = found(index, event?);
        let fed = if index < start { pass.pass_over(&found) } else { pass.feed(&found) };
        fed.map_err(|error| raised(py, error))?;
    }
    pass.outcome().map_err(|error| raised(py, error))
}

/// The index at which the last run's own events begin: after the last seed marker or copied event (S4).
///
/// A packed row that the cut divides counts as the run's. Events that can't be recognised cut nothing.
/// Raises MalformedEventError (`wrong_session`) for the events of several sessions.
#[pyfunction]
#[pyo3(signature = (
    events: "collections.abc.Iterable[collections.abc.Mapping[str, typing.Any]]",
    *, format: "str" = Given::default()
))]
#[pyo3(text_signature = "(events, *, format='dsh')")]
pub fn suffix_start<'py>(py: Python<'py>, events: &Bound<'py, PyAny>, format: Given<'py>) -> PyResult<u64> {
    format.format(false)?;
    check(events, "suffix_start")?;
    let (mut start, mut cut) = (0, 0);
    let mut session = Fold::<Kept>::default();
    let mut children = HashMap::new();
    let mut has_notifications = None;
    for (index, record) in (0_u64..).zip(events.try_iter()?) {
        let recognised = lenient(dsh::event(&Object(record?))).map_err(|error| raised(py, error))?;
        let Some(event) = recognised else { continue };
        if let Err(defect) = session.check_session(&event) {
            return Err(raised(py, defect.at_index(index).into()));
        }
        session.join_session(&event);
        if has_notifications.is_none() {
            let found = event.is_notification;
            has_notifications = Some(found);
            cut = if index > 0 || found { 0 } else { dsh::seed_length(&event)? };
        }
        match Side::of(&event, cut)? {
            _ if event.kind == Kind::Cut => start = index + 1,
            Side::Below => start = index + 1,
            Side::Divided(_) => start = index,
            Side::Above if event.kind == Kind::ChildStarted => {
                if let Some(child) = dsh::started_child(&event)? {
                    children.insert(child, index + 1);
                }
            }
            Side::Above => {}
        }
    }
    if has_notifications != Some(true) {
        return Ok(start);
    }
    let started = session.session.and_then(|session| children.get(&session).copied());
    Ok(start.max(started.unwrap_or(0)))
}

fn check(events: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
    let is_text = events.is_instance_of::<PyString>()
        || events.is_instance_of::<PyBytes>()
        || events.is_instance_of::<PyByteArray>()
        || events.is_instance_of::<PyMemoryView>();
    let kind = events.get_type();
    let message = if is_text {
        format!("{what} takes events, not {}; read a log with read or read_bytes", type_name(events)?)
    } else if events.cast::<PyMapping>().is_ok() {
        format!("{what} takes a sequence of events, not one {}; put it into a list", type_name(events)?)
    } else if !(kind.hasattr("__iter__")? || kind.hasattr("__getitem__")?) {
        format!("{what} takes a sequence or an iterable of events, not {}", type_name(events)?)
    } else {
        return Ok(());
    };
    Err(PyTypeError::new_err(message))
}
