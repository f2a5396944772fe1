//! What damage leaves in a log, and the end of what may be decompressed (spec S7 Frames).

use std::error::Error;
use std::fmt;

use crate::error::{Kind, Malformed};
use crate::log::frames::Codec;

/// The largest window of a frame that is decompressed.
pub(super) const LARGEST_WINDOW: u64 = 128 << 20;

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Its checksum, its size, its contents or its structure.
    Bad,
    /// No frame begins where one should.
    Alien,
    /// It asks for a window of so many bytes.
    Window(u64),
}

/// A stretch of the log that damage stands for: it reads as one line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The first byte, uncompressed.
    pub start: u64,
    /// After the last byte; at least three after the first.
    pub end: u64,
    /// Where the frame starts in the file.
    pub frame: u64,
    /// What is wrong with it.
    pub damage: Damage,
    /// What it should have been.
    pub codec: Codec,
}

impl Gap {
    /// The shortest: the LF that ends what stood before, a line that isn't blank, and its LF.
    pub(super) const SHORTEST: u64 = 3;

    /// The defect, which has no place yet. Gaps are many in a file made for it, so it is worded when asked for.
    pub fn defect(&self) -> Box<Malformed> {
        let (frame, name) = (self.frame, self.codec.frame_name());
        let (found, expected) = match self.damage {
            Damage::Bad => (format!("in a damaged {name} (byte {frame} of the file)"), "a sound one".into()),
            Damage::Alien => {
                (format!("not a {name} (byte {frame} of the file)"), "another frame or the end".into())
            }
            Damage::Window(window) => (
                format!("in a {name} with a window of {window} bytes (byte {frame} of the file)"),
                format!("a window of at most {LARGEST_WINDOW}"),
            ),
        };
        Malformed::new(Kind::DamagedFrame, "", found, expected)
    }
}

/// What a gap of `size` bytes reads as, from its byte `at` on: an LF, `x`, an LF.
pub(super) fn fill(out: &mut [u8], at: u64, size: u64) {
    out.fill(b'x');
    if at == 0
        && let Some(first) = out.first_mut()
    {
        *first = b'\n';
    }
    if at + out.len() as u64 == size
        && let Some(last) = out.last_mut()
    {
        *last = b'\n';
    }
}

/// More than may be decompressed; it comes as the cause of an [`std::io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// How much may be.
    pub limit: u64,
}

impl Overflow {
    /// The defect. Its place is the first byte too many.
    pub fn defect(&self) -> Box<Malformed> {
        let found = format!("beyond {} decompressed bytes", self.limit);
        let expected = format!("at most {} (see max_decompressed_bytes)", self.limit);
        let mut defect = Malformed::new(Kind::TooLarge, "", found, expected);
        defect.offset = Some(self.limit);
        defect
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.defect().fmt(f)
    }
}

impl Error for Overflow {}
