//! A value of a validated record, read where it lies.

use std::convert::Infallible;

use super::bulk::Marks;
use super::escape::unescape;
use super::members::{Members, Name, marked_members};
use crate::error::Error;
use crate::node::{Flow, Key, MAX_ORDINAL, Node, Shape};
use crate::text::Pieces;

/// 2^53 - 1 has so many.
const MAX_ORDINAL_DIGITS: usize = 16;

/// A value of a validated record: exactly its bytes, and where in it things are, as far as that was noted.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    raw: &'a [u8],
    place: Place<'a>,
}

/// Where in its record a value is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place<'a> {
    /// The record's.
    pub marks: Option<&'a Marks>,
    /// The offset of its first byte.
    pub base: usize,
    /// Which of the containers are in it.
    pub first: usize,
    /// Whether it is a string that is known to have no escapes.
    pub is_plain: bool,
}

impl<'a> Value<'a> {
    /// A value kept by a fold, which was validated when it was pushed.
    pub fn kept(raw: &'a [u8]) -> Self {
        Self { raw, place: Place::default() }
    }

    /// A record with its marks.
    pub(super) fn marked(raw: &'a [u8], marks: &'a Marks) -> Self {
        Self { raw, place: Place { marks: Some(marks), base: 0, first: 1, is_plain: false } }
    }

    /// A value in a record.
    pub(super) fn at(raw: &'a [u8], place: Place<'a>) -> Self {
        Self { raw, place }
    }

    /// Its members or elements.
    pub fn contents(self) -> Members<'a> {
        Members::new(self.raw, self.place)
    }

    /// The value's bytes.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    fn has_escapes(self, inner: &[u8]) -> bool {
        !self.place.is_plain && memchr::memchr(b'\\', inner).is_some()
    }

    fn first(self) -> u8 {
        self.raw.first().copied().unwrap_or(b'n')
    }

    /// Walk the members or elements: the name (empty in a list) and the value.
    #[inline]
    fn walk<E>(self, mut visit: impl FnMut(Name<'a>, Self) -> Result<Flow, E>) -> Result<(), E> {
        let mut walk = self.contents();
        while let Some((name, value)) = walk.next() {
            if visit(name, value)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    /// The characters of a string in WTF-8, into `out`; the escapes are valid.
    fn unescape(self, out: &mut Vec<u8>) {
        let inner = self.raw.get(1..self.raw.len().saturating_sub(1)).unwrap_or_default();
        unescape(inner, out);
    }
}

impl<'a> Node for Value<'a> {
    type Error = Infallible;
    type Kept = Box<[u8]>;
    const IS_WALKED: bool = true;

    fn shape(&self) -> Result<Shape, Infallible> {
        Ok(match self.first() {
            b'{' => Shape::Object,
            b'[' => Shape::List,
            b'"' => Shape::String,
            b't' | b'f' => Shape::Boolean,
            b'n' => Shape::Null,
            _ => Shape::Number,
        })
    }

    fn is_object(&self) -> Result<bool, Infallible> {
        Ok(self.first() == b'{')
    }

    fn members<const N: usize>(&self, keys: [Key; N]) -> Result<[Option<Self>; N], Infallible> {
        let mut found = [None; N];
        if self.first() != b'{' {
            return Ok(found);
        }
        if let Some(marks) = self.place.marks {
            return Ok(marked_members(self.raw, self.place, marks, keys).unwrap_or(found));
        }
        let mut unescaped = Vec::new();
        self.walk(|name, value| {
            let name = if name.has_escapes {
                unescaped.clear();
                unescape(name.raw, &mut unescaped);
                &unescaped
            } else {
                name.raw
            };
            // The last of several members of one name wins.
            for (slot, key) in found.iter_mut().zip(keys) {
                if name == key.as_str().as_bytes() {
                    *slot = Some(value);
                }
            }
            Ok::<_, Infallible>(Flow::Continue)
        })?;
        Ok(found)
    }

    fn list_len(&self) -> Option<usize> {
        if self.first() != b'[' {
            return None;
        }
        let mut count = 0;
        let Ok(()) = self.walk(|_, _| {
            count += 1;
            Ok::<_, Infallible>(Flow::Continue)
        });
        Some(count)
    }

    fn each(
        &self,
        visit: &mut dyn FnMut(usize, Self) -> Result<Flow, Error<Infallible>>,
    ) -> Result<(), Error<Infallible>> {
        if self.first() != b'[' {
            return Ok(());
        }
        let mut index = 0;
        self.walk(|_, value| {
            index += 1;
            visit(index - 1, value)
        })
    }

    fn with_text<R>(&self, read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, Infallible> {
        if self.first() != b'"' {
            return Ok(None);
        }
        let inner = self.raw.get(1..self.raw.len().saturating_sub(1)).unwrap_or_default();
        if !self.has_escapes(inner) {
            return Ok(Some(read(inner)));
        }
        let mut out = Vec::with_capacity(inner.len());
        self.unescape(&mut out);
        Ok(Some(read(&out)))
    }

    fn append_to(&self, pieces: &mut Pieces<'_>) -> Result<bool, Infallible> {
        if self.first() != b'"' {
            return Ok(false);
        }
        let inner = self.raw.get(1..self.raw.len().saturating_sub(1)).unwrap_or_default();
        append(Name { raw: inner, has_escapes: self.has_escapes(inner) }, pieces);
        Ok(true)
    }

    fn append_each_to(&self, pieces: &mut Pieces<'_>) -> Result<Option<(usize, Self)>, Error<Infallible>> {
        let mut elements = self.contents();
        let mut count = 0;
        while let Some(string) = elements.next_string() {
            append(string, pieces);
            count += 1;
        }
        Ok(elements.next().map(|(_, odd)| (count, odd)))
    }

    fn ordinal(&self) -> Option<u64> {
        let digits = if self.raw == b"-0" { b"0" } else { self.raw };
        if digits.len() > MAX_ORDINAL_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
        (number <= MAX_ORDINAL && !digits.is_empty()).then_some(number)
    }

    fn is_list(&self) -> bool {
        self.first() == b'['
    }

    fn keep(&self) -> Box<[u8]> {
        self.raw.into()
    }
}

/// A string, which is UTF-8 but for its escapes.
#[inline]
fn append(string: Name<'_>, pieces: &mut Pieces<'_>) {
    let Some(text) = pieces.room() else { return };
    if string.has_escapes {
        let mut plain = Vec::with_capacity(string.raw.len());
        unescape(string.raw, &mut plain);
        text.push(&plain);
    } else {
        text.push_utf8(string.raw);
    }
}
