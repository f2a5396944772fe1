//! The members of a gzip file. The decompressor checks their headers, checksums and lengths.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::log::frames::gap::Damage;
use crate::log::frames::input::Input;
use crate::log::frames::{Step, Unpack};

/// How much is decompressed at a time.
const PIECE: usize = 128 << 10;
/// The largest window that deflate has.
const WINDOW_BITS: u8 = 15;

/// A gzip file, member by member.
pub(super) struct Members<R> {
    input: Input<R>,
    /// The member that was begun, and where it starts.
    member: Option<(Decompress, u64)>,
}

impl<R: Read> Members<R> {
    pub fn new(input: R) -> Self {
        Self { input: Input::new(input), member: None }
    }

    /// What stands where a member should begin.
    fn between(&mut self) -> io::Result<Step> {
        let frame = self.input.at();
        match self.input.peek(2)? {
            [0x1F] => return Ok(Step::End { is_torn: true }),
            [0x1F, 0x8B, ..] => {
                self.member = Some((Decompress::new_gzip(WINDOW_BITS), frame));
                return Ok(Step::Bytes);
            }
            _ => {}
        }
        Ok(match self.input.is_padding()? {
            true => Step::End { is_torn: false },
            false => Step::Damage { frame, damage: Damage::Alien },
        })
    }
}

impl<R: Read> Unpack for Members<R> {
    fn step(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        let Some((member, frame)) = &mut self.member else {
            return self.between();
        };
        out.reserve(PIECE);
        let input = self.input.peek(1)?;
        let is_end = input.is_empty();
        let before = member.total_in();
        let status = member.decompress_vec(input, out, FlushDecompress::None);
        let taken = member.total_in() - before;
        let frame = *frame;
        // What came before a defect counts: zlib gives it out together with the defect.
        let Ok(status) = status else {
            return Ok(Step::Damage { frame, damage: Damage::Bad });
        };
        self.input.advance(usize::try_from(taken).unwrap_or(usize::MAX));
        if status == Status::StreamEnd {
            self.member = None;
        } else if out.is_empty() && taken == 0 {
            // It can't go on: there is room, so it is input that it lacks.
            return Ok(match is_end {
                true => Step::End { is_torn: true },
                false => Step::Damage { frame, damage: Damage::Bad },
            });
        }
        Ok(Step::Bytes)
    }
}
