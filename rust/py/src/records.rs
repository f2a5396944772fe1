//! One record into a fold: an object, a string, JSON text, a record of a stream (spec S5).

use std::convert::Infallible;

use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::feeding::Unfinished;
use lastsaid_core::fold::{Fold, Place};
use lastsaid_core::formats::dsh;
use lastsaid_core::json::{self, BOM};
use lastsaid_core::log::lines;
use memchr::memchr;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::of_bytes;
use crate::kept::Kept;
use crate::object::Object;
use crate::strings::append;

/// Take one event, a mapping.
pub fn push(fold: &mut Fold<Kept>, event: &Bound<'_, PyAny>) -> Result<(), Error<PyErr>> {
    let event = dsh::event(&Object(event.clone()))?;
    fold.apply(&event, Place::at_index(fold.count))?;
    fold.count = fold.count.saturating_add(1);
    Ok(())
}

/// Take one event as JSON text.
pub fn push_json(fold: &mut Fold<Kept>, record: &[u8]) -> Result<(), Error<PyErr>> {
    apply(fold, json::parse(record), Place::at_index(fold.count)).map_err(of_bytes)?;
    fold.count = fold.count.saturating_add(1);
    Ok(())
}

type Parsed<'a> = Result<json::Record<'a>, Box<Malformed>>;

fn apply(fold: &mut Fold<Kept>, record: Parsed<'_>, place: Place) -> Result<(), Error<Infallible>> {
    let record = record?;
    let event = dsh::event(&record.value)?;
    if fold.reads(&event) {
        record.check_limits()?;
    }
    fold.apply(&event, place)
}

/// Take one record of a stream; all of them count, also those that nobody reads.
pub fn take(fold: &mut Fold<Kept>, record: &Unfinished, is_examined: bool) -> Result<(), Error<Infallible>> {
    let place = Place { index: Some(fold.count), ..Place::at_offset(record.offset, Some(record.line)) };
    fold.count = fold.count.saturating_add(1);
    if !is_examined {
        return Ok(());
    }
    apply(fold, record.parse(), place).map_err(|error| match error {
        Error::Malformed(defect) => defect.at_offset(record.offset, Some(record.line)).into(),
        other => other,
    })
}

/// A piece of streamed text; None for what is no string.
pub fn push_text(fold: &mut Fold<Kept>, piece: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
    let Ok(text) = piece.cast::<PyString>() else { return Ok(None) };
    fold.stream(|pieces| append(text, pieces)).map(Some)
}

/// A record without a byte order mark.
pub fn without_bom(record: &[u8]) -> &[u8] {
    record.strip_prefix(BOM).unwrap_or(record)
}

/// Whether a record is nothing but white space.
pub fn is_blank(record: &[u8]) -> bool {
    record.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Take events as lines of JSON text; a defect is placed among them.
pub fn extend_lines(fold: &mut Fold<Kept>, data: &[u8]) -> Result<(), Error<PyErr>> {
    let mut offset = data.len() - without_bom(data).len();
    let mut line = 1;
    while offset < data.len() {
        let end = memchr(b'\n', &data[offset..]).map_or(data.len(), |lf| offset + lf);
        let record = &data[offset..end];
        if !lines::is_blank(record) {
            push_json(fold, record).map_err(|error| match error {
                Error::Malformed(defect) => defect.at_offset(offset as u64, Some(line)).into(),
                other => other,
            })?;
        }
        offset = end + 1;
        line += 1;
    }
    Ok(())
}
