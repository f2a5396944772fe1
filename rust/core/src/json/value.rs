//! A value of a validated record, read where it lies.

use std::convert::Infallible;

use super::escape::unescape;
use super::reader::Reader;
use crate::error::Error;
use crate::node::{Flow, Key, MAX_ORDINAL, Node, Shape};

/// A value of a validated record: exactly its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    raw: &'a [u8],
}

impl<'a> Value<'a> {
    /// A value kept by a fold, which was validated when it was pushed.
    pub fn kept(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// The value's bytes.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    fn first(self) -> u8 {
        self.raw.first().copied().unwrap_or(b'n')
    }

    /// Walk the members or elements: the raw name (empty in a list) and the value.
    fn walk<E>(self, mut visit: impl FnMut(&'a [u8], Self) -> Result<Flow, E>) -> Result<(), E> {
        let is_object = match self.first() {
            b'{' => true,
            b'[' => false,
            _ => return Ok(()),
        };
        let mut reader = Reader { data: self.raw, at: 1 };
        loop {
            reader.skip_space();
            reader.eat(b',');
            reader.skip_space();
            let mut name: &[u8] = b"";
            match reader.peek() {
                None | Some(b'}' | b']') => return Ok(()),
                Some(b'"') if is_object => {
                    let start = reader.at + 1;
                    if reader.skip_string().is_none() {
                        return Ok(());
                    }
                    name = self.raw.get(start..reader.at - 1).unwrap_or_default();
                    reader.skip_space();
                    reader.eat(b':');
                    reader.skip_space();
                }
                Some(_) => {}
            }
            let start = reader.at;
            if reader.skip_value().is_none() || reader.at == start {
                return Ok(());
            }
            let value = Self { raw: self.raw.get(start..reader.at).unwrap_or_default() };
            if visit(name, value)? == Flow::Stop {
                return Ok(());
            }
        }
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
        let mut unescaped = Vec::new();
        self.walk(|raw_name, value| {
            let name = if memchr::memchr(b'\\', raw_name).is_some() {
                unescaped.clear();
                unescape(raw_name, &mut unescaped);
                &unescaped
            } else {
                raw_name
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
        if memchr::memchr(b'\\', inner).is_none() {
            return Ok(Some(read(inner)));
        }
        let mut out = Vec::with_capacity(inner.len());
        self.unescape(&mut out);
        Ok(Some(read(&out)))
    }

    fn ordinal(&self) -> Option<u64> {
        let digits = if self.raw == b"-0" { b"0" } else { self.raw };
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (number <= MAX_ORDINAL).then_some(number)
    }

    fn keep(&self) -> Box<[u8]> {
        self.raw.into()
    }
}
