//! Which lines of a stretch of whole lines must be examined (spec S7 Candidates).

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::log::needles;

/// Whether a line is blank: nothing but space, tab and CR.
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// Without the zero bytes at the end.
pub fn without_padding(bytes: &[u8]) -> &[u8] {
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..used).unwrap_or_default()
}

/// The lines of a stretch that hold a needle, in order, without their LF.
pub fn with_needle(stretch: &[u8], out: &mut Vec<Range<usize>>) {
    let mut at = 0;
    needles::each(stretch, |hit| {
        let start = memrchr(b'\n', &stretch[at..hit]).map_or(at, |lf| at + lf + 1);
        let end = memchr(b'\n', &stretch[hit..]).map_or(stretch.len(), |lf| hit + lf);
        out.push(start..end);
        at = end + 1;
        at
    });
}

/// What is said of bytes after the last LF that aren't JSON.
pub fn torn_sentence(length: usize) -> String {
    let (bytes, are) = if length == 1 { ("byte", "is") } else { ("bytes", "are") };
    format!("{length} {bytes} after the last line feed {are} not JSON")
}

/// How many LFs there are.
pub fn count(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_needle_are_found_once_each() {
        let stretch = b"a assistant/ b turn/end\nnothing\n\\u0061\n{\"x\":\"\\/\"}\n\\u0012\nend-seed";
        let mut found = Vec::new();
        with_needle(stretch, &mut found);
        let lines: Vec<_> = found.iter().map(|range| &stretch[range.clone()]).collect();
        let expected: [&[u8]; 4] = [b"a assistant/ b turn/end", b"\\u0061", b"{\"x\":\"\\/\"}", b"end-seed"];
        assert_eq!(lines, expected);
    }
}
