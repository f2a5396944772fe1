//! Walking a container of a validated record: its members or elements, one after the other.

use std::borrow::Cow;

use memchr::memchr2;

use super::bulk::Marks;
use super::escape::unescape;
use super::reader::{Reader, is_space};
use super::value::{Place, Value};
use crate::node::Key;

/// A member's name as it stands between its quotes; empty for an element of a list.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    /// What stands between the quotes.
    pub raw: &'a [u8],
    /// Whether any of that is an escape.
    pub has_escapes: bool,
}

impl<'a> Name<'a> {
    /// Its characters in WTF-8.
    pub fn text(self) -> Cow<'a, [u8]> {
        if !self.has_escapes {
            return Cow::Borrowed(self.raw);
        }
        let mut plain = Vec::with_capacity(self.raw.len());
        unescape(self.raw, &mut plain);
        Cow::Owned(plain)
    }
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
    pub(super) fn new(raw: &'a [u8], place: Place<'a>) -> Self {
        let is_object = raw.first() == Some(&b'{');
        let is_container = is_object || raw.first() == Some(&b'[');
        Self { raw, place, at: if is_container { 1 } else { raw.len() }, is_object }
    }

    /// The next string of a list, between its quotes, and whether it has escapes; None for whatever else is next.
    #[inline]
    pub fn next_string(&mut self) -> Option<Name<'a>> {
        if self.next_byte()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let (end, has_escapes) = match self.place.marks {
            Some(marks) => {
                marked_end(marks, self.place.base + start).map(|(end, has)| (end - self.place.base, has))?
            }
            None => string_end(self.raw, start)?,
        };
        self.at = end + 1;
        Some(Name { raw: self.raw.get(start..end)?, has_escapes })
    }

    /// The next member or element. (No iterator: a list is walked half way by its strings.)
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<(Name<'a>, Value<'a>)> {
        match self.place.marks {
            Some(marks) => self.next_marked(marks),
            None => self.next_plain(),
        }
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

    /// Of a record with marks: it has no white space but one space after commas and colons.
    #[inline]
    fn next_marked(&mut self, marks: &'a Marks) -> Option<(Name<'a>, Value<'a>)> {
        let (raw, base) = (self.raw, self.place.base);
        let after_space = |at: usize| at + usize::from(raw.get(at) == Some(&b' '));
        let mut at = after_space(self.at + usize::from(raw.get(self.at) == Some(&b',')));
        let mut name = Name { raw: b"", has_escapes: false };
        if self.is_object {
            if *raw.get(at)? != b'"' {
                return None;
            }
            let (end, has_escapes) = marked_end(marks, base + at + 1)?;
            name = Name { raw: raw.get(at + 1..end - base)?, has_escapes };
            at = after_space(end - base + 2);
        }
        let (start, mut first) = (at, 0);
        let mut is_plain = false;
        match *raw.get(at)? {
            b'"' => {
                let (end, has_escapes) = marked_end(marks, base + at + 1)?;
                is_plain = !has_escapes;
                at = end - base + 1;
            }
            b'{' | b'[' => {
                first = self.place.first + 1;
                let container = marks.containers.get(self.place.first)?;
                self.place.first = first + container.inside as usize;
                at = (container.close as usize + 1).checked_sub(base)?;
            }
            b'}' | b']' => return None,
            _ => {
                while !matches!(raw.get(at)?, b',' | b'}' | b']') {
                    at += 1;
                }
            }
        }
        self.at = at;
        let place = Place { base: base + start, first, is_plain, ..self.place };
        Some((name, Value::at(raw.get(start..at)?, place)))
    }

    /// Of a value that a fold kept, or a record with other white space: nobody noted where things are.
    fn next_plain(&mut self) -> Option<(Name<'a>, Value<'a>)> {
        let mut name = Name { raw: b"", has_escapes: false };
        let mut byte = self.next_byte()?;
        if self.is_object && byte == b'"' {
            let start = self.at + 1;
            let (end, has_escapes) = string_end(self.raw, start)?;
            name = Name { raw: self.raw.get(start..end)?, has_escapes };
            self.at = end + 1;
            while matches!(self.raw.get(self.at), Some(byte) if *byte == b':' || is_space(*byte)) {
                self.at += 1;
            }
            byte = *self.raw.get(self.at)?;
        }
        if matches!(byte, b'}' | b']') {
            return None;
        }
        let mut reader = Reader { data: self.raw, at: self.at };
        reader.skip_value()?;
        let raw = self.raw.get(self.at..reader.at).filter(|raw| !raw.is_empty())?;
        self.at = reader.at;
        Some((name, Value::kept(raw)))
    }
}

/// The members of an object by name, of several of one name the last. [`Members`] could tell; this is what every record
/// is asked several times, and it makes no value that isn't asked for.
pub fn marked_members<'a, const N: usize>(
    raw: &'a [u8],
    place: Place<'a>,
    marks: &'a Marks,
    keys: [Key; N],
) -> Option<[Option<Value<'a>>; N]> {
    let mut found = [None; N];
    let base = place.base;
    let mut first = place.first;
    let mut at = 1;
    loop {
        at += usize::from(raw.get(at) == Some(&b' '));
        if *raw.get(at)? != b'"' {
            return Some(found);
        }
        let name = at + 1;
        let (end, has_escapes) = marked_end(marks, base + name)?;
        let name_end = end - base;
        at = name_end + 2;
        at += usize::from(raw.get(at) == Some(&b' '));
        let (start, inside) = (at, first + 1);
        let mut is_plain = false;
        match *raw.get(at)? {
            b'"' => {
                let (end, has_escapes) = marked_end(marks, base + at + 1)?;
                is_plain = !has_escapes;
                at = end - base + 1;
            }
            b'{' | b'[' => {
                let container = marks.containers.get(first)?;
                first = inside + container.inside as usize;
                at = (container.close as usize + 1).checked_sub(base)?;
            }
            _ => {
                while !matches!(raw.get(at)?, b',' | b'}') {
                    at += 1;
                }
            }
        }
        let len = name_end - name;
        let word = first_word(raw, name, len);
        for (slot, key) in found.iter_mut().zip(keys) {
            let is_called = match has_escapes {
                true => is_spelt(raw.get(name..name_end)?, key),
                false => {
                    let expected = key.as_str().as_bytes();
                    word == key.word()
                        && len == expected.len()
                        && (len <= WORD || raw.get(name..name_end)? == expected)
                }
            };
            if is_called {
                let place = Place { base: base + start, first: inside, is_plain, ..place };
                *slot = Some(Value::at(raw.get(start..at)?, place));
            }
        }
        at += usize::from(raw.get(at) == Some(&b','));
    }
}

const WORD: usize = 8;

/// The first eight bytes of a name, with zeros after a shorter one: names are compared a word at a time.
#[inline]
fn first_word(raw: &[u8], at: usize, len: usize) -> u64 {
    match raw.get(at..).and_then(<[u8]>::first_chunk) {
        Some(word) if len < WORD => u64::from_le_bytes(*word) & ((1 << (8 * len)) - 1),
        Some(word) => u64::from_le_bytes(*word),
        None => {
            // The record ends here: there are fewer than eight bytes.
            let bytes = raw.get(at..at + len).unwrap_or_default();
            bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
}

/// Whether a name with escapes is that of a key.
#[cold]
fn is_spelt(name: &[u8], key: Key) -> bool {
    let mut plain = Vec::with_capacity(name.len());
    unescape(name, &mut plain);
    plain == key.as_str().as_bytes()
}

/// The offset of the quote that ends a string, and whether there are escapes before that; `from` is after the first.
#[inline]
fn marked_end(marks: &Marks, from: usize) -> Option<(usize, bool)> {
    let mut at = from / 64;
    let mut live = u64::MAX << (from % 64);
    let mut has_escapes = false;
    loop {
        let &(quotes, backslashes) = marks.strings.get(at)?;
        let quotes = quotes & live;
        // Those before the quote, or all.
        has_escapes |= backslashes & live & quotes.wrapping_sub(1) & !quotes != 0;
        if quotes != 0 {
            return Some((at * 64 + quotes.trailing_zeros() as usize, has_escapes));
        }
        (at, live) = (at + 1, u64::MAX);
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
