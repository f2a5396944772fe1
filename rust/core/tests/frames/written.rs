//! Files with an answer that is written down.

use std::io::{self, Read};

use lastsaid_core::error::Kind;
use lastsaid_core::log::frames::{Codec, Damage, Frames, Gap, Unpacked, codec};
use lastsaid_core::log::source::{File, Memory, Source};

use crate::files::*;

fn text(read: &Said) -> &str {
    std::str::from_utf8(&read.bytes).unwrap()
}

fn defects(read: &Said) -> Vec<(u64, u64, String)> {
    let sentence = |gap: &Gap| {
        assert_eq!(gap.defect().kind, Kind::DamagedFrame);
        (gap.start, gap.end, gap.defect().to_string())
    };
    read.gaps.iter().map(sentence).collect()
}

fn bad(start: u64, end: u64, what: &str, frame: usize) -> (u64, u64, String) {
    (start, end, format!("the record is in a damaged {what} (byte {frame} of the file), expected a sound one"))
}

#[test]
fn a_file_is_told_by_its_first_bytes() {
    assert_eq!(codec(&member(b"a")[..2]), Some(Codec::Gzip));
    assert_eq!(codec(&sized(b"a")[..4]), Some(Codec::Zstd));
    assert_eq!(codec(&skippable(b"a")[..4]), Some(Codec::Zstd));
    for plain in [&b""[..], b"{", b"\x1F", b"\x28\xB5\x2F", b"\x50\x2A\x4D", b"\x60\x2A\x4D\x18"] {
        assert_eq!(codec(plain), None);
    }
}

#[test]
fn frames_follow_each_other() {
    let mut file = skippable(b"whatever");
    for part in [&b"a\n"[..], b"", b"b", b"c\n"] {
        file.extend(sized(part));
    }
    file.extend(skippable(b""));
    file.extend([0; 100]);
    assert!(backward(&file, 1).is_some());
    assert_eq!(both(&file), Said { bytes: b"a\nbc\n".to_vec(), gaps: vec![], torn: false });

    file.truncate(file.len() - 100);
    file.extend(unsized_of(&[b"d", b"e\n"]));
    file.extend(sized(b"f\n"));
    assert!(backward(&file, 1).is_none());
    assert_eq!(both(&file), Said { bytes: b"a\nbc\nde\nf\n".to_vec(), gaps: vec![], torn: false });

    let mut file = named_member(b"a\n");
    file.extend(member(b""));
    file.extend(member(b"b\n"));
    file.extend([0; 100]);
    let read = forward(&file, Codec::Gzip);
    assert_eq!(read, Said { bytes: b"a\nb\n".to_vec(), gaps: vec![], torn: false });
}

#[test]
fn a_bad_frame_is_a_line_of_its_own() {
    let frames =
        [sized(b"one\n"), sized(b"a longer one\n"), sized(b"two"), sized(b"t"), sized(b""), sized(b"three\n")];
    let at = |nth: usize| frames[..nth].iter().map(Vec::len).sum::<usize>();
    let mut file = frames.concat();
    // Checksums are what a frame ends with.
    for nth in [1, 3, 4] {
        file[at(nth + 1) - 1] ^= 1;
    }
    let read = both(&file);
    assert!(backward(&file, 1).is_some());
    assert_eq!(text(&read), "one\n\nxxxxxxxxxxx\ntwo\nx\n\nx\nthree\n");
    let zstd = "zstd frame";
    assert_eq!(defects(&read), [bad(4, 17, zstd, at(1)), bad(20, 23, zstd, at(3)), bad(23, 26, zstd, at(4))]);
}

#[test]
fn gaps_are_known_when_their_frame_was_read() {
    let frames: Vec<Vec<u8>> = lines(6).iter().map(|line| sized(line)).collect();
    let mut file = frames.concat();
    let size = lines(1)[0].len() as u64;
    for nth in [1, 4] {
        let end: usize = frames[..=nth].iter().map(Vec::len).sum();
        file[end - 1] ^= 1;
    }
    let mut source = Memory::new(&file);
    let mut frames = Frames::open(&mut source, ANY).unwrap().unwrap();
    let all = frames.size();
    assert!(frames.gaps(0..all).is_empty());
    frames.block(all - 5, 5).unwrap();
    assert!(frames.gaps(0..all).is_empty());
    frames.block(size * 3, usize::MAX).unwrap();
    assert_eq!(frames.gaps(0..all).len(), 1);
    frames.block(0, usize::MAX).unwrap();
    let starts = |within| frames.gaps(within).iter().map(|gap| gap.start).collect::<Vec<_>>();
    assert_eq!(frames.gaps(0..all).len(), 2);
    let (first, second) = (starts(0..all)[0], starts(0..all)[1]);
    assert_eq!(starts(0..first), []);
    assert_eq!(starts(0..first + 1), [first]);
    assert_eq!(starts(first + 1..second), [first]);
    assert_eq!(starts(first + 1..second + 1), [first, second]);
    assert_eq!(starts(second - 1..second), []);
    assert_eq!(starts(all..all), []);
}

#[test]
fn what_is_no_frame_ends_the_log() {
    for tail in [&b"{}\n"[..], b"\x28\xB5\x2F\xFE", b"\0\0\0x", b"\x1F", b"\x50\x2A\x4D\x19"] {
        let mut file = sized(b"one");
        let at = file.len();
        file.extend(tail);
        let sentence =
            format!("the record is not a zstd frame (byte {at} of the file), expected another frame or the end");
        assert!(backward(&file, 1).is_none());
        let read = both(&file);
        assert_eq!((text(&read), read.torn), ("one\nx\n", false));
        assert_eq!(defects(&read), [(3, 6, sentence)]);
        assert_eq!(read.gaps[0].damage, Damage::Alien);
    }
    for tail in [&b"{}\n"[..], b"\x1F\x8C", b"\0\0\0x", b"\x28"] {
        let mut file = member(b"one");
        let at = file.len();
        file.extend(tail);
        let sentence =
            format!("the record is not a gzip member (byte {at} of the file), expected another frame or the end");
        let read = forward(&file, Codec::Gzip);
        assert_eq!((text(&read), read.torn), ("one\nx\n", false));
        assert_eq!(defects(&read), [(3, 6, sentence)]);
    }
}

#[test]
fn other_damage_ends_the_log() {
    // What was decompressed before the piece of 16 KiB with the defect counts.
    let mut noise = 1_u32;
    let long: Vec<u8> = (0..40_000)
        .map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        })
        .collect();
    for second in [&b"two\n"[..], &long] {
        let mut file = member(b"one\n");
        let at = file.len();
        file.extend(member(second));
        let pieces = file.len() / (16 << 10);
        let crc = file.len() - 8;
        for byte in [crc, file.len() - 1] {
            file[byte] ^= 1;
            let read = forward(&file, Codec::Gzip);
            let counts = read.gaps[0].start;
            assert_eq!(defects(&read), [bad(counts, counts + 3, "gzip member", at)]);
            let whole = [b"one\n", second].concat();
            assert!(whole.starts_with(&read.bytes[..usize::try_from(counts).unwrap()]));
            assert_eq!(counts == 4, pieces == 0, "{counts}");
            file[byte] ^= 1;
        }
    }
    let mut file = sized(b"one\n");
    let at = file.len();
    file.extend(unsized_of(&[b"two\n", b"three\n"]));
    let end = file.len();
    file.extend(sized(b"four\n"));
    file[end - 1] ^= 1;
    let read = both(&file);
    assert_eq!(text(&read), "one\ntwo\nthree\n\nx\n");
    assert_eq!(defects(&read), [bad(14, 17, "zstd frame", at)]);
}

#[test]
fn structure_that_cannot_be_ends_the_log() {
    let sized_head = [0x20, 5];
    let cases: &[(Vec<u8>, &str)] = &[
        // A reserved bit, a reserved type of block, and a block over 128 KiB.
        (spelt(&[0x28, 5], &[(raw(5), b"four\n")]), ""),
        (spelt(&sized_head, &[(raw(5) | 6, b"four\n")]), ""),
        (spelt(&sized_head, &[(raw(2), b"fo"), (raw((128 << 10) + 1), b"ur\n")]), ""),
        // The same in a frame that doesn't state its size: its blocks before that count.
        (spelt(&[0, 0x38], &[(raw(5), b"four\n"), (raw(1) | 6, b"x")]), "four\n"),
        // A dictionary that nobody has.
        (spelt(&[1, 0x38, 7], &[(raw(5), b"four\n")]), ""),
    ];
    for (frame, counts) in cases {
        let mut file = sized(b"one\n");
        let at = file.len();
        file.extend(frame);
        file.extend(sized(b"five\n"));
        assert!(backward(&file, 1).is_none());
        let read = both(&file);
        let start = 4 + counts.len();
        assert_eq!(text(&read), format!("one\n{counts}\nx\n"));
        assert_eq!(defects(&read), [bad(start as u64, start as u64 + 3, "zstd frame", at)]);
    }
}

#[test]
fn a_window_has_a_limit() {
    for (header, window) in [
        (&[0, 0x88][..], None),
        (&[0, 0x89], Some(150_994_944_u64)),
        (&[0xE0, 1, 0, 0, 8, 0, 0, 0, 0], Some(134_217_729)),
    ] {
        let file = spelt(header, &[(raw(5), b"four\n")]);
        let read = both(&file);
        match window {
            None => assert_eq!(text(&read), "four\n"),
            Some(window) => {
                let sentence = format!(
                    "the record is in a zstd frame with a window of {window} bytes (byte 0 of the file), \
                     expected a window of at most 134217728"
                );
                assert_eq!(defects(&read), [(0, 3, sentence)]);
            }
        }
    }
}

#[test]
fn a_frame_holds_what_it_states() {
    for (stated, is_sound) in [(4, false), (5, true), (6, false)] {
        let mut file = spelt(&[0x20, stated], &[(raw(2), b"on"), (raw(3), b"e!\n")]);
        file.extend(sized(b"two\n"));
        assert!(backward(&file, 1).is_some());
        let read = both(&file);
        assert_eq!(read.gaps.is_empty(), is_sound);
        assert_eq!(read.bytes.len(), usize::from(stated) + 4);
    }
    // A dictionary that nobody has, in a frame that counts whole.
    let read = both(&spelt(&[0x21, 7, 5], &[(raw(5), b"four\n")]));
    assert_eq!(text(&read), "\nxxx\n");
    assert!(backward(&spelt(&[0x21, 7, 5], &[(raw(5), b"four\n")]), 1).is_some());
    // Id 0 is none.
    assert_eq!(text(&both(&spelt(&[0x21, 0, 5], &[(raw(5), b"four\n")]))), "four\n");
    // A torn one gives no more than it states.
    let file = spelt(&[0x20, 4], &[(raw(2), b"on"), (raw(3), b"e!\n")]);
    assert_eq!(both(&file[..file.len() - 1]), Said { bytes: b"one!".to_vec(), gaps: vec![], torn: true });
    let file = spelt(&[0x20, 4], &[(raw(2), b"on"), (raw(3), b"e!\n"), (raw(1), b"x")]);
    assert_eq!(both(&file[..file.len() - 1]), Said { bytes: b"on".to_vec(), gaps: vec![], torn: true });
}

#[test]
fn big_frames_are_read_block_by_block() {
    // 16 MiB count whole, one byte more doesn't.
    for (size, counts_whole) in [(16 << 20, true), ((16 << 20) + 1, false)] {
        let content = vec![b'a'; size];
        let mut file = sized(&content);
        let end = file.len();
        file.extend(sized(b"two\n"));
        assert_eq!(backward_opens(&file), counts_whole);
        let read = forward(&file, Codec::Zstd);
        assert_eq!((read.bytes.len(), read.gaps.len()), (size + 4, 0));
        file[end - 1] ^= 1;
        let read = forward(&file, Codec::Zstd);
        let gap = if counts_whole { 0..size as u64 } else { size as u64..size as u64 + 3 };
        assert_eq!((read.gaps[0].start, read.gaps[0].end), (gap.start, gap.end));
    }
    // It gives whole blocks as long as they are within what it states.
    let stated = u32::try_from((16 << 20) + 1).unwrap();
    let block = (rle(128 << 10), &b"a"[..]);
    let mut header = vec![0xA0];
    header.extend(stated.to_le_bytes());
    let read = forward(&spelt(&header, &vec![block; 130]), Codec::Zstd);
    assert_eq!((read.bytes.len(), read.gaps[0].start), ((16 << 20) + 3, 16 << 20));
}

#[test]
fn a_frame_that_counts_whole_may_take_32_mib() {
    // Blocks that hold nothing take 3 bytes each.
    let empty = (raw(0), &b""[..]);
    let most = ((32 << 20) - 4 - 2) / 3;
    for (count, opens) in [(most, true), (most + 1, false)] {
        let file = spelt(&[0x20, 0], &vec![empty; count]);
        assert_eq!(backward_opens(&file), opens);
        let read = forward(&file, Codec::Zstd);
        assert_eq!((read.bytes.len(), read.gaps.len()), if opens { (0, 0) } else { (3, 1) });
    }
}

fn backward_opens(file: &[u8]) -> bool {
    Frames::open(&mut Memory::new(file), ANY).unwrap().is_some()
}

#[test]
fn limits_end_the_reading() {
    let frames: Vec<Vec<u8>> = lines(40).iter().map(|line| sized(line)).collect();
    let whole = lines(40).concat();
    let gzip: Vec<u8> = lines(40).iter().flat_map(|line| member(line)).collect();
    for (file, codec) in
        [(frames.concat(), Codec::Zstd), (unsized_of(&[&whole]), Codec::Zstd), (gzip, Codec::Gzip)]
    {
        for limit in [0, 1, 50, 51, 500, whole.len() - 1, whole.len(), whole.len() + 1] {
            let mut log = Unpacked::new(&file[..], codec, limit as u64);
            let mut bytes = Vec::new();
            let read = log.read_to_end(&mut bytes);
            assert_eq!(bytes, whole[..limit.min(whole.len())]);
            assert_eq!(read.is_ok(), limit >= whole.len());
            if let Err(error) = read {
                let overflow = overflow(&error).unwrap();
                let sentence = format!(
                    "byte {limit}: the record is beyond {limit} decompressed bytes, \
                     expected at most {limit} (see max_decompressed_bytes)"
                );
                assert_eq!(overflow.defect().to_string(), sentence);
                assert!(log.read(&mut [0]).is_err());
            }
        }
    }
    // Each frame counts once, those that are not touched don't.
    let file = frames.concat();
    let sizes: Vec<usize> = lines(40).iter().map(Vec::len).collect();
    let limit = sizes[37..].iter().sum::<usize>();
    let mut source = Memory::new(&file);
    let mut log = Frames::open(&mut source, limit as u64).unwrap().unwrap();
    let start = whole.len() - limit;
    for _ in 0..3 {
        assert_eq!(log.block(start as u64, usize::MAX).unwrap(), &whole[start..]);
        for at in start..whole.len() {
            assert_eq!(log.block(at as u64, 1).unwrap(), &whole[at..=at]);
        }
        let error = log.block(0, 1).unwrap_err();
        assert_eq!(overflow(&error).unwrap().limit, limit as u64);
    }
}

#[test]
fn a_file_that_is_not_what_it_was_is_an_error() {
    struct Shrinking<'a>(&'a [u8], u64);
    impl Source for Shrinking<'_> {
        fn size(&self) -> u64 {
            self.1
        }
        fn block(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
            let at = usize::try_from(at).unwrap().min(self.0.len());
            Ok(&self.0[at..(at + len).min(self.0.len())])
        }
    }
    let file: Vec<u8> = lines(40).iter().flat_map(|line| sized(line)).collect();
    for len in 0..file.len() {
        let error = Frames::open(&mut Shrinking(&file[..len], file.len() as u64), ANY).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}

#[test]
fn a_reader_that_failed_does_not_go_on() {
    struct Failing<'a>(&'a [u8], bool);
    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && !self.1 {
                self.1 = true;
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            self.0.read(out)
        }
    }
    for (file, codec) in
        [(sized(b"one\n"), Codec::Zstd), (unsized_of(&[b"one\n"]), Codec::Zstd), (member(b"1"), Codec::Gzip)]
    {
        let mut log = Unpacked::new(Failing(&file[..file.len() - 1], false), codec, ANY);
        let mut bytes = Vec::new();
        for _ in 0..2 {
            assert_eq!(log.read_to_end(&mut bytes).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
    }
}

#[test]
fn a_file_on_disk_is_read_in_strides() {
    let lines = lines(3000);
    let file: Vec<u8> = lines.chunks(50).flat_map(|lines| sized(&lines.concat())).collect();
    let whole = lines.concat();
    let mut source = File::from_here(io::Cursor::new(&file)).unwrap();
    let mut log = Frames::open(&mut source, ANY).unwrap().unwrap();
    assert_eq!(log.size(), whole.len() as u64);
    let mut end = whole.len();
    while end > 0 {
        let at = end.saturating_sub(10_007);
        assert_eq!(log.block(at as u64, end - at).unwrap(), &whole[at..end]);
        end = at;
    }
}
