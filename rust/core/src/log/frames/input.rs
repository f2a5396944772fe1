//! A compressed file as it comes: what is looked at before it is taken.

use std::io::{self, Read};

const CAPACITY: usize = 256 << 10;

/// A reader with a window on what comes next.
pub(super) struct Input<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at: u64,
    is_end: bool,
}

impl<R: Read> Input<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; CAPACITY], start: 0, end: 0, at: 0, is_end: false }
    }

    /// The offset in the file of what comes next.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// What comes next: at least `len` bytes, less only where the file ends.
    pub fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        let len = len.min(CAPACITY);
        if self.end - self.start < len && !self.is_end {
            if self.start + len > CAPACITY || self.start == self.end {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            while self.end - self.start < len {
                match self.reader.read(&mut self.buffer[self.end..]) {
                    Ok(0) => {
                        self.is_end = true;
                        break;
                    }
                    Ok(count) => self.end += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Take so many bytes of those that were looked at.
    pub fn advance(&mut self, len: usize) {
        let len = len.min(self.end - self.start);
        self.start += len;
        self.at += len as u64;
    }

    /// Pass over so many bytes; whether there were as many.
    pub fn skip(&mut self, mut len: u64) -> io::Result<bool> {
        while len > 0 {
            let there = self.peek(1)?.len();
            if there == 0 {
                return Ok(false);
            }
            let part = usize::try_from(len).unwrap_or(usize::MAX).min(there);
            self.advance(part);
            len -= part as u64;
        }
        Ok(true)
    }

    /// Pass over zero bytes; whether there was nothing else.
    pub fn is_padding(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.peek(1)?;
            if rest.is_empty() {
                return Ok(true);
            }
            if rest.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            let len = rest.len();
            self.advance(len);
        }
    }
}
