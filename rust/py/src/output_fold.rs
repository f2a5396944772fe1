//! What people hold: the rule with its calls serialised, fed from objects, strings and JSON (spec S5, S10).

use lastsaid_core::error::Error;
use lastsaid_core::feeding::Feeding;
use lastsaid_core::fold::Fold;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyType};

use crate::attached::{Seat, shorten_push_text};
use crate::error::{busy, malformed, of_bytes, raised};
use crate::kept::Kept;
use crate::options::Given;
use crate::pickled;
use crate::records::{extend_lines, extend_text, is_blank, push, push_json, push_text, take, without_bom};
use crate::selection::{self, Seen};
use crate::strings::{Input, buffer, to_python, type_name};

/// What an agent finally said, folded from its events as they come (spec S2, S5).
///
/// The output is the last message with blocks; without one, the streamed text; without that, None.
#[pyclass(frozen, weakref, module = "lastsaid")]
pub struct AssistantOutputFold {
    seat: Seat<Fed>,
}

/// The fold and the stream that feeds it.
#[derive(Default)]
pub struct Fed {
    /// What has been said.
    pub fold: Fold<Kept>,
    /// Where the stream stands.
    pub feeding: Feeding,
}

impl AssistantOutputFold {
    fn around(fed: Fed) -> Self {
        Self { seat: Seat::new(fed) }
    }

    /// One call: other threads wait, a call from inside it is FoldBusyError.
    #[inline(always)]
    fn held<R>(&self, py: Python<'_>, call: impl FnOnce(&mut Fed) -> PyResult<R>) -> PyResult<R> {
        match self.seat.take(py) {
            Some(mut fed) => call(&mut fed),
            None => Err(inside(py)),
        }
    }

    /// One call that pushes: not amid a record of a stream.
    #[inline(always)]
    fn pushing<R>(&self, py: Python<'_>, call: impl FnOnce(&mut Fold<Kept>) -> PyResult<R>) -> PyResult<R> {
        self.held(py, |fed| if fed.feeding.is_pending() { Err(pending(py)) } else { call(&mut fed.fold) })
    }

    /// One piece of streamed text, if nothing stands against it.
    #[inline(always)]
    pub fn push_exact(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> bool {
        match self.seat.take_free(py) {
            Some(mut fed) if !fed.feeding.is_pending() => push_text(&mut fed.fold, text).unwrap_or(false),
            _ => false,
        }
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Fed> {
        self.held(py, |fed| {
            let fold = fed.fold.copy_with(&|kept| kept.share(py));
            Ok(Fed { fold, feeding: fed.feeding.clone() })
        })
    }
}

/// From so many bytes on it is worth letting other threads run.
const LARGE: usize = 4096;
const BUSY: &str = "the fold is in the middle of another call on this thread";
const PENDING: &str = "bytes of an unfinished record are pending; call end() first";

#[cold]
fn inside(py: Python<'_>) -> PyErr {
    busy(py, BUSY)
}

#[cold]
fn pending(py: Python<'_>) -> PyErr {
    busy(py, PENDING)
}

fn at_index(error: Error<PyErr>, index: usize) -> Error<PyErr> {
    match error {
        Error::Malformed(defect) => defect.at_index(index as u64).into(),
        other => other,
    }
}

/// Each element of an iterable, with its index; `what` and `of` name the call and its elements in the TypeError.
fn each<'py>(
    values: &Bound<'py, PyAny>,
    what: &str,
    of: &str,
    mut visit: impl FnMut(usize, Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(list) = values.cast_exact::<PyList>() {
        return list.iter().enumerate().try_for_each(|(index, value)| visit(index, value));
    }
    let kind = values.get_type();
    if values.cast::<PyMapping>().is_ok() || !(kind.hasattr("__iter__")? || kind.hasattr("__getitem__")?) {
        return Err(PyTypeError::new_err(format!("{what} takes an iterable of {of}, not {}", type_name(values)?)));
    }
    values.try_iter()?.enumerate().try_for_each(|(index, value)| visit(index, value?))
}

#[cold]
fn failed(py: Python<'_>, error: Error<PyErr>) -> PyErr {
    raised(py, error)
}

#[cold]
fn no_piece(value: &Bound<'_, PyAny>) -> PyErr {
    match type_name(value) {
        Ok(name) => PyTypeError::new_err(format!("push_text takes a str, not {name}")),
        Err(error) => error,
    }
}

#[cold]
fn odd_piece(index: usize, value: &Bound<'_, PyAny>) -> PyErr {
    match type_name(value) {
        Ok(name) => PyTypeError::new_err(format!("extend_text takes str, piece {index} is one, not {name}")),
        Err(error) => error,
    }
}

#[pymethods]
impl AssistantOutputFold {
    #[new]
    #[pyo3(signature = (format: "str" = Given::default()), text_signature = "(format='dsh')")]
    fn new(py: Python<'_>, format: Given<'_>) -> PyResult<Self> {
        format.format(false)?;
        shorten_push_text(py)?;
        Ok(Self::around(Fed::default()))
    }

    /// Take one event, a mapping. Raises MalformedEventError and stays as it was (S7).
    #[pyo3(signature = (event: "collections.abc.Mapping[str, typing.Any]", /))]
    fn push(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| push(fold, event).map_err(|error| failed(py, error)))
    }

    /// Take one piece of streamed text; the empty piece is no signal.
    #[pyo3(signature = (text: "str", /))]
    fn push_text(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| if push_text(fold, text)? { Ok(()) } else { Err(no_piece(text)) })
    }

    /// Take one event as JSON text. Raises MalformedEventError and stays as it was (S7).
    #[pyo3(signature = (record: "bytes | bytearray | memoryview | str", /))]
    fn push_json(&self, py: Python<'_>, record: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| {
            let record = Input::new(record, "push_json")?;
            push_json(fold, without_bom(record.as_bytes())).map_err(|error| raised(py, error))
        })
    }

    /// Take events in order; stops at the first bad one and keeps what came before.
    #[pyo3(signature = (events: "collections.abc.Iterable[collections.abc.Mapping[str, typing.Any]]", /))]
    fn extend(&self, py: Python<'_>, events: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| {
            each(events, "extend", "events", |index, event| {
                push(fold, &event).map_err(|error| raised(py, at_index(error, index)))
            })
        })
    }

    /// Take pieces of streamed text in order; stops at the first that is no str.
    #[pyo3(signature = (pieces: "collections.abc.Iterable[str]", /))]
    fn extend_text(&self, py: Python<'_>, pieces: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| {
            let Ok(list) = pieces.cast_exact::<PyList>() else {
                return each(pieces, "extend_text", "strings", |index, piece| {
                    if push_text(fold, &piece)? { Ok(()) } else { Err(odd_piece(index, &piece)) }
                });
            };
            match extend_text(fold, list)? {
                Some(index) => Err(odd_piece(index, &list.get_item(index)?)),
                None => Ok(()),
            }
        })
    }

    /// Take records in order: an iterable of JSON texts, or one bytes-like object or str of lines.
    #[pyo3(signature = (records: "collections.abc.Iterable[bytes | bytearray | memoryview | str] | bytes | bytearray | memoryview | str", /))]
    fn extend_json(&self, py: Python<'_>, records: &Bound<'_, PyAny>) -> PyResult<()> {
        self.pushing(py, |fold| {
            let is_text = records.is_instance_of::<PyString>();
            if is_text || buffer(records)?.is_some() {
                let input = Input::new(records, "extend_json")?;
                let lines = input.as_bytes();
                return py.detach(|| extend_lines(fold, lines)).map_err(|error| raised(py, error));
            }
            each(records, "extend_json", "records", |index, record| {
                let pushed = match Input::new(&record, "extend_json") {
                    Ok(input) => {
                        let record = without_bom(input.as_bytes());
                        if is_blank(record) { Ok(()) } else { push_json(fold, record) }
                    }
                    Err(error) => return Err(placed(py, error, index)),
                };
                pushed.map_err(|error| raised(py, at_index(error, index)))
            })
        })
    }

    /// Take the bytes of a log as they come; what makes a record whole is taken at once (S5).
    ///
    /// A line is read where `read` would read it, but nothing is cut: what a child was seeded with counts, and one
    /// fold is one session. A bad record is passed over and raises MalformedEventError with its offset and line in the
    /// stream: what came before it counts, what came after is read by the next call of `feed` (`feed(b"")` will do)
    /// or `end`.
    ///
    /// Args:
    ///     chunk: bytes that may end anywhere, or text.
    ///     framing: `lines`, or `sse`: the `data` of server-sent events. It can't change amid a record.
    #[pyo3(signature = (
        chunk: "bytes | bytearray | memoryview | str", *, framing: "typing.Literal['lines', 'sse']" = Given::default()
    ))]
    #[pyo3(text_signature = "($self, chunk, *, framing='lines')")]
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyAny>, framing: Given<'_>) -> PyResult<()> {
        self.held(py, |fed| {
            let framing = framing.framing()?;
            let input = Input::new(chunk, "feed")?;
            let before = fed.feeding.framing;
            if framing != before && fed.feeding.is_pending() {
                return Err(PyValueError::new_err(format!(
                    "framing is '{}', but bytes framed as '{}' are pending; call end() first",
                    framing.as_str(),
                    before.as_str()
                )));
            }
            let (Fed { fold, feeding }, chunk) = (fed, input.as_bytes());
            let mut fed = || feeding.feed(chunk, framing, |record, is_examined| take(fold, record, is_examined));
            let done = if chunk.len() < LARGE { fed() } else { py.detach(fed) };
            done.map_err(|error| raised(py, of_bytes(error)))
        })
    }

    /// Take what is pending as the end of the stream; the next `feed` begins a new one (S5).
    ///
    /// A tail that is no JSON value is skipped, with the warning `torn_tail` until the next `feed`. Raises as `feed`;
    /// the stream has ended when nothing was left after the record that was bad.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.held(py, |Fed { fold, feeding }| {
            let done = py.detach(|| feeding.end(|record, is_examined| take(fold, record, is_examined)));
            done.map_err(|error| raised(py, of_bytes(error)))
        })
    }

    /// The output so far: the message's own list (borrowed), a new list of streamed text, or None.
    #[pyo3(signature = () -> "list[typing.Any] | None")]
    fn collect<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.held(py, |fed| selection::output(py, &fed.fold))
    }

    /// The output so far with its provenance (S9).
    #[pyo3(signature = () -> "lastsaid.selection.Selection")]
    fn selection<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.held(py, |fed| {
            selection::of_fold(py, &fed.fold, "dsh", Seen { torn: fed.feeding.torn, ..Seen::default() })
        })
    }

    /// The text of the output so far, `""` if it has none.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.held(py, |fed| to_python(py, &selection::text(py, &fed.fold)?.joined()))
    }

    /// A new fold of this one's input followed by the other's; neither changes (S5).
    #[pyo3(signature = (later: "typing.Any", /))]
    fn merge(&self, py: Python<'_>, later: &Bound<'_, PyAny>) -> PyResult<Self> {
        let theirs = match later.cast::<Self>() {
            Ok(fold) => fold.get().copy(py)?,
            Err(_) => pickled::of_other_engine(later)?,
        };
        if theirs.feeding.is_pending() {
            return Err(pending(py));
        }
        let share = |kept: &Kept| kept.share(py);
        self.held(py, |fed| {
            if fed.feeding.is_pending() {
                return Err(pending(py));
            }
            let fold = fed.fold.merge_with(&theirs.fold, &share).map_err(|defect| malformed(py, &defect))?;
            // As if one fold had been called all along: where the later stream stands, if it had any.
            let is_new = theirs.feeding == Feeding::default();
            Ok(Self::around(Fed { fold, feeding: if is_new { fed.feeding.clone() } else { theirs.feeding } }))
        })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::around(self.copy(py)?))
    }

    #[pyo3(signature = (memo: "typing.Any", /))]
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        let state = pickled::write(py, &self.copy(py)?)?;
        let state = py.import("copy")?.call_method1(intern!(py, "deepcopy"), (state, memo))?;
        Ok(Self::around(pickled::read(state.cast::<PyDict>()?)?))
    }

    #[pyo3(signature = () -> "tuple[typing.Any, tuple[dict[str, typing.Any]]]")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let state = pickled::write(py, &self.copy(py)?)?;
        Ok((py.import("lastsaid.engine")?.getattr("restore_fold")?, (state,)))
    }

    #[classmethod]
    #[pyo3(signature = (pickled: "dict[str, typing.Any]", /))]
    fn _from_pickle(_class: &Bound<'_, PyType>, pickled: &Bound<'_, PyAny>) -> PyResult<Self> {
        let state = pickled.cast::<PyDict>().map_err(|_| PyValueError::new_err("a pickled fold is a dict"))?;
        Ok(Self::around(pickled::read(state)?))
    }

    fn __repr__(&self) -> &'static str {
        "<lastsaid.AssistantOutputFold format='dsh' engine='rust'>"
    }

    fn __traverse__(&self, visit: pyo3::PyVisit<'_>) -> Result<(), pyo3::PyTraverseError> {
        // A fold in the middle of a call is alive, so there is nothing to collect.
        let Some(fed) = self.seat.peek(&visit) else { return Ok(()) };
        for said in [fed.fold.message(), fed.fold.earlier()].into_iter().flatten() {
            if let Kept::Object(object) = &said.content {
                visit.call(object)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self, py: Python<'_>) {
        if let Some(mut fed) = self.seat.take(py) {
            let old = std::mem::take(&mut *fed);
            drop(fed);
            drop(old);
        }
    }
}

/// A MalformedEventError that `Input` raised, with its index.
fn placed(py: Python<'_>, error: PyErr, index: usize) -> PyErr {
    let at = PyDict::new(py);
    let build = || {
        at.set_item("index", index)?;
        error.value(py).call_method("at", (), Some(&at))
    };
    match error.value(py).hasattr("at") {
        Ok(true) => build().map_or_else(|error| error, PyErr::from_value),
        _ => error,
    }
}
