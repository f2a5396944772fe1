//! The members of a gzip file. The decompressor checks their headers, checksums and lengths.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use crate::log::frames::gap::Damage;
use crate::log::frames::input::Input;
use crate::log::frames::{Step, Unpack};

/// How much of the file is decompressed at a time: it counts whole or not at all.
const PIECE: usize = 16 << 10;
/// How much it gives at a time.
const ROOM: usize = 128 << 10;
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
        let frame = *frame;
        let room = PIECE - usize::try_from(self.input.at() % PIECE as u64).unwrap_or(0);
        let input = self.input.peek(room)?;
        let input = input.get(..room).unwrap_or(input);
        let mut taken = 0;
        let is_over = loop {
            out.reserve(ROOM);
            let before = (member.total_in(), out.len());
            let status = member.decompress_vec(&input[taken..], out, FlushDecompress::None);
            // A piece with a defect in it gives nothing: how much came before that, not every decompressor tells.
            let Ok(status) = status else {
                out.clear();
                return Ok(Step::Damage { frame, damage: Damage::Bad });
            };
            taken += usize::try_from(member.total_in() - before.0).unwrap_or(usize::MAX);
            if status == Status::StreamEnd {
                break true;
            }
            // It can't go on: there is room, so it is input that it lacks.
            if (member.total_in(), out.len()) == before {
                break false;
            }
        };
        if is_over {
            self.member = None;
        } else if input.is_empty() {
            return Ok(Step::End { is_torn: true });
        } else if taken < input.len() {
            out.clear();
            return Ok(Step::Damage { frame, damage: Damage::Bad });
        }
        self.input.advance(taken);
        Ok(Step::Bytes)
    }
}
