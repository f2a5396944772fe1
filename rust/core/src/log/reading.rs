//! Which way to go through a log, by what its source allows (spec S5, S6.3).

use std::convert::Infallible;
use std::io::Read;

use crate::backward::{self, How};
use crate::error::Error;
use crate::formats::dsh;
use crate::forward::Pass;
use crate::log::records::LogRecords;
use crate::log::source::{FromStart, Memory, Source};
use crate::log::stream;
use crate::node::{Flow, Node};
use crate::outcome::Outcome;
use crate::records::{Found, Records, Visitor};
use crate::suffix::{Suffix, lenient, turn_window};

/// What is kept of a log's values: their bytes.
pub type Kept = Box<[u8]>;

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which part of the log.
    pub suffix: Suffix,
    /// Whether defects are passed over.
    pub skip: bool,
    /// The longest line that is examined.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { suffix: Suffix::Own, skip: false, limit: 256 << 20 }
    }
}

/// The answer of a log that can be read at any offset.
pub fn read<S: Source>(source: &mut S, options: &Options) -> Result<Outcome<Kept>, Error<Infallible>> {
    if matches!(options.suffix, Suffix::Start(0..)) {
        return read_stream(&mut FromStart::new(source), options);
    }
    let mut records = LogRecords::new(source, options.limit)?;
    let (mut lo, mut hi) = bounds(&records);
    let mut how = How { own: false, cut: 0, skip: options.skip };
    match options.suffix {
        Suffix::Whole => {}
        Suffix::Own => {
            how.own = true;
            how.cut = seed_length(&mut records)?;
        }
        Suffix::Start(start) => lo = records.from_end(start.unsigned_abs())?,
        Suffix::Turn(turn) => (lo, hi) = turn_window::<Kept, _>(&mut records, turn)?,
        Suffix::SinceSeq(seq) => how.cut = seq,
    }
    let mut outcome = backward::scan(&mut records, lo, hi, how)?;
    outcome.torn = records.torn;
    Ok(outcome)
}

/// The answer of a log that can only be read once.
pub fn read_stream(input: &mut dyn Read, options: &Options) -> Result<Outcome<Kept>, Error<Infallible>> {
    let mut start = 0;
    match options.suffix {
        Suffix::Start(from_end @ ..0) => {
            let mut log = Vec::new();
            input.read_to_end(&mut log)?;
            return read(&mut Memory::new(&log), &Options { suffix: Suffix::Start(from_end), ..*options });
        }
        Suffix::Start(from_start) => start = from_start.unsigned_abs(),
        _ => {}
    }
    let mut pass = Pass::new(options.suffix, options.skip);
    let torn = stream::read(input, &mut pass, start, options.limit)?;
    let mut outcome = pass.outcome()?;
    outcome.torn = torn;
    Ok(outcome)
}

fn bounds<S: Source>(records: &LogRecords<'_, S>) -> (u64, u64) {
    (Records::<Kept, _>::begin(records), Records::<Kept, _>::end(records))
}

fn seed_length<S: Source>(records: &mut LogRecords<'_, S>) -> Result<u64, Error<Infallible>> {
    let (lo, hi) = bounds(records);
    let mut header = Header(0);
    Records::<Kept, _>::forward(records, lo, hi, &mut header)?;
    Ok(header.0)
}

/// Reads the first record only.
struct Header(u64);

impl<K, E> Visitor<K, E> for Header {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        if let Some(event) = lenient(found.event())? {
            self.0 = dsh::seed_length(&event).map_err(Error::Foreign)?;
        }
        Ok(Flow::Stop)
    }
}
