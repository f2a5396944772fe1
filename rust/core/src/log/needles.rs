//! Finding the needles of a format in bytes (spec S7 Candidates).
//!
//! A needle is looked for by its rarest part: the beginnings of `turn/start` and `assistant/` are the beginnings of
//! everyday words, and each false hit costs more than many bytes of searching (docs/decisions/needles.md).

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, packed};
use memchr::memmem;

use crate::formats::dsh;

/// The longest needle, and so how much of one block must be looked at again with the next.
pub const LONGEST: usize = {
    let mut longest = 0;
    let mut at = 0;
    while at < dsh::NEEDLES.len() {
        if dsh::NEEDLES[at].len() > longest {
            longest = dsh::NEEDLES[at].len();
        }
        at += 1;
    }
    longest
};

/// The length of a rare part. Needles that are shorter are looked for one by one.
const RARE: usize = 4;

/// A needle and where in it its rare part begins.
struct Needle {
    bytes: &'static [u8],
    rare: usize,
}

/// Vector instructions where the processor has them: measured at twenty times the automaton's speed.
enum Search {
    Vector(packed::Searcher),
    Automaton(AhoCorasick),
    /// The patterns are constants, so this does not happen: every line would be examined.
    None,
}

struct Needles {
    long: Vec<Needle>,
    search: Search,
    short: Vec<memmem::Finder<'static>>,
}

static NEEDLES: LazyLock<Needles> = LazyLock::new(|| {
    let (long, short): (Vec<&str>, Vec<&str>) = dsh::NEEDLES.iter().partition(|needle| needle.len() >= RARE);
    let long: Vec<Needle> = long.into_iter().map(Needle::new).collect();
    let parts: Vec<&[u8]> = long.iter().map(|needle| &needle.bytes[needle.rare..][..RARE]).collect();
    let search = match packed::Searcher::new(&parts) {
        Some(searcher) => Search::Vector(searcher),
        None => AhoCorasick::new(&parts).map_or(Search::None, Search::Automaton),
    };
    Needles { long, search, short: short.into_iter().map(memmem::Finder::new).collect() }
});

impl Needle {
    /// The part around the first byte that isn't a letter: words are everywhere, `rn/s` and `xt-c` hardly anywhere.
    fn new(needle: &'static str) -> Self {
        let bytes = needle.as_bytes();
        let odd = bytes.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(0);
        // An escape's last four characters; else two letters before the odd byte and one after it.
        let rare = if odd == 0 { bytes.len() - RARE } else { odd.saturating_sub(2).min(bytes.len() - RARE) };
        Self { bytes, rare }
    }
}

/// The place of the first needle of at least four bytes that begins at `from` or later.
fn find_long(bytes: &[u8], from: usize) -> Option<usize> {
    let needles = &*NEEDLES;
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let (hit, which) = match &needles.search {
            Search::Vector(searcher) => searcher.find(rest).map(|hit| (hit.start(), hit.pattern().as_usize()))?,
            Search::Automaton(automaton) => {
                automaton.find(rest).map(|hit| (hit.start(), hit.pattern().as_usize()))?
            }
            Search::None => return (!rest.is_empty()).then_some(at),
        };
        let needle = &needles.long[which];
        let hit = at + hit;
        if let Some(start) = hit.checked_sub(needle.rare).filter(|start| *start >= from)
            && bytes[start..].starts_with(needle.bytes)
        {
            return Some(start);
        }
        at = hit + 1;
    }
}

fn find_short(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    NEEDLES.short.iter().filter_map(|needle| needle.find(rest)).min().map(|hit| from + hit)
}

/// Whether bytes hold a needle.
pub fn is_in(bytes: &[u8]) -> bool {
    find_long(bytes, 0).is_some() || find_short(bytes, 0).is_some()
}

/// The places of needles, in order, at least the first of each line that has any: after one the search goes on
/// where `next` says.
pub fn each(bytes: &[u8], mut next: impl FnMut(usize) -> usize) {
    let mut at = 0;
    let mut long = find_long(bytes, 0);
    while at < bytes.len() {
        // The short ones are rare, and looked for only as far as the next long one, while those bytes are in reach.
        let upto = long.unwrap_or(bytes.len());
        while let Some(short) = bytes.get(..upto).and_then(|bytes| find_short(bytes, at)) {
            at = next(short);
        }
        let Some(hit) = long else { return };
        if at <= hit {
            at = next(hit);
        }
        long = find_long(bytes, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_parts_lie_around_what_is_no_letter() {
        let parts: Vec<_> = NEEDLES.long.iter().map(|needle| &needle.bytes[needle.rare..][..RARE]).collect();
        let expected: [&[u8]; 12] = [
            b"ant/", b"xt-c", b"rn/s", b"rn/e", b"nd-s", b"nt.s", b"u002", b"u003", b"u004", b"u005", b"u006",
            b"u007",
        ];
        assert_eq!(parts, expected);
        assert_eq!(NEEDLES.short.len(), 1);
    }

    #[test]
    fn every_needle_is_found_at_every_place_and_a_part_of_it_nowhere() {
        for needle in dsh::NEEDLES {
            for before in 0..80 {
                let mut bytes = vec![b'x'; before];
                bytes.extend_from_slice(needle.as_bytes());
                assert!(is_in(&bytes), "{needle} after {before}");
                assert!(!is_in(&bytes[..bytes.len() - 1]) && !is_in(&bytes[before + 1..]), "{needle}");
                bytes.extend_from_slice(&[b'x'; 80]);
                let mut found = Vec::new();
                each(&bytes, |at| {
                    found.push(at);
                    bytes.len()
                });
                assert_eq!(found, [before], "{needle}");
            }
        }
    }
}
