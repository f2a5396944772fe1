//! The part of a stream that is in hand: bytes that came and are not read yet.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::json::BOM;
use crate::log::frames::{Gap, Unpacked};
use crate::log::lines;

/// How much is read at a time: little at first, since many logs are small.
const FIRST_BLOCK: usize = 8 << 10;
const BLOCK: usize = 256 << 10;

/// Bytes that come once, from the start, and what their source knows of damage.
pub trait Input: Read {
    /// The gaps that reach into this stretch, in order, as far as the bytes were read.
    fn gaps(&self, _within: Range<u64>) -> Vec<Gap> {
        Vec::new()
    }

    /// Whether the input ended in the middle of a frame; known at its end.
    fn is_torn(&self) -> bool {
        false
    }
}

/// Any reader of plain bytes.
pub struct Plain<R>(pub R);

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl<R: Read> Input for Plain<R> {}

impl<R: Read> Input for Unpacked<R> {
    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        reaching_into(self.gaps(), within)
    }

    fn is_torn(&self) -> bool {
        self.is_torn()
    }
}

/// Those of gaps in order that reach into a stretch.
pub fn reaching_into(gaps: &[Gap], within: Range<u64>) -> Vec<Gap> {
    let first = gaps.partition_point(|gap| gap.end <= within.start);
    let last = gaps.partition_point(|gap| gap.start < within.end);
    gaps.get(first..last).unwrap_or_default().to_vec()
}

/// A window that moves on over an input. Zero bytes at its end are padding and never seen (S7).
pub struct Ahead<'i> {
    /// Where damage is asked for.
    pub input: &'i mut dyn Input,
    /// What is in hand.
    pub bytes: Vec<u8>,
    /// The offset of its first byte.
    pub offset: u64,
    /// Whether nothing follows.
    pub is_end: bool,
    /// How much is read next.
    block: usize,
    /// Zero bytes that are padding unless something follows.
    zeros: u64,
    /// How much of what is in hand is known to hold no LF.
    without_lf: usize,
    /// Zero bytes that something followed, and that: not in hand yet.
    owed: u64,
    next: Vec<u8>,
}

impl<'i> Ahead<'i> {
    /// The first bytes of an input, without a byte order mark.
    pub fn new(input: &'i mut dyn Input) -> io::Result<Self> {
        let mut ahead = Self {
            input,
            bytes: Vec::new(),
            offset: 0,
            is_end: false,
            block: FIRST_BLOCK,
            zeros: 0,
            without_lf: 0,
            owed: 0,
            next: Vec::new(),
        };
        ahead.more()?;
        if ahead.bytes.starts_with(BOM) {
            ahead.pass(BOM.len());
        }
        Ok(ahead)
    }

    /// Take at least a block more in hand, or all that there is.
    pub fn more(&mut self) -> io::Result<()> {
        let enough = self.bytes.len() + self.block;
        self.block = (self.block * 4).min(BLOCK);
        while self.bytes.len() < enough && !self.is_end {
            if self.owed > 0 || !self.next.is_empty() {
                let zeros = usize::try_from(self.owed).unwrap_or(BLOCK).min(BLOCK);
                self.bytes.resize(self.bytes.len() + zeros, 0);
                self.owed -= zeros as u64;
                if self.owed == 0 {
                    self.bytes.append(&mut self.next);
                }
                continue;
            }
            self.fill(enough)?;
        }
        Ok(())
    }

    fn fill(&mut self, enough: usize) -> io::Result<()> {
        let before = self.bytes.len();
        self.bytes.resize(enough.max(before + 1), 0);
        let count = loop {
            match self.input.read(&mut self.bytes[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done,
            }
        };
        self.bytes.truncate(before + count.as_ref().copied().unwrap_or(0));
        if count? == 0 {
            self.is_end = true;
            return Ok(());
        }
        let came = &self.bytes[before..];
        let used = lines::without_padding(came).len();
        let padding = (came.len() - used) as u64;
        if used == 0 {
            self.zeros += padding;
            self.bytes.truncate(before);
        } else if self.zeros == 0 {
            self.zeros = padding;
            self.bytes.truncate(before + used);
        } else {
            self.next = came[..used].to_vec();
            self.bytes.truncate(before);
            self.owed = std::mem::replace(&mut self.zeros, padding);
        }
        Ok(())
    }

    /// Put so many bytes behind.
    pub fn pass(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.offset += count as u64;
        self.without_lf = self.without_lf.saturating_sub(count);
    }

    /// The first LF in hand. Of a line that came in many pieces only the last is searched.
    pub fn first_lf(&mut self) -> Option<usize> {
        let lf = memchr(b'\n', &self.bytes[self.without_lf..]).map(|lf| self.without_lf + lf);
        self.without_lf = lf.unwrap_or(self.bytes.len());
        lf
    }

    /// The last LF in hand.
    pub fn last_lf(&mut self) -> Option<usize> {
        let lf = memrchr(b'\n', &self.bytes[self.without_lf..]).map(|lf| self.without_lf + lf);
        if lf.is_none() {
            self.without_lf = self.bytes.len();
        }
        lf
    }
}
