//! Any bytes as a compressed file: however it is read, its log, its gaps and its end are the same (spec S7 Frames).
#![no_main]

use std::io::Read;

use lastsaid_core::log::frames::{Codec, Frames, Gap, Unpacked, codec};
use lastsaid_core::log::source::{Memory, Source};
use libfuzzer_sys::fuzz_target;

/// More is not decompressed here; a run of frames of a few bytes states as much as it likes.
const LIMIT: u64 = 1 << 20;

#[derive(Debug, PartialEq)]
struct Said {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    torn: bool,
}

/// Gives a few bytes at a time.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = out.len().min(self.1).min(self.0.len());
        out[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

/// None where there is more than may be decompressed.
fn forward(file: &[u8], codec: Codec, given: usize, taken: usize) -> Option<Said> {
    let mut log = Unpacked::new(Dribble(file, given), codec, LIMIT);
    let (mut bytes, mut piece) = (Vec::new(), vec![0; taken]);
    loop {
        match log.read(&mut piece) {
            Ok(0) => return Some(Said { bytes, gaps: log.gaps().to_vec(), torn: log.is_torn() }),
            Ok(len) => bytes.extend_from_slice(&piece[..len]),
            Err(_) => return None,
        }
    }
}

/// None also where the file must be read forward.
fn backward(file: &[u8], len: usize) -> Option<Said> {
    let mut source = Memory::new(file);
    let mut frames = Frames::open(&mut source, LIMIT).ok()??;
    let size = frames.size();
    if size > LIMIT {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    let mut end = bytes.len();
    while end > 0 {
        let at = end.saturating_sub(len);
        bytes[at..end].copy_from_slice(frames.block(at as u64, end - at).ok()?);
        end = at;
    }
    Some(Said { gaps: frames.gaps(0..size), torn: frames.is_torn(), bytes })
}

fuzz_target!(|file: &[u8]| {
    let Some(codec) = codec(file) else { return };
    let whole = forward(file, codec, usize::MAX, 1 << 16);
    let taken = if file.len() < 2_000 { 1 } else { 1_000 };
    assert_eq!(forward(file, codec, 1.max(file.len() / 500), taken), whole);
    if let Some(said) = &whole {
        for gap in &said.gaps {
            assert!(gap.start + 2 <= gap.end && gap.end <= said.bytes.len() as u64);
        }
    }
    if codec == Codec::Zstd
        && let Some(other) = backward(file, 700)
    {
        assert_eq!(Some(other), whole);
    }
});
