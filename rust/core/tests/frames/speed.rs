//! How long it takes: `cargo test --release -p lastsaid-core --test frames -- --ignored --nocapture`.

use std::io::{self, Read};
use std::time::Instant;

use lastsaid_core::log::frames::{Codec, Frames, Unpacked};
use lastsaid_core::log::source::{File, Source};

use crate::files::*;

fn content(frame: usize) -> Vec<u8> {
    let mut state = frame as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut out = Vec::new();
    while out.len() < 16_000 {
        let mut noise = String::new();
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            noise.push_str(&format!("{:x} words of an agent ", state >> 24));
        }
        out.extend(
            format!("{{\"type\":\"assistant/chunk\",\"seq\":{frame},\"data\":\"{noise}\"}}\n").into_bytes(),
        );
    }
    out
}

#[test]
#[ignore = "measures"]
fn speed() {
    let contents: Vec<Vec<u8>> = (0..15_000).map(content).collect();
    let size: usize = contents.iter().map(Vec::len).sum();
    let frames: Vec<u8> = contents.iter().flat_map(|content| sized(content)).collect();
    let members: Vec<u8> = contents.iter().flat_map(|content| member(content)).collect();
    let one = unsized_of(&[&contents.concat()]);
    let path = std::env::temp_dir().join(format!("frames-{}.zst", std::process::id()));
    std::fs::write(&path, &frames).unwrap();
    println!("{} frames, {} bytes, {size} unpacked", contents.len(), frames.len());
    for _ in 0..3 {
        let started = Instant::now();
        let mut source = File::from_here(std::fs::File::open(&path).unwrap()).unwrap();
        let mut log = Frames::open(&mut source, ANY).unwrap().unwrap();
        let opened = started.elapsed();
        let end = log.size();
        let read = log.block(end - (64 << 10), 64 << 10).unwrap().len();
        println!("open: {opened:?}, with the last {read} bytes: {:?}", started.elapsed());
        let started = Instant::now();
        let mut end = end;
        while end > 0 {
            let at = end.saturating_sub(1 << 20);
            end -= log.block(at, usize::try_from(end - at).unwrap()).unwrap().len() as u64;
        }
        report("backward", size, started);
    }
    std::fs::remove_file(&path).unwrap();
    for (name, file, codec) in [
        ("zstd frames", &frames, Codec::Zstd),
        ("one zstd frame", &one, Codec::Zstd),
        ("gzip members", &members, Codec::Gzip),
        ("one gzip member", &member(&contents.concat()), Codec::Gzip),
    ] {
        let started = Instant::now();
        let read = io::copy(&mut Unpacked::new(&file[..], codec, ANY).by_ref(), &mut io::sink()).unwrap();
        assert_eq!(read, size as u64);
        report(name, size, started);
    }
}

fn report(name: &str, size: usize, started: Instant) {
    let seconds = started.elapsed().as_secs_f64();
    println!("{name}: {:.0} MB/s", size as f64 / 1e6 / seconds);
}
