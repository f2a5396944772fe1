//! The escapes of JSON strings, into WTF-8.

/// Undo the escapes of valid string contents; two halves written one after the other become one character.
pub fn unescape(mut inner: &[u8], out: &mut Vec<u8>) {
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
