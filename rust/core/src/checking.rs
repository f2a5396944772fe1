//! Everything that is wrong with a log, record by record (spec S7 `check`).

use std::convert::Infallible;

use crate::error::{Error, Malformed};
use crate::fold::Place;
use crate::formats::dsh;
use crate::json::Value;
use crate::records::Found;
use crate::signal::Kind;
use crate::text::{Pieces, Text};

/// A defect of a log, or its torn tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A kind of S7, or `torn_tail`.
    pub kind: &'static str,
    /// The innermost value at fault; empty for the record as a whole.
    pub path: String,
    /// The record's first byte, uncompressed.
    pub offset: u64,
    /// Its line, from 1, where it is known.
    pub line: Option<u64>,
    /// The sentence without its place.
    pub message: String,
}

/// Takes every record of a log and keeps what is wrong.
#[derive(Debug, Default)]
pub struct Checking {
    /// In the order of the log.
    pub problems: Vec<Problem>,
}

impl Checking {
    /// Look at a record alone.
    pub fn take(&mut self, found: &Found<Value<'_>>) {
        if let Err(Error::Malformed(defect)) = read(found) {
            self.add(&defect, found.place);
        }
    }

    /// The log ends in the middle of a record.
    pub fn torn(&mut self, place: Place, message: String) {
        self.problems.push(Problem {
            kind: "torn_tail",
            path: String::new(),
            offset: place.offset.unwrap_or(0),
            line: place.line,
            message,
        });
    }

    fn add(&mut self, defect: &Malformed, place: Place) {
        self.problems.push(Problem {
            kind: defect.kind.as_str(),
            path: defect.path.clone(),
            offset: place.offset.unwrap_or(0),
            line: place.line,
            message: defect.sentence(),
        });
    }
}

/// Read all that a record that signals may be asked for, also what a fold would leave unread.
fn read(found: &Found<Value<'_>>) -> Result<(), Error<Infallible>> {
    let event = found.event()?;
    let mut unused = Text::default();
    let mut pieces = Pieces::new(&mut unused, 0);
    match event.kind {
        Kind::Message => {
            found.check_limits()?;
            let content = dsh::content(&event)?;
            dsh::embedded(&content.data, event.path, &mut pieces)
        }
        Kind::Stream(stream) => {
            found.check_limits()?;
            dsh::pieces(&event, stream, &mut pieces)
        }
        _ => Ok(()),
    }
}
