//! What a zstd file says about itself: where its frames, their blocks and their checksums are (RFC 8878).

use crate::log::frames::gap::{Damage, LARGEST_WINDOW};

/// The longest header of a frame.
pub(super) const LONGEST_HEAD: usize = 18;
/// A block's header.
pub(super) const BLOCK_HEAD: usize = 3;
/// The largest block.
pub(super) const LARGEST_BLOCK: usize = 128 << 10;
/// The largest frame that counts whole or not at all.
pub(super) const LARGEST_WHOLE: u64 = 16 << 20;
/// The most that such a frame may take in the file.
const LARGEST_PACKED: u64 = 32 << 20;
const CHECKSUM: usize = 4;
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What stands where a frame should begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The end of the file.
    End,
    /// The file ends inside the header.
    Torn,
    /// No frame.
    Alien,
    /// A frame that can't be.
    Broken(Damage),
    /// A skippable frame of so many bytes with its header.
    Skippable(u64),
    /// A frame.
    Frame(FrameHead),
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    /// How long the header is.
    pub length: usize,
    /// How much the frame says it holds.
    pub stated: Option<u64>,
    has_checksum: bool,
}

impl FrameHead {
    /// How much it holds, if it counts whole or not at all.
    pub fn whole(&self) -> Option<usize> {
        self.stated.filter(|size| *size <= LARGEST_WHOLE).and_then(|size| usize::try_from(size).ok())
    }
}

/// Read a header. `bytes` are those from the frame's start, as many as the longest header has or the file.
pub(super) fn head(bytes: &[u8]) -> Head {
    match bytes {
        [] => return Head::End,
        [0x28, 0xB5, 0x2F, 0xFD, ..] => {}
        [0x50..=0x5F, 0x2A, 0x4D, 0x18, rest @ ..] => {
            return match rest.first_chunk() {
                Some(size) => Head::Skippable(8 + u64::from(u32::from_le_bytes(*size))),
                None => Head::Torn,
            };
        }
        [0x50..=0x5F] | [0x50..=0x5F, 0x2A] | [0x50..=0x5F, 0x2A, 0x4D] => return Head::Torn,
        short if MAGIC.starts_with(short) => return Head::Torn,
        _ => return Head::Alien,
    }
    let Some(&descriptor) = bytes.get(MAGIC.len()) else {
        return Head::Torn;
    };
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        flag => 1 << flag,
    };
    let window_at = MAGIC.len() + 1;
    let size_at = window_at + usize::from(!is_single) + dictionary;
    let length = size_at + size;
    let Some(field) = bytes.get(size_at..length) else {
        return Head::Torn;
    };
    if descriptor & 0x08 != 0 {
        return Head::Broken(Damage::Bad);
    }
    let number = field.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let stated = match size {
        0 => None,
        2 => Some(number + 256),
        _ => Some(number),
    };
    let window = match bytes.get(window_at) {
        Some(window) if !is_single => {
            let base = 1_u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        _ => stated.unwrap_or(0),
    };
    if window > LARGEST_WINDOW {
        return Head::Broken(Damage::Window(window));
    }
    Head::Frame(FrameHead { length, stated, has_checksum: descriptor & 0x04 != 0 })
}

/// A way along the blocks of a frame.
#[derive(Debug)]
pub(super) struct Walk {
    /// How far it got, from the frame's start.
    length: u64,
    is_whole: bool,
    has_checksum: bool,
}

/// What follows in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// How much of it follows its header.
    pub packed: usize,
    /// If it is the last one, how long the checksum after it is.
    pub checksum: Option<usize>,
}

impl Walk {
    pub fn new(head: &FrameHead) -> Self {
        Self { length: head.length as u64, is_whole: head.whole().is_some(), has_checksum: head.has_checksum }
    }

    /// Go past a block by its header. None: the frame can't be.
    pub fn block(&mut self, header: [u8; BLOCK_HEAD]) -> Option<Block> {
        let [a, b, c] = header;
        let number = u32::from_le_bytes([a, b, c, 0]);
        let size = usize::try_from(number >> 3).ok().filter(|size| *size <= LARGEST_BLOCK)?;
        let packed = match number >> 1 & 3 {
            0 | 2 => size,
            1 => 1,
            _ => return None,
        };
        let checksum = (number & 1 != 0).then_some(if self.has_checksum { CHECKSUM } else { 0 });
        self.length += (BLOCK_HEAD + packed + checksum.unwrap_or(0)) as u64;
        (!self.is_whole || self.length <= LARGEST_PACKED).then_some(Block { packed, checksum })
    }

    /// How far it got, from the frame's start.
    pub fn length(&self) -> u64 {
        self.length
    }
}
