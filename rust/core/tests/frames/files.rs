//! Compressed files, and all that the two readers say of one.

use std::io::{self, Read, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use lastsaid_core::log::frames::{Codec, Frames, Gap, Overflow, Unpacked};
use lastsaid_core::log::source::{Memory, Source};
use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer};

pub const ANY: u64 = 1 << 40;

/// What a reader says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub bytes: Vec<u8>,
    pub gaps: Vec<Gap>,
    pub torn: bool,
}

/// A reader that gives so many bytes at a time.
pub struct Dribble<'a>(pub &'a [u8], pub usize);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = out.len().min(self.1).min(self.0.len());
        out[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

pub fn forward(file: &[u8], codec: Codec) -> Said {
    forward_by(file, codec, usize::MAX, 1 << 16)
}

/// Read forward, the file `given` bytes at a time and the log `taken` bytes at a time.
pub fn forward_by(file: &[u8], codec: Codec, given: usize, taken: usize) -> Said {
    let mut log = Unpacked::new(Dribble(file, given), codec, ANY);
    let (mut bytes, mut piece) = (Vec::new(), vec![0; taken]);
    loop {
        let len = log.read(&mut piece).unwrap();
        if len == 0 {
            break;
        }
        bytes.extend_from_slice(&piece[..len]);
    }
    assert_eq!(log.read(&mut piece).unwrap(), 0);
    Said { bytes, gaps: log.gaps().to_vec(), torn: log.is_torn() }
}

/// Read at any offset, from the end in blocks of `len`, if that can be done.
pub fn backward(file: &[u8], len: usize) -> Option<Said> {
    let mut source = Memory::new(file);
    let mut frames = Frames::open(&mut source, ANY).unwrap()?;
    let size = frames.size();
    let mut bytes = vec![0; usize::try_from(size).unwrap()];
    let mut end = bytes.len();
    while end > 0 {
        let at = end.saturating_sub(len);
        let block = frames.block(at as u64, end - at).unwrap();
        assert_eq!(block.len(), end - at);
        bytes[at..end].copy_from_slice(block);
        // A block reaches into the one that was read before.
        let more = frames.block(at as u64, len * 2).unwrap();
        assert_eq!(more, &bytes[at..(at + len * 2).min(bytes.len())]);
        end = at;
    }
    assert!(frames.block(size, 10).unwrap().is_empty());
    assert_eq!(frames.block(0, usize::MAX).unwrap(), bytes);
    Some(Said { gaps: frames.gaps(0..size), torn: frames.is_torn(), bytes })
}

/// What both say; that they say the same.
pub fn both(file: &[u8]) -> Said {
    let read = forward(file, Codec::Zstd);
    assert_gaps(&read);
    for len in [1, 7, 1000] {
        if let Some(other) = backward(file, len) {
            assert_eq!(other, read);
        }
    }
    read
}

/// Gaps are lines of their own.
pub fn assert_gaps(read: &Said) {
    let mut before = 0;
    for gap in &read.gaps {
        assert!(before <= gap.start && gap.start + 2 <= gap.end);
        let (start, end) = (usize::try_from(gap.start).unwrap(), usize::try_from(gap.end).unwrap());
        let line = &read.bytes[start..end];
        assert_eq!((line[0], line[line.len() - 1]), (b'\n', b'\n'));
        assert!(line[1..line.len() - 1].iter().all(|byte| *byte == b'x'));
        before = gap.end;
    }
}

pub fn overflow(error: &io::Error) -> Option<Overflow> {
    error.get_ref()?.downcast_ref().copied()
}

/// A frame that states its size.
pub fn sized(content: &[u8]) -> Vec<u8> {
    sized_with(content, true, true)
}

pub fn sized_with(content: &[u8], has_checksum: bool, has_size: bool) -> Vec<u8> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::ChecksumFlag(has_checksum)).unwrap();
    context.set_parameter(CParameter::ContentSizeFlag(has_size)).unwrap();
    let mut out = Vec::with_capacity(zstd_safe::compress_bound(content.len()) + 64);
    context.compress2(&mut out, content).unwrap();
    out
}

/// A frame that doesn't, of one block for each piece.
pub fn unsized_of(pieces: &[&[u8]]) -> Vec<u8> {
    let mut context = CCtx::create();
    context.set_parameter(CParameter::ChecksumFlag(true)).unwrap();
    let mut out = vec![0; pieces.iter().map(|piece| zstd_safe::compress_bound(piece.len()) + 64).sum()];
    let mut output = OutBuffer::around(&mut out[..]);
    for piece in pieces {
        let mut input = InBuffer::around(piece);
        context.compress_stream2(&mut output, &mut input, ZSTD_EndDirective::ZSTD_e_flush).unwrap();
    }
    context.compress_stream2(&mut output, &mut InBuffer::around(b""), ZSTD_EndDirective::ZSTD_e_end).unwrap();
    let len = output.pos();
    out.truncate(len);
    out
}

pub fn skippable(content: &[u8]) -> Vec<u8> {
    let mut out = vec![0x5C, 0x2A, 0x4D, 0x18];
    out.extend_from_slice(&u32::try_from(content.len()).unwrap().to_le_bytes());
    out.extend_from_slice(content);
    out
}

/// A frame as it is spelt: its header and its blocks.
pub fn spelt(header: &[u8], blocks: &[(u32, &[u8])]) -> Vec<u8> {
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    out.extend_from_slice(header);
    for (nth, (kind_and_size, content)) in blocks.iter().enumerate() {
        let head = kind_and_size | u32::from(nth + 1 == blocks.len());
        out.extend_from_slice(&head.to_le_bytes()[..3]);
        out.extend_from_slice(content);
    }
    out
}

pub fn raw(size: usize) -> u32 {
    u32::try_from(size).unwrap() << 3
}

pub fn rle(size: usize) -> u32 {
    raw(size) | 2
}

pub fn member(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A member whose header has all that a header can have but a checksum.
pub fn named_member(content: &[u8]) -> Vec<u8> {
    let builder = GzBuilder::new().filename("a log").comment("of an agent").extra(&b"more"[..]).mtime(7);
    let mut encoder = builder.write(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Lines that compress like those of a log.
pub fn lines(count: usize) -> Vec<Vec<u8>> {
    let line = |nth: usize| {
        format!(
            "{{\"type\":\"assistant/chunk\",\"seq\":{nth},\"data\":\"{}\"}}\n",
            nth.wrapping_mul(0x9E37_79B9) % 99_991
        )
    };
    (0..count).map(|nth| line(nth).into_bytes()).collect()
}
