//! JSON as the tests know it: their own reader, so that the core's is held against something else.
//!
//! Strings are UTF-16 units, in which lone surrogates are nothing special and halves that meet are a pair.

use std::collections::BTreeMap;
use std::fmt;

use super::tape::Tape;

pub type Units = Vec<u16>;

/// A value; of several members of one name the last is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(Units),
    List(Vec<Json>),
    Object(BTreeMap<Units, Json>),
}

/// A number as it is written. Integers are the same digit by digit, floats as floats, and neither is the other.
#[derive(Clone, Debug)]
pub struct Number(String);

impl Number {
    fn float(&self) -> Option<f64> {
        if self.0.contains(['.', 'e', 'E']) { self.0.parse().ok() } else { None }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self.float(), other.float()) {
            (None, None) => self.0 == other.0,
            (Some(ours), Some(theirs)) => ours.to_bits() == theirs.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Number {}

pub fn units(text: &str) -> Units {
    text.encode_utf16().collect()
}

pub fn string(text: &str) -> Json {
    Json::String(units(text))
}

pub fn number(number: impl fmt::Display) -> Json {
    Json::Number(Number(number.to_string()))
}

/// A value as it is written in JSON.
pub fn literal(text: &str) -> Json {
    parse(text.as_bytes()).unwrap()
}

pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (units(name), value)).collect())
}

/// One text block.
pub fn text_block(text: Units) -> Json {
    object([("type", string("text")), ("text", Json::String(text))])
}

impl Json {
    /// A member of an object; None for anything else.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.get(&units(name)),
            _ => None,
        }
    }

    /// An object with one member more.
    pub fn with(mut self, name: &str, value: Json) -> Self {
        if let Self::Object(members) = &mut self {
            members.insert(units(name), value);
        }
        self
    }

    pub fn as_units(&self) -> Option<&Units> {
        match self {
            Self::String(units) => Some(units),
            _ => None,
        }
    }

    /// A string without lone surrogates.
    pub fn as_text(&self) -> Option<String> {
        String::from_utf16(self.as_units()?).ok()
    }

    pub fn is(&self, text: &str) -> bool {
        self.as_units().is_some_and(|found| *found == units(text))
    }

    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Self::List(elements) => Some(elements),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.0.parse().ok(),
            _ => None,
        }
    }

    /// An ordinal (spec S1).
    pub fn as_ordinal(&self) -> Option<u64> {
        self.as_int().and_then(|number| u64::try_from(number).ok()).filter(|number| *number < 1 << 53)
    }
}

/// UTF-16 as WTF-8: pairs as one character, lone surrogates as three bytes.
pub fn wtf8(units: &[u16]) -> Vec<u8> {
    let mut out = Vec::new();
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let [high, low] = lone.unpaired_surrogate().to_be_bytes();
                out.extend_from_slice(&[0xED, 0x80 | (high & 0xF) << 2 | low >> 6, 0x80 | low & 0x3F]);
            }
        }
    }
    out
}

/// WTF-8 as UTF-16.
pub fn from_wtf8(mut bytes: &[u8]) -> Units {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                out.extend(text.encode_utf16());
                break;
            }
            Err(error) => {
                let (sound, rest) = bytes.split_at(error.valid_up_to());
                out.extend(std::str::from_utf8(sound).unwrap().encode_utf16());
                assert!(rest.len() >= 3 && rest[0] == 0xED && rest[1] >= 0xA0, "no WTF-8: {bytes:?}");
                out.push(0xD000 | u16::from(rest[1] & 0x3F) << 6 | u16::from(rest[2] & 0x3F));
                bytes = &rest[3..];
            }
        }
    }
    out
}

/// The one value that the bytes hold; None when they are no JSON (RFC 8259).
pub fn parse(bytes: &[u8]) -> Option<Json> {
    let text: Vec<char> = std::str::from_utf8(bytes).ok()?.chars().collect();
    let mut parser = Parser { text: &text };
    let value = parser.value()?;
    parser.space();
    parser.text.is_empty().then_some(value)
}

struct Parser<'a> {
    text: &'a [char],
}

impl Parser<'_> {
    fn space(&mut self) {
        while let [' ' | '\t' | '\n' | '\r', rest @ ..] = self.text {
            self.text = rest;
        }
    }

    fn next(&mut self) -> Option<char> {
        let (&first, rest) = self.text.split_first()?;
        self.text = rest;
        Some(first)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.text.first() == Some(&wanted);
        if found {
            self.text = &self.text[1..];
        }
        found
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        word.chars().all(|wanted| self.eat(wanted)).then_some(value)
    }

    fn value(&mut self) -> Option<Json> {
        self.space();
        match self.text.first()? {
            'n' => self.word("null", Json::Null),
            't' => self.word("true", Json::Bool(true)),
            'f' => self.word("false", Json::Bool(false)),
            '"' => self.string().map(Json::String),
            '[' => self.list(),
            '{' => self.object(),
            _ => self.number(),
        }
    }

    fn list(&mut self) -> Option<Json> {
        self.next();
        let mut elements = Vec::new();
        self.space();
        if self.eat(']') {
            return Some(Json::List(elements));
        }
        loop {
            elements.push(self.value()?);
            self.space();
            match self.next()? {
                ',' => {}
                ']' => return Some(Json::List(elements)),
                _ => return None,
            }
        }
    }

    fn object(&mut self) -> Option<Json> {
        self.next();
        let mut members = BTreeMap::new();
        self.space();
        if self.eat('}') {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            if self.text.first() != Some(&'"') {
                return None;
            }
            let name = self.string()?;
            self.space();
            if !self.eat(':') {
                return None;
            }
            members.insert(name, self.value()?);
            self.space();
            match self.next()? {
                ',' => {}
                '}' => return Some(Json::Object(members)),
                _ => return None,
            }
        }
    }

    fn string(&mut self) -> Option<Units> {
        self.next();
        let mut out = Units::new();
        loop {
            match self.next()? {
                '"' => return Some(out),
                '\\' => out.push(match self.next()? {
                    'b' => 8,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'u' => {
                        let mut unit = 0;
                        for _ in 0..4 {
                            unit = unit << 4 | u16::try_from(self.next()?.to_digit(16)?).ok()?;
                        }
                        unit
                    }
                    same @ ('"' | '\\' | '/') => same as u16,
                    _ => return None,
                }),
                '\0'..='\x1f' => return None,
                other => out.extend_from_slice(other.encode_utf16(&mut [0; 2])),
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let before = self.text.len();
        while let ['0'..='9', rest @ ..] = self.text {
            self.text = rest;
        }
        (self.text.len() < before).then_some(())
    }

    fn number(&mut self) -> Option<Json> {
        let written = self.text;
        self.eat('-');
        if !self.eat('0') {
            self.digits()?;
        }
        if self.eat('.') {
            self.digits()?;
        }
        if self.eat('e') || self.eat('E') {
            if !self.eat('-') {
                self.eat('+');
            }
            self.digits()?;
        }
        let length = written.len() - self.text.len();
        Some(Json::Number(Number(written[..length].iter().collect())))
    }
}

impl fmt::Display for Json {
    /// The plainest rendering.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rendered(self, &mut Tape::new(&[])))
    }
}

/// The value as JSON text in some shape: key order, spacing, escapes, duplicate keys of which the last counts.
pub fn rendered(value: &Json, tape: &mut Tape<'_>) -> String {
    let mut out = String::new();
    let style = Style {
        spaced: tape.rarely(3),
        escaped: tape.rarely(3),
        shuffled: tape.rarely(2),
        doubled: tape.rarely(3),
    };
    render(value, &style, tape, &mut out);
    out
}

struct Style {
    spaced: bool,
    escaped: bool,
    shuffled: bool,
    doubled: bool,
}

impl Style {
    fn space(&self, tape: &mut Tape<'_>, out: &mut String) {
        if self.spaced {
            out.push_str(tape.pick(&["", "", " ", "\t", "  ", "\r"]));
        }
    }
}

fn render(value: &Json, style: &Style, tape: &mut Tape<'_>, out: &mut String) {
    style.space(tape, out);
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&number.0),
        Json::String(units) => render_string(units, style, tape, out),
        Json::List(elements) => {
            out.push('[');
            for (nth, element) in elements.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                render(element, style, tape, out);
            }
            style.space(tape, out);
            out.push(']');
        }
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(name, value)| (name, value.clone())).collect();
            if style.shuffled {
                for nth in (1..members.len()).rev() {
                    members.swap(nth, tape.below(nth + 1));
                }
            }
            if style.doubled && !members.is_empty() && tape.rarely(3) {
                let loses =
                    ["null", "[]", "\"x\"", "{\"a\":1}", "3", "\"assistant/message\"", "[[{\"text\":\"}\"}]]"];
                let name = members[tape.below(members.len())].0;
                members.insert(0, (name, literal(tape.pick(&loses))));
            }
            out.push('{');
            for (nth, (name, value)) in members.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                style.space(tape, out);
                render_string(name, style, tape, out);
                style.space(tape, out);
                out.push(':');
                render(value, style, tape, out);
            }
            style.space(tape, out);
            out.push('}');
        }
    }
    style.space(tape, out);
}

fn render_string(units: &[u16], style: &Style, tape: &mut Tape<'_>, out: &mut String) {
    let escape = |unit: u16, tape: &mut Tape<'_>| {
        if style.escaped && tape.rarely(2) { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") }
    };
    out.push('"');
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(character) if style.escaped && tape.rarely(2) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&escape(*unit, tape));
                }
            }
            Ok('/') if style.escaped => out.push_str("\\/"),
            Ok('"') => out.push_str("\\\""),
            Ok('\\') => out.push_str("\\\\"),
            Ok('\n') => out.push_str("\\n"),
            Ok('\t') => out.push_str("\\t"),
            Ok(control @ '\0'..='\x1f') => out.push_str(&escape(control as u16, tape)),
            Ok(other) => out.push(other),
            Err(lone) => out.push_str(&escape(lone.unpaired_surrogate(), tape)),
        }
    }
    out.push('"');
}
