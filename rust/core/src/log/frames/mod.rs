//! Compressed logs: what their frames hold, one after the other (spec S7 Frames).
//!
//! [`Unpacked`] reads any of them forward, in bounded memory; [`Frames`] reads at any offset where the frames' headers
//! allow it. Where both can read a file they say the same, byte for byte and gap for gap.

mod decoder;
mod gap;
mod gzip;
mod index;
mod input;
mod layout;
mod zstd;

use std::io::{self, Read};

pub use gap::{Damage, Gap, Overflow};
pub use index::Frames;

use gzip::Members;
use zstd::Packed;

/// How a log is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Codec {
    Gzip,
    Zstd,
}

impl Codec {
    /// What its frames are called.
    fn frame_name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip member",
            Self::Zstd => "zstd frame",
        }
    }
}

/// How the file is compressed that begins with these bytes, of which the first four are looked at.
pub fn codec(head: &[u8]) -> Option<Codec> {
    match head {
        [0x1F, 0x8B, ..] => Some(Codec::Gzip),
        [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Codec::Zstd),
        _ => None,
    }
}

/// What comes next of a compressed file.
enum Step {
    /// These bytes, perhaps none, and more.
    Bytes,
    /// A frame that stands as a line of so many bytes, and more.
    Gap { frame: u64, size: u64 },
    /// Damage that ends the log.
    Damage { frame: u64, damage: Damage },
    /// The end, perhaps inside a frame.
    End { is_torn: bool },
}

/// A compressed file, as a decompressor goes through it.
trait Unpack {
    /// Add what comes next to `out`, which is empty.
    fn step(&mut self, out: &mut Vec<u8>) -> io::Result<Step>;
}

/// A compressed log read forward, as its bytes.
pub struct Unpacked<R> {
    frames: Either<R>,
    codec: Codec,
    limit: u64,
    /// How many bytes were read.
    given: u64,
    /// What is to be read next: the rest of these bytes, then that of the gap.
    bytes: Vec<u8>,
    used: usize,
    gap_left: u64,
    gaps: Vec<Gap>,
    is_torn: bool,
    is_end: bool,
    /// A file that couldn't be read: the decompressor may have lost its place.
    failed: Option<io::ErrorKind>,
}

enum Either<R> {
    Gzip(Members<R>),
    Zstd(Packed<R>),
}

impl<R: Read> Unpacked<R> {
    /// The log in this file, of which at most `limit` bytes can be read.
    pub fn new(input: R, codec: Codec, limit: u64) -> Self {
        let frames = match codec {
            Codec::Gzip => Either::Gzip(Members::new(input)),
            Codec::Zstd => Either::Zstd(Packed::new(input)),
        };
        Self {
            frames,
            codec,
            limit,
            given: 0,
            bytes: Vec::new(),
            used: 0,
            gap_left: 0,
            gaps: Vec::new(),
            is_torn: false,
            is_end: false,
            failed: None,
        }
    }

    /// The gaps so far, in order: those whose first byte is the next to be read, or was.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Whether the file ended inside a frame; known when the end was read.
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    fn step(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.used = 0;
        let step = match &mut self.frames {
            Either::Gzip(members) => members.step(&mut self.bytes),
            Either::Zstd(packed) => packed.step(&mut self.bytes),
        };
        match step.inspect_err(|error| self.failed = Some(error.kind()))? {
            Step::Bytes => {}
            Step::Gap { frame, size } => self.gap(frame, size, Damage::Bad),
            Step::Damage { frame, damage } => {
                self.gap(frame, Gap::SHORTEST, damage);
                self.is_end = true;
            }
            Step::End { is_torn } => {
                self.is_torn = is_torn;
                self.is_end = true;
            }
        }
        Ok(())
    }

    /// It stands after the bytes of its step.
    fn gap(&mut self, frame: u64, size: u64, damage: Damage) {
        let start = self.given + self.bytes.len() as u64;
        self.gap_left = size;
        self.gaps.push(Gap { start, end: start + size, frame, damage, codec: self.codec });
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let left = usize::try_from(self.limit - self.given).unwrap_or(usize::MAX);
            let is_pending = self.used < self.bytes.len() || self.gap_left > 0;
            if is_pending && left == 0 {
                return Err(io::Error::other(Overflow { limit: self.limit }));
            }
            let room = out.len().min(left);
            let rest = &self.bytes[self.used..];
            if !rest.is_empty() {
                let len = rest.len().min(room);
                out[..len].copy_from_slice(&rest[..len]);
                self.used += len;
                self.given += len as u64;
                return Ok(len);
            }
            if self.gap_left > 0 {
                let len = room.min(usize::try_from(self.gap_left).unwrap_or(usize::MAX));
                let size = self.gaps.last().map_or(0, |gap| gap.end - gap.start);
                gap::fill(&mut out[..len], size - self.gap_left, size);
                self.gap_left -= len as u64;
                self.given += len as u64;
                return Ok(len);
            }
            if let Some(kind) = self.failed {
                return Err(kind.into());
            }
            if self.is_end {
                return Ok(0);
            }
            self.step()?;
        }
    }
}
