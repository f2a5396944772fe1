//! The elements of a log that is one JSON array, in bounded memory (spec S7 "Arrays").

use std::convert::Infallible;

use memchr::memchr2;

use crate::error::{Error, Kind, Malformed};
use crate::fold::Place;
use crate::json;
use crate::log::ahead::Ahead;
use crate::log::document::{CUT_FRAME, End, Sink};
use crate::log::lines;
use crate::log::records::too_large;
use crate::records::Found;

/// Read the array that is ahead; its `[` is the first byte.
pub fn read(
    ahead: &mut Ahead<'_>,
    sink: &mut impl Sink,
    start: u64,
    limit: usize,
) -> Result<End, Error<Infallible>> {
    ahead.pass(1);
    let mut reading = Reading {
        sink,
        start,
        limit,
        line: 1,
        elements: 0,
        element: None,
        is_after_comma: false,
        parser: json::Parser::default(),
    };
    let mut state = State::default();
    loop {
        let whole = ahead.bytes.len();
        let gap = ahead.input.gaps(ahead.offset..ahead.offset + whole as u64).into_iter().next();
        let upto = gap.map_or(whole, |gap| usize::try_from(gap.start - ahead.offset).unwrap_or(whole).min(whole));
        let mut at = 0;
        while at < upto {
            let plain = state.plain(&ahead.bytes[at..upto]);
            if plain > 0 {
                reading.add_plain(&ahead.bytes[at..at + plain]);
                at += plain;
                continue;
            }
            let byte = ahead.bytes[at];
            let offset = ahead.offset + at as u64;
            at += 1;
            if state.is_ended {
                if !is_white(byte) {
                    reading.after_the_end(offset)?;
                    return Ok(End { is_torn: false, records: reading.elements });
                }
            } else {
                match state.step(byte) {
                    Step::Inside => reading.add(byte, offset),
                    Step::Comma => reading.element(offset, offset + 1)?,
                    Step::End => {
                        if reading.element.is_some() || reading.is_after_comma {
                            reading.element(offset, offset + 1)?;
                        }
                    }
                }
            }
            reading.line += u64::from(byte == b'\n');
        }
        if let Some(gap) = gap {
            // Nobody knows how much of the array is missing: what follows is not read.
            reading.bad(gap.defect(), Place::at_offset(gap.start, None), gap.start)?;
            return Ok(End { is_torn: false, records: reading.elements });
        }
        let end = ahead.offset + whole as u64;
        ahead.pass(whole);
        if ahead.is_end {
            let is_torn = ahead.input.is_torn();
            if !state.is_ended {
                reading.tail(end)?;
            } else if is_torn {
                reading.sink.torn(Place::at_offset(end, Some(reading.line)), CUT_FRAME.into());
            }
            return Ok(End { is_torn: is_torn || !state.is_ended, records: reading.elements });
        }
        ahead.more()?;
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Where in the grammar the bytes are, as far as the ends of elements need it.
#[derive(Default)]
struct State {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    is_ended: bool,
}

enum Step {
    Inside,
    Comma,
    End,
}

impl State {
    /// How many bytes follow that change nothing here: the inside of a string.
    fn plain(&self, bytes: &[u8]) -> usize {
        match self.in_string && !self.is_escaped {
            true => memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len()),
            false => 0,
        }
    }

    fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return Step::Inside;
        }
        match byte {
            b'"' => self.in_string = true,
            b'[' | b'{' => self.depth += 1,
            b',' if self.depth == 0 => return Step::Comma,
            b']' if self.depth == 0 => {
                self.is_ended = true;
                return Step::End;
            }
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Step::Inside
    }
}

/// An element as it goes by: of one over the limit only the length is kept.
struct Element {
    place: Place,
    bytes: Vec<u8>,
    length: u64,
    /// Without white space at its end.
    used: u64,
}

struct Reading<'s, S> {
    sink: &'s mut S,
    start: u64,
    limit: usize,
    line: u64,
    elements: u64,
    element: Option<Element>,
    is_after_comma: bool,
    parser: json::Parser,
}

impl<S: Sink> Reading<'_, S> {
    fn add(&mut self, byte: u8, offset: u64) {
        let white = is_white(byte);
        if self.element.is_none() && white {
            return;
        }
        let place = self.place(offset);
        let element = self.element.get_or_insert_with(|| Element { place, bytes: Vec::new(), length: 0, used: 0 });
        element.length += 1;
        if !white {
            element.used = element.length;
        }
        if element.bytes.len() <= self.limit {
            element.bytes.push(byte);
        }
    }

    /// Bytes inside a string of an element.
    fn add_plain(&mut self, bytes: &[u8]) {
        self.line += lines::count(bytes);
        let Some(element) = &mut self.element else { return };
        if let Some(last) = bytes.iter().rposition(|byte| !is_white(*byte)) {
            element.used = element.length + last as u64 + 1;
        }
        element.length += bytes.len() as u64;
        // One byte more than is read, so that what is too long shows.
        let room = self.limit.saturating_add(1).saturating_sub(element.bytes.len()).min(bytes.len());
        element.bytes.extend_from_slice(&bytes[..room]);
    }

    fn place(&self, offset: u64) -> Place {
        Place { index: Some(self.elements), ..Place::at_offset(offset, Some(self.line)) }
    }

    /// An element ends at `end`.
    fn element(&mut self, end: u64, after: u64) -> Result<(), Error<Infallible>> {
        self.is_after_comma = true;
        let element = self.element.take();
        let place = element.as_ref().map_or_else(|| self.place(end), |element| element.place);
        let start = place.offset.unwrap_or(end);
        let mut parser = std::mem::take(&mut self.parser);
        let found = match &element {
            Some(element) if element.used > self.limit as u64 => {
                too_large(place, start, after, element.used, self.limit)
            }
            Some(element) => {
                let used = usize::try_from(element.used).unwrap_or(0);
                Found::line(place, start, after, &element.bytes[..used], &mut parser)
            }
            None => Found::line(place, start, after, b"", &mut parser),
        };
        let done = self.take(&found);
        self.parser = parser;
        done
    }

    fn take(&mut self, found: &Found<json::Value<'_>>) -> Result<(), Error<Infallible>> {
        self.elements += 1;
        self.sink.take(found, self.elements <= self.start)
    }

    /// The array is cut off: a value that is whole counts.
    fn tail(&mut self, end: u64) -> Result<(), Error<Infallible>> {
        let place = self.element.as_ref().map_or_else(|| self.place(end), |element| element.place);
        let is_kept = self.element.as_ref().is_some_and(|element| {
            element.used > self.limit as u64
                || json::parse(&element.bytes[..usize::try_from(element.used).unwrap_or(0)]).is_ok()
        });
        if is_kept {
            self.element(end, end)?;
        }
        let place = if is_kept { self.place(end) } else { place };
        self.sink.torn(place, "the array is cut off".into());
        Ok(())
    }

    fn after_the_end(&mut self, offset: u64) -> Result<(), Error<Infallible>> {
        let defect = Malformed::new(Kind::NotJson, "", "after the end of the array", "nothing");
        let place = self.place(offset);
        self.bad(defect, place, offset)
    }

    fn bad(&mut self, defect: Box<Malformed>, place: Place, offset: u64) -> Result<(), Error<Infallible>> {
        self.take(&Found { place, start: offset, end: offset + 1, value: Err(defect), limits: Ok(()) })
    }
}
