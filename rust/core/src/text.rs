//! Text as JavaScript joins it (spec S8), and what blank means (S1).
//!
//! Strings here are WTF-8: UTF-8 in which an unpaired surrogate stands as its three bytes.
//! Pieces are appended as they come; halves that meet across pieces are joined when the text is asked for.

use crate::error::Error;
use crate::node::{Flow, Key, Node};

use std::borrow::Cow;

/// Pieces of text, one buffer.
#[derive(Debug, Default)]
pub struct Text {
    /// The text, and zeros where the next pieces go: pieces are a few bytes, for which a call that copies and one
    /// that makes room cost more than the copy.
    bytes: Vec<u8>,
    used: usize,
    has_halves: bool,
}

impl Clone for Text {
    fn clone(&self) -> Self {
        Self { bytes: self.as_bytes().to_vec(), ..*self }
    }
}

impl Text {
    /// Text that is in one piece already.
    pub fn from_wtf8(bytes: Vec<u8>) -> Self {
        Self { has_halves: has_surrogate(&bytes), used: bytes.len(), bytes }
    }

    /// Append a piece.
    #[inline]
    pub fn push(&mut self, piece: &[u8]) {
        self.has_halves |= has_surrogate(piece);
        self.push_bytes(piece);
    }

    /// Append a piece that is UTF-8.
    #[inline]
    pub fn push_str(&mut self, piece: &str) {
        self.push_bytes(piece.as_bytes());
    }

    /// The same of bytes that were validated.
    #[inline]
    pub fn push_utf8(&mut self, piece: &[u8]) {
        debug_assert!(std::str::from_utf8(piece).is_ok());
        self.push_bytes(piece);
    }

    /// Append a piece that is ASCII.
    #[inline(always)]
    pub fn push_ascii(&mut self, piece: &[u8]) {
        debug_assert!(piece.is_ascii());
        self.push_bytes(piece);
    }

    /// Append a piece given by its code points, of which surrogates are some.
    pub fn push_points<P: Copy + Into<u32>>(&mut self, points: &[P]) {
        const AT_ONCE: usize = 64;
        for points in points.chunks(AT_ONCE) {
            self.make_room(self.used + 4 * points.len());
            for &point in points {
                let (encoded, size) = encode(point.into());
                self.has_halves |= size == 3 && encoded[0] == 0xED && encoded[1] >= 0xA0;
                if let Some(room) = self.bytes.get_mut(self.used..).and_then(<[u8]>::first_chunk_mut) {
                    *room = encoded;
                }
                self.used += size;
            }
        }
    }

    #[inline(always)]
    fn make_room(&mut self, end: usize) {
        if end > self.bytes.len() {
            self.grow(end);
        }
    }

    #[inline(always)]
    fn push_bytes(&mut self, piece: &[u8]) {
        let end = self.used + piece.len();
        self.make_room(end);
        if let Some(room) = self.bytes.get_mut(self.used..end) {
            copy(piece, room);
        }
        self.used = end;
    }

    /// By a quarter: doubling would keep up to two bytes a byte, and the copies are cheap beside the pieces.
    #[cold]
    fn grow(&mut self, end: usize) {
        let len = end.max(self.used + self.used / 4).max(64);
        self.bytes.reserve_exact(len - self.bytes.len());
        self.bytes.resize(len, 0);
    }

    /// The bytes as they were appended: halves that meet are not joined.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    /// How many bytes there are; a mark for [`Text::truncate`].
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether nothing was appended.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Take back what was appended since the text had `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.used = self.used.min(len);
    }

    /// The text with every pair of halves joined.
    pub fn joined(&self) -> Cow<'_, [u8]> {
        let bytes = self.as_bytes();
        if self.has_halves { Cow::Owned(join(bytes)) } else { Cow::Borrowed(bytes) }
    }

    /// Append all of another text.
    pub fn append(&mut self, other: &Self) {
        self.has_halves |= other.has_halves;
        self.push_bytes(other.as_bytes());
    }
}

/// Copy a piece into as much room; a short one by its two ends, which may overlap.
#[inline(always)]
fn copy(piece: &[u8], room: &mut [u8]) {
    fn ends<const N: usize>(piece: &[u8], room: &mut [u8]) {
        if let (Some(from), Some(to)) = (piece.first_chunk::<N>(), room.first_chunk_mut::<N>()) {
            *to = *from;
        }
        if let (Some(from), Some(to)) = (piece.last_chunk::<N>(), room.last_chunk_mut::<N>()) {
            *to = *from;
        }
    }
    let len = piece.len();
    if len > 16 {
        room.copy_from_slice(piece);
    } else if len >= 8 {
        ends::<8>(piece, room);
    } else if len >= 4 {
        ends::<4>(piece, room);
    } else if len >= 2 {
        ends::<2>(piece, room);
    } else {
        ends::<1>(piece, room);
    }
}

/// A code point's bytes, and how many of the four they are.
#[inline]
fn encode(point: u32) -> ([u8; 4], usize) {
    let tail = |shift: u32| 0x80 | (point >> shift & 0x3F) as u8;
    match point {
        0..0x80 => ([point as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xC0 | (point >> 6) as u8, tail(0), 0, 0], 2),
        0x800..0x10000 => ([0xE0 | (point >> 12) as u8, tail(6), tail(0), 0], 3),
        _ => ([0xF0 | (point >> 18) as u8, tail(12), tail(6), tail(0)], 4),
    }
}

/// Takes the streamed text of a record piece by piece, without the first so many.
#[derive(Debug)]
pub struct Pieces<'t> {
    text: &'t mut Text,
    skip: u64,
}

impl<'t> Pieces<'t> {
    /// Append the pieces to a text, but for the first `skip`.
    pub fn new(text: &'t mut Text, skip: u64) -> Self {
        Self { text, skip }
    }

    /// Where the next piece goes; None for one that is passed over. To be asked once a piece.
    #[inline]
    pub fn room(&mut self) -> Option<&mut Text> {
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        Some(self.text)
    }

    /// Take a piece, in WTF-8.
    #[inline]
    pub fn push(&mut self, piece: &[u8]) {
        if let Some(text) = self.room() {
            text.push(piece);
        }
    }
}

/// Whether WTF-8 holds a surrogate: in UTF-8 the byte ED is followed by 80 to 9F.
pub fn has_surrogate(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(0xED, bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes.get(at).is_some_and(|&next| next >= 0xA0) {
            return true;
        }
    }
    false
}

fn half(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [0xED, second @ 0xA0..=0xBF, third, ..] => {
            Some(0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F))
        }
        _ => None,
    }
}

fn join(bytes: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let next = memchr::memchr(0xED, rest).unwrap_or(rest.len());
        joined.extend_from_slice(&rest[..next]);
        let rest = &rest[next..];
        at += next;
        if rest.is_empty() {
            break;
        }
        let pair = half(rest).zip(rest.get(3..).and_then(half));
        if let Some((high @ 0xD800..=0xDBFF, low @ 0xDC00..=0xDFFF)) = pair {
            let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            let mut buffer = [0; 4];
            if let Some(character) = char::from_u32(point) {
                joined.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            }
            at += 6;
        } else {
            joined.push(0xED);
            at += 1;
        }
    }
    joined
}

/// Whether WTF-8 text is nothing but Unicode White_Space.
pub fn is_blank(bytes: &[u8]) -> bool {
    let rest = bytes.trim_ascii_start();
    match rest.first() {
        None => true,
        // White_Space beyond ASCII's six, as far as it is one byte: U+000B; the rest starts at U+0085.
        Some(0x0B | 0xC2 | 0xE1 | 0xE2 | 0xE3) => {
            std::str::from_utf8(rest).is_ok_and(|text| text.chars().all(char::is_whitespace))
        }
        Some(_) => false,
    }
}

/// Each text block of a message's content: an object whose `type` is `text` and whose `text` is a string.
pub fn block_texts<N: Node>(content: &N, visit: &mut dyn FnMut(&[u8]) -> Flow) -> Result<(), Error<N::Error>> {
    text_blocks(content, |text| Ok(text.with_text(&mut *visit)?.unwrap_or(Flow::Continue)))
}

/// Append the text of each text block of a message's content.
pub fn append_blocks<N: Node>(content: &N, text: &mut Text) -> Result<(), Error<N::Error>> {
    let mut pieces = Pieces::new(text, 0);
    text_blocks(content, |text| text.append_to(&mut pieces).map(|_| Flow::Continue))
}

/// Whether the text blocks of a message's content hold more than white space.
#[inline]
pub fn has_text<N: Node>(content: &N) -> Result<bool, Error<N::Error>> {
    let mut found = false;
    text_blocks(content, |text| {
        found = text.is_blank()? == Some(false);
        Ok(if found { Flow::Stop } else { Flow::Continue })
    })?;
    Ok(found)
}

#[inline]
fn text_blocks<N: Node>(
    content: &N,
    mut visit: impl FnMut(N) -> Result<Flow, N::Error>,
) -> Result<(), Error<N::Error>> {
    content.each_by(|_, block| {
        let is_text = match block.member(Key::Type).map_err(Error::Foreign)? {
            Some(kind) => kind.with_text(|kind| kind == b"text").map_err(Error::Foreign)?.unwrap_or(false),
            None => false,
        };
        if !is_text {
            return Ok(Flow::Continue);
        }
        match block.member(Key::Text).map_err(Error::Foreign)? {
            Some(text) => visit(text).map_err(Error::Foreign),
            None => Ok(Flow::Continue),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_meet_across_pieces_and_unpaired_ones_stay() {
        let mut text = Text::default();
        text.push(b"a\xED\xA0\xBD");
        text.push(b"\xED\xB8\x80b\xED\xB8\x80");
        assert_eq!(&*text.joined(), b"a\xF0\x9F\x98\x80b\xED\xB8\x80");
    }

    #[test]
    fn blank_is_white_space_and_nothing_else() {
        assert!(is_blank(" \t\u{b}\u{c}\r\n\u{85}\u{a0}\u{2003}\u{3000}".as_bytes()));
        assert!(is_blank(b""));
        for other in ["\u{1c}", "\u{feff}", "\u{200b}", " x", "\u{e9}"] {
            assert!(!is_blank(other.as_bytes()), "{other:?}");
        }
        assert!(!is_blank(b"\xED\xB8\x80"));
    }
}
