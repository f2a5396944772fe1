//! Where a log's bytes are, if they can be read at any offset.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::log::frames::Gap;

/// Bytes that can be read at any offset.
pub trait Source {
    /// How many there are.
    fn size(&self) -> u64;
    /// The bytes from `at`, `len` of them or as many as there are.
    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]>;
    /// The gaps that reach into this stretch, in order: those of the blocks that were read are known.
    fn gaps(&self, _within: Range<u64>) -> Vec<Gap> {
        Vec::new()
    }
    /// Whether the file ends inside a frame (spec S7 Frames).
    fn is_torn(&self) -> bool {
        false
    }
}

/// A log in memory.
#[derive(Debug)]
pub struct Memory<'a> {
    bytes: &'a [u8],
}

impl<'a> Memory<'a> {
    /// The log is these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }
}

impl Source for Memory<'_> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        let end = start.saturating_add(len).min(self.bytes.len());
        Ok(&self.bytes[start..end])
    }
}

/// A file that can be sought, read in blocks: a window at its end costs less than a memory map,
/// and a reused block less than mapped pages when all of it is read.
#[derive(Debug)]
pub struct File<F> {
    file: F,
    base: u64,
    size: u64,
    buffer: Vec<u8>,
}

impl<F: Read + Seek> File<F> {
    /// The file from where it stands.
    pub fn from_here(mut file: F) -> io::Result<Self> {
        let base = file.stream_position()?;
        let size = file.seek(SeekFrom::End(0))?.saturating_sub(base);
        Ok(Self { file, base, size, buffer: Vec::new() })
    }
}

impl<F: Read + Seek> Source for File<F> {
    fn size(&self) -> u64 {
        self.size
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let left = usize::try_from(self.size.saturating_sub(at)).unwrap_or(usize::MAX);
        let len = len.min(left);
        if self.buffer.len() < len {
            self.buffer.resize(len, 0);
        }
        self.file.seek(SeekFrom::Start(self.base + at))?;
        let mut filled = 0;
        while filled < len {
            match self.file.read(&mut self.buffer[filled..len]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[..filled])
    }
}

/// A source read from its start like a stream.
pub struct FromStart<'a, S> {
    source: &'a mut S,
    at: u64,
}

impl<'a, S: Source> FromStart<'a, S> {
    /// Begin at byte 0.
    pub fn new(source: &'a mut S) -> Self {
        Self { source, at: 0 }
    }
}

impl<S: Source> Read for FromStart<'_, S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let block = self.source.block(self.at, out.len())?;
        out[..block.len()].copy_from_slice(block);
        self.at += block.len() as u64;
        Ok(block.len())
    }
}
