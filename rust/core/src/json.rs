//! One record of JSON text, validated whole and then read lazily where it lies (spec S7).
//!
//! Iterative throughout: a record may be nested to any depth. RFC 8259 is the grammar; what a record
//! may not do only when it signals (depth, size of numbers) is noticed here and named by [`Limits`].

use std::convert::Infallible;

use crate::error::{Error, Kind, Malformed};
use crate::node::{Flow, Key, MAX_ORDINAL, Node, Shape};
use crate::text;

/// The deepest nesting of a record that signals, the record itself counted as 1.
pub const MAX_DEPTH: usize = 512;
/// The most digits of an integer in a record that signals.
pub const MAX_DIGITS: usize = 4300;
/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

const WIDE_BOMS: [(&[u8], &str); 4] = [
    (b"\xFF\xFE\x00\x00", "UTF-32 with a byte order mark"),
    (b"\x00\x00\xFE\xFF", "UTF-32 with a byte order mark"),
    (b"\xFF\xFE", "UTF-16 with a byte order mark"),
    (b"\xFE\xFF", "UTF-16 with a byte order mark"),
];

/// A record that is JSON: its value and whether a limit may be broken.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The value.
    pub value: Value<'a>,
    suspect: bool,
}

/// Read one record: it is UTF-8 and one JSON value, or the defect says which it isn't.
pub fn parse(data: &[u8]) -> Result<Record<'_>, Box<Malformed>> {
    if std::str::from_utf8(data).is_err() {
        let wide = WIDE_BOMS.iter().find(|(bom, _)| data.starts_with(bom));
        return Err(match wide {
            Some((_, name)) => Malformed::new(Kind::NotUtf8, "", *name, "UTF-8 (convert it first)"),
            None => Malformed::new(Kind::NotUtf8, "", "not UTF-8", "UTF-8"),
        });
    }
    if data.starts_with(BOM) {
        return Err(Malformed::new(
            Kind::NotUtf8,
            "",
            "preceded by a byte order mark",
            "UTF-8 without one inside the log (remove it)",
        ));
    }
    let mut reader = Reader { data, at: 0 };
    match reader.validate() {
        Some((start, end, suspect)) => Ok(Record { value: Value { raw: &data[start..end] }, suspect }),
        None => Err(Malformed::new(Kind::NotJson, "", "not JSON", "one JSON value")),
    }
}

impl Record<'_> {
    /// `too_deep` or `number`, for a record that signals.
    pub fn check_limits(&self) -> Result<(), Box<Malformed>> {
        if !self.suspect {
            return Ok(());
        }
        let limits = Limits::of(self.value.raw);
        if limits.depth > MAX_DEPTH {
            let found = format!("{} levels deep", limits.depth);
            return Err(Malformed::new(Kind::TooDeep, "", found, format!("at most {MAX_DEPTH}")));
        }
        match limits.bad_number {
            Some((path, found, expected)) => Err(Malformed::new(Kind::Number, path, found, expected)),
            None => Ok(()),
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Bytes that need no look inside a string.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The bounds of the one value and whether a limit may be broken; None when this is no JSON.
    fn validate(&mut self) -> Option<(usize, usize, bool)> {
        // One entry an open container: whether it is an object.
        let mut open: Vec<bool> = Vec::new();
        let mut deepest = 0;
        let mut odd_number = false;
        self.skip_space();
        let start = self.at;
        'value: loop {
            self.skip_space();
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    open.push(true);
                    deepest = deepest.max(open.len());
                    self.skip_space();
                    if self.eat(b'}') {
                        open.pop();
                    } else {
                        self.key()?;
                        continue 'value;
                    }
                }
                b'[' => {
                    self.at += 1;
                    open.push(false);
                    deepest = deepest.max(open.len());
                    self.skip_space();
                    if self.eat(b']') {
                        open.pop();
                    } else {
                        continue 'value;
                    }
                }
                b'"' => self.string()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => odd_number |= out_of_range(self.number()?).is_some(),
            }
            // A value has ended: close what ends with it, then look for the next.
            loop {
                let Some(&is_object) = open.last() else {
                    let end = self.at;
                    self.skip_space();
                    let is_suspect = odd_number || deepest > MAX_DEPTH;
                    return (self.at == self.data.len()).then_some((start, end, is_suspect));
                };
                self.skip_space();
                if self.eat(b',') {
                    if is_object {
                        self.skip_space();
                        self.key()?;
                    }
                    continue 'value;
                }
                if !self.eat(if is_object { b'}' } else { b']' }) {
                    return None;
                }
                open.pop();
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.string()?;
        self.skip_space();
        self.eat(b':').then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let found = self.data.get(self.at..)?.starts_with(word);
        self.at += word.len();
        found.then_some(())
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            while self.peek().is_some_and(|byte| PLAIN[usize::from(byte)]) {
                self.at += 1;
            }
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => match self.data.get(self.at + 1)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
                    b'u' => {
                        let digits = self.data.get(self.at + 2..self.at + 6)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.at += 6;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<&[u8]> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        self.data.get(start..self.at)
    }
}

/// What is wrong with a number in a record that signals: found and expected.
fn out_of_range(number: &[u8]) -> Option<(String, String)> {
    // No float without an exponent or this many digits overflows, and no integer is too long.
    const SURELY_FINE: usize = 300;
    let is_float = number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if number.len() < SURELY_FINE && !number.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return None;
    }
    if is_float {
        let value: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        return value.is_infinite().then(|| ("beyond the range of a float".into(), "a finite number".into()));
    }
    let digits = number.len() - usize::from(number.first() == Some(&b'-'));
    (digits > MAX_DIGITS).then(|| (format!("an integer of {digits} digits"), format!("at most {MAX_DIGITS}")))
}

/// How deep a record is, and where its first number out of range stands. Slow: only for records that are suspect.
struct Limits {
    depth: usize,
    bad_number: Option<(String, String, String)>,
}

enum Level<'a> {
    List(usize),
    Object(&'a [u8]),
}

impl Limits {
    /// `raw` is valid JSON.
    fn of(raw: &[u8]) -> Self {
        let mut limits = Self { depth: 0, bad_number: None };
        let mut levels: Vec<Level<'_>> = Vec::new();
        let mut reader = Reader { data: raw, at: 0 };
        // Whether a string that comes now is a member's name.
        let mut name_next = false;
        while let Some(byte) = reader.peek() {
            match byte {
                b'{' | b'[' => {
                    levels.push(if byte == b'{' { Level::Object(b"") } else { Level::List(0) });
                    limits.depth = limits.depth.max(levels.len());
                    name_next = byte == b'{';
                    reader.at += 1;
                }
                b'}' | b']' => {
                    levels.pop();
                    name_next = false;
                    reader.at += 1;
                }
                b',' => {
                    match levels.last_mut() {
                        Some(Level::List(index)) => *index += 1,
                        _ => name_next = true,
                    }
                    reader.at += 1;
                }
                b'"' => {
                    let start = reader.at;
                    if reader.string().is_none() {
                        break;
                    }
                    if name_next && let Some(Level::Object(name)) = levels.last_mut() {
                        *name = &raw[start + 1..reader.at - 1];
                    }
                    name_next = false;
                }
                b'-' | b'0'..=b'9' => {
                    let Some(number) = reader.number() else { break };
                    if limits.bad_number.is_none()
                        && let Some((found, expected)) = out_of_range(number)
                    {
                        limits.bad_number = Some((path(&levels), found, expected));
                    }
                }
                _ => reader.at += 1,
            }
        }
        limits
    }
}

/// A path to a value, member names as they are written in the record.
fn path(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::List(index) => path.push_str(&format!("[{index}]")),
            Level::Object(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&String::from_utf8_lossy(name));
            }
        }
    }
    path
}

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

impl Reader<'_> {
    /// Past a string of valid JSON.
    fn skip_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.data.get(self.at..)?)?;
            if self.eat(b'"') {
                return Some(());
            }
            self.at += 2;
        }
    }

    /// Past a value of valid JSON.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                byte if is_space(byte) => self.at += 1,
                _ => {
                    // A number or a word.
                    while self
                        .peek()
                        .is_some_and(|byte| !is_space(byte) && !matches!(byte, b',' | b'}' | b']' | b':'))
                    {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// Undo the escapes of valid string contents; two halves written one after the other become one character.
fn unescape(mut inner: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(b'\\', inner) {
        out.extend_from_slice(&inner[..at]);
        let (mut point, mut used) = escape(&inner[at..]);
        if (0xD800..0xDC00).contains(&point) && inner.get(at + used) == Some(&b'\\') {
            let (low, low_used) = escape(&inner[at + used..]);
            if (0xDC00..0xE000).contains(&low) {
                point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                used += low_used;
            }
        }
        match char::from_u32(point) {
            Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            #[allow(clippy::cast_possible_truncation)]
            None => out.extend_from_slice(&[0xED, 0x80 | (point >> 6 & 0x3F) as u8, 0x80 | (point & 0x3F) as u8]),
        }
        inner = inner.get(at + used..).unwrap_or_default();
    }
    out.extend_from_slice(inner);
}

/// The code unit of the escape at the start and its length.
fn escape(inner: &[u8]) -> (u32, usize) {
    let short = match inner.get(1) {
        Some(b'u') => {
            let digits = inner.get(2..6).and_then(|digits| std::str::from_utf8(digits).ok());
            return (digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xFFFD), 6);
        }
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => 0x0A,
        Some(b'r') => 0x0D,
        Some(b't') => 0x09,
        Some(&other) => u32::from(other),
        None => 0xFFFD,
    };
    (short, 2)
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

/// Whether the text of a message's content is more than blank.
pub fn has_text(content: Value<'_>) -> bool {
    let mut found = false;
    let _ = text::block_texts(&content, &mut |block| {
        found = !text::is_blank(block);
        if found { Flow::Stop } else { Flow::Continue }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_rfc_8259() {
        for good in ["{}", "[]", " 1 ", "-0.5e+3", "\"\\u00e9\\/\"", "[[],{\"a\":[1,2]},null]", "true"] {
            assert!(parse(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in [
            "",
            " ",
            "{",
            "]",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "01",
            "1.",
            "+1",
            "NaN",
            "Infinity",
            "-",
            "1e",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\t\"",
            "tru",
            "[1 2]",
            "{\"a\":1,}",
            "1 2",
            "{\"a\":1]",
            "\"",
            "[\"a\":1]",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_last_member_of_a_name_wins_however_it_is_spelt() {
        let record = parse(br#"{"type":"a","data":1,"\u0074ype":"b"}"#).unwrap();
        let Ok([kind, data]) = record.value.members([Key::Type, Key::Data]);
        let Ok(text) = kind.unwrap().with_text(<[u8]>::to_vec);
        assert_eq!(text.unwrap(), b"b");
        assert_eq!(data.unwrap().ordinal(), Some(1));
    }

    #[test]
    fn limits_name_the_innermost_value() {
        let digits = "9".repeat(MAX_DIGITS + 1);
        let record = format!(r#"{{"a":[0,{{"b":1,"c":[{digits}]}}]}}"#);
        let error = parse(record.as_bytes()).unwrap().check_limits().unwrap_err();
        assert_eq!(error.to_string(), "a[1].c[0] is an integer of 4301 digits, expected at most 4300");
        let deep = format!("{}{}", "[".repeat(513), "]".repeat(513));
        let error = parse(deep.as_bytes()).unwrap().check_limits().unwrap_err();
        assert_eq!(error.to_string(), "the record is 513 levels deep, expected at most 512");
        let float = parse(b"[1, 1e999]").unwrap().check_limits().unwrap_err();
        assert_eq!(float.path, "[1]");
    }

    #[test]
    fn escapes_that_make_a_pair_make_a_character() {
        let value = parse(br#""a\ud83d\ude00\ud83dz\n""#).unwrap().value;
        let Ok(text) = value.with_text(<[u8]>::to_vec);
        assert_eq!(text.unwrap(), b"a\xF0\x9F\x98\x80\xED\xA0\xBDz\n");
    }
}
