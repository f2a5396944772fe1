//! Where a log's bytes are, if they can be read at any offset.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::log::ahead::{Input, reaching_into};
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

    /// Whether the bytes end in the middle of a frame.
    fn is_torn(&self) -> bool {
        false
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        (**self).block(at, len)
    }

    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        (**self).gaps(within)
    }

    fn is_torn(&self) -> bool {
        (**self).is_torn()
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
                Ok(0) => return Err(io::Error::other(Shorter)),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[..filled])
    }
}

/// A file that was longer when it was opened: what is at which offset now, nobody knows.
#[derive(Debug)]
pub struct Shorter;

impl fmt::Display for Shorter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file became shorter while it was read")
    }
}

impl Error for Shorter {}

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

impl<S: Source> Input for FromStart<'_, S> {
    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        self.source.gaps(within)
    }

    fn is_torn(&self) -> bool {
        self.source.is_torn()
    }
}

/// A log that was read whole from a stream, with what was known of damage in it.
pub struct Held {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    is_torn: bool,
}

impl Held {
    /// Read an input to its end.
    pub fn new(input: &mut dyn Input) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        Ok(Self { bytes, gaps: input.gaps(0..u64::MAX), is_torn: input.is_torn() })
    }
}

impl Source for Held {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        Ok(&self.bytes[start..start.saturating_add(len).min(self.bytes.len())])
    }

    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        reaching_into(&self.gaps, within)
    }

    fn is_torn(&self) -> bool {
        self.is_torn
    }
}
