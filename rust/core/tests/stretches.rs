//! The answer never depends on how a log is cut into stretches, nor on how many threads walk them (spec S5 `threads`).

// A test that can't go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::io;

use lastsaid_core::log::reading::{Options, read};
use lastsaid_core::log::source::{File, Memory, Positioned};
use lastsaid_core::log::stretches::Threads;
use lastsaid_core::suffix::Suffix;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use support::generate;
use support::said::{Said, said};
use support::tape::Tape;

/// Lines in which each record has something to lose: marks, text on both sides of them, defects, envelopes, no records.
const LINES: [&str; 14] = [
    r#"{"type":"session","version":1,"seedLength":2,"id":"s"}"#,
    r#"{"type":"assistant/message","seq":1,"data":{"message":{"content":[{"type":"text","text":"said"}]}}}"#,
    r#"{"type":"assistant/message","seq":3,"data":{"message":{"content":[{"type":"tool-call"}]}}}"#,
    r#"{"type":"assistant/message","data":{"message":{"content":[]},"stream":[{"type":"text-chunks","texts":["a\ud83d"]}]}}"#,
    r#"{"type":"assistant/attempt","data":{"stream":[{"type":"text-chunks","texts":["\ude00b","",7]}]}}"#,
    r#"{"type":"assistant/attempt","seq":4,"data":{"stream":[{"type":"text-chunks","texts":["\ude00b",""]}]}}"#,
    r#"{"type":"text-chunks","seq0":1,"data":{"texts":["c","d","e"]}}"#,
    r#"{"type":"session/end-seed","data":{"inherited":true}}"#,
    r#"{"type":"turn/start","seq":6,"data":{"turn":2}}"#,
    r#"{"type":"turn/end","data":{"reason":{"kind":"max-tokens"}}}"#,
    r#"{"type":"assistant/message","data":{"message":{"content":1}}}"#,
    r#"{"type":"tool/result","data":"noise \\u0061 é"}"#,
    r#"broken assistant/"#,
    "",
];

/// A file that other threads may read, which gives a few bytes at a time and is interrupted now and then.
struct Slow<'a>(&'a [u8]);

impl Positioned for Slow<'_> {
    fn read_at(&self, room: &mut [u8], at: u64) -> io::Result<usize> {
        let rest = &self.0[usize::try_from(at).unwrap().min(self.0.len())..];
        let len = room.len().min(rest.len()).min(1 + usize::try_from(at).unwrap() % 53);
        if len > 40 && at % 3 == 1 && room[0] == 0 {
            room[0] = 1;
            return Err(io::ErrorKind::Interrupted.into());
        }
        room[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn shared(&self) -> Option<&(dyn Positioned + Sync)> {
        Some(self)
    }
}

fn in_stretches(log: &[u8], options: &Options, count: usize, stretch: u64) -> (Said, Said) {
    let options = Options { threads: Threads { count, stretch }, ..options.clone() };
    let mut slow = File::new(Slow(log), 0, log.len() as u64);
    (said(read(&mut Memory::new(log), &options)), said(read(&mut slow, &options)))
}

/// Whether it is the same in stretches of that many bytes.
fn is_same(
    log: &[u8],
    options: &Options,
    stretches: impl Iterator<Item = u64>,
    counts: &[usize],
) -> Result<(), String> {
    let alone = said(read(&mut Memory::new(log), options));
    for stretch in stretches {
        for count in counts {
            let (memory, file) = in_stretches(log, options, *count, stretch);
            for (way, found) in [("memory", memory), ("a file", file)] {
                if found != alone {
                    return Err(format!(
                        "{options:?} of {}\nin one piece: {alone:#?}\n{way}, {count} threads, {stretch} bytes each: {found:#?}",
                        String::from_utf8_lossy(log)
                    ));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn logs_of_all_sorts_of_lines_in_stretches_of_every_size() {
    // Deterministic: each log is another walk through the lines; each stretch size cuts it elsewhere.
    let options = [
        Options::default(),
        Options { skip: true, ..Options::default() },
        Options { suffix: Suffix::Whole, ..Options::default() },
        Options { limit: 90, skip: true, ..Options::default() },
    ];
    for step in [1, 3, 5, 9, 11, 13] {
        for first in [0, 4, 8, 11] {
            for length in [3, 5, 8] {
                let lines: Vec<_> = (0..length).map(|at| LINES[(first + at * step) % LINES.len()]).collect();
                let mut log = lines.join("\n").into_bytes();
                if step % 3 != 0 {
                    log.push(b'\n');
                }
                for options in &options {
                    let stretches = (1..log.len() as u64 + 2).step_by(1 + step % 4);
                    is_same(&log, options, stretches, &[1]).unwrap_or_else(|differ| panic!("{differ}"));
                    is_same(&log, options, [7, 40, 61, 200].into_iter(), &[2, 3])
                        .unwrap_or_else(|differ| panic!("{differ}"));
                }
            }
        }
    }
}

#[test]
fn any_log_in_stretches_of_any_size_on_any_number_of_threads() {
    // S5, S6.3
    let from_env = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let config = Config {
        cases: u32::try_from(from_env("PROPTEST_CASES").unwrap_or(256)).unwrap(),
        rng_seed: RngSeed::Fixed(from_env("PROPTEST_RNG_SEED").unwrap_or(20_261_201)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let tapes = proptest::collection::vec(any::<u8>(), 0..=1800);
    let outcome = TestRunner::new(config).run(&tapes, |bytes| {
        let tape = &mut Tape::new(&bytes);
        let log = generate::any_log(tape, 12);
        let log = if tape.rarely(3) { generate::mutated(tape, log) } else { log };
        let options = generate::options(tape, true);
        let stretches: Vec<_> = (0..4).map(|_| 1 + tape.below_wide(log.bytes.len() + 3) as u64).collect();
        let counts = [1, 2 + tape.below(7)];
        is_same(&log.bytes, &options, stretches.into_iter(), &counts).map_err(TestCaseError::fail)
    });
    if let Err(failed) = outcome {
        panic!("{failed}");
    }
}
