//! A log read once, from its start to its end, in bounded memory: pipes, and counts from the start.

use std::convert::Infallible;
use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::error::Error;
use crate::fold::Place;
use crate::forward::Pass;
use crate::json::{self, BOM};
use crate::log::lines;
use crate::log::records::too_large;
use crate::records::Found;

const BLOCK: usize = 256 << 10;

/// Read a whole stream into a pass. `start` records are passed over first. Tells whether the tail was torn.
pub fn read<K>(
    input: &mut dyn Read,
    pass: &mut Pass<K>,
    start: u64,
    limit: usize,
) -> Result<bool, Error<Infallible>>
where
    Box<[u8]>: Into<K>,
{
    let mut reading = Reading { pass, start, limit, records: 0, line: 1, candidates: Vec::new() };
    // The part of the input that is in hand starts at `offset`.
    let (mut buffer, mut offset) = (Vec::new(), 0_u64);
    let mut long: Option<LongLine> = None;
    let mut is_first = true;
    loop {
        let is_end = fill(input, &mut buffer)?;
        if is_first {
            if buffer.starts_with(BOM) {
                buffer.drain(..BOM.len());
                offset = BOM.len() as u64;
            }
            is_first = false;
        }
        if let Some(line) = &mut long {
            // Of a line over the limit only the count and the needle are kept.
            let lf = memchr(b'\n', &buffer);
            line.add(&buffer[..lf.unwrap_or(buffer.len())]);
            match lf {
                Some(lf) => {
                    buffer.drain(..=lf);
                    reading.long(line, offset)?;
                    offset += line.length + 1;
                    long = None;
                }
                None => {
                    buffer.clear();
                    if is_end {
                        let used = usize::try_from(line.used).unwrap_or(usize::MAX);
                        return match line.head.get(..used) {
                            _ if line.is_blank => Ok(false),
                            Some(tail) => reading.tail(tail, offset),
                            None => reading.long_tail(offset, line.used),
                        };
                    }
                    continue;
                }
            }
        }
        if is_end {
            let whole = memrchr(b'\n', &buffer).map_or(0, |lf| lf + 1);
            reading.stretch(&buffer[..whole], offset)?;
            let tail = &buffer[whole..];
            return reading.tail(lines::without_padding(tail), offset + whole as u64);
        }
        if let Some(lf) = memrchr(b'\n', &buffer) {
            reading.stretch(&buffer[..=lf], offset)?;
            offset += lf as u64 + 1;
            buffer.drain(..=lf);
        }
        if buffer.len() > limit {
            let mut line = LongLine::new(&buffer, limit);
            line.add(&buffer);
            long = Some(line);
            buffer.clear();
        }
    }
}

/// Read until there is at least a block more, or the end, which is told.
fn fill(input: &mut dyn Read, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let mut filled = buffer.len();
    let enough = filled + BLOCK;
    buffer.resize(enough, 0);
    let mut is_end = false;
    while filled < enough {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => {
                is_end = true;
                break;
            }
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(is_end)
}

/// A line over the limit, as it goes by.
struct LongLine {
    head: Vec<u8>,
    length: u64,
    /// Its length without zero padding.
    used: u64,
    needle: bool,
    is_blank: bool,
    edge: Vec<u8>,
}

impl LongLine {
    fn new(start: &[u8], limit: usize) -> Self {
        let head = start.get(..limit).unwrap_or(start).to_vec();
        Self { head, length: 0, used: 0, needle: false, is_blank: true, edge: Vec::new() }
    }

    fn add(&mut self, piece: &[u8]) {
        let unpadded = lines::without_padding(piece);
        if !unpadded.is_empty() {
            // Zero bytes that something follows are no padding, and not blank.
            self.is_blank &= self.used == self.length && lines::is_blank(unpadded);
            self.used = self.length + unpadded.len() as u64;
        }
        self.length += piece.len() as u64;
        if !self.needle {
            self.edge.extend_from_slice(piece);
            self.needle = lines::has_needle(&self.edge);
            let keep = self.edge.len().saturating_sub(lines::LONGEST_NEEDLE);
            self.edge.drain(..keep);
        }
    }
}

struct Reading<'p, K> {
    pass: &'p mut Pass<K>,
    /// How many records are passed over first.
    start: u64,
    limit: usize,
    records: u64,
    /// The number of the line at the start of what comes next.
    line: u64,
    candidates: Vec<Range<usize>>,
}

impl<K> Reading<'_, K>
where
    Box<[u8]>: Into<K>,
{
    /// Examine what must be of a stretch of whole lines.
    fn stretch(&mut self, stretch: &[u8], offset: u64) -> Result<(), Error<Infallible>> {
        let mut at = 0;
        // The first record, and all that are counted, line by line.
        while at < stretch.len() && (self.records == 0 || self.records < self.start) {
            let end = memchr(b'\n', &stretch[at..]).map_or(stretch.len(), |lf| at + lf);
            let line = &stretch[at..end];
            if !lines::is_blank(line) {
                self.records += 1;
                if self.records == 1 || lines::has_needle(line) {
                    self.examine(line, offset + at as u64, offset + end as u64 + 1)?;
                }
            }
            self.line += 1;
            at = end + 1;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let rest = stretch.get(at..).unwrap_or_default();
        lines::with_needle(rest, &mut candidates);
        let mut counted = 0;
        for line in &candidates {
            self.line += lines::count(&rest[counted..line.start]);
            counted = line.start;
            // Later records are not counted one by one: they are past the first and past `start`.
            self.records += 1;
            let start = offset + (at + line.start) as u64;
            self.examine(&rest[line.clone()], start, offset + (at + line.end) as u64 + 1)?;
        }
        self.line += lines::count(&rest[counted..]);
        self.candidates = candidates;
        Ok(())
    }

    fn examine(&mut self, line: &[u8], start: u64, end: u64) -> Result<(), Error<Infallible>> {
        let place = Place::at_offset(start, Some(self.line));
        let found = if line.len() > self.limit {
            too_large(place, start, end, line.len() as u64, self.limit)
        } else {
            Found::line(place, start, end, line)
        };
        self.take(&found)
    }

    fn take(&mut self, found: &Found<json::Value<'_>>) -> Result<(), Error<Infallible>> {
        if self.records <= self.start { self.pass.pass_over(found) } else { self.pass.feed(found) }
    }

    fn long(&mut self, line: &LongLine, start: u64) -> Result<(), Error<Infallible>> {
        let is_blank = line.is_blank && line.used == line.length;
        self.records += u64::from(!is_blank);
        if !is_blank && (self.records == 1 || line.needle) {
            let place = Place::at_offset(start, Some(self.line));
            self.take(&too_large(place, start, start + line.length + 1, line.length, self.limit))?;
        }
        self.line += 1;
        Ok(())
    }

    /// What follows the last LF, when it is over the limit: never torn, as nobody looks.
    fn long_tail(&mut self, start: u64, length: u64) -> Result<bool, Error<Infallible>> {
        self.records += 1;
        let place = Place::at_offset(start, Some(self.line));
        self.take(&too_large(place, start, start + length, length, self.limit))?;
        Ok(false)
    }

    /// What follows the last LF; whether it is torn.
    fn tail(&mut self, tail: &[u8], offset: u64) -> Result<bool, Error<Infallible>> {
        if lines::is_blank(tail) {
            return Ok(false);
        }
        if tail.len() > self.limit {
            return self.long_tail(offset, tail.len() as u64);
        }
        if json::parse(tail).is_err() {
            return Ok(true);
        }
        self.records += 1;
        self.examine(tail, offset, offset + tail.len() as u64)?;
        Ok(false)
    }
}
