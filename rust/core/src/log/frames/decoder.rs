//! The decompressor of zstd frames, fed so that what it gives before a defect is the same however the file is read.

use std::io;

use zstd_safe::zstd_sys::ZSTD_ErrorCode::ZSTD_error_memory_allocation;
use zstd_safe::{DCtx, ErrorCode, InBuffer, OutBuffer, ResetDirective, is_error_kind};

use crate::log::frames::layout::{BLOCK_HEAD, FrameHead, LARGEST_BLOCK, Walk};

/// A decompressor; its memory is used again from frame to frame.
pub(super) struct Decoder(Option<DCtx<'static>>);

impl Decoder {
    pub fn new() -> Self {
        Self(None)
    }

    fn context(&mut self) -> io::Result<&mut DCtx<'static>> {
        if self.0.is_none() {
            self.0 = DCtx::try_create();
        }
        self.0.as_mut().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Decompress a frame that is there from its first byte to its last and states its size; whether it is sound.
    ///
    /// Block by block: at once, the library would take frames that it refuses as a stream.
    pub fn whole(&mut self, head: &FrameHead, frame: &[u8], out: &mut Vec<u8>) -> io::Result<bool> {
        let is_sound = self.blocks(head, frame, out)? && head.stated == Some(out.len() as u64);
        if !is_sound {
            out.clear();
        }
        Ok(is_sound)
    }

    /// What can be decompressed of a frame that states its size and isn't all there.
    pub fn torn(&mut self, head: &FrameHead, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.blocks(head, bytes, out).map(drop)
    }

    /// Decompress as much of a frame as can be; whether it was all of it, with its checksum.
    fn blocks(&mut self, head: &FrameHead, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<bool> {
        out.clear();
        let Some((header, mut rest)) = bytes.split_at_checked(head.length) else {
            return Ok(false);
        };
        let stated = head.stated.unwrap_or(0);
        let mut walk = Walk::new(head);
        let mut is_sound = self.begin(header)?;
        while let Some(header) = rest.first_chunk().filter(|_| is_sound) {
            let Some(block) = walk.block(*header) else { break };
            let (bytes, next) = rest.split_at(rest.len().min(BLOCK_HEAD + block.packed));
            is_sound = self.block(bytes, stated.saturating_sub(out.len() as u64), out)?;
            if let Some(checksum) = block.checksum {
                return Ok(is_sound && next.len() == checksum && self.is_checksum(next)?);
            }
            rest = next;
        }
        Ok(false)
    }

    /// Begin a frame by its header.
    pub fn begin(&mut self, header: &[u8]) -> io::Result<bool> {
        if sound(self.context()?.reset(ResetDirective::SessionOnly))?.is_none() {
            return Ok(false);
        }
        self.feed(header, &mut Vec::new())
    }

    /// Add what a block holds, which may be no more than `left`. A bad one gives nothing; its frame is over.
    pub fn block(&mut self, block: &[u8], left: u64, out: &mut Vec<u8>) -> io::Result<bool> {
        let before = out.len();
        let is_sound = self.feed(block, out)? && (out.len() - before) as u64 <= left;
        if !is_sound {
            out.truncate(before);
        }
        Ok(is_sound)
    }

    /// Whether this is the frame's checksum.
    pub fn is_checksum(&mut self, checksum: &[u8]) -> io::Result<bool> {
        self.feed(checksum, &mut Vec::new())
    }

    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<bool> {
        let context = self.context()?;
        let mut input = InBuffer::around(bytes);
        while input.pos() < bytes.len() {
            let before = (input.pos(), out.len());
            // There is always room for a block, so nothing stays behind in the decompressor.
            out.reserve(LARGEST_BLOCK + 1);
            let mut output = OutBuffer::around_pos(&mut *out, before.1);
            let is_sound = sound(context.decompress_stream(&mut output, &mut input))?.is_some();
            if !is_sound || (input.pos(), out.len()) == before {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// None is what a bad frame gives; memory that isn't there is no fault of the frame.
fn sound(result: Result<usize, ErrorCode>) -> io::Result<Option<usize>> {
    match result {
        Err(code) if is_error_kind(code, ZSTD_error_memory_allocation) => Err(io::ErrorKind::OutOfMemory.into()),
        result => Ok(result.ok()),
    }
}
