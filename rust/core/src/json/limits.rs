//! What a record may not do only when it signals: how deep it is, which number is out of range (spec S7).

use super::MAX_DIGITS;
use super::reader::Reader;

/// What is wrong with a number in a record that signals: found and expected.
pub fn out_of_range(number: &[u8]) -> Option<(String, String)> {
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
