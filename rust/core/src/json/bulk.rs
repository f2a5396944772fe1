//! Sound records as most are: objects without white space, or with a space after each comma and colon, judged sixty-four bytes at a time.
//!
//! Each block is turned into one bit mask a class of bytes. What neighbours may stand beside each other is then a matter
//! of shifts; what only a list or only an object forbids is noted, and settled at the next bracket. Whatever is unusual, other white space or an
//! exponent as much as a defect, is left to [`super::reader`]: it judges alone, and this may never call sound what it doesn't.

use wide::u8x16;

use super::MAX_DEPTH;

const BLOCK: usize = 64;

/// An object or a list in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container {
    /// The offset of its bracket.
    pub open: u32,
    /// That of the other.
    pub close: u32,
    /// How many containers are inside: they come next.
    pub inside: u32,
}

/// Where in a record its containers and strings are.
#[derive(Debug, Default)]
pub struct Marks {
    /// In the order in which they open.
    pub containers: Vec<Container>,
    /// Of each block, a bit a byte: the quotes that begin and end strings, and the backslashes.
    pub strings: Vec<(u64, u64)>,
    /// The containers that are open: which, and whether the one around it is an object.
    stack: Vec<(usize, bool)>,
}

impl Marks {
    fn clear(&mut self, bytes: usize) {
        self.containers.clear();
        self.stack.clear();
        self.strings.clear();
        self.strings.reserve(bytes / BLOCK + 1);
    }
}

/// Sixty-four bytes.
struct Block([u8x16; 4]);

impl Block {
    #[inline(always)]
    fn new(bytes: &[u8; BLOCK]) -> Self {
        let (quarters, _) = bytes.as_chunks();
        Self(std::array::from_fn(|at| u8x16::new(quarters[at])))
    }

    /// One bit a byte, the first byte's lowest.
    #[inline(always)]
    fn mask(&self, class: impl Fn(u8x16) -> u8x16) -> u64 {
        let part = |at: usize| u64::from(class(self.0[at]).to_bitmask());
        part(0) | part(1) << 16 | part(2) << 32 | part(3) << 48
    }

    #[inline(always)]
    fn is(&self, byte: u8) -> u64 {
        let byte = u8x16::splat(byte);
        self.mask(|bytes| bytes.simd_eq(byte))
    }

    /// Whether it is one of two bytes that differ in the bit of upper and lower case: `{` and `[`, `}` and `]`.
    #[inline(always)]
    fn is_either(&self, lower: u8) -> u64 {
        let (lower, case) = (u8x16::splat(lower), u8x16::splat(0x20));
        self.mask(|bytes| (bytes | case).simd_eq(lower))
    }

    /// Whether it is `first` or one of the `more` after it.
    #[inline(always)]
    fn is_within(&self, first: u8, more: u8) -> u64 {
        let (first, more) = (u8x16::splat(first), u8x16::splat(more));
        self.mask(|bytes| {
            let above = bytes - first;
            above.min(more).simd_eq(above)
        })
    }

    fn is_hex(&self) -> u64 {
        let (case, first, more) = (u8x16::splat(0x20), u8x16::splat(b'a'), u8x16::splat(5));
        self.is_within(b'0', 9)
            | self.mask(|bytes| {
                let above = (bytes | case) - first;
                above.min(more).simd_eq(above)
            })
    }
}

/// What the last byte of a block was, for the first of the next: 0 or 1 each.
#[derive(Default)]
struct Before {
    ended_string: u64,
    /// One that may be a name.
    ended_name: u64,
    open: u64,
    close: u64,
    colon: u64,
    comma: u64,
    /// A space after one.
    spaced_colon: u64,
    spaced_comma: u64,
    scalar: u64,
    leading_zero: u64,
    /// A backslash that escapes the next byte.
    backslash: u64,
    /// A string that may be a name and isn't over.
    name: u64,
    /// All ones inside a string.
    inside: u64,
    /// Which of the next bytes belong to a `\u`.
    hex: u64,
}

/// The bytes after those of a mask.
#[inline(always)]
fn after(mask: u64, before: &mut u64) -> u64 {
    let shifted = mask << 1 | *before;
    *before = mask >> 63;
    shifted
}

/// From each odd bit to the next even one.
#[inline(always)]
fn prefix_xor(mut mask: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        mask ^= mask << shift;
    }
    mask
}

/// The bytes that a backslash escapes; `bad` gets those that none may.
#[inline(never)]
fn escaped(block: &Block, backslash: u64, before: &mut Before, bad: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let backslash = backslash & !before.backslash;
    let follows = backslash << 1 | before.backslash;
    // Of a run of backslashes that begins at an odd place, adding carries to the byte after its end.
    let odd = backslash & !EVEN & !follows;
    let (sum, over) = odd.overflowing_add(backslash);
    let escaped = (EVEN ^ (sum << 1)) & follows;
    before.backslash = u64::from(over);
    let hex = block.is(b'u') & escaped;
    let short =
        [b'"', b'\\', b'/', b'b', b'f', b'n', b'r', b't'].iter().fold(0, |all, byte| all | block.is(*byte));
    *bad |= escaped & !short & !hex;
    if hex | before.hex != 0 {
        *bad |= (hex << 1 | hex << 2 | hex << 3 | hex << 4 | before.hex) & !block.is_hex();
        before.hex = (60..BLOCK).filter(|at| hex >> at & 1 == 1).fold(0, |all, at| all | ((1 << (at - 59)) - 1));
    }
    escaped
}

/// Whether this is one JSON object or list that breaks no limit; if so `marks` are its. False doesn't mean that it isn't.
pub fn is_sound(data: &[u8], marks: &mut Marks) -> bool {
    marks.clear(data.len());
    let is_container = matches!(data, [b'{', .., b'}'] | [b'[', .., b']']);
    if !is_container || u32::try_from(data.len()).is_err() {
        return false;
    }
    let mut before = Before::default();
    let mut non_ascii = u8x16::ZERO;
    let mut level = Level::default();
    let mut last = [b' '; BLOCK];
    let mut at = 0;
    while at < data.len() {
        let rest = &data[at..];
        let bytes = if let Some(bytes) = rest.first_chunk() {
            bytes
        } else {
            last[..rest.len()].copy_from_slice(rest);
            &last
        };
        let block = Block::new(bytes);
        let live = if rest.len() < BLOCK { (1 << rest.len()) - 1 } else { u64::MAX };
        for quarter in block.0 {
            non_ascii |= quarter;
        }

        // Strings.
        let mut bad = block.is_within(0, 0x1F);
        let backslash = block.is(b'\\');
        let mut quote = block.is(b'"');
        if backslash | before.backslash | before.hex != 0 {
            quote &= !escaped(&block, backslash, &mut before, &mut bad);
        }
        marks.strings.push((quote, backslash));
        let inside = prefix_xor(quote) ^ before.inside;
        before.inside = 0_u64.wrapping_sub(inside >> 63);
        let (begins, ends) = (quote & inside, quote & !inside);

        // What is outside of them.
        let outside = !(inside | quote);
        let comma = block.is(b',') & outside;
        let colon = block.is(b':') & outside;
        let open = block.is_either(b'{') & outside;
        let close = block.is_either(b'}') & outside;
        let mut scalar = outside & live & !(comma | colon | open | close);
        let digit = block.is_within(b'0', 9);
        // One space after a comma or colon is as usual as none: Python writes it.
        let space = if scalar & !digit == 0 { 0 } else { scalar & block.is(b' ') };
        scalar &= !space;

        // Which may follow which.
        let after_string = after(ends, &mut before.ended_string);
        let after_open = after(open, &mut before.open);
        let after_colon = after(colon, &mut before.colon);
        let after_scalar = after(scalar, &mut before.scalar);
        let after_value = after_string | after(close, &mut before.close) | after_scalar;
        let scalar_begins = scalar & !after_scalar;
        let after_comma = after(comma, &mut before.comma);
        let after_spaced_colon = after(space & after_colon, &mut before.spaced_colon);
        let after_spaced_comma = after(space & after_comma, &mut before.spaced_comma);
        let is_first = u64::from(at == 0);
        let may_begin =
            after_open | after_colon | after_comma | after_spaced_colon | after_spaced_comma | is_first;
        bad |= space & !(after_colon | after_comma);
        bad |= (begins | scalar_begins | open) & !may_begin;
        bad |= comma & !after_value;
        bad |= close & !(after_value | after_open);

        // A string after a comma or at the beginning may be a name: adding carries from where it begins to where it
        // ends. A colon stands after a name alone.
        let after_separator = after_open | after_comma | after_spaced_comma;
        let (sum, over) = inside.overflowing_add(begins & after_separator);
        let (sum, more) = sum.overflowing_add(before.name);
        before.name = u64::from(over | more);
        let after_name = after(sum & ends, &mut before.ended_name);
        bad |= colon & !after_name;
        // What an object forbids: a name without a colon, and anything but a name where one is due. A list: colons.
        let not_in_object = after_name & !colon | (scalar_begins | open) & after_separator;

        // Scalars: digits alone are a number, unless several begin with zero. So long a number may be out of range.
        let is_longer = scalar_begins & (scalar >> 1 | 1 << 63);
        if is_longer | before.leading_zero != 0 {
            bad |= after(scalar_begins & block.is(b'0'), &mut before.leading_zero) & scalar & digit;
        }
        if bad != 0 || scalar == u64::MAX || !are_scalars(data, at, scalar & !digit) {
            return false;
        }
        if !level.pass(data, at, [not_in_object, colon], [open, close], marks) {
            return false;
        }
        at += BLOCK;
    }
    level.is_over && (non_ascii.to_bitmask() == 0 || simdutf8::basic::from_utf8(data).is_ok())
}

/// Whether the scalars of the block at `base` that hold these bytes are words or numbers that can't be out of range.
fn are_scalars(data: &[u8], base: usize, mut odd: u64) -> bool {
    while odd != 0 {
        let place = base + odd.trailing_zeros() as usize;
        let is_border = |byte: &u8| matches!(byte, b',' | b':' | b'[' | b']' | b'}' | b' ');
        let begin = data[..place].iter().rposition(is_border).map_or(0, |border| border + 1);
        let end = data[place..].iter().position(is_border).map_or(data.len(), |border| place + border);
        match &data[begin..end] {
            b"true" | b"false" | b"null" => {}
            scalar if is_number(scalar) => {}
            _ => return false,
        }
        odd = if end - base < BLOCK { odd & u64::MAX << (end - base) } else { 0 };
    }
    true
}

/// Whether it is a number without an exponent.
fn is_number(scalar: &[u8]) -> bool {
    let digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    let unsigned = scalar.strip_prefix(b"-").unwrap_or(scalar);
    let point = unsigned.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = unsigned.split_at(point.unwrap_or(unsigned.len()));
    digits(whole)
        && (whole.len() == 1 || whole[0] != b'0')
        && (fraction.is_empty() || digits(&fraction[1..]))
        && scalar.len() < 300
}

/// The container that we are in.
#[derive(Default)]
struct Level {
    is_object: bool,
    is_over: bool,
}

impl Level {
    /// Go through the brackets of the block at `base`; false where something stands that its container forbids.
    #[inline(always)]
    fn pass(
        &mut self,
        data: &[u8],
        base: usize,
        [not_in_object, not_in_list]: [u64; 2],
        [open, close]: [u64; 2],
        marks: &mut Marks,
    ) -> bool {
        let mut brackets = open | close;
        let mut left = u64::MAX;
        while brackets != 0 {
            let place = base + brackets.trailing_zeros() as usize;
            let bit = brackets & brackets.wrapping_neg();
            brackets ^= bit;
            let upto = bit | bit.wrapping_sub(1);
            if self.forbids(not_in_object, not_in_list) & left & upto != 0 {
                return false;
            }
            left = !upto;
            let is_passed =
                if open & bit != 0 { self.open(data, place, marks) } else { self.close(data, place, marks) };
            if !is_passed {
                return false;
            }
        }
        self.forbids(not_in_object, not_in_list) & left == 0
    }

    #[inline(always)]
    fn forbids(&self, not_in_object: u64, not_in_list: u64) -> u64 {
        if self.is_object { not_in_object } else { not_in_list }
    }

    #[inline(always)]
    fn open(&mut self, data: &[u8], place: usize, marks: &mut Marks) -> bool {
        if self.is_over || marks.stack.len() == MAX_DEPTH {
            return false;
        }
        marks.stack.push((marks.containers.len(), self.is_object));
        // Less than the record's length, which fits.
        #[allow(clippy::cast_possible_truncation)]
        marks.containers.push(Container { open: place as u32, close: 0, inside: 0 });
        self.is_object = data[place] == b'{';
        true
    }

    #[inline(always)]
    fn close(&mut self, data: &[u8], place: usize, marks: &mut Marks) -> bool {
        let Some((which, is_in_object)) = marks.stack.pop() else { return false };
        if self.is_object != (data[place] == b'}') {
            return false;
        }
        #[allow(clippy::cast_possible_truncation)]
        let (close, inside) = (place as u32, (marks.containers.len() - which - 1) as u32);
        marks.containers[which] = Container { close, inside, ..marks.containers[which] };
        self.is_object = is_in_object;
        self.is_over = marks.stack.is_empty();
        // Nothing follows the value, not even a string that doesn't end and so has no bracket.
        !self.is_over || place + 1 == data.len()
    }
}

#[cfg(test)]
mod tests;
