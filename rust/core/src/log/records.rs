//! The records of a log that can be read at any offset: only the lines that must be examined (spec S7).

use std::convert::Infallible;
use std::io;
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::error::{Error, Kind, Malformed};
use crate::fold::Place;
use crate::json::{self, BOM, Value};
use crate::log::source::{HEAD, Source};
use crate::log::stream::damaged;
use crate::log::{lines, needles};
use crate::node::Flow;
use crate::records::{Found, Records, Visitor};

/// The first window at the end of a log: most answers are in it or in the next, which is four times as large.
const FIRST_WINDOW: usize = 16 << 10;
/// The window of a long walk: what was read is still in the processor's own cache when it is searched.
const WINDOW: usize = 512 << 10;

const PAGE: u64 = 4 << 10;

fn wider(window: usize) -> usize {
    (window * 4).min(WINDOW)
}

/// A plain log; positions are byte offsets of line starts.
pub struct LogRecords<'s, S> {
    source: &'s mut S,
    limit: usize,
    begin: u64,
    end: u64,
    /// Where the bytes after the last LF start.
    tail: u64,
    /// Where the first line that isn't blank starts.
    first: u64,
    /// Whether the log ends in the middle of a record, which is then no part of it.
    pub torn: bool,
    candidates: Vec<Range<usize>>,
    parser: json::Parser,
}

/// A line that is over the limit.
pub fn too_large<'a>(place: Place, start: u64, end: u64, length: u64, limit: usize) -> Found<Value<'a>> {
    let found = format!("{length} bytes long");
    let expected = format!("at most {limit} (see max_record_bytes)");
    let value = Err(Malformed::new(Kind::TooLarge, "", found, expected));
    Found { place, start, end, value, limits: Ok(()) }
}

impl<'s, S: Source> LogRecords<'s, S> {
    /// The records of a source.
    pub fn new(source: &'s mut S, limit: usize) -> io::Result<Self> {
        let size = source.size();
        let begin = if source.block(0, BOM.len())? == BOM { BOM.len() as u64 } else { 0 };
        let mut log = Self {
            source,
            limit,
            begin,
            end: size,
            tail: 0,
            first: 0,
            torn: false,
            candidates: Vec::new(),
            parser: json::Parser::default(),
        };
        log.end = log.without_padding(size)?;
        log.tail = log.line_start(log.begin, log.end)?;
        log.torn = log.source.is_torn() || log.is_torn()?;
        if log.torn {
            log.end = log.tail;
        }
        log.first = log.first_line()?;
        Ok(log)
    }

    /// The same records of another source of the same bytes.
    pub fn beside<'t, T>(&self, source: &'t mut T) -> LogRecords<'t, T> {
        LogRecords {
            source,
            limit: self.limit,
            begin: self.begin,
            end: self.end,
            tail: self.tail,
            first: self.first,
            torn: self.torn,
            candidates: Vec::new(),
            parser: json::Parser::default(),
        }
    }

    /// A source of the same bytes for another thread, where that is possible.
    pub fn another_source(&self) -> Option<Box<dyn Source + Send + '_>> {
        self.source.another()
    }

    /// The offset just after the first LF in `[lo, hi)`.
    pub fn after_line_feed(&mut self, mut lo: u64, hi: u64) -> io::Result<Option<u64>> {
        while lo < hi {
            let block = self.source.block(lo, span(lo, hi).min(FIRST_WINDOW))?;
            if let Some(lf) = memchr(b'\n', block) {
                return Ok(Some(lo + lf as u64 + 1));
            }
            if block.is_empty() {
                break;
            }
            lo += block.len() as u64;
        }
        Ok(None)
    }

    /// The offset of the record that is `count` from the end, or of the first.
    pub fn from_end(&mut self, mut count: u64) -> io::Result<u64> {
        let mut before = self.end;
        // Whether what was seen of the line so far, from its end, is blank.
        let mut is_blank = true;
        while before > self.begin {
            let at = before.saturating_sub(WINDOW as u64).max(self.begin);
            let block = self.source.block(at, span(at, before))?;
            let mut end = block.len();
            for lf in memchr::memrchr_iter(b'\n', block) {
                is_blank &= lines::is_blank(&block[lf + 1..end]);
                if !is_blank {
                    count -= 1;
                    if count == 0 {
                        return Ok(at + lf as u64 + 1);
                    }
                }
                (end, is_blank) = (lf, true);
            }
            is_blank &= lines::is_blank(&block[..end]);
            before = at;
        }
        Ok(self.begin)
    }

    fn is_blank(&mut self, mut at: u64, end: u64) -> io::Result<bool> {
        while at < end {
            let block = self.source.block(at, span(at, end).min(FIRST_WINDOW))?;
            if block.is_empty() {
                break;
            }
            if !block.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
                return Ok(false);
            }
            at += block.len() as u64;
        }
        Ok(true)
    }

    fn without_padding(&mut self, mut size: u64) -> io::Result<u64> {
        while size > self.begin {
            let at = size.saturating_sub(FIRST_WINDOW as u64).max(self.begin);
            let block = self.source.block(at, span(at, size))?;
            let used = lines::without_padding(block).len();
            if used > 0 {
                return Ok(at + used as u64);
            }
            size = at;
        }
        Ok(size)
    }

    /// The offset just after the last LF in `[lo, before)`, or `lo`.
    fn line_start(&mut self, lo: u64, mut before: u64) -> io::Result<u64> {
        while before > lo {
            let at = before.saturating_sub(FIRST_WINDOW as u64).max(lo);
            if let Some(lf) = memrchr(b'\n', self.source.block(at, span(at, before))?) {
                return Ok(at + lf as u64 + 1);
            }
            before = at;
        }
        Ok(lo)
    }

    /// Whether what follows the last LF is no JSON value.
    fn is_torn(&mut self) -> io::Result<bool> {
        let len = span(self.tail, self.end);
        if len == 0 || len > self.limit {
            return Ok(false);
        }
        let tail = self.source.block(self.tail, len)?;
        Ok(!lines::is_blank(tail) && json::parse(tail).is_err())
    }

    fn first_line(&mut self) -> io::Result<u64> {
        let (mut at, mut line) = (self.begin, self.begin);
        while at < self.end {
            let block = self.source.block(at, span(at, self.end).min(HEAD))?;
            let blank = block.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
            if let Some(lf) = memrchr(b'\n', &block[..blank]) {
                line = at + lf as u64 + 1;
            }
            if blank < block.len() || block.is_empty() {
                return Ok(line);
            }
            at += blank as u64;
        }
        Ok(line)
    }

    /// Visit the examined lines of a stretch of whole lines that starts at `base`.
    fn stretch<K, V>(
        &mut self,
        base: u64,
        len: usize,
        is_backward: bool,
        visitor: &mut V,
    ) -> Result<Flow, Error<Infallible>>
    where
        V: Visitor<K, Infallible>,
        Box<[u8]>: Into<K>,
    {
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut parser = std::mem::take(&mut self.parser);
        candidates.clear();
        let (first, tail, end, limit) = (self.first, self.tail, self.end, self.limit);
        lines::with_needle(self.source.block(base, len)?, &mut candidates);
        let mut gaps = self.source.gaps(base..base + len as u64);
        // Only the LF before it may be here, or the rest of it.
        gaps.retain(|gap| (base..base + len as u64).contains(&(gap.start + 1)));
        let stretch = self.source.block(base, len)?;
        for gap in &gaps {
            let start = usize::try_from(gap.start + 1 - base).unwrap_or(usize::MAX);
            let end = usize::try_from(gap.end - 1 - base).unwrap_or(usize::MAX);
            let at = candidates.partition_point(|candidate| candidate.start < start);
            candidates.insert(at, start..end);
        }
        let line_at = |offset: u64| {
            let start = usize::try_from(offset.checked_sub(base)?).ok().filter(|start| *start < stretch.len())?;
            Some(start..memchr(b'\n', &stretch[start..]).map_or(stretch.len(), |lf| start + lf))
        };
        // The first line and what follows the last LF are examined whatever they hold.
        if let Some(line) = line_at(first)
            && candidates.first().is_none_or(|candidate| candidate.start != line.start)
        {
            candidates.insert(0, line);
        }
        if tail < end
            && let Some(line) = line_at(tail)
            && candidates.last().is_none_or(|candidate| candidate.start != line.start)
        {
            candidates.push(line);
        }
        let mut flow = Flow::Continue;
        let count = candidates.len();
        for nth in 0..count {
            let line = candidates[if is_backward { count - 1 - nth } else { nth }].clone();
            let start = base + line.start as u64;
            let after = base + (line.end + 1).min(stretch.len()) as u64;
            let bytes = &stretch[line];
            if lines::is_blank(bytes) {
                continue;
            }
            let place = Place::at_offset(start, None);
            let found = if let Some(gap) = gaps.iter().find(|gap| gap.start + 1 == start) {
                damaged(gap)
            } else if bytes.len() > limit {
                too_large(place, start, after, bytes.len() as u64, limit)
            } else {
                Found::line(place, start, after, bytes, &mut parser)
            };
            flow = visitor.visit(&found)?;
            if flow == Flow::Stop {
                break;
            }
        }
        self.candidates = candidates;
        self.parser = parser;
        Ok(flow)
    }

    /// Visit a line that is longer than the limit, if it must be examined.
    fn long_line<K, V>(&mut self, start: u64, end: u64, visitor: &mut V) -> Result<Flow, Error<Infallible>>
    where
        V: Visitor<K, Infallible>,
        Box<[u8]>: Into<K>,
    {
        if let Some(gap) = self.source.gaps(start..end).into_iter().find(|gap| gap.start + 1 == start) {
            return visitor.visit(&damaged(&gap));
        }
        if start >= self.tail && self.is_blank(start, end)? {
            return Ok(Flow::Continue);
        }
        let mut examined = start == self.first || start >= self.tail;
        let mut at = start;
        while at < end && !examined {
            let block = self.source.block(at, span(at, end).min(WINDOW))?;
            examined = needles::is_in(block);
            if block.len() < WINDOW {
                break;
            }
            at += (WINDOW - needles::LONGEST) as u64;
        }
        if !examined {
            return Ok(Flow::Continue);
        }
        let has_lf = self.source.block(end - 1, 1)? == b"\n";
        let length = end - start - u64::from(has_lf);
        visitor.visit(&too_large(Place::at_offset(start, None), start, end, length, self.limit))
    }
}

/// Where a window before `end` begins: at a page, of which the system copies whole ones faster.
fn before(end: u64, window: usize) -> u64 {
    end.saturating_sub(window as u64) & !(PAGE - 1)
}

fn span(lo: u64, hi: u64) -> usize {
    usize::try_from(hi.saturating_sub(lo)).unwrap_or(usize::MAX)
}

impl<K, S: Source> Records<K, Infallible> for LogRecords<'_, S>
where
    Box<[u8]>: Into<K>,
{
    fn begin(&self) -> u64 {
        self.begin
    }

    fn end(&self) -> u64 {
        self.end
    }

    fn backward(
        &mut self,
        lo: u64,
        hi: u64,
        visitor: &mut impl Visitor<K, Infallible>,
    ) -> Result<(), Error<Infallible>> {
        let (mut end, mut window) = (hi, FIRST_WINDOW);
        while end > lo {
            let at = before(end, window).max(lo);
            let block = self.source.block(at, span(at, end))?;
            if block.is_empty() {
                return Ok(());
            }
            // The LF at the block's end ends the last line; the stretch starts after the block's first.
            let start = if at == lo { Some(0) } else { memchr(b'\n', &block[..block.len() - 1]).map(|lf| lf + 1) };
            let Some(start) = start else {
                if window <= self.limit.saturating_add(1) {
                    window *= 4;
                    continue;
                }
                let start = self.line_start(lo, at)?;
                if self.long_line(start, end, visitor)? == Flow::Stop {
                    return Ok(());
                }
                (end, window) = (start, WINDOW);
                continue;
            };
            let base = at + start as u64;
            if self.stretch(base, span(base, end), true, visitor)? == Flow::Stop {
                return Ok(());
            }
            end = base;
            window = wider(window);
        }
        Ok(())
    }

    fn forward(
        &mut self,
        lo: u64,
        hi: u64,
        visitor: &mut impl Visitor<K, Infallible>,
    ) -> Result<(), Error<Infallible>> {
        let (mut at, mut window) = (lo, HEAD);
        while at < hi {
            let block = self.source.block(at, span(at, hi).min(window))?;
            if block.is_empty() {
                return Ok(());
            }
            let len = block.len();
            let end = if at + len as u64 >= hi { Some(len) } else { memrchr(b'\n', block).map(|lf| lf + 1) };
            let Some(end) = end else {
                if window <= self.limit && len == window {
                    window *= 4;
                    continue;
                }
                let mut end = at + len as u64;
                while end < hi {
                    let block = self.source.block(end, WINDOW)?;
                    let lf = memchr(b'\n', block);
                    end += lf.map_or(block.len(), |lf| lf + 1) as u64;
                    if lf.is_some() || block.is_empty() {
                        break;
                    }
                }
                let end = end.min(hi);
                if self.long_line(at, end, visitor)? == Flow::Stop {
                    return Ok(());
                }
                (at, window) = (end, WINDOW);
                continue;
            };
            if self.stretch(at, end, false, visitor)? == Flow::Stop {
                return Ok(());
            }
            at += end as u64;
            window = wider(window);
        }
        Ok(())
    }

    fn placed(&mut self, defect: Box<Malformed>, place: Place) -> Result<Box<Malformed>, Error<Infallible>> {
        let offset = place.offset.unwrap_or(0);
        let (mut at, mut before) = (0, 0);
        while at < offset {
            let block = self.source.block(at, span(at, offset).min(WINDOW))?;
            if block.is_empty() {
                break;
            }
            before += lines::count(block);
            at += block.len() as u64;
        }
        // After damage nobody knows lines.
        let is_known = self.source.gaps(0..offset + 1).is_empty();
        Ok(defect.at_offset(offset, is_known.then_some(before + 1)))
    }
}
