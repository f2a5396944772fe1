//! The options of `read` and `select`, checked as the reference checks them (spec S5).

use lastsaid_core::feeding::Framing;
use lastsaid_core::log::reading::Options;
use lastsaid_core::log::stretches::Threads;
use lastsaid_core::node::MAX_ORDINAL;
use lastsaid_core::suffix::Suffix;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};

use crate::strings::{type_name, with_wtf8};

/// The format of that name; `auto` where it may be guessed means `dsh` until there are others.
pub fn format_named(name: &Bound<'_, PyAny>, auto: bool) -> PyResult<&'static str> {
    match name.extract::<&str>() {
        Ok("dsh") => Ok("dsh"),
        Ok("auto") if auto => Ok("dsh"),
        _ => Err(PyValueError::new_err(format!("unknown format {}; the formats are dsh", name.repr()?))),
    }
}

/// An integer, saturated: nothing here is as long as 2^63.
pub fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let index = value.py().import("operator")?.call_method1("index", (value,))?;
    match index.extract() {
        Ok(number) => Ok(number),
        Err(_) => Ok(if index.lt(0)? { i64::MIN } else { i64::MAX }),
    }
}

/// A value for an option, or its default. It is taken as it comes, so that both engines say the same of an odd one.
#[derive(Default)]
pub struct Given<'py>(Option<Bound<'py, PyAny>>);

impl<'a, 'py> FromPyObject<'a, 'py> for Given<'py> {
    type Error = std::convert::Infallible;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(Some(value.to_owned())))
    }
}

impl Given<'_> {
    /// An integer, saturated.
    pub fn integer(&self, default: i64) -> PyResult<i64> {
        self.0.as_ref().map_or(Ok(default), integer)
    }

    /// The name of a format; what is not given is the default of the call.
    pub fn format(&self, auto: bool) -> PyResult<&'static str> {
        self.0.as_ref().map_or(Ok("dsh"), |name| format_named(name, auto))
    }

    /// How a stream is framed; lines is the default.
    pub fn framing(&self) -> PyResult<Framing> {
        Ok(if self.is_second("framing", ["lines", "sse"])? { Framing::Sse } else { Framing::Lines })
    }

    /// Python's truth of it.
    pub fn is_true(&self) -> PyResult<bool> {
        self.0.as_ref().map_or(Ok(false), PyAnyMethods::is_truthy)
    }

    /// Which of the two words it is; the first is the default.
    fn is_second(&self, what: &str, words: [&str; 2]) -> PyResult<bool> {
        let Some(value) = &self.0 else { return Ok(false) };
        match value.extract::<&str>() {
            Ok(word) if words.contains(&word) => Ok(word == words[1]),
            _ => Err(PyValueError::new_err(format!(
                "{what} is {}, expected '{}' or '{}'",
                value.repr()?,
                words[0],
                words[1]
            ))),
        }
    }
}

/// The options of `read` as they come from Python.
pub struct Asked<'py> {
    /// `own` or `whole`.
    pub suffix: Given<'py>,
    /// At most one of the next three.
    pub start: Option<Bound<'py, PyAny>>,
    /// See `start`.
    pub turn: Option<Bound<'py, PyAny>>,
    /// See `start`.
    pub since_seq: Option<Bound<'py, PyAny>>,
    /// A session's id.
    pub session: Option<Bound<'py, PyAny>>,
    /// `raise` or `skip`.
    pub on_malformed: Given<'py>,
    /// Whether to tell what was met.
    pub explain: Given<'py>,
    /// Bytes.
    pub max_record_bytes: Given<'py>,
    /// Bytes.
    pub max_decompressed_bytes: Given<'py>,
    /// How many.
    pub threads: Given<'py>,
}

fn session_id(session: &Bound<'_, PyAny>) -> PyResult<Box<[u8]>> {
    let Ok(session) = session.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("session takes a str, not {}", type_name(session)?)));
    };
    with_wtf8(session, |id| Box::from(id))
}

/// What `max_record_bytes` is when nobody says; the reference has it in `_protocol.py`.
pub const DEFAULT_MAX_RECORD_BYTES: i64 = 268_435_456;
/// The same of `max_decompressed_bytes`.
pub const DEFAULT_MAX_DECOMPRESSED_BYTES: i64 = 68_719_476_736;

/// The limits of what is read and of what is decompressed.
pub fn limits(record: &Given<'_>, decompressed: &Given<'_>) -> PyResult<(usize, u64)> {
    let record = positive("max_record_bytes", record, DEFAULT_MAX_RECORD_BYTES)?;
    let decompressed = positive("max_decompressed_bytes", decompressed, DEFAULT_MAX_DECOMPRESSED_BYTES)?;
    Ok((usize::try_from(record).unwrap_or(usize::MAX), decompressed))
}

fn positive(what: &str, given: &Given<'_>, default: i64) -> PyResult<u64> {
    match u64::try_from(given.integer(default)?) {
        Ok(limit @ 1..) => Ok(limit),
        _ => Err(PyValueError::new_err(format!("{what} is not positive, expected at least 1"))),
    }
}

impl Asked<'_> {
    /// Check and combine them.
    pub fn options(&self) -> PyResult<Options> {
        let suffix = self.suffix()?;
        let skip = self.on_malformed.is_second("on_malformed", ["raise", "skip"])?;
        let (limit, decompressed) = limits(&self.max_record_bytes, &self.max_decompressed_bytes)?;
        let count = usize::try_from(positive("threads", &self.threads, 1)?).unwrap_or(usize::MAX);
        let threads = Threads { count, ..Threads::default() };
        let session = self.session.as_ref().map(session_id).transpose()?;
        Ok(Options { suffix, session, skip, explain: self.explain.is_true()?, limit, decompressed, threads })
    }

    fn suffix(&self) -> PyResult<Suffix> {
        let is_whole = self.suffix.is_second("suffix", ["own", "whole"])?;
        let mut given = Vec::new();
        for (name, value) in [("start", &self.start), ("turn", &self.turn), ("since_seq", &self.since_seq)] {
            let Some(value) = value else { continue };
            if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
                return Err(PyTypeError::new_err(format!("{name} takes an int, not {}", type_name(value)?)));
            }
            given.push((name, value));
        }
        match given[..] {
            [] => Ok(if is_whole { Suffix::Whole } else { Suffix::Own }),
            [("start", start)] => Ok(Suffix::Start(integer(start)?)),
            [("turn", turn)] => Ok(Suffix::Turn(integer(turn)?)),
            [(_, seq)] => {
                let seq = u64::try_from(integer(seq)?).unwrap_or(0);
                // Beyond every seq there can be, so below is everything.
                Ok(Suffix::SinceSeq(seq.min(MAX_ORDINAL + 1)))
            }
            [(one, _), (other, _), ..] => {
                Err(PyValueError::new_err(format!("{one} and {other} exclude each other")))
            }
        }
    }
}
