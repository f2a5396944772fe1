//! Every way into the core, and that they agree.

use std::convert::Infallible;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use lastsaid_core::backward::{self, How};
use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::fold::{Fold, Place};
use lastsaid_core::formats::dsh;
use lastsaid_core::forward::Pass;
use lastsaid_core::json::{self, BOM, Value};
use lastsaid_core::log::reading::{Kept, Options, read, read_stream};
use lastsaid_core::log::source::{File, Memory};
use lastsaid_core::log::stretches::Threads;
use lastsaid_core::node::Flow;
use lastsaid_core::records::{Found, Records, Visitor};
use lastsaid_core::signal::Kind;
use lastsaid_core::suffix::{Side, Suffix};

use super::said::{Answer, Failure, Said, said};

/// Gives a few bytes at a time, and now and then is interrupted.
pub struct Dribble<R> {
    from: R,
    step: usize,
    calls: usize,
}

impl<R> Dribble<R> {
    pub fn new(from: R, step: usize) -> Self {
        Self { from, step, calls: 0 }
    }
}

impl<R: Read> Read for Dribble<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls % 5 == 2 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = out.len().min(self.step);
        self.from.read(&mut out[..len])
    }
}

impl<R: Seek> Seek for Dribble<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.from.seek(to)
    }
}

/// Read backward where that can be: memory, a file, a file that gives little at a time, one that starts later.
pub fn seekable_ways(log: &[u8], options: &Options) -> Vec<(&'static str, Said)> {
    let in_a_file = |before: &[u8]| {
        let mut file = Cursor::new([before, log].concat());
        file.set_position(before.len() as u64);
        file
    };
    let file = |file| File::from_here(file).unwrap();
    let slow = File::from_here(Dribble::new(in_a_file(b""), 509.max(log.len() / 8))).unwrap();
    let on_threads = |count, stretch| Options { threads: Threads { count, stretch }, ..options.clone() };
    vec![
        ("memory", said(read(&mut Memory::new(log), options))),
        ("memory, in stretches", said(read(&mut Memory::new(log), &on_threads(1, 151)))),
        ("memory, 2 threads, small stretches", said(read(&mut Memory::new(log), &on_threads(2, 61)))),
        ("memory, 3 threads", said(read(&mut Memory::new(log), &on_threads(3, 97.max(log.len() as u64 / 7))))),
        ("a file", said(read(&mut file(in_a_file(b"")), options))),
        ("a slow file", said(read(&mut { slow }, options))),
        ("a file from its middle", said(read(&mut file(in_a_file(b"before\n{")), options))),
    ]
}

/// Read once from the start.
pub fn stream(log: &[u8], step: usize, options: &Options) -> Said {
    said(read_stream(&mut Dribble::new(log, step), options))
}

/// The one answer of all ways to read these bytes, with lines and without; or how they differ.
pub fn agreed(log: &[u8], options: &Options) -> Result<Said, String> {
    let steps: &[usize] = match log.len() {
        0..4_000 => &[1, 7, usize::MAX],
        4_000..400_000 => &[61, 4093, usize::MAX],
        _ => &[4093, 65_536 + 1, usize::MAX],
    };
    let forward = stream(log, steps[0], options);
    for step in &steps[1..] {
        let again = stream(log, *step, options);
        if again != forward {
            return Err(format!("a stream in steps of {} says {forward:#?}\nand of {step}: {again:#?}", steps[0]));
        }
    }
    numbered(log, &forward, options)?;
    let is_counted = matches!(options.suffix, Suffix::Start(0..));
    let expected = if is_counted { forward.clone() } else { forward.clone().map(Answer::without_lines) };
    for (way, found) in seekable_ways(log, options) {
        // Arrays and notifications are read forward from wherever they are.
        if found != expected && found != forward {
            return Err(format!("forward says {expected:#?}\n{way}: {found:#?}"));
        }
    }
    Ok(forward)
}

/// Whether lines, places and kept bytes are those of the log.
fn numbered(log: &[u8], said: &Said, options: &Options) -> Result<(), String> {
    let line_of = |offset: u64| {
        1 + log[..usize::try_from(offset).unwrap()].iter().filter(|byte| **byte == b'\n').count() as u64
    };
    let is_array = log.strip_prefix(BOM).unwrap_or(log).starts_with(b"[");
    let is_forward = is_array || !matches!(options.suffix, Suffix::Start(..0));
    let mut places = Vec::new();
    match said {
        Ok(answer) => {
            let found = [Some(answer.place), answer.earlier.as_ref().map(|earlier| earlier.place)];
            places.extend(found.into_iter().flatten().filter_map(|place| Some((place.offset?, place.line))));
            if answer.source == "message" {
                let offset = usize::try_from(answer.place.offset.unwrap_or(u64::MAX)).unwrap();
                let rest = log.get(offset..).unwrap_or_default();
                let line = if is_array { rest } else { rest.split(|byte| *byte == b'\n').next().unwrap() };
                if memchr::memmem::find(line, &answer.kept).is_none() {
                    return Err(format!("the content isn't in the line at {offset}: {answer:#?}"));
                }
            }
        }
        Err(Failure::Malformed { offset, line, .. }) => {
            places.push((offset.ok_or("an error without an offset")?, *line))
        }
        Err(Failure::TurnNotFound(..) | Failure::SessionNotFound(..)) => {}
    }
    for (offset, line) in places {
        // Notifications are read forward whatever was asked for.
        let expected = (is_forward || said.is_err() || line.is_some()).then(|| line_of(offset));
        if line != expected {
            return Err(format!("byte {offset} is in line {expected:?}, not {line:?}"));
        }
        let at = usize::try_from(offset).unwrap();
        let starts_line = is_array || at == 0 || log[at - 1] == b'\n' || (at == BOM.len() && log.starts_with(BOM));
        if !starts_line {
            return Err(format!("no line starts at byte {offset}"));
        }
    }
    Ok(())
}

/// Push one record, as `push_json` does.
pub fn push(fold: &mut Fold<Kept>, record: &[u8]) -> Result<(), Failure> {
    let record = json::parse(record)?;
    let event = dsh::event(&record.value)?;
    if fold.reads(&event) {
        record.check_limits()?;
    }
    fold.apply(&event, Place::at_index(fold.count))?;
    fold.count += 1;
    Ok(())
}

/// A fold of these records.
pub fn folded(records: &[&[u8]]) -> Result<Fold<Kept>, Failure> {
    let mut fold = Fold::default();
    for record in records {
        push(&mut fold, record)?;
    }
    Ok(fold)
}

/// One fold after the other.
pub fn merged(first: &Fold<Kept>, later: &Fold<Kept>) -> Fold<Kept> {
    first.merge_with(later, &|kept: &Kept| kept.clone()).expect("one session")
}

/// All that a fold holds.
pub fn state(fold: &Fold<Kept>) -> String {
    format!("{fold:?}")
}

/// Where the own suffix of events starts (spec S4), and how many members of a row there are before it.
pub fn own_start(events: &[Value<'_>]) -> (usize, u64) {
    let (mut start, mut cut) = ((0, 0), 0);
    for (index, value) in events.iter().enumerate() {
        let Ok(event) = dsh::event(value) else { continue };
        if index == 0 {
            let Ok(length) = dsh::seed_length(&event);
            cut = length;
        }
        let Ok(side) = Side::of(&event, cut);
        match side {
            _ if event.kind == Kind::Cut => start = (index + 1, 0),
            Side::Below => start = (index + 1, 0),
            Side::Divided(members) => start = (index, members),
            Side::Above => {}
        }
    }
    start
}

/// Events as a list that can be walked both ways.
pub struct List<'a>(pub Vec<Value<'a>>);

impl<'a> List<'a> {
    fn found(&self, index: u64) -> Found<Value<'a>> {
        let value = Ok(self.0[usize::try_from(index).unwrap()]);
        Found { place: Place::at_index(index), start: index, end: index + 1, value, limits: Ok(()) }
    }

    /// From the end.
    pub fn backward(&mut self, start: u64, skip: bool) -> Said {
        let end = self.0.len() as u64;
        said(backward::scan::<Kept, _, _>(self, start.min(end), end, How { skip, ..How::default() }))
    }

    /// From the start.
    pub fn forward(&self, start: u64, skip: bool) -> Said {
        let mut pass = Pass::<Kept>::new(Suffix::Whole, skip);
        for index in 0..self.0.len() as u64 {
            let found = self.found(index);
            if index < start {
                pass.pass_over(&found)?
            } else {
                pass.feed(&found)?
            };
        }
        said(pass.outcome())
    }
}

impl Records<Kept, Infallible> for List<'_> {
    fn begin(&self) -> u64 {
        0
    }

    fn end(&self) -> u64 {
        self.0.len() as u64
    }

    fn backward(
        &mut self,
        lo: u64,
        hi: u64,
        visitor: &mut impl Visitor<Kept, Infallible>,
    ) -> Result<(), Error<Infallible>> {
        for index in (lo..hi).rev() {
            if visitor.visit(&self.found(index))? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn forward(
        &mut self,
        lo: u64,
        hi: u64,
        visitor: &mut impl Visitor<Kept, Infallible>,
    ) -> Result<(), Error<Infallible>> {
        for index in lo..hi {
            if visitor.visit(&self.found(index))? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    fn placed(&mut self, defect: Box<Malformed>, place: Place) -> Result<Box<Malformed>, Error<Infallible>> {
        Ok(defect.at_index(place.index.unwrap()))
    }
}

/// The lines of a log that aren't blank, each with its offset; padding at the end and a BOM at byte 0 are gone.
pub fn records(log: &[u8]) -> Vec<(u64, &[u8])> {
    let end = log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut at = if log.starts_with(BOM) { BOM.len() } else { 0 };
    let mut found = Vec::new();
    for line in log[at..end.max(at)].split(|byte| *byte == b'\n') {
        if !line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            found.push((at as u64, line));
        }
        at += line.len() + 1;
    }
    found
}
