//! The engine-neutral, versioned form of a fold in a pickle (spec S10); the twin is `_reference/pickled.py`.

use lastsaid_core::feeding::{Feeding, Framing, HEAD, Unfinished};
use lastsaid_core::fold::{Fold, Place, Said};
use lastsaid_core::node::Node;
use lastsaid_core::signal::{Stop, Turn};
use lastsaid_core::text::Text;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::kept::Kept;
use crate::object::Object;
use crate::options::format_named;
use crate::output_fold::Fed;
use crate::strings::{to_python, type_name, with_wtf8};

const VERSION: i64 = 2;

type PlaceFields<N> = (Option<N>, Option<N>, Option<N>, Option<N>);

/// A number in a pickle: what is counted up from it must not overflow.
struct Ordinal(u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Ordinal {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match Object(value.to_owned()).ordinal() {
            Some(number) => Ok(Self(number)),
            None => Err(PyValueError::new_err(format!(
                "a pickled fold holds {} where an integer from 0 to 2^53 - 1 belongs",
                value.repr()?
            ))),
        }
    }
}

/// The fold as a dict.
pub fn write<'py>(py: Python<'py>, fed: &Fed) -> PyResult<Bound<'py, PyDict>> {
    let fold = &fed.fold;
    let state = PyDict::new(py);
    let optional = |wtf8: Option<&[u8]>| wtf8.map(|wtf8| to_python(py, wtf8)).transpose();
    let said = |said: Option<&Said<Kept>>| -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(said) = said else { return Ok(None) };
        let id = said.message_id.as_ref().map(|id| id.object(py)).transpose()?;
        let (index, offset, line, seq) = fields(said.place);
        (said.content.object(py)?, said.has_text, id, index, offset, line, seq).into_pyobject(py).map(Some)
    };
    state.set_item("version", VERSION)?;
    state.set_item("format", "dsh")?;
    state.set_item("message", said(fold.message())?)?;
    state.set_item("earlier", said(fold.earlier())?)?;
    let (text, place) = match fold.streamed() {
        Some((text, place)) => (to_python(py, &text.joined())?, Some(fields(place))),
        None => (PyString::new(py, ""), None),
    };
    state.set_item("text", text)?;
    state.set_item("text_place", place)?;
    match &fold.turn {
        Turn::Unknown => state.set_item("turn", py.None())?,
        Turn::Open => state.set_item("turn", "open")?,
        Turn::Ended(stop) => {
            state.set_item("turn", (optional(stop.raw.as_deref())?, optional(stop.reason())?))?;
        }
    }
    state.set_item("session", optional(fold.session.as_deref())?)?;
    state.set_item("known", fold.known)?;
    state.set_item("unknown", fold.unknown)?;
    state.set_item("count", fold.count)?;
    state.set_item("feeding", stream(py, &fed.feeding)?)?;
    Ok(state)
}

fn stream<'py>(py: Python<'py>, feeding: &Feeding) -> PyResult<Option<Bound<'py, PyDict>>> {
    if *feeding == Feeding::default() {
        return Ok(None);
    }
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    let record = feeding.record.as_ref().map(|record| {
        let data =
            (bytes(&record.data), record.size, record.used, record.needle, bytes(&record.edge), record.blank);
        let (data, size, used, needle, edge, blank) = data;
        (record.offset, record.line, data, size, used, needle, edge, blank)
    });
    let state = PyDict::new(py);
    state.set_item("framing", feeding.framing.as_str())?;
    state.set_item("pending", bytes(feeding.pending.rest()))?;
    state.set_item("offset", feeding.offset)?;
    state.set_item("line", feeding.line)?;
    state.set_item("records", feeding.records)?;
    state.set_item("torn", feeding.torn)?;
    state.set_item("record", record)?;
    state.set_item("head", bytes(&feeding.head))?;
    state.set_item("head_offset", feeding.head_offset)?;
    state.set_item("after_cr", feeding.after_cr)?;
    Ok(Some(state))
}

fn stream_of(state: &Bound<'_, PyAny>) -> PyResult<Feeding> {
    if state.is_none() {
        return Ok(Feeding::default());
    }
    let get = |name: &str| state.get_item(name);
    type Record = (Ordinal, Ordinal, Vec<u8>, Ordinal, Ordinal, bool, Vec<u8>, bool);
    let number = |name: &str| -> PyResult<u64> { Ok(get(name)?.extract::<Ordinal>()?.0) };
    let record = get("record")?.extract::<Option<Record>>()?;
    let framing = get("framing")?;
    let framing = framing.extract::<&str>()?;
    Ok(Feeding {
        framing: Framing::named(framing)
            .ok_or_else(|| PyValueError::new_err(format!("a stream pickled with the framing '{framing}'")))?,
        pending: get("pending")?.extract::<Vec<u8>>()?.into(),
        offset: number("offset")?,
        line: number("line")?,
        records: number("records")?,
        torn: get("torn")?.extract()?,
        record: record.map(|(offset, line, data, size, used, needle, edge, blank)| Unfinished {
            offset: offset.0,
            line: line.0,
            data,
            size: size.0,
            used: used.0,
            needle,
            edge,
            blank,
        }),
        // Longer than a head can be, it would be none.
        head: get("head")?.extract::<Vec<u8>>()?.into_iter().take(HEAD).collect(),
        head_offset: number("head_offset")?,
        after_cr: get("after_cr")?.extract()?,
    })
}

fn fields(place: Place) -> PlaceFields<u64> {
    (place.index, place.offset, place.line, place.seq)
}

fn place((index, offset, line, seq): PlaceFields<Ordinal>) -> Place {
    let number = |ordinal: Option<Ordinal>| ordinal.map(|ordinal| ordinal.0);
    Place { index: number(index), offset: number(offset), line: number(line), seq: number(seq) }
}

/// The fold that such a dict holds.
pub fn read(state: &Bound<'_, PyDict>) -> PyResult<Fed> {
    let py = state.py();
    let version = state.get_item("version")?;
    let number = version.as_ref().and_then(|version| version.extract::<i64>().ok());
    if !matches!(number, Some(1 | VERSION)) {
        let found = version.unwrap_or_else(|| py.None().into_bound(py)).repr()?;
        return Err(PyValueError::new_err(format!(
            "a fold pickled in version {found}, this lastsaid reads versions 1 and {VERSION}"
        )));
    }
    let get = |name: &str| state.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()));
    let said = |name: &str| -> PyResult<Option<Said<Kept>>> {
        let value = get(name)?;
        if value.is_none() {
            return Ok(None);
        }
        type Number = Option<Ordinal>;
        type Fields = (Py<PyAny>, bool, Option<Py<PyAny>>, Number, Number, Number, Number);
        let (content, has_text, id, index, offset, line, seq): Fields = value.extract()?;
        Ok(Some(Said {
            content: content.into(),
            message_id: id.map(Kept::from),
            has_text,
            place: place((index, offset, line, seq)),
        }))
    };
    let wtf8 = |value: &Bound<'_, PyAny>| -> PyResult<Option<Vec<u8>>> {
        if value.is_none() { Ok(None) } else { with_wtf8(value.cast::<PyString>()?, <[u8]>::to_vec).map(Some) }
    };
    let streamed = match get("text_place")?.extract::<Option<PlaceFields<Ordinal>>>()? {
        Some(fields) => {
            let mut text = Text::default();
            text.push(&wtf8(&get("text")?)?.unwrap_or_default());
            Some((text, place(fields)))
        }
        None => None,
    };
    format_named(&get("format")?, false)?;
    let mut fold = Fold::from_parts(said("message")?, said("earlier")?, streamed);
    let turn = get("turn")?;
    fold.turn = if turn.is_none() {
        Turn::Unknown
    } else if let Ok(ended) = turn.cast::<PyTuple>() {
        Turn::Ended(Stop { raw: wtf8(&ended.get_item(0)?)?.map(Into::into) })
    } else {
        Turn::Open
    };
    fold.session = wtf8(&get("session")?)?.map(Into::into);
    fold.known = get("known")?.extract()?;
    fold.unknown = get("unknown")?.extract()?;
    fold.count = get("count")?.extract::<Ordinal>()?.0;
    let feeding = if number == Some(1) { Feeding::default() } else { stream_of(&get("feeding")?)? };
    Ok(Fed { fold, feeding })
}

/// A fold of the other engine, by way of its pickle.
pub fn of_other_engine(other: &Bound<'_, PyAny>) -> PyResult<Fed> {
    let name = type_name(other)?;
    if name == "AssistantOutputFold"
        && let Ok(reduced) = other.call_method0("__reduce__")?.extract::<(Py<PyAny>, (Bound<'_, PyDict>,))>()
    {
        return read(&reduced.1.0);
    }
    Err(PyTypeError::new_err(format!("merge takes an AssistantOutputFold, not {name}")))
}
