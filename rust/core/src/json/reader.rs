//! The grammar, RFC 8259: validating a value of any depth, and skipping one that is known to be valid.

use super::{MAX_DEPTH, MAX_DIGITS};

pub fn is_space(byte: u8) -> bool {
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

/// A place in JSON text.
pub struct Reader<'a> {
    pub data: &'a [u8],
    pub at: usize,
}

impl Reader<'_> {
    pub fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    pub fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The bounds of the one value and whether a limit may be broken; None when this is no JSON.
    pub fn validate(&mut self) -> Option<(usize, usize, bool)> {
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

    pub fn string(&mut self) -> Option<()> {
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

    pub fn number(&mut self) -> Option<&[u8]> {
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

impl Reader<'_> {
    /// Past a string of valid JSON.
    pub fn skip_string(&mut self) -> Option<()> {
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
    pub fn skip_value(&mut self) -> Option<()> {
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
