//! One record of JSON text, validated whole and then read lazily where it lies (spec S7).
//!
//! Iterative throughout: a record may be nested to any depth. RFC 8259 is the grammar; what a record
//! may not do only when it signals (depth, size of numbers) is noticed here, and named when somebody asks.

mod bulk;
mod escape;
mod limits;
mod members;
mod reader;
mod value;

pub use members::{Members, Name};
pub use value::Value;

use crate::error::{Kind, Malformed};
use bulk::Marks;
use limits::Limits;
use reader::{Reader, is_space};

/// The deepest nesting of a record that signals, the record itself counted as 1.
pub const MAX_DEPTH: usize = 512;
/// The most digits of an integer in a record that signals.
pub const MAX_DIGITS: usize = 4300;
/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

const BEGINNINGS: [(&[u8], &str); 6] = [
    (b"\x1F\x8B", "gzip data"),
    (b"\x28\xB5\x2F\xFD", "zstd data"),
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

/// Reads records one after the other, and keeps the room for its notes on each.
#[derive(Debug, Default)]
pub struct Parser {
    marks: Marks,
}

impl Parser {
    /// Read one record: it is UTF-8 and one JSON value, or the defect says which it isn't.
    pub fn parse<'p>(&'p mut self, data: &'p [u8]) -> Result<Record<'p>, Box<Malformed>> {
        let trimmed = without_space(data);
        if bulk::is_sound(trimmed, &mut self.marks) {
            return Ok(Record { value: Value::marked(trimmed, &self.marks), suspect: false });
        }
        judge(data)
    }
}

/// [`Parser::parse`] of a single record.
pub fn parse(data: &[u8]) -> Result<Record<'_>, Box<Malformed>> {
    judge(data)
}

/// Whether this is UTF-8 and one JSON value.
pub fn is_record(data: &[u8]) -> bool {
    Parser::default().parse(data).is_ok()
}

fn without_space(mut data: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = data
        && is_space(*first)
    {
        data = rest;
    }
    while let [rest @ .., last] = data
        && is_space(*last)
    {
        data = rest;
    }
    data
}

/// The judgement of the reader, which is exact and says what is wrong.
fn judge(data: &[u8]) -> Result<Record<'_>, Box<Malformed>> {
    if simdutf8::basic::from_utf8(data).is_err() {
        let wide = BEGINNINGS.iter().find(|(beginning, _)| data.starts_with(beginning));
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
        Some((start, end, suspect)) => Ok(Record { value: Value::kept(&data[start..end]), suspect }),
        None => Err(Malformed::new(Kind::NotJson, "", "not JSON", "one JSON value")),
    }
}

impl Record<'_> {
    /// `too_deep` or `number`, for a record that signals.
    pub fn check_limits(&self) -> Result<(), Box<Malformed>> {
        if !self.suspect {
            return Ok(());
        }
        let limits = Limits::of(self.value.raw());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Key, Node};

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
