//! An answer as the dataclasses of `lastsaid.selection`.

use lastsaid_core::explanation::Explanation;
use lastsaid_core::fold::{Fold, Place, Said};
use lastsaid_core::json::Value;
use lastsaid_core::outcome::Outcome;
use lastsaid_core::signal::Turn;
use lastsaid_core::text::{self, Text};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::attached;
use crate::error::{of_bytes, raised};
use crate::explained;
use crate::kept::Kept;
use crate::object::Object;
use crate::strings::to_python;

/// What a scan knows beside the fold.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// The log ends in the middle of a record.
    pub torn: bool,
    /// Defects were passed over.
    pub skipped: bool,
    /// The suffix is silent and the rest is not.
    pub outside: bool,
}

/// A Selection of a scan.
pub fn of_outcome<'py>(py: Python<'py>, outcome: &Outcome<Kept>, format: &str) -> PyResult<Bound<'py, PyAny>> {
    let seen = Seen { torn: outcome.torn, skipped: outcome.skipped > 0, outside: outcome.outside };
    build(py, &outcome.fold, format, seen, outcome.explanation.as_deref())
}

/// A Selection of a fold.
pub fn of_fold<'py>(py: Python<'py>, fold: &Fold<Kept>, format: &str, seen: Seen) -> PyResult<Bound<'py, PyAny>> {
    build(py, fold, format, seen, None)
}

fn build<'py>(
    py: Python<'py>,
    fold: &Fold<Kept>,
    format: &str,
    seen: Seen,
    explanation: Option<&Explanation>,
) -> PyResult<Bound<'py, PyAny>> {
    static SELECTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let said = match fold.message() {
        Some(said) => content_text(py, &said.content)?,
        None => Text::default(),
    };
    let text = fold.streamed().filter(|_| fold.message().is_none()).map_or(&said, |(text, _)| text).joined();
    let shown = to_python(py, &text)?;
    let (source, place) = match (fold.message(), fold.streamed()) {
        (Some(said), _) => ("message", said.place),
        (None, Some((_, place))) => ("stream", place),
        (None, None) => ("none", Place::default()),
    };
    let (raw, reason, completeness) = match &fold.turn {
        Turn::Ended(stop) => (stop.raw.as_deref(), stop.reason(), stop.completeness()),
        _ => (None, None, "unknown"),
    };
    let selection = Made::new(py, &SELECTION, "Selection")?;
    selection.set(intern!(py, "source"), source)?;
    // Streamed text may be large: there is one string of it.
    selection.set(intern!(py, "output"), output_with(py, fold, || Ok(shown.clone()))?)?;
    selection.set(intern!(py, "text"), &shown)?;
    selection.set(intern!(py, "format"), format)?;
    selection.set(intern!(py, "engine"), intern!(py, "rust"))?;
    selection.set_place(place)?;
    selection.set(intern!(py, "message_id"), message_id(py, fold.message())?)?;
    selection.set(intern!(py, "stop_reason"), optional(py, reason)?)?;
    selection.set(intern!(py, "stop_reason_raw"), optional(py, raw)?)?;
    selection.set(intern!(py, "completeness"), completeness)?;
    selection.set(intern!(py, "earlier_text"), earlier_text(py, fold)?)?;
    // In the order of the enum (S9).
    let warnings = [
        ("textless", fold.speaks() && text::is_blank(&text)),
        ("torn_tail", seen.torn),
        ("malformed_skipped", seen.skipped),
        ("open_turn", fold.turn == Turn::Open),
        ("empty_suffix", seen.outside && !fold.speaks()),
        ("unrecognised", !fold.speaks() && fold.unknown && !fold.known),
        ("lone_surrogate", text::has_surrogate(&text)),
    ];
    selection.set(intern!(py, "warnings"), self::warnings(py, &warnings)?)?;
    let (counts, candidates) = match explanation {
        None => (None, None),
        Some(explanation) => {
            let counts = explained::counts(py, &explanation.counts())?;
            (Some(counts), Some(explained::candidates(py, &explanation.candidates(fold))?))
        }
    };
    selection.set(intern!(py, "counts"), counts)?;
    selection.set(intern!(py, "candidates"), candidates)?;
    // What only other formats and policies fill.
    selection.set(intern!(py, "reported"), py.None())?;
    selection.set(intern!(py, "disagrees"), false)?;
    selection.set(intern!(py, "policy"), PyTuple::empty(py))?;
    Ok(selection.object)
}

/// A frozen dataclass with slots as it is filled: its own `__init__` takes each value by name and sets it through
/// Python, which for twenty is a tenth of reading a log.
struct Made<'py> {
    object: Bound<'py, PyAny>,
}

impl<'py> Made<'py> {
    fn new(py: Python<'py>, class: &'static PyOnceLock<Py<PyType>>, name: &str) -> PyResult<Self> {
        static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let new = NEW.get_or_try_init(py, || py.get_type::<PyAny>().getattr("__new__").map(Bound::unbind))?;
        let class = class.import(py, "lastsaid.selection", name)?;
        Ok(Self { object: new.bind(py).call1((class,))? })
    }

    fn set(&self, name: &Bound<'py, PyString>, value: impl IntoPyObject<'py>) -> PyResult<()> {
        let value = value.into_bound_py_any(self.object.py())?;
        attached::set_slot(&self.object, name, &value)
    }

    fn set_place(&self, place: Place) -> PyResult<()> {
        let py = self.object.py();
        self.set(intern!(py, "index"), place.index)?;
        self.set(intern!(py, "offset"), place.offset)?;
        self.set(intern!(py, "line"), place.line)?;
        self.set(intern!(py, "seq"), place.seq)
    }
}

fn warnings<'py>(py: Python<'py>, found: &[(&str, bool)]) -> PyResult<Bound<'py, PyTuple>> {
    static WARNING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = WARNING.import(py, "lastsaid.selection", "SelectionWarning")?;
    let names = found.iter().filter(|(_, is_found)| *is_found).map(|(name, _)| class.call1((*name,)));
    PyTuple::new(py, names.collect::<PyResult<Vec<_>>>()?)
}

fn set_place(fields: &Bound<'_, PyDict>, place: Place) -> PyResult<()> {
    let py = fields.py();
    fields.set_item(intern!(py, "index"), place.index)?;
    fields.set_item(intern!(py, "offset"), place.offset)?;
    fields.set_item(intern!(py, "line"), place.line)?;
    fields.set_item(intern!(py, "seq"), place.seq)
}

fn optional<'py>(py: Python<'py>, wtf8: Option<&[u8]>) -> PyResult<Option<Bound<'py, PyString>>> {
    wtf8.map(|wtf8| to_python(py, wtf8)).transpose()
}

fn message_id<'py>(py: Python<'py>, said: Option<&Said<Kept>>) -> PyResult<Option<Bound<'py, PyAny>>> {
    said.and_then(|said| said.message_id.as_ref()).map(|id| id.object(py)).transpose()
}

fn earlier_text<'py>(py: Python<'py>, fold: &Fold<Kept>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static EARLIER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if fold.message().is_none_or(|said| said.has_text) {
        return Ok(None);
    }
    let fields = PyDict::new(py);
    if let Some(said) = fold.earlier() {
        let text = content_text(py, &said.content)?;
        fields.set_item("text", to_python(py, &text.joined())?)?;
        fields.set_item("source", "message")?;
        set_place(&fields, said.place)?;
        fields.set_item("message_id", message_id(py, Some(said))?)?;
    } else if let Some((text, place)) = fold.streamed()
        && !text::is_blank(&text.joined())
    {
        fields.set_item("text", to_python(py, &text.joined())?)?;
        fields.set_item("source", "stream")?;
        set_place(&fields, place)?;
    } else {
        return Ok(None);
    }
    EARLIER.import(py, "lastsaid.selection", "EarlierText")?.call((), Some(&fields)).map(Some)
}

/// The output: the message's own list, a new list of streamed text, or None.
pub fn output<'py>(py: Python<'py>, fold: &Fold<Kept>) -> PyResult<Option<Bound<'py, PyAny>>> {
    output_with(py, fold, || {
        let text = fold.streamed().map(|(text, _)| text.joined());
        to_python(py, &text.unwrap_or_default())
    })
}

fn output_with<'py>(
    py: Python<'py>,
    fold: &Fold<Kept>,
    streamed: impl FnOnce() -> PyResult<Bound<'py, PyString>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(said) = fold.message() {
        return said.content.object(py).map(Some);
    }
    if fold.streamed().is_none() {
        return Ok(None);
    }
    let block = PyDict::new(py);
    block.set_item(intern!(py, "type"), intern!(py, "text"))?;
    block.set_item(intern!(py, "text"), streamed()?)?;
    Ok(Some(PyList::new(py, [block])?.into_any()))
}

/// The text of the output.
pub fn text(py: Python<'_>, fold: &Fold<Kept>) -> PyResult<Text> {
    match fold.message() {
        Some(said) => content_text(py, &said.content),
        None => {
            let mut text = Text::default();
            if let Some((streamed, _)) = fold.streamed() {
                text.append(streamed);
            }
            Ok(text)
        }
    }
}

fn content_text(py: Python<'_>, content: &Kept) -> PyResult<Text> {
    let mut text = Text::default();
    let done = match content.raw() {
        Some(raw) => text::append_blocks(&Value::kept(raw), &mut text).map_err(of_bytes),
        None => text::append_blocks(&Object(content.object(py)?), &mut text),
    };
    done.map_err(|error| raised(py, error))?;
    Ok(text)
}
