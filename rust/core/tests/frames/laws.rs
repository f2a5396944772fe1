//! What holds wherever a file is cut or damaged.

use std::iter;

use lastsaid_core::log::frames::Codec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::files::*;

/// Small files, in the parts that they may end after.
fn small_files() -> Vec<Vec<Vec<u8>>> {
    let lines = lines(5);
    let whole = lines.concat();
    let pieces: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let skipping = lines.iter().flat_map(|line| [sized_with(line, false, true), skippable(line), sized(b"")]);
    vec![
        vec![sized(&whole)],
        vec![sized_with(&whole, false, true)],
        lines.iter().map(|line| sized(line)).collect(),
        vec![unsized_of(&pieces)],
        vec![unsized_of(&pieces[..2]), sized(&lines[2]), unsized_of(&pieces[3..])],
        iter::once(skippable(b"first")).chain(skipping).collect(),
        vec![sized(&noise()), sized(b"a"), sized(&[b'b'; 300]), vec![0], vec![0]],
    ]
}

fn small_gzip_files() -> Vec<Vec<Vec<u8>>> {
    let lines = lines(5);
    let whole = lines.concat();
    vec![
        vec![member(&whole)],
        vec![named_member(&whole), vec![0], vec![0]],
        lines.iter().map(|line| member(line)).collect(),
        vec![member(&noise())],
    ]
}

/// What doesn't compress.
fn noise() -> Vec<u8> {
    (0..60_u32).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// However the file comes and the log is taken, it says the same.
fn steady(file: &[u8], codec: Codec) -> Said {
    let read = forward(file, codec);
    assert_gaps(&read);
    assert_eq!(forward_by(file, codec, 1, 1), read);
    assert_eq!(forward_by(file, codec, 3, 5), read);
    read
}

#[test]
fn files_may_be_cut_anywhere() {
    let all = small_files().into_iter().map(|file| (file, Codec::Zstd));
    for (parts, codec) in all.chain(small_gzip_files().into_iter().map(|file| (file, Codec::Gzip))) {
        let file = parts.concat();
        let whole = steady(&file, codec);
        assert!(!whole.torn && whole.gaps.is_empty());
        let ends: Vec<usize> = (0..=parts.len()).map(|count| parts[..count].concat().len()).collect();
        let mut before = 0;
        for len in 0..file.len() {
            let cut = steady(&file[..len], codec);
            assert_eq!((cut.torn, &cut.gaps[..]), (!ends.contains(&len), &[][..]), "{len}");
            assert!(whole.bytes.starts_with(&cut.bytes) && cut.bytes.len() >= before);
            before = cut.bytes.len();
            if codec == Codec::Zstd {
                both(&file[..len]);
            }
        }
    }
}

#[test]
fn any_byte_may_be_any_other() {
    for file in small_files().iter().map(|parts| parts.concat()) {
        for at in 0..file.len() {
            let mut file = file.clone();
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                file[at] ^= flip;
                both(&file);
                file[at] ^= flip;
            }
            file[at] ^= 0x41;
            steady(&file, Codec::Zstd);
            // Cut as well, in the middle of what comes after.
            both(&file[..at + (file.len() - at) / 2]);
        }
    }
    for file in small_gzip_files().iter().map(|parts| parts.concat()) {
        for at in 0..file.len() {
            let mut file = file.clone();
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                file[at] ^= flip;
                let read = forward(&file, Codec::Gzip);
                assert_gaps(&read);
                assert_eq!(forward_by(&file, Codec::Gzip, 1, 1), read);
                file[at] ^= flip;
            }
        }
    }
}

/// One part of a file.
#[derive(Clone, Debug)]
enum Part {
    Sized(Vec<u8>, bool),
    Run(u8, usize),
    Skippable(usize),
    Unsized(Vec<u8>),
    Bytes(Vec<u8>),
}

fn part() -> impl Strategy<Value = Part> {
    let content = || proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..200);
    prop_oneof![
        6 => (content(), any::<bool>()).prop_map(|(content, checksum)| Part::Sized(content, checksum)),
        2 => (any::<u8>(), prop_oneof![0_usize..4, 0_usize..300_000]).prop_map(|(byte, size)| Part::Run(byte, size)),
        2 => (0_usize..70_000).prop_map(Part::Skippable),
        1 => content().prop_map(Part::Unsized),
        1 => proptest::collection::vec(any::<u8>(), 0..6).prop_map(Part::Bytes),
    ]
}

#[test]
fn both_ways_agree() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256);
    let config =
        Config { cases, rng_seed: RngSeed::Fixed(20_261_130), failure_persistence: None, ..Config::default() };
    let damage = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let layout = (proptest::collection::vec(part(), 1..12), damage, any::<prop::sample::Index>(), any::<bool>());
    let law =
        |(parts, damage, cut, is_cut): (Vec<Part>, Vec<(prop::sample::Index, u8)>, prop::sample::Index, bool)| {
            let mut file = Vec::new();
            for part in &parts {
                file.extend(match part {
                    Part::Sized(content, has_checksum) => sized_with(content, *has_checksum, true),
                    Part::Run(byte, size) => sized(&vec![*byte; *size]),
                    Part::Skippable(size) => skippable(&vec![0; *size]),
                    Part::Unsized(content) => unsized_of(&[content]),
                    Part::Bytes(bytes) => bytes.clone(),
                });
            }
            if file.is_empty() {
                return Ok(());
            }
            for (at, flip) in damage {
                let at = at.index(file.len());
                file[at] ^= flip;
            }
            if is_cut {
                file.truncate(cut.index(file.len()));
            }
            let read = forward(&file, Codec::Zstd);
            assert_gaps(&read);
            prop_assert_eq!(&forward_by(&file, Codec::Zstd, 1000, 77), &read);
            for len in [4096, 70_001] {
                if let Some(other) = backward(&file, len) {
                    prop_assert_eq!(&other, &read);
                }
            }
            Ok(())
        };
    if let Err(failed) = TestRunner::new(config).run(&layout, law) {
        panic!("{failed}");
    }
}
