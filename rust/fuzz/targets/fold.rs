//! Any bytes as a log, with any options: all ways of reading it agree, and none of them fails (spec S6.3, S7).
//!
//! The first three bytes are the options.
#![no_main]

#[path = "../../core/tests/support/mod.rs"]
mod support;

use std::io::Cursor;

use lastsaid_core::feeding::{Feeding, Framing};
use lastsaid_core::log::frames::codec;
use lastsaid_core::log::reading::{self, Options};
use lastsaid_core::log::source::Memory;
use lastsaid_core::suffix::Suffix;
use libfuzzer_sys::fuzz_target;

use support::said::{Answer, said};
use support::ways::{agreed, stream};

fn options(head: [u8; 3]) -> Options {
    let n = i64::from(head[1] as i8);
    let suffix = match head[0] % 5 {
        0 => Suffix::Own,
        1 => Suffix::Whole,
        2 => Suffix::Start(n),
        3 => Suffix::Turn(n),
        _ => Suffix::SinceSeq(n.unsigned_abs()),
    };
    let limit = if head[2] & 2 == 0 { 1 << 20 } else { usize::from(head[2] >> 2) + 1 };
    Options { suffix, skip: head[2] & 1 == 1, limit, decompressed: 1 << 20, ..Options::default() }
}

/// What a stream is cut into, whatever its pieces are: each record's place and size, and what is left at the end.
fn fed(log: &[u8], framing: Framing, step: usize) -> (Vec<(u64, u64, u64, bool)>, bool) {
    let mut feeding = Feeding::default();
    let mut records = Vec::new();
    let mut take = |record: &lastsaid_core::feeding::Unfinished, examined: bool| -> Result<(), ()> {
        records.push((record.offset, record.line, record.size as u64, examined));
        let _ = record.parse();
        Ok(())
    };
    for piece in log.chunks(step) {
        let _ = feeding.feed(piece, framing, &mut take);
    }
    let _ = feeding.end(&mut take);
    let torn = feeding.torn;
    (records, torn)
}

fuzz_target!(|data: &[u8]| {
    let Some((head, log)) = data.split_first_chunk::<3>() else { return };
    let options = options(*head);
    if codec(log).is_some() {
        // How much is decompressed depends on the way; `frames` compares what is.
        let _ = reading::read(&mut Memory::new(log), &options);
        let _ = reading::read_stream(&mut Cursor::new(log), &options);
    } else if head[2] & 0xC0 == 0 && log.len() < 500 {
        if let Err(difference) = agreed(log, &options) {
            panic!("{difference}");
        }
    } else {
        // Two of the ways, for the others take long.
        let backward = said(reading::read(&mut Memory::new(log), &options)).map(Answer::without_lines);
        let forward = stream(log, 1.max(log.len() / 60), &options).map(Answer::without_lines);
        assert_eq!(backward, forward);
    }
    let explained = Options { explain: true, ..options.clone() };
    let _ = reading::read_sessions(&mut Memory::new(log), &explained);
    let problems = reading::check(log, &options).map(|problems| problems.len());
    assert!(problems.is_ok(), "a log in memory can be read");
    for framing in [Framing::Lines, Framing::Sse] {
        let at_once = fed(log, framing, usize::MAX);
        assert_eq!(fed(log, framing, 1.max(log.len() / 300)), at_once);
    }
});
