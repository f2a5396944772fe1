//! The laws of spec S6, and what S7 and S8 promise of any bytes at all.
//!
//! Cases are decided by tapes of bytes (`support/tape.rs`), always the same ones: PROPTEST_RNG_SEED asks for others,
//! PROPTEST_CASES for more.

// A test that can't go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use lastsaid_core::fold::Fold;
use lastsaid_core::json;
use lastsaid_core::log::reading::{Kept, Options, read};
use lastsaid_core::log::source::Memory;
use lastsaid_core::node::{Flow, Key, Node};
use lastsaid_core::suffix::Suffix;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use support::generate::{self, Log};
use support::json::{Json, from_wtf8, object, rendered, string, text_block, wtf8};
use support::naive::{self, Expected};
use support::said::{Answer, Failure, Said, of_fold, said};
use support::tape::Tape;
use support::ways::{List, agreed, folded, merged, push, records, state, stream};

fn from_env<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Ask a law for 256 tapes, or one in `share` of that. What it made of the tape is shown when it fails.
fn law(share: u32, longest: usize, holds: impl Fn(&mut Tape<'_>) -> Result<(), String>) {
    let cases = from_env("PROPTEST_CASES").unwrap_or(256_u32);
    let config = Config {
        cases: (cases / share).max(1),
        rng_seed: RngSeed::Fixed(from_env("PROPTEST_RNG_SEED").unwrap_or(20_261_130)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let tapes = proptest::collection::vec(any::<u8>(), 0..=longest);
    let outcome =
        TestRunner::new(config).run(&tapes, |bytes| holds(&mut Tape::new(&bytes)).map_err(TestCaseError::fail));
    if let Err(failed) = outcome {
        panic!("{failed}");
    }
}

/// Fail with this unless it holds.
macro_rules! ensure {
    ($holds:expr, $($said:tt)+) => {
        if !$holds {
            return Err(format!($($said)+));
        }
    };
}

fn whole() -> Options {
    Options { suffix: Suffix::Whole, ..Options::default() }
}

fn in_memory(log: &[u8], options: &Options) -> Said {
    said(read(&mut Memory::new(log), options))
}

/// All ways to read a log must agree, on an error too.
fn both_ways(log: &Log, options: &Options) -> Result<(), String> {
    let agreed = agreed(&log.bytes, options);
    agreed.map(drop).map_err(|differ| format!("{options:?} of {log:?}\n{differ}"))
}

fn sound_lines(tape: &mut Tape<'_>) -> Vec<String> {
    generate::events(tape, 9, generate::sound).iter().map(|event| rendered(event, tape)).collect()
}

fn bytes_of(lines: &[String]) -> Vec<&[u8]> {
    lines.iter().map(String::as_bytes).collect()
}

#[test]
fn a_fold_equals_any_split_of_its_input_merged() {
    // S6.1
    law(1, 1200, |tape| {
        let lines = sound_lines(tape);
        let records = bytes_of(&lines);
        let whole = folded(&records).unwrap();
        let mut cuts: Vec<usize> = (0..tape.below(4)).map(|_| tape.below(records.len() + 1)).collect();
        cuts.extend([0, records.len()]);
        cuts.sort_unstable();
        let parts: Vec<_> = cuts.windows(2).map(|cut| folded(&records[cut[0]..cut[1]]).unwrap()).collect();
        let before: Vec<_> = parts.iter().map(state).collect();
        let from_left = parts.iter().fold(Fold::default(), |all, part| merged(&all, part));
        let from_right = parts.iter().rev().fold(Fold::default(), |all, part| merged(part, &all));
        for found in
            [&from_left, &from_right, &merged(&whole, &Fold::default()), &merged(&Fold::default(), &whole)]
        {
            ensure!(of_fold(found) == of_fold(&whole), "{cuts:?} of {lines:#?}\n{found:#?}\n{whole:#?}");
            // Halves that meet stay apart inside until the text is asked for, so this compares all but has_halves.
            ensure!(parts_of(found) == parts_of(&whole), "{cuts:?} of {lines:#?}\n{found:#?}\n{whole:#?}");
        }
        ensure!(parts.iter().map(state).eq(before), "an operand changed: {lines:#?}");
        Ok(())
    });
}

/// All that is public in a fold.
fn parts_of(fold: &Fold<Kept>) -> String {
    let streamed = fold.streamed().map(|(text, place)| (text.joined().into_owned(), place));
    let marks = (&fold.turn, &fold.session, fold.known, fold.unknown, fold.count);
    format!("{:?} {:?} {streamed:?} {marks:?}", fold.message(), fold.earlier())
}

#[test]
fn merging_is_associative_also_where_a_fold_is_merged_with_itself() {
    // S6.1
    law(1, 1200, |tape| {
        let folds: Vec<_> = (0..3).map(|_| folded(&bytes_of(&sound_lines(tape))).unwrap()).collect();
        let [a, b, c] = [0, 1, 2].map(|_| &folds[tape.below(3)]);
        let (left, right) = (merged(&merged(a, b), c), merged(a, &merged(b, c)));
        ensure!(parts_of(&left) == parts_of(&right), "{a:#?}\n{b:#?}\n{c:#?}\n{left:#?}\n{right:#?}");
        ensure!(of_fold(&left) == of_fold(&right), "{left:#?}\n{right:#?}");
        Ok(())
    });
}

#[test]
fn folds_of_two_sessions_do_not_merge() {
    // S5
    let of = |session: &str| {
        let record =
            format!(r#"{{"type":"session_event","sessionId":"{session}","event":{{"type":"turn/start"}}}}"#);
        folded(&[record.as_bytes()]).unwrap()
    };
    let refused = of("s1").merge_with(&of("s2"), &Box::clone).unwrap_err();
    assert_eq!(refused.kind.as_str(), "wrong_session");
    assert!(of("s1").merge_with(&of("s1"), &Box::clone).is_ok());
}

#[test]
fn a_failed_push_leaves_the_fold_as_it_was() {
    // S7
    law(1, 1500, |tape| {
        let mut fold = Fold::default();
        for _ in 0..tape.below(12) {
            let record = rendered(&generate::any(tape), tape);
            let before = parts_of(&fold);
            if let Err(failure) = push(&mut fold, record.as_bytes()) {
                ensure!(parts_of(&fold) == before, "{record}\n{failure:?}\n{before}\n{fold:#?}");
            }
        }
        Ok(())
    });
}

/// The records of a log that holds sound ones, as text and as JSON; a torn tail is none.
fn sound_records(log: &[u8]) -> (Vec<(u64, &[u8])>, Vec<Json>) {
    let mut lines = records(log);
    let parsed: Vec<_> = lines.iter().filter_map(|(_, line)| support::json::parse(line)).collect();
    lines.truncate(parsed.len());
    (lines, parsed)
}

#[test]
fn a_log_says_what_its_records_say_pushed_one_by_one_and_what_the_plain_rule_says() {
    // S2 to S4, S6.2
    law(1, 1600, |tape| {
        let log = generate::sound_log(tape, 9);
        let (lines, parsed) = sound_records(&log.bytes);
        ensure!(lines.len() == log.events.len(), "{} records of {} in {log:?}", lines.len(), log.events.len());
        ensure!(parsed == log.events, "the generator and the reader differ: {log:?}");
        let pushed = of_fold(&folded(&lines.iter().map(|(_, line)| *line).collect::<Vec<_>>()).unwrap());
        let read = agreed(&log.bytes, &whole())?.map_err(|failure| format!("{failure:?} in {log:?}"))?;
        let plain = |mut answer: Answer| {
            answer.warnings.retain(|warning| !matches!(*warning, "torn_tail" | "unrecognised"));
            Answer { torn: false, ..answer.without_places() }
        };
        ensure!(plain(read.clone()) == plain(pushed.clone()), "{log:?}\n{read:#?}\n{pushed:#?}");
        let expected = naive::answer(&parsed, 0, 0);
        let by_index = Expected::of(&pushed, |place| usize::try_from(place.index.unwrap()).unwrap());
        ensure!(by_index == expected, "{log:?}\nfold: {by_index:#?}\nplain: {expected:#?}");
        let by_offset = Expected::of(&read, |place| number_of(&lines, place.offset.unwrap()));
        ensure!(by_offset == expected, "{log:?}\nlog: {by_offset:#?}\nplain: {expected:#?}");
        Ok(())
    });
}

fn number_of(lines: &[(u64, &[u8])], offset: u64) -> usize {
    lines.iter().position(|(start, _)| *start == offset).unwrap()
}

#[test]
fn a_log_is_cut_where_the_plain_rule_cuts_it() {
    // S4, S5: own, start, since_seq
    law(1, 1600, |tape| {
        let log = generate::sound_log(tape, 12);
        let (lines, parsed) = sound_records(&log.bytes);
        let ends_with_lf = support::ways::records(&log.bytes).len() == lines.len();
        let is_tail = |n: usize| {
            ends_with_lf
                && n + 1 == lines.len()
                && !log.bytes[usize::try_from(lines[n].0).unwrap()..].contains(&b'\n')
        };
        let is_examined = |n: usize| n == 0 || is_tail(n) || naive::has_needle(lines[n].1);
        let seq = tape.below(14) as u64;
        let start = tape.below(14);
        let cuts = [
            (Suffix::Own, naive::own_start(&parsed, &is_examined)),
            (Suffix::SinceSeq(seq), naive::cut_start(&parsed, &is_examined, seq)),
            (Suffix::Start(start as i64), (start, 0)),
            (Suffix::Start(-1 - start as i64), (parsed.len().saturating_sub(start + 1), 0)),
        ];
        for (suffix, (from, divided)) in cuts {
            let options = Options { suffix, ..Options::default() };
            let read = agreed(&log.bytes, &options)?.map_err(|failure| format!("{failure:?} in {log:?}"))?;
            let found = Expected::of(&read, |place| number_of(&lines, place.offset.unwrap()));
            let expected = naive::answer(&parsed, from, divided);
            ensure!(found == expected, "{suffix:?} of {log:?}\nlog: {found:#?}\nplain: {expected:#?}");
            let silent = read.source == "none" && naive::answer(&parsed, 0, 0).output.is_some();
            ensure!(read.warnings.contains(&"empty_suffix") == silent, "{suffix:?} of {log:?}\n{read:#?}");
        }
        Ok(())
    });
}

#[test]
fn a_row_that_a_cut_divides_counts_as_outside_with_the_members_before_the_cut() {
    // S9 empty_suffix
    let log = br#"{"type":"text-chunks","seq0":0,"data":{"texts":["a",""]}}"#;
    let options = Options { suffix: Suffix::SinceSeq(1), ..Options::default() };
    let answer = agreed(log, &options).unwrap().unwrap();
    assert_eq!((answer.source, answer.warnings), ("none", vec!["empty_suffix"]));
}

#[test]
fn any_log_read_backward_equals_it_read_forward() {
    // S6.3
    law(1, 1800, |tape| {
        let log = generate::any_log(tape, 9);
        for _ in 0..3 {
            let options = generate::options(tape, true);
            both_ways(&log, &options)?;
        }
        Ok(())
    });
}

#[test]
fn a_log_with_lines_across_the_windows_edges_reads_the_same_both_ways() {
    // S6.3
    law(4, 1000, |tape| {
        let log = generate::long_log(tape);
        let edge = tape.pick(&[
            Options::default().limit,
            8 << 10,
            16 << 10,
            64 << 10,
            256 << 10,
            512 << 10,
            1 << 20,
            100,
        ]);
        let options = generate::options(tape, false);
        let options = Options { limit: edge + 1 - tape.below(3), ..options };
        both_ways(&log, &options)?;
        Ok(())
    });
}

#[test]
fn blank_lines_of_any_length_change_nothing_but_places() {
    // S5, S7: they are no records, and over the limit they are still blank
    law(8, 1200, |tape| {
        let log = generate::any_log(tape, 5);
        let options = generate::options(tape, true);
        let bom = if log.bytes.starts_with(json::BOM) { json::BOM.len() } else { 0 };
        let mut spaced = log.bytes[..bom].to_vec();
        for (nth, line) in log.bytes[bom..].split_inclusive(|byte| *byte == b'\n').enumerate() {
            if nth == 0 || tape.rarely(3) {
                let length = tape.pick(&[0, 1, 70_000, 300_000, 600_000]) + tape.below(3);
                spaced.resize(spaced.len() + length, tape.pick(b" \t\r"));
                spaced.push(b'\n');
            }
            spaced.extend_from_slice(line);
        }
        let unplaced = |said: Said| match said {
            Ok(answer) => Ok(answer.without_places()),
            Err(Failure::Malformed { kind, path, .. }) => Err(Some((kind, path))),
            Err(Failure::TurnNotFound(..) | Failure::SessionNotFound(..)) => Err(None),
        };
        let agreed =
            agreed(&spaced, &options).map_err(|differ| format!("{options:?} of {log:?}, spaced\n{differ}"))?;
        let (found, expected) = (unplaced(agreed), unplaced(stream(&log.bytes, usize::MAX, &options)));
        ensure!(found == expected, "{options:?} of {log:?}, spaced\n{found:#?}\n{expected:#?}");
        Ok(())
    });
}

#[test]
fn a_needle_is_found_wherever_it_lies_in_a_line_over_the_limit() {
    // S7 Candidates
    law(8, 40, |tape| {
        const BLOCK: usize = 256 << 10;
        let options = Options { limit: 10 + tape.below(200), ..whole() };
        let (needle, is_one) =
            tape.pick(&[("assistant/", true), ("assistantX", false), ("\\u0061", true), ("turn/end", true)]);
        // Blocks end there, counted from the log's first byte or the line's.
        let at = BLOCK * (1 + tape.below(4)) + 6 - tape.below(24);
        let mut log = b"{}\n".to_vec();
        log.resize(at, b'x');
        log.extend_from_slice(needle.as_bytes());
        log.resize(log.len() + tape.below(200), b'x');
        log.extend_from_slice(b"\n{}\n");
        let found = agreed(&log, &options)?;
        let is_found = matches!(found, Err(Failure::Malformed { kind: "too_large", offset: Some(3), .. }));
        ensure!(is_found == is_one, "{needle} at {at}: {found:#?}");
        ensure!(is_one || found.is_ok(), "{needle} at {at}: {found:#?}");
        Ok(())
    });
}

#[test]
fn a_line_of_just_the_limit_is_read_and_one_byte_more_is_too_large() {
    // S7 limits, also where the limit is the size of a window
    for limit in [100, 64 << 10, 128 << 10, 256 << 10, 1 << 20] {
        just_the_limit(limit);
    }
}

#[test]
fn a_line_that_fills_the_window_with_its_lf_is_read() {
    // S7 limits
    for limit in [64 << 10, 128 << 10, 256 << 10, 1 << 20] {
        just_the_limit(limit - 1);
    }
}

fn just_the_limit(limit: usize) {
    let record = r#"{"type":"assistant/attempt","data":{"stream":[{"type":"text-chunks","texts":["a"]}]}}"#;
    let line = [record.as_bytes(), &b" ".repeat(limit - record.len())].concat();
    for (before, after) in [("", "\n"), ("{}\n", "\n"), ("\n", ""), ("", "\n{}\n"), ("{}\r\n\n", "\n\n{}")] {
        let log = [before.as_bytes(), &line, after.as_bytes()].concat();
        let read = agreed(&log, &Options { limit, ..whole() }).unwrap();
        assert_eq!(read.unwrap().text, b"a", "{limit} {before:?} {after:?}");
        let refused = agreed(&log, &Options { limit: limit - 1, ..whole() }).unwrap();
        let is_at = |at: u64| at == before.len() as u64;
        assert!(
            matches!(refused, Err(Failure::Malformed { kind: "too_large", offset: Some(at), .. }) if is_at(at)),
            "{limit} {before:?} {after:?}: {refused:#?}"
        );
    }
}

#[test]
fn zero_bytes_inside_a_line_are_not_blank_however_many_they_are() {
    // S7: only those at the end of the log are padding
    const BLOCK: usize = 256 << 10;
    let parts = [b" ".repeat(BLOCK), b"\0".repeat(BLOCK), b" ".repeat(10)].concat();
    for end in ["\n{}\n", "\n", ""] {
        let log = [&parts, end.as_bytes()].concat();
        let found = agreed(&log, &Options { limit: 100, ..whole() }).unwrap();
        let Err(Failure::Malformed { kind, offset, .. }) = found else { panic!("{end:?}: {found:?}") };
        assert_eq!((kind, offset), ("too_large", Some(0)), "{end:?}");
    }
}

#[test]
fn one_escape_anywhere_in_a_types_name_hides_nothing() {
    // S6.2, S7 Candidates
    const SIGNALS: [(&str, &str); 7] = [
        ("assistant/message", r#"{"message":{"content":[{"type":"text","text":"m"}]}}"#),
        ("assistant/attempt", r#"{"stream":[{"type":"text-chunks","texts":["a"]}]}"#),
        ("assistant/chunk", r#"{"chunk":{"type":"text-delta","text":"c"}}"#),
        ("text-chunks", r#"{"texts":["t"]}"#),
        ("turn/start", r#"{"turn":1}"#),
        ("turn/end", r#"{"reason":{"kind":"completed"}}"#),
        ("session/end-seed", "{}"),
    ];
    let of = |name: &str, data: &str| {
        let before =
            r#"{"type":"assistant/attempt","data":{"stream":[{"type":"text-chunks","texts":["before"]}]}}"#;
        let log = format!("{{}}\n{before}\n{{\"type\":\"{name}\",\"data\":{data}}}\n{{}}\n");
        agreed(log.as_bytes(), &Options::default()).unwrap().unwrap().without_places()
    };
    let (mut asked, noise) = (0, of("noise/noise", "{}"));
    for (name, data) in SIGNALS {
        let expected = of(name, data);
        assert_ne!(expected, noise, "{name}");
        for (at, character) in name.char_indices() {
            let (before, after) = (&name[..at], &name[at + 1..]);
            let code = u32::from(character);
            let mut spelt = vec![format!("{before}\\u{code:04x}{after}"), format!("{before}\\u{code:04X}{after}")];
            if character == '/' {
                spelt.push(format!("{before}\\/{after}"));
            }
            for name in spelt {
                assert_eq!(of(&name, data), expected, "{name}");
                asked += 1;
            }
        }
    }
    assert!(asked > 180, "only {asked} spellings");
}

#[test]
fn a_list_walked_backward_equals_it_walked_forward() {
    // S6.3
    law(1, 1600, |tape| {
        let lines: Vec<_> =
            generate::events(tape, 9, generate::any).iter().map(|event| rendered(event, tape)).collect();
        let start = tape.below(5) as u64;
        let mut list = List(lines.iter().map(|line| json::parse(line.as_bytes()).unwrap().value).collect());
        for skip in [false, true] {
            let (forward, backward) = (list.forward(start, skip), list.backward(start, skip));
            ensure!(forward == backward, "from {start} of {lines:#?}\n{forward:#?}\n{backward:#?}");
        }
        Ok(())
    });
}

#[test]
fn a_log_cut_at_any_byte_says_what_its_whole_lines_say() {
    // S7 torn tail
    law(4, 700, |tape| {
        let log = generate::any_log(tape, 4);
        // Long damage has nothing to tell at each of its bytes.
        if log.bytes.len() > 3000 {
            return Ok(());
        }
        let options = generate::options(tape, false);
        for cut in 0..=log.bytes.len() {
            let cut_log = &log.bytes[..cut];
            let found = in_memory(cut_log, &options);
            let once = stream(cut_log, 13, &options);
            let comparable = |said: Said| said.map(Answer::without_lines);
            ensure!(
                comparable(once.clone()) == comparable(found.clone()),
                "{cut} of {log:?}\n{once:#?}\n{found:#?}"
            );
            let used = cut_log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let bom = if cut_log.starts_with(json::BOM) { json::BOM.len() } else { 0 };
            let used = &cut_log[..used.max(bom)];
            let tail_at = used.iter().rposition(|byte| *byte == b'\n').map_or(bom, |lf| lf + 1);
            let (lines, tail) = used.split_at(tail_at);
            let is_blank = tail.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
            let is_whole = is_blank || support::json::parse(tail).is_some();
            if !is_whole {
                let torn = with_torn_tail(in_memory(lines, &options));
                ensure!(found == torn, "{cut} of {log:?} with {options:?}\n{found:#?}\n{torn:#?}");
            } else if is_blank || naive::has_needle(tail) {
                // With its LF a tail is a line like any other.
                let ended = in_memory(&[used, b"\n"].concat(), &options);
                ensure!(found == ended, "{cut} of {log:?} with {options:?}\n{found:#?}\n{ended:#?}");
            }
        }
        Ok(())
    });
}

fn with_torn_tail(said: Said) -> Said {
    const BEFORE: [&str; 2] = ["textless", "torn_tail"];
    let mut answer = said?;
    let at = answer.warnings.iter().take_while(|warning| BEFORE.contains(warning)).count();
    answer.warnings.insert(at, "torn_tail");
    Ok(Answer { torn: true, ..answer })
}

#[test]
fn text_is_joined_as_utf_16_wherever_it_is_cut_into_pieces() {
    // S8
    law(1, 600, |tape| {
        let mut all = Vec::new();
        let mut lines = Vec::new();
        for _ in 0..tape.below(6) {
            let mut pieces = || {
                let pieces: Vec<_> = (0..tape.below(4)).map(|_| generate::text(tape)).collect();
                all.extend(pieces.iter().flatten().copied());
                Json::List(pieces.into_iter().map(Json::String).collect())
            };
            let texts = pieces();
            let stream = Json::List(vec![object([("type", string("text-chunks")), ("texts", texts.clone())])]);
            let (kind, data) = match tape.below(3) {
                0 => ("text-chunks", object([("texts", texts)])),
                1 => ("assistant/attempt", object([("stream", stream)])),
                _ => {
                    let message = object([("content", Json::List(Vec::new()))]);
                    ("assistant/message", object([("message", message), ("stream", stream)]))
                }
            };
            lines.push(rendered(&object([("type", string(kind)), ("data", data)]), tape));
        }
        let fold = folded(&bytes_of(&lines)).unwrap();
        let joined = fold.streamed().map_or(Vec::new(), |(text, _)| text.joined().into_owned());
        ensure!(joined == wtf8(&all), "{lines:#?}\n{joined:x?}\n{:x?}", wtf8(&all));
        let split = tape.below(lines.len() + 1);
        let (first, later) = lines.split_at(split);
        let both = merged(&folded(&bytes_of(first)).unwrap(), &folded(&bytes_of(later)).unwrap());
        ensure!(of_fold(&both) == of_fold(&fold), "cut at {split}: {lines:#?}");
        // The same text as the blocks of a message.
        let blocks = all.chunks(3).map(|piece| text_block(piece.to_vec())).collect();
        let message = object([("content", Json::List(blocks))]);
        let event = object([("type", string("assistant/message")), ("data", object([("message", message)]))]);
        let told = of_fold(&folded(&[rendered(&event, tape).as_bytes()]).unwrap());
        ensure!(told.text == wtf8(&all), "{event}\n{told:#?}");
        let has_half = char::decode_utf16(all).any(|unit| unit.is_err());
        ensure!(told.warnings.contains(&"lone_surrogate") == has_half, "{event}\n{told:#?}");
        Ok(())
    });
}

#[test]
fn any_bytes_at_all_read_the_same_both_ways_and_never_panic() {
    // S6.3, S7
    const SYLLABLES: [&[u8]; 16] = [
        b"\n",
        b"{",
        b"}",
        b"\"type\":\"assistant/message\"",
        b"\"data\":{\"message\":{\"content\":[1]}}",
        b"\xff",
        b"\0",
        b"\"",
        b",",
        b"[",
        b"]",
        b"\xef\xbb\xbf",
        b"turn/end",
        b"\\u0061",
        b" \r",
        b"1e5",
    ];
    law(1, 400, |tape| {
        let options = generate::options(tape, true);
        let is_noise = tape.rarely(2);
        let mut bytes = Vec::new();
        for _ in 0..tape.below(200) {
            if is_noise {
                bytes.push(tape.byte());
            } else {
                bytes.extend_from_slice(tape.pick(&SYLLABLES));
            }
        }
        let log = Log { bytes, events: Vec::new() };
        both_ways(&log, &options)?;
        Ok(())
    });
}

#[test]
fn a_log_that_something_happened_to_reads_the_same_both_ways_and_never_panics() {
    // S6.3, S7
    law(1, 1500, |tape| {
        let log = generate::any_log(tape, 6);
        let log = generate::mutated(tape, log);
        for _ in 0..3 {
            let options = generate::options(tape, true);
            both_ways(&log, &options)?;
        }
        Ok(())
    });
}

#[test]
fn a_fold_never_panics_and_names_a_defect_or_takes_the_record() {
    // S7
    law(1, 800, |tape| {
        let log = generate::any_log(tape, 3);
        let log = generate::mutated(tape, log);
        let mut fold = Fold::default();
        for line in log.bytes.split(|byte| *byte == b'\n') {
            let before = parts_of(&fold);
            let is_json = support::json::parse(line).is_some();
            match push(&mut fold, line) {
                Ok(()) => ensure!(is_json, "taken, but no JSON: {log:?}"),
                Err(Failure::Malformed { kind, .. }) => {
                    ensure!(is_json != matches!(kind, "not_json" | "not_utf8"), "{kind}: {log:?}");
                    ensure!(parts_of(&fold) == before, "changed by {kind}: {log:?}");
                }
                Err(other) => return Err(format!("{other:?}")),
            }
        }
        Ok(())
    });
}

#[test]
fn the_grammar_is_that_of_two_other_readers() {
    // S7: RFC 8259
    const SYLLABLES: [&str; 26] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"\\u00e9\"",
        "\"\\ud83d\"",
        "\\",
        "\\u",
        "null",
        "true",
        "fals",
        "0",
        "-",
        "1",
        ".",
        "e",
        "E+",
        " ",
        "\t",
        "\r",
        "\u{1c}",
        "\u{e9}",
    ];
    law(1, 300, |tape| {
        let mut text = if tape.rarely(2) { rendered(&generate::value(tape, 3), tape) } else { String::new() };
        for _ in 0..tape.below(6) {
            let at =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).nth(tape.below(text.len().clamp(1, 256)));
            text.insert_str(at.unwrap_or(0), tape.pick(&SYLLABLES));
        }
        let other = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        let ours = support::json::parse(text.as_bytes());
        let core = json::parse(text.as_bytes());
        ensure!(core.is_ok() == other, "{text:?}: core {}, serde_json {other}", core.is_ok());
        ensure!(ours.is_some() == other, "{text:?}: tests {}, serde_json {other}", ours.is_some());
        if let (Ok(record), Some(expected)) = (core, ours) {
            same(&record.value, &expected).map_err(|differ| format!("{text:?}: {differ}"))?;
        }
        Ok(())
    });
}

#[test]
fn values_are_read_where_they_lie_as_a_parser_would() {
    // S6.2, S8
    law(1, 600, |tape| {
        let event = generate::any(tape);
        let text = rendered(&event, tape);
        let record = json::parse(text.as_bytes()).map_err(|defect| format!("{defect}: {text}"))?;
        same(&record.value, &event).map_err(|differ| format!("{text}: {differ}"))
    });
}

/// Whether a value of the core reads as what a parser made of it.
fn same(value: &json::Value<'_>, expected: &Json) -> Result<(), String> {
    let kept = support::json::parse(&value.keep());
    ensure!(kept.as_ref() == Some(expected), "{kept:?} is kept of {expected}");
    let Ok(shape) = value.shape();
    let phrase = match expected {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::List(_) => "a list",
        Json::Object(_) => "an object",
    };
    ensure!(shape.phrase() == phrase, "{expected} is {}", shape.phrase());
    let Ok(text) = value.with_text(<[u8]>::to_vec);
    ensure!(text == expected.as_units().map(|units| wtf8(units)), "{expected} reads as {text:x?}");
    ensure!(text.is_none_or(|text| Some(&from_wtf8(&text)) == expected.as_units()), "{expected}");
    ensure!(value.ordinal() == expected.as_ordinal(), "{expected} is the ordinal {:?}", value.ordinal());
    ensure!(value.list_len() == expected.as_list().map(<[Json]>::len), "{expected} has {:?}", value.list_len());
    let mut elements = Vec::new();
    let walked = value.each(&mut |index, element| {
        elements.push((index, element));
        Ok(Flow::Continue)
    });
    ensure!(walked.is_ok(), "{expected}");
    ensure!(elements.len() == expected.as_list().unwrap_or_default().len(), "{expected}");
    for (nth, (index, element)) in elements.iter().enumerate() {
        ensure!(nth == *index, "{expected}");
        same(element, &expected.as_list().unwrap()[nth])?;
    }
    for (key, name) in ALL_KEYS.into_iter().zip(Key::NAMES) {
        ensure!(key.as_str() == name, "{name}");
        let Ok(member) = value.member(key);
        match (member, expected.get(name)) {
            (Some(member), Some(expected)) => same(&member, expected)?,
            (None, None) => {}
            (found, _) => return Err(format!("{name} of {expected} is {found:?}")),
        }
    }
    Ok(())
}

const ALL_KEYS: [Key; 22] = [
    Key::Args,
    Key::ChildSessionId,
    Key::Chunk,
    Key::Content,
    Key::Data,
    Key::Event,
    Key::Id,
    Key::Kind,
    Key::Message,
    Key::Method,
    Key::Params,
    Key::Reason,
    Key::SeedLength,
    Key::Seq,
    Key::Seq0,
    Key::SessionId,
    Key::Stream,
    Key::Text,
    Key::Texts,
    Key::Turn,
    Key::Type,
    Key::Version,
];
