//! A zstd file read at any offset, by the headers of its frames (spec S7 Frames).

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::ops::Range;

use crate::log::frames::Codec;
use crate::log::frames::decoder::Decoder;
use crate::log::frames::gap::{self, Damage, Gap, Overflow};
use crate::log::frames::layout::{self, BLOCK_HEAD, FrameHead, Head, LONGEST_HEAD, Walk};
use crate::log::source::Source;

/// How much of the file is read at a time to go along the headers of small frames, and of larger ones: a call to the
/// system costs as much as the copy of two kilobytes.
const STRIDE: usize = 256 << 10;
const HEADERS: usize = 64;
/// How long a frame is after which the next header is read by itself.
const LARGER: u64 = 2 << 10;
/// How much of the file is read at once to decompress a block, headers and all.
const AT_ONCE: u64 = 1 << 20;
/// How far apart in the file the frames are whose place is kept: small ones are many.
const KEPT: u64 = 4 << 10;
/// How many frames stay decompressed: the one that is read, and what a line or a window reaches into.
const READY: usize = 4;

/// A zstd file whose frames all state their size, as a source of what they hold.
pub struct Frames<'s, S> {
    source: &'s mut S,
    layout: Layout,
    decoder: Decoder,
    limit: u64,
    /// How much the log holds.
    size: u64,
    is_torn: bool,
    /// Frames that some others follow, in order.
    kept: Vec<Place>,
    /// Those that are known; by their start.
    gaps: BTreeMap<u64, Gap>,
    /// The frames that were decompressed, once there is more than may be, and how much they hold.
    touched: HashSet<u64>,
    touched_size: u64,
    /// The last ones that were decompressed, and where each starts in the file.
    ready: VecDeque<(u64, Vec<u8>)>,
    /// A block that no frame holds alone.
    block: Vec<u8>,
    block_at: u64,
}

/// Where a frame starts.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// In the file.
    frame: u64,
    /// In the log.
    start: u64,
}

/// A frame in the file.
#[derive(Clone, Copy, Debug)]
struct Frame {
    at: u64,
    head: FrameHead,
    /// How much it takes.
    length: u64,
    /// How much it states that it holds.
    size: usize,
    is_torn: bool,
}

/// What a look at a place of the file shows.
enum Seen {
    Frame(Frame),
    /// Up to there is nothing that counts.
    Skippable(u64),
    End {
        is_torn: bool,
    },
    /// It must be read forward.
    Other,
}

impl<'s, S: Source> Frames<'s, S> {
    /// Go along the frames. None: the file must be read forward.
    pub fn open(source: &'s mut S, limit: u64) -> io::Result<Option<Self>> {
        let file_size = source.size();
        let mut frames = Self {
            source,
            layout: Layout { size: file_size, at_hand: 0..0, stride: STRIDE },
            decoder: Decoder::new(),
            limit,
            size: 0,
            is_torn: false,
            kept: Vec::new(),
            gaps: BTreeMap::new(),
            touched: HashSet::new(),
            touched_size: 0,
            ready: VecDeque::new(),
            block: Vec::new(),
            block_at: 0,
        };
        let mut at = 0;
        loop {
            match frames.layout.look(frames.source, at)? {
                Seen::Frame(frame) => {
                    let start = frames.size;
                    if frames.kept.last().is_none_or(|last| frame.at - last.frame >= KEPT) {
                        frames.kept.push(Place { frame: frame.at, start });
                    }
                    frames.size += frames.measure(&frame, start)?;
                    at += frame.length;
                    if frame.is_torn {
                        frames.is_torn = true;
                        break;
                    }
                }
                Seen::Skippable(end) => at = end,
                Seen::End { is_torn } => {
                    frames.is_torn = is_torn;
                    break;
                }
                Seen::Other => return Ok(None),
            }
        }
        Ok(Some(frames))
    }

    /// How much of the log a frame is, when it is seen for the first time.
    fn measure(&mut self, frame: &Frame, start: u64) -> io::Result<u64> {
        // A gap is longer than what some frames state, and a torn one is as long as it is.
        if !frame.is_torn && frame.size as u64 >= Gap::SHORTEST {
            return Ok(frame.size as u64);
        }
        let mut bytes = Vec::new();
        self.decompress(frame, start, &mut bytes)?;
        Ok(bytes.len() as u64)
    }

    /// How much of the log a frame is that was seen before.
    fn extent(&self, frame: &Frame, start: u64) -> u64 {
        match self.gaps.get(&start) {
            _ if frame.is_torn => self.size.saturating_sub(start),
            Some(gap) if gap.frame == frame.at => gap.end - gap.start,
            _ => frame.size as u64,
        }
    }

    fn decompress(&mut self, frame: &Frame, start: u64, out: &mut Vec<u8>) -> io::Result<()> {
        let length = usize::try_from(frame.length).unwrap_or(usize::MAX);
        let bytes = self.source.block(frame.at, length)?;
        if bytes.len() < length {
            return Err(shrunk());
        }
        if frame.is_torn {
            return self.decoder.torn(&frame.head, bytes, out);
        }
        if !self.decoder.whole(&frame.head, bytes, out)? {
            let size = Gap::SHORTEST.max(frame.size as u64);
            out.resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
            gap::fill(out, 0, size);
            let end = start + size;
            self.gaps.insert(start, Gap { start, end, frame: frame.at, damage: Damage::Bad, codec: Codec::Zstd });
        }
        Ok(())
    }

    /// Decompress a frame unless it is ready, and tell which of those it is.
    fn ready(&mut self, frame: &Frame, start: u64) -> io::Result<usize> {
        if let Some(nth) = self.ready.iter().position(|(at, _)| *at == frame.at) {
            return Ok(nth);
        }
        let extent = self.extent(frame, start);
        // Without more than may be read, nobody has to count.
        if self.size > self.limit && !self.touched.contains(&frame.at) {
            let size = self.touched_size.saturating_add(extent);
            if size > self.limit {
                return Err(io::Error::other(Overflow { limit: self.limit }));
            }
            self.touched_size = size;
            self.touched.insert(frame.at);
        }
        let mut bytes = if self.ready.len() < READY { None } else { self.ready.pop_front() }
            .map_or_else(Vec::new, |(_, bytes)| bytes);
        self.decompress(frame, start, &mut bytes)?;
        if bytes.len() as u64 != extent {
            return Err(changed());
        }
        self.ready.push_back((frame.at, bytes));
        Ok(self.ready.len() - 1)
    }

    /// The frame that holds the byte `at` of the log, going on from `place`, and where it starts.
    fn find(&mut self, mut place: Place, at: u64) -> io::Result<(Frame, u64)> {
        loop {
            match self.layout.look(self.source, place.frame)? {
                Seen::Frame(frame) => {
                    let end = place.start + self.extent(&frame, place.start);
                    if at < end {
                        return Ok((frame, place.start));
                    }
                    if frame.is_torn {
                        return Err(changed());
                    }
                    place = Place { frame: frame.at + frame.length, start: end };
                }
                Seen::Skippable(end) => place.frame = end,
                Seen::End { .. } | Seen::Other => return Err(changed()),
            }
        }
    }
}

impl<S: Source> Source for Frames<'_, S> {
    fn size(&self) -> u64 {
        self.size
    }

    fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let end = at.saturating_add(len as u64).min(self.size);
        if at >= end {
            return Ok(&[]);
        }
        let block_end = self.block_at + self.block.len() as u64;
        if self.block_at <= at && end <= block_end {
            return Ok(part(&self.block, self.block_at, at, end));
        }
        let nearest = self.kept.partition_point(|place| place.start <= at).saturating_sub(1);
        let mut place = self.kept.get(nearest).copied().ok_or_else(changed)?;
        let after = self.kept.get(self.kept.partition_point(|place| place.start < end));
        let file_end = after.map_or(self.layout.size, |place| place.frame);
        if file_end - place.frame <= AT_ONCE {
            self.layout.take(self.source, place.frame, file_end)?;
        }
        let mut from = at;
        self.block.clear();
        loop {
            let (frame, start) = self.find(place, from)?;
            let nth = self.ready(&frame, start)?;
            let frame_end = start + self.extent(&frame, start);
            if self.block.is_empty() && end <= frame_end {
                let bytes = self.ready.get(nth).map_or(&[][..], |(_, bytes)| bytes);
                return Ok(part(bytes, start, at, end));
            }
            if let Some((_, bytes)) = self.ready.get(nth) {
                self.block.extend_from_slice(part(bytes, start, from, end));
            }
            self.block_at = at;
            if end <= frame_end {
                return Ok(&self.block);
            }
            place = Place { frame: frame.at + frame.length, start: frame_end };
            from = frame_end;
        }
    }

    fn gaps(&self, within: Range<u64>) -> Vec<Gap> {
        let before = self.gaps.range(..within.end).rev();
        let mut gaps: Vec<Gap> = before.map(|(_, gap)| *gap).take_while(|gap| gap.end > within.start).collect();
        gaps.reverse();
        gaps
    }

    fn is_torn(&self) -> bool {
        self.is_torn
    }
}

/// The bytes from `at` to `end` of those that start at `start`.
fn part(bytes: &[u8], start: u64, at: u64, end: u64) -> &[u8] {
    let from = usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
    let to = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(from..to).unwrap_or_default()
}

fn shrunk() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file is shorter than it was when it was opened")
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file changed while it was read")
}

/// The headers of the frames in a file, which are read in strides.
struct Layout {
    size: u64,
    /// What of the file the source was asked for last, and so has at hand.
    at_hand: Range<u64>,
    /// How much is read next.
    stride: usize,
}

impl Layout {
    /// The bytes at `at`: `len` of them, less only where the file ends.
    fn peek<'s>(&mut self, source: &'s mut impl Source, at: u64, len: usize) -> io::Result<&'s [u8]> {
        let end = at.saturating_add(len as u64).min(self.size);
        if at < self.at_hand.start || end > self.at_hand.end {
            self.take(source, at, at.saturating_add(self.stride.max(len) as u64))?;
        }
        source.block(at, usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX))
    }

    /// Have the bytes up to `end` at hand, or up to the end of the file.
    fn take(&mut self, source: &mut impl Source, at: u64, end: u64) -> io::Result<()> {
        let end = end.min(self.size);
        let len = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
        if source.block(at, len)?.len() < len {
            return Err(shrunk());
        }
        self.at_hand = at..end;
        Ok(())
    }

    /// What stands at this place of the file.
    fn look(&mut self, source: &mut impl Source, at: u64) -> io::Result<Seen> {
        let head = match layout::head(self.peek(source, at, LONGEST_HEAD)?) {
            Head::End => return Ok(Seen::End { is_torn: false }),
            Head::Torn => return Ok(Seen::End { is_torn: true }),
            Head::Alien if self.is_padding(source, at)? => return Ok(Seen::End { is_torn: false }),
            Head::Alien | Head::Broken(_) => return Ok(Seen::Other),
            Head::Skippable(size) => {
                let end = at + size;
                return Ok(if end <= self.size { Seen::Skippable(end) } else { Seen::End { is_torn: true } });
            }
            Head::Frame(head) => head,
        };
        let Some(size) = head.whole() else {
            return Ok(Seen::Other);
        };
        let mut walk = Walk::new(&head);
        while let Some(header) = self.peek(source, at + walk.length(), BLOCK_HEAD)?.first_chunk() {
            let Some(block) = walk.block(*header) else {
                return Ok(Seen::Other);
            };
            if at + walk.length() > self.size {
                break;
            }
            if block.checksum.is_some() {
                self.stride = if walk.length() < LARGER { STRIDE } else { HEADERS };
                return Ok(Seen::Frame(Frame { at, head, length: walk.length(), size, is_torn: false }));
            }
        }
        Ok(Seen::Frame(Frame { at, head, length: self.size - at, size, is_torn: true }))
    }

    fn is_padding(&mut self, source: &mut impl Source, mut at: u64) -> io::Result<bool> {
        while at < self.size {
            let bytes = self.peek(source, at, STRIDE)?;
            if bytes.is_empty() || bytes.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            at += bytes.len() as u64;
        }
        Ok(true)
    }
}
