//! Where a log's bytes are, if they can be read at any offset.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::fs;
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

    /// A source of the same bytes for another thread, where that is possible.
    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        None
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

    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        (**self).another()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
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

    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        (**self).another()
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

    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        Some(Box::new(Self { bytes: self.bytes }))
    }
}

/// What can be read at any offset without a place of its own, so that several readers share it.
pub trait Positioned {
    /// Read some of the bytes from `at`; 0 at the end.
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize>;

    /// The same for other threads, where they may read it.
    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        None
    }
}

impl<P: Positioned + ?Sized> Positioned for &P {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        (**self).read_at(room, at)
    }

    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        (**self).shared()
    }
}

#[cfg(unix)]
impl Positioned for fs::File {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, room, at)
    }

    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        Some(self)
    }
}

#[cfg(windows)]
impl Positioned for fs::File {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, room, at)
    }

    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        Some(self)
    }
}

/// What has a place of its own, which each read moves.
#[derive(Debug)]
pub struct Seekable<F>(RefCell<F>);

impl<F: Read + Seek> Positioned for Seekable<F> {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        let mut file = self.0.borrow_mut();
        file.seek(SeekFrom::Start(at))?;
        file.read(room)
    }
}

impl<F: Read + Seek> File<Seekable<F>> {
    /// The file from where it stands.
    pub fn from_here(mut file: F) -> io::Result<Self> {
        let base = file.stream_position()?;
        let size = file.seek(SeekFrom::End(0))?.saturating_sub(base);
        Ok(Self::new(Seekable(RefCell::new(file)), base, size))
    }
}

/// A file read in blocks: a window at its end costs less than a memory map, and a reused block less than mapped
/// pages when all of it is read. What was read last is at hand, and so is the beginning.
#[derive(Debug)]
pub struct File<P> {
    file: P,
    base: u64,
    size: u64,
    head: Vec<u8>,
    window: Vec<u8>,
    /// What of the window holds bytes, and the offset of the first.
    filled: usize,
    window_at: u64,
}

/// How much is read at the beginning, where the header stands.
pub const HEAD: usize = 4 << 10;

impl<P: Positioned> File<P> {
    /// The `size` bytes of a file that start at `base`.
    pub fn new(file: P, base: u64, size: u64) -> Self {
        Self { file, base, size, head: Vec::new(), window: Vec::new(), filled: 0, window_at: 0 }
    }

    fn window(&mut self, at: u64, len: usize) -> io::Result<()> {
        if self.window.len() < len {
            self.window.resize(len, 0);
        }
        self.filled = 0;
        self.window_at = at;
        fill(&self.file, &mut self.window[..len], self.base + at)?;
        self.filled = len;
        Ok(())
    }
}

fn fill(file: &impl Positioned, room: &mut [u8], at: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < room.len() {
        match file.read_at(&mut room[filled..], at + filled as u64) {
            Ok(0) => return Err(io::Error::other(Shorter)),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The bytes of a block that is at hand.
fn at_hand(bytes: &[u8], offset: u64, at: u64, len: usize) -> Option<&[u8]> {
    let start = usize::try_from(at.checked_sub(offset)?).ok()?;
    bytes.get(start..start.checked_add(len)?)
}

impl<P: Positioned> Source for File<P> {
    fn size(&self) -> u64 {
        self.size
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let left = usize::try_from(self.size.saturating_sub(at)).unwrap_or(usize::MAX);
        let len = len.min(left);
        if self.head.is_empty() && at < HEAD as u64 && len <= HEAD {
            let mut head = vec![0; usize::try_from(self.size).unwrap_or(HEAD).min(HEAD)];
            fill(&self.file, &mut head, self.base)?;
            self.head = head;
        }
        if at_hand(&self.head, 0, at, len).is_some() {
            return Ok(at_hand(&self.head, 0, at, len).unwrap_or_default());
        }
        if at_hand(&self.window[..self.filled], self.window_at, at, len).is_none() {
            self.window(at, len)?;
        }
        Ok(at_hand(&self.window, self.window_at, at, len).unwrap_or_default())
    }

    fn another(&self) -> Option<Box<dyn Source + Send + '_>> {
        Some(Box::new(File::new(self.file.shared()?, self.base, self.size)))
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
