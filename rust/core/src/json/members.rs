//! Walking a container of a validated record: its members or elements, one after the other.

use memchr::memchr2;

use super::reader::{Reader, is_space};
use super::value::{Place, Value};

/// A member's name as it stands between its quotes; empty for an element of a list.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub raw: &'a [u8],
    pub has_escapes: bool,
}

/// What is left of a container.
pub struct Members<'a> {
    raw: &'a [u8],
    /// Where it is, and which container comes next.
    place: Place<'a>,
    at: usize,
    is_object: bool,
}

impl<'a> Members<'a> {
    /// The members of an object or the elements of a list; nothing of anything else.
    #[inline]
    pub fn new(raw: &'a [u8], place: Place<'a>) -> Self {
        let is_object = raw.first() == Some(&b'{');
        let is_container = is_object || raw.first() == Some(&b'[');
        Self { raw, place, at: if is_container { 1 } else { raw.len() }, is_object }
    }

    /// The next byte that is neither white space nor a comma.
    #[inline]
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let byte = *self.raw.get(self.at)?;
            if byte != b',' && !is_space(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// The next string of a list, between its quotes, and whether it has escapes; None for whatever else is next.
    #[inline]
    pub fn next_string(&mut self) -> Option<Name<'a>> {
        if self.next_byte()? != b'"' {
            return None;
        }
        self.string()
    }

    /// The next member or element.
    #[inline]
    pub fn next(&mut self) -> Option<(Name<'a>, Value<'a>)> {
        let mut name = Name { raw: b"", has_escapes: false };
        let mut byte = self.next_byte()?;
        if self.is_object && byte == b'"' {
            name = self.string()?;
            while matches!(self.raw.get(self.at), Some(byte) if *byte == b':' || is_space(*byte)) {
                self.at += 1;
            }
            byte = *self.raw.get(self.at)?;
        }
        let start = self.at;
        let mut first = 0;
        match byte {
            b'}' | b']' => return None,
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => first = self.container()?,
            _ => self.scalar(),
        }
        let raw = self.raw.get(start..self.at).filter(|raw| !raw.is_empty())?;
        Some((name, Value::at(raw, Place { base: self.place.base + start, first, ..self.place })))
    }

    /// Past a string; what is between its quotes.
    #[inline]
    fn string(&mut self) -> Option<Name<'a>> {
        let start = self.at + 1;
        let Some(marks) = self.place.marks else {
            let (end, has_escapes) = string_end(self.raw, start)?;
            self.at = end + 1;
            return Some(Name { raw: self.raw.get(start..end)?, has_escapes });
        };
        let from = self.place.base + start;
        let mut word = from / 64;
        let mut live = u64::MAX << (from % 64);
        let mut has_escapes = false;
        let bit = loop {
            let &(quotes, backslashes) = marks.strings.get(word)?;
            let quotes = quotes & live;
            // Those before the quote, or all.
            has_escapes |= backslashes & live & quotes.wrapping_sub(1) & !quotes != 0;
            if quotes != 0 {
                break quotes.trailing_zeros() as usize;
            }
            (word, live) = (word + 1, u64::MAX);
        };
        let end = word * 64 + bit - self.place.base;
        self.at = end + 1;
        Some(Name { raw: self.raw.get(start..end)?, has_escapes })
    }

    /// Past a container; the number of the first in it.
    #[inline]
    fn container(&mut self) -> Option<usize> {
        if let Some(marks) = self.place.marks {
            let container = marks.containers.get(self.place.first)?;
            let first = self.place.first + 1;
            self.at = (container.close as usize).checked_sub(self.place.base)? + 1;
            self.place.first = first + container.inside as usize;
            return Some(first);
        }
        // A value that a fold kept, or a record that isn't minified: nobody noted where its containers are.
        let mut reader = Reader { data: self.raw, at: self.at };
        reader.skip_value()?;
        self.at = reader.at;
        Some(0)
    }

    /// Past a number or a word.
    #[inline]
    fn scalar(&mut self) {
        let is_over = |byte: u8| matches!(byte, b',' | b'}' | b']') || is_space(byte);
        while matches!(self.raw.get(self.at), Some(byte) if !is_over(*byte)) {
            self.at += 1;
        }
    }
}

/// From after the opening quote of a valid string to its closing one, and whether there are escapes before that.
#[inline]
pub fn string_end(data: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut has_escapes = false;
    loop {
        at = match within_word(data, at) {
            Ok(at) => at,
            Err(at) => match within_word(data, at) {
                Ok(at) => at,
                Err(at) => at + memchr2(b'"', b'\\', data.get(at..)?)?,
            },
        };
        if *data.get(at)? == b'"' {
            return Some((at, has_escapes));
        }
        has_escapes = true;
        at += 2;
    }
}

/// The first quote or backslash of the next eight bytes, most strings being short; or where to go on.
#[inline]
fn within_word(data: &[u8], at: usize) -> Result<usize, usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES * 0x80;
    let Some(word) = data.get(at..).and_then(<[u8]>::first_chunk) else { return Err(at) };
    let word = u64::from_le_bytes(*word);
    // Of a byte that is zero, the highest bit is set; the lowest such bit is never a false one.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let hits = zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64));
    if hits == 0 { Err(at + 8) } else { Ok(at + hits.trailing_zeros() as usize / 8) }
}
