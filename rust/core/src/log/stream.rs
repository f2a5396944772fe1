//! The lines of a log read once, from its start to its end, in bounded memory: pipes, and counts from the start.

use std::convert::Infallible;
use std::ops::Range;

use memchr::memchr;

use crate::error::Error;
use crate::fold::Place;
use crate::json;
use crate::log::ahead::Ahead;
use crate::log::document::{CUT_FRAME, End, Sink};
use crate::log::frames::Gap;
use crate::log::records::too_large;
use crate::log::{lines, needles};
use crate::records::Found;

/// Read all lines that are ahead into a sink.
pub fn read(
    ahead: &mut Ahead<'_>,
    sink: &mut impl Sink,
    start: u64,
    limit: usize,
) -> Result<End, Error<Infallible>> {
    let mut reading = Reading {
        sink,
        start,
        limit,
        records: 0,
        line: Some(1),
        candidates: Vec::new(),
        parser: json::Parser::default(),
    };
    let mut long: Option<LongLine> = None;
    loop {
        if let Some(line) = &mut long {
            // Of a line over the limit only the count and the needle are kept.
            let lf = memchr(b'\n', &ahead.bytes);
            line.add(&ahead.bytes[..lf.unwrap_or(ahead.bytes.len())]);
            match lf {
                Some(lf) => {
                    ahead.pass(lf + 1);
                    reading.long(line, &ahead.input.gaps(line.start..ahead.offset))?;
                    long = None;
                }
                None => {
                    ahead.pass(ahead.bytes.len());
                    if ahead.is_end {
                        return reading.long_end(ahead, line);
                    }
                    ahead.more()?;
                    continue;
                }
            }
        }
        if let Some(lf) = ahead.last_lf() {
            let gaps = ahead.input.gaps(ahead.offset..ahead.offset + lf as u64 + 1);
            reading.stretches(&ahead.bytes[..=lf], ahead.offset, &gaps)?;
            ahead.pass(lf + 1);
        }
        if ahead.is_end {
            return reading.end(ahead);
        }
        if ahead.bytes.len() > limit {
            long = Some(LongLine::new(ahead.offset));
        } else {
            ahead.more()?;
        }
    }
}

/// A line over the limit, as it goes by.
struct LongLine {
    start: u64,
    length: u64,
    needle: bool,
    is_blank: bool,
    edge: Vec<u8>,
}

impl LongLine {
    fn new(start: u64) -> Self {
        Self { start, length: 0, needle: false, is_blank: true, edge: Vec::new() }
    }

    fn add(&mut self, piece: &[u8]) {
        self.is_blank = self.is_blank && lines::is_blank(piece);
        self.length += piece.len() as u64;
        if !self.needle {
            self.edge.extend_from_slice(piece);
            self.needle = needles::is_in(&self.edge);
            let keep = self.edge.len().saturating_sub(needles::LONGEST);
            self.edge.drain(..keep);
        }
    }
}

/// The gap whose line begins there: its first byte is the LF before.
fn gap_at(gaps: &[Gap], line: u64) -> Option<&Gap> {
    gaps.iter().find(|gap| gap.start + 1 == line)
}

struct Reading<'s, S> {
    sink: &'s mut S,
    /// How many records are passed over first.
    start: u64,
    limit: usize,
    records: u64,
    /// The number of the line at the start of what comes next; unknown after damage.
    line: Option<u64>,
    candidates: Vec<Range<usize>>,
    parser: json::Parser,
}

impl<S: Sink> Reading<'_, S> {
    /// Examine what must be of whole lines, and each gap among them.
    fn stretches(&mut self, mut lines: &[u8], mut offset: u64, gaps: &[Gap]) -> Result<(), Error<Infallible>> {
        for gap in gaps {
            // Only the LF before it may be here, or the rest of it.
            let Some(at) = (gap.start + 1).checked_sub(offset) else { continue };
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            let Some((before, rest)) = lines.split_at_checked(at).filter(|(_, rest)| !rest.is_empty()) else {
                break;
            };
            self.stretch(before, offset)?;
            self.gap(gap)?;
            // Whole lines: the gap's own is among them.
            let filler = usize::try_from(gap.end - gap.start - 1).unwrap_or(usize::MAX).min(rest.len());
            lines = &rest[filler..];
            offset = gap.end;
        }
        self.stretch(lines, offset)
    }

    /// Examine what must be of a stretch of whole lines.
    fn stretch(&mut self, stretch: &[u8], offset: u64) -> Result<(), Error<Infallible>> {
        let mut at = 0;
        let examines_all = self.sink.examines_all();
        // The first record, and all that are counted, line by line.
        while at < stretch.len() && (examines_all || self.records == 0 || self.records < self.start) {
            let end = memchr(b'\n', &stretch[at..]).map_or(stretch.len(), |lf| at + lf);
            let line = &stretch[at..end];
            if !lines::is_blank(line) {
                self.records += 1;
                if examines_all || self.records == 1 || needles::is_in(line) {
                    self.examine(line, offset + at as u64, offset + end as u64 + 1)?;
                }
            }
            self.add_lines(1);
            at = end + 1;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let rest = stretch.get(at..).unwrap_or_default();
        lines::with_needle(rest, &mut candidates);
        let mut counted = 0;
        for line in &candidates {
            self.add_lines(lines::count(&rest[counted..line.start]));
            counted = line.start;
            // Later records are not counted one by one: they are past the first and past `start`.
            self.records += 1;
            let start = offset + (at + line.start) as u64;
            self.examine(&rest[line.clone()], start, offset + (at + line.end) as u64 + 1)?;
        }
        self.add_lines(lines::count(&rest[counted..]));
        self.candidates = candidates;
        Ok(())
    }

    fn add_lines(&mut self, count: u64) {
        self.line = self.line.map(|line| line + count);
    }

    fn examine(&mut self, line: &[u8], start: u64, end: u64) -> Result<(), Error<Infallible>> {
        let place = Place::at_offset(start, self.line);
        let mut parser = std::mem::take(&mut self.parser);
        let found = if line.len() > self.limit {
            too_large(place, start, end, line.len() as u64, self.limit)
        } else {
            Found::line(place, start, end, line, &mut parser)
        };
        let done = self.take(&found);
        self.parser = parser;
        done
    }

    fn take(&mut self, found: &Found<json::Value<'_>>) -> Result<(), Error<Infallible>> {
        self.sink.take(found, self.records <= self.start)
    }

    fn gap(&mut self, gap: &Gap) -> Result<(), Error<Infallible>> {
        self.line = None;
        self.records += 1;
        self.take(&damaged(gap))
    }

    fn long(&mut self, line: &LongLine, gaps: &[Gap]) -> Result<(), Error<Infallible>> {
        if let Some(gap) = gap_at(gaps, line.start) {
            return self.gap(gap);
        }
        self.records += u64::from(!line.is_blank);
        if !line.is_blank && (self.records == 1 || line.needle || self.sink.examines_all()) {
            self.too_large(line)?;
        }
        self.add_lines(1);
        Ok(())
    }

    fn too_large(&mut self, line: &LongLine) -> Result<(), Error<Infallible>> {
        let place = Place::at_offset(line.start, self.line);
        self.take(&too_large(place, line.start, line.start + line.length + 1, line.length, self.limit))
    }

    /// What follows the last LF, when it is over the limit: never torn, as nobody looks.
    fn long_end(&mut self, ahead: &Ahead<'_>, line: &LongLine) -> Result<End, Error<Infallible>> {
        if ahead.input.is_torn() {
            return Ok(self.torn(line.start, CUT_FRAME.into()));
        }
        if !line.is_blank {
            self.records += 1;
            self.too_large(line)?;
        }
        Ok(End { is_torn: false, records: self.records })
    }

    /// What follows the last LF.
    fn end(&mut self, ahead: &Ahead<'_>) -> Result<End, Error<Infallible>> {
        let tail = &ahead.bytes;
        if ahead.input.is_torn() {
            return Ok(self.torn(ahead.offset, CUT_FRAME.into()));
        }
        if !lines::is_blank(tail) {
            if tail.len() <= self.limit && json::parse(tail).is_err() {
                return Ok(self.torn(ahead.offset, lines::torn_sentence(tail.len())));
            }
            self.records += 1;
            self.examine(tail, ahead.offset, ahead.offset + tail.len() as u64)?;
        }
        Ok(End { is_torn: false, records: self.records })
    }

    fn torn(&mut self, offset: u64, sentence: String) -> End {
        self.sink.torn(Place::at_offset(offset, self.line), sentence);
        End { is_torn: true, records: self.records }
    }
}

/// A gap as a record that can't be read.
pub fn damaged<'a>(gap: &Gap) -> Found<json::Value<'a>> {
    let place = Place::at_offset(gap.start, None);
    Found { place, start: gap.start, end: gap.end, value: Err(gap.defect()), limits: Ok(()) }
}
