//! What a record may not do only when it signals: how deep it is, which number is out of range (spec S7).

use super::escape::unescape;
use super::reader::{Reader, out_of_range};

/// How deep a record is, and where its first number out of range stands. Slow: only for records that are suspect.
pub struct Limits {
    pub depth: usize,
    pub bad_number: Option<(String, String, String)>,
}

enum Level<'a> {
    List(usize),
    Object(&'a [u8]),
}

impl Limits {
    /// `raw` is valid JSON.
    pub fn of(raw: &[u8]) -> Self {
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

/// A path to a value.
fn path(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::List(index) => path.push_str(&format!("[{index}]")),
            Level::Object(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&shown(name));
            }
        }
    }
    path
}

/// A member's name without its escapes, U+FFFD for each unpaired half: a path is shown to people.
fn shown(name: &[u8]) -> String {
    let mut plain = Vec::new();
    unescape(name, &mut plain);
    for at in 0..plain.len() {
        if let [first @ 0xED, second @ 0xA0..=0xBF, third, ..] = &mut plain[at..] {
            (*first, *second, *third) = (0xEF, 0xBF, 0xBD);
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
