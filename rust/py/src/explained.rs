//! `counts` and `candidates` of a Selection as Python objects (spec S9).

use lastsaid_core::explanation::{Candidate, Counts};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::strings::to_python;

/// The dict of `counts`.
pub fn counts<'py>(py: Python<'py>, counts: &Counts) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("records", counts.records)?;
    found.set_item("suffixRecords", counts.suffix_records)?;
    found.set_item("messages", counts.messages)?;
    found.set_item("emptyMessages", counts.empty_messages)?;
    found.set_item("streams", counts.streams)?;
    found.set_item("streamedCharacters", counts.streamed_characters)?;
    found.set_item("malformed", counts.malformed)?;
    found.set_item("version", counts.version)?;
    let begin = counts.suffix.unwrap_or_default();
    found.set_item("suffixIndex", begin.index)?;
    found.set_item("suffixOffset", begin.offset)?;
    found.set_item("suffixLine", begin.line)?;
    Ok(found)
}

/// The tuple of `candidates`.
pub fn candidates<'py>(py: Python<'py>, candidates: &[Candidate]) -> PyResult<Bound<'py, PyTuple>> {
    let found = candidates.iter().map(|candidate| self::candidate(py, candidate));
    PyTuple::new(py, found.collect::<PyResult<Vec<_>>>()?)
}

fn candidate<'py>(py: Python<'py>, candidate: &Candidate) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("verdict", candidate.verdict.as_str())?;
    found.set_item("kind", candidate.kind)?;
    found.set_item("index", candidate.place.index)?;
    found.set_item("offset", candidate.place.offset)?;
    found.set_item("line", candidate.place.line)?;
    found.set_item("seq", candidate.place.seq)?;
    found.set_item("messageId", optional(py, candidate.message_id.as_deref())?)?;
    let blocks = candidate.blocks.iter().map(|block| optional(py, block.as_deref()));
    found.set_item("blocks", PyList::new(py, blocks.collect::<PyResult<Vec<_>>>()?)?)?;
    found.set_item("characters", candidate.characters)?;
    found.set_item("preview", to_python(py, &candidate.preview)?)?;
    found.set_item("reason", &candidate.reason)?;
    Ok(found)
}

fn optional<'py>(py: Python<'py>, wtf8: Option<&[u8]>) -> PyResult<Option<Bound<'py, PyString>>> {
    wtf8.map(|wtf8| to_python(py, wtf8)).transpose()
}
