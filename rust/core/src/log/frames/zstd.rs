//! A zstd file read forward, frame by frame; big frames block by block.

use std::io::{self, Read};

use crate::log::frames::decoder::Decoder;
use crate::log::frames::gap::{Damage, Gap};
use crate::log::frames::input::Input;
use crate::log::frames::layout::{self, BLOCK_HEAD, FrameHead, Head, LONGEST_HEAD, Walk};
use crate::log::frames::{Step, Unpack};

/// A zstd file.
pub(super) struct Packed<R> {
    input: Input<R>,
    decoder: Decoder,
    /// The frame that was begun and is read block by block.
    big: Option<Big>,
    /// The compressed bytes of a frame that counts whole.
    frame: Vec<u8>,
}

struct Big {
    start: u64,
    walk: Walk,
    /// How much more it may hold.
    left: u64,
}

/// Whether a frame was there to its end.
enum Collected {
    Whole,
    Torn,
    Broken,
}

impl<R: Read> Packed<R> {
    pub fn new(input: R) -> Self {
        Self { input: Input::new(input), decoder: Decoder::new(), big: None, frame: Vec::new() }
    }

    /// What stands where a frame should begin.
    fn between(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        let frame = self.input.at();
        let bytes = self.input.peek(LONGEST_HEAD)?;
        match layout::head(bytes) {
            Head::End => Ok(Step::End { is_torn: false }),
            Head::Torn => Ok(Step::End { is_torn: true }),
            Head::Alien if self.input.is_padding()? => Ok(Step::End { is_torn: false }),
            Head::Alien => Ok(Step::Damage { frame, damage: Damage::Alien }),
            Head::Broken(damage) => Ok(Step::Damage { frame, damage }),
            Head::Skippable(size) => match self.input.skip(size)? {
                true => Ok(Step::Bytes),
                false => Ok(Step::End { is_torn: true }),
            },
            Head::Frame(head) => match head.whole() {
                Some(size) => self.whole(frame, &head, size, out),
                None => self.begin(frame, &head),
            },
        }
    }

    /// A frame that counts whole or not at all.
    fn whole(&mut self, frame: u64, head: &FrameHead, size: usize, out: &mut Vec<u8>) -> io::Result<Step> {
        match self.collect(head)? {
            Collected::Broken => Ok(Step::Damage { frame, damage: Damage::Bad }),
            Collected::Torn => {
                self.decoder.torn(head, &self.frame, out)?;
                Ok(Step::End { is_torn: true })
            }
            Collected::Whole => match self.decoder.whole(head, &self.frame, out)? {
                true => Ok(Step::Bytes),
                false => Ok(Step::Gap { frame, size: Gap::SHORTEST.max(size as u64) }),
            },
        }
    }

    fn collect(&mut self, head: &FrameHead) -> io::Result<Collected> {
        self.frame.clear();
        if !self.take(head.length)? {
            return Ok(Collected::Torn);
        }
        let mut walk = Walk::new(head);
        loop {
            let Some(header) = self.input.peek(BLOCK_HEAD)?.first_chunk() else {
                self.take(BLOCK_HEAD)?;
                return Ok(Collected::Torn);
            };
            let Some(block) = walk.block(*header) else { return Ok(Collected::Broken) };
            if !self.take(BLOCK_HEAD + block.packed + block.checksum.unwrap_or(0))? {
                return Ok(Collected::Torn);
            }
            if block.checksum.is_some() {
                return Ok(Collected::Whole);
            }
        }
    }

    /// Collect so many bytes; whether there were as many.
    fn take(&mut self, len: usize) -> io::Result<bool> {
        let bytes = self.input.peek(len)?;
        let bytes = bytes.get(..len).unwrap_or(bytes);
        self.frame.extend_from_slice(bytes);
        let there = bytes.len();
        self.input.advance(there);
        Ok(there == len)
    }

    /// A frame that is too big to be decompressed at once, or doesn't say.
    fn begin(&mut self, start: u64, head: &FrameHead) -> io::Result<Step> {
        let bytes = self.input.peek(head.length)?;
        if !self.decoder.begin(bytes.get(..head.length).unwrap_or(bytes))? {
            return Ok(Step::Damage { frame: start, damage: Damage::Bad });
        }
        self.input.advance(head.length);
        self.big = Some(Big { start, walk: Walk::new(head), left: head.stated.unwrap_or(u64::MAX) });
        Ok(Step::Bytes)
    }

    /// A block of it.
    fn block(&mut self, mut big: Big, out: &mut Vec<u8>) -> io::Result<Step> {
        let damage = Step::Damage { frame: big.start, damage: Damage::Bad };
        let Some(header) = self.input.peek(BLOCK_HEAD)?.first_chunk() else {
            return Ok(Step::End { is_torn: true });
        };
        let Some(block) = big.walk.block(*header) else { return Ok(damage) };
        let (len, checksum) = (BLOCK_HEAD + block.packed, block.checksum.unwrap_or(0));
        let bytes = self.input.peek(len + checksum)?;
        let (bytes, rest) = bytes.split_at(bytes.len().min(len));
        if !self.decoder.block(bytes, big.left, out)? {
            return Ok(damage);
        }
        // Less than all of it gives what it gives: of stored bytes those that are there.
        let Some(rest) = rest.get(..checksum).filter(|_| bytes.len() == len) else {
            return Ok(Step::End { is_torn: true });
        };
        if !self.decoder.is_checksum(rest)? {
            return Ok(damage);
        }
        self.input.advance(len + checksum);
        if block.checksum.is_none() {
            big.left = big.left.saturating_sub(out.len() as u64);
            self.big = Some(big);
        }
        Ok(Step::Bytes)
    }
}

impl<R: Read> Unpack for Packed<R> {
    fn step(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        match self.big.take() {
            Some(big) => self.block(big, out),
            None => self.between(out),
        }
    }
}
