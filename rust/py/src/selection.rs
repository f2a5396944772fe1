//! An answer as the dataclasses of `lastsaid.selection`.

use lastsaid_core::explanation::Explanation;
use lastsaid_core::fold::{Fold, Place, Said};
use lastsaid_core::json::Value;
use lastsaid_core::outcome::Outcome;
use lastsaid_core::signal::Turn;
use lastsaid_core::text::{self, Text};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

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
    static FILLING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
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
    let (counts, candidates) = match explanation {
        Some(explanation) => (
            Some(explained::counts(py, &explanation.counts())?.into_any()),
            Some(explained::candidates(py, &explanation.candidates(fold))?.into_any()),
        ),
        None => (None, None),
    };
    // In the order of the class's parameters. Streamed text may be large: there is one string of it.
    let fields = [
        Some(source.into_pyobject(py)?.into_any()),
        output_with(py, fold, || Ok(shown.clone()))?,
        Some(shown.clone().into_any()),
        Some(format.into_pyobject(py)?.into_any()),
        Some(intern!(py, "rust").clone().into_any()),
        number(py, place.index)?,
        number(py, place.offset)?,
        number(py, place.line)?,
        number(py, place.seq)?,
        message_id(py, fold.message())?,
        optional(py, reason)?.map(Bound::into_any),
        optional(py, raw)?.map(Bound::into_any),
        Some(completeness.into_pyobject(py)?.into_any()),
        earlier_text(py, fold)?,
        Some(self::warnings(py, &warnings)?.into_any()),
        counts,
        candidates,
    ];
    FILLING.import(py, "lastsaid.selection", "_Filling")?.call1(PyTuple::new(py, fields)?)
}

fn number<'py>(py: Python<'py>, number: Option<u64>) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(number.map(|number| number.into_pyobject(py)).transpose()?.map(Bound::into_any))
}

fn warnings<'py>(py: Python<'py>, found: &[(&str, bool)]) -> PyResult<Bound<'py, PyTuple>> {
    static WARNING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if found.iter().all(|(_, is_found)| !is_found) {
        return Ok(PyTuple::empty(py));
    }
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
