//! One record into a fold: an object, a string, JSON text, a record of a stream (spec S5).

use std::cell::RefCell;
use std::convert::Infallible;

use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::feeding::Unfinished;
use lastsaid_core::fold::{Fold, Place};
use lastsaid_core::formats::dsh;
use lastsaid_core::json::{self, BOM};
use lastsaid_core::log::lines;
use memchr::memchr;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::attached;
use crate::error::of_bytes;
use crate::kept::Kept;
use crate::object::Object;
use crate::strings::append;

/// Take one event, a mapping.
#[inline]
pub fn push(fold: &mut Fold<Kept>, event: &Bound<'_, PyAny>) -> Result<(), Error<PyErr>> {
    fold.push(&Object(event.clone()))
}

/// This thread's parser: its room serves every fold.
fn with_parser<R>(call: impl FnOnce(&mut json::Parser) -> R) -> R {
    thread_local!(static PARSER: RefCell<json::Parser> = RefCell::default());
    PARSER.with(|parser| match parser.try_borrow_mut() {
        Ok(mut parser) => call(&mut parser),
        Err(_) => call(&mut json::Parser::default()),
    })
}

/// Take one event as JSON text.
pub fn push_json(fold: &mut Fold<Kept>, record: &[u8]) -> Result<(), Error<PyErr>> {
    let place = Place::at_index(fold.count);
    with_parser(|parser| apply(fold, parser.parse(record), place)).map_err(of_bytes)?;
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
    with_parser(|parser| apply(fold, record.parse(parser), place)).map_err(|error| match error {
        Error::Malformed(defect) => defect.at_offset(record.offset, Some(record.line)).into(),
        other => other,
    })
}

/// A piece of streamed text; whether it is a string.
#[inline(always)]
pub fn push_text(fold: &mut Fold<Kept>, piece: &Bound<'_, PyAny>) -> PyResult<bool> {
    match piece.cast::<PyString>() {
        Ok(text) => fold.stream(|pieces| append(text, pieces).map(|()| 1)).map(|()| true),
        Err(_) => Ok(false),
    }
}

/// Pieces of streamed text; the index of the first that is no string.
pub fn extend_text(fold: &mut Fold<Kept>, pieces: &Bound<'_, PyList>) -> PyResult<Option<usize>> {
    let mut index = 0;
    while !fold.speaks() {
        match pieces.get_item(index) {
            Ok(piece) if push_text(fold, &piece)? => index += 1,
            Ok(_) => return Ok(Some(index)),
            Err(_) => return Ok(None),
        }
    }
    let mut odd = None;
    fold.stream(|to| {
        odd = attached::append_each(pieces, index, to)?;
        Ok::<_, PyErr>(odd.unwrap_or_else(|| pieces.len()).saturating_sub(index) as u64)
    })?;
    Ok(odd)
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
