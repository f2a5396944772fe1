//! A log read once, from its start: JSON Lines, or one JSON array (spec S7 "Arrays").

use std::convert::Infallible;
use std::io;

use crate::error::Error;
use crate::fold::Place;
use crate::json::{self, Value};
use crate::log::ahead::{Ahead, Input};
use crate::log::{array, lines, stream};
use crate::records::Found;

/// What takes the records of a log that is read once.
pub trait Sink {
    /// The next record that is examined; `is_before`: it stands before the part that was asked for.
    fn take(&mut self, found: &Found<Value<'_>>, is_before: bool) -> Result<(), Error<Infallible>>;

    /// Whether every record is examined, not only those with a needle.
    fn examines_all(&self) -> bool {
        false
    }

    /// The log ends in the middle of a record.
    fn torn(&mut self, _place: Place, _sentence: String) {}
}

/// What is said of a log whose file ends inside a frame.
pub const CUT_FRAME: &str = "the file ends inside a frame";

/// How a reading ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Whether the log ends in the middle of a record.
    pub is_torn: bool,
    /// How many records it holds; counted only as far as `start` asked for it.
    pub records: u64,
}

/// Read all of an input into a sink. The first `start` records are before the part that was asked for.
pub fn read(
    input: &mut dyn Input,
    sink: &mut impl Sink,
    start: u64,
    limit: usize,
) -> Result<End, Error<Infallible>> {
    let mut ahead = Ahead::new(input)?;
    if is_array(&mut ahead, limit)? {
        array::read(&mut ahead, sink, start, limit)
    } else {
        stream::read(&mut ahead, sink, start, limit)
    }
}

/// Whether the log is one JSON array, as far as its first lines tell.
fn is_array(ahead: &mut Ahead<'_>, limit: usize) -> io::Result<bool> {
    if ahead.bytes.first() != Some(&b'[') {
        return Ok(false);
    }
    let line = loop {
        match ahead.first_lf() {
            Some(lf) => break lf,
            None if ahead.is_end => break ahead.bytes.len(),
            None if ahead.bytes.len() > limit => return Ok(true),
            None => ahead.more()?,
        }
    };
    if line > limit || json::parse(&ahead.bytes[..line]).is_err() {
        return Ok(true);
    }
    let mut at = line;
    loop {
        let rest = &ahead.bytes[at..];
        if !rest.iter().all(|byte| *byte == b'\n' || lines::is_blank(&[*byte])) {
            return Ok(false);
        }
        if ahead.is_end {
            return Ok(true);
        }
        at = ahead.bytes.len();
        ahead.more()?;
    }
}
