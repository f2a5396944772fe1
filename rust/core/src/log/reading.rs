//! Which way to go through a log, by what its source allows (spec S5, S6.3, S7).

use std::convert::Infallible;
use std::io::Read;

use crate::backward::{self, How};
use crate::checking::{Checking, Problem};
use crate::error::Error;
use crate::fold::Place;
use crate::formats::dsh;
use crate::json::{BOM, Value};
use crate::log::ahead::{Input, Plain};
use crate::log::document::{self, Sink};
use crate::log::frames::{Codec, Frames, Overflow, Unpacked, codec};
use crate::log::records::LogRecords;
use crate::log::source::{FromStart, Held, Source};
use crate::log::stretches::{self, Threads};
use crate::node::{Flow, Node};
use crate::outcome::Outcome;
use crate::records::{Found, Records, Visitor};
use crate::sessions::{Id, Sessions};
use crate::suffix::{Suffix, lenient, turn_window};

/// What is kept of a log's values: their bytes.
pub type Kept = Box<[u8]>;

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which part of the log.
    pub suffix: Suffix,
    /// Whose, in WTF-8; None: of the session that there is.
    pub session: Option<Id>,
    /// Whether defects are passed over.
    pub skip: bool,
    /// Whether to tell what was met.
    pub explain: bool,
    /// The longest line that is examined.
    pub limit: usize,
    /// How much is decompressed.
    pub decompressed: u64,
    /// What may read a log that can be read at any offset.
    pub threads: Threads,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            suffix: Suffix::Own,
            session: None,
            skip: false,
            explain: false,
            limit: 256 << 20,
            decompressed: 64 << 30,
            threads: Threads::default(),
        }
    }
}

/// The answers of the sessions of a log; asked for one, it is the only one.
pub type Answers = Vec<(Id, Outcome<Kept>)>;

type Result<T> = std::result::Result<T, Error<Infallible>>;

/// Whose answers are wanted.
#[derive(Clone, Copy)]
enum Whose {
    One,
    All,
}

/// The answer of a log that can be read at any offset.
pub fn read<S: Source>(source: &mut S, options: &Options) -> Result<Outcome<Kept>> {
    only(answers(source, options, Whose::One))
}

/// The answer of a log that can only be read once.
pub fn read_stream(input: &mut dyn Read, options: &Options) -> Result<Outcome<Kept>> {
    only(stream_answers(input, options, Whose::One))
}

/// The answer of each session of a log that can be read at any offset.
pub fn read_sessions<S: Source>(source: &mut S, options: &Options) -> Result<Answers> {
    answers(source, options, Whose::All)
}

/// The answer of each session of a log that can only be read once.
pub fn read_sessions_stream(input: &mut dyn Read, options: &Options) -> Result<Answers> {
    stream_answers(input, options, Whose::All)
}

/// What is wrong with a log.
pub fn check(mut input: impl Read, options: &Options) -> Result<Vec<Problem>> {
    let mut checking = Checking::default();
    let done = with_input(&mut input, options, |input| document::read(input, &mut checking, 0, options.limit));
    match done.map_err(named) {
        // A log of which too much would have to be decompressed is checked as far as that.
        Err(Error::Malformed(defect)) => {
            let place = Place::at_offset(defect.offset.unwrap_or(0), defect.line);
            checking.take(&Found { place, start: 0, end: 0, value: Err(defect), limits: Ok(()) });
        }
        done => {
            done?;
        }
    }
    Ok(checking.problems)
}

fn only(answers: Result<Answers>) -> Result<Outcome<Kept>> {
    let (_, outcome) = answers?.swap_remove(0);
    Ok(outcome)
}

fn answers<S: Source>(source: &mut S, options: &Options, whose: Whose) -> Result<Answers> {
    let found = codec(source.block(0, MAGIC)?);
    let answers = match found {
        None => sought(source, options, whose),
        Some(codec) => {
            let frames = match codec {
                Codec::Zstd => Frames::open(&mut *source, options.decompressed),
                Codec::Gzip => Ok(None),
            };
            match frames {
                Ok(Some(mut frames)) => sought(&mut frames, options, whose),
                Ok(None) => {
                    once(&mut Unpacked::new(FromStart::new(source), codec, options.decompressed), options, whose)
                }
                Err(error) => Err(error.into()),
            }
        }
    };
    answers.map_err(named)
}

fn stream_answers(input: &mut dyn Read, options: &Options, whose: Whose) -> Result<Answers> {
    with_input(input, options, |input| once(input, options, whose)).map_err(named)
}

const MAGIC: usize = 4;

/// The bytes of an input, decompressed if its first bytes say so.
fn with_input<R>(
    input: &mut dyn Read,
    options: &Options,
    read: impl FnOnce(&mut dyn Input) -> Result<R>,
) -> Result<R> {
    let mut head = Vec::new();
    input.take(MAGIC as u64).read_to_end(&mut head)?;
    let found = codec(&head);
    let whole = head.as_slice().chain(input);
    match found {
        Some(codec) => read(&mut Unpacked::new(whole, codec, options.decompressed)),
        None => read(&mut Plain(whole)),
    }
}

/// An error of too much decompressed, in the words of S7.
fn named(error: Error<Infallible>) -> Error<Infallible> {
    let Error::Io(io) = &error else { return error };
    match io.get_ref().and_then(|inner| inner.downcast_ref::<Overflow>()) {
        Some(overflow) => overflow.defect().into(),
        None => error,
    }
}

/// A log that can be read at any offset, from its end where that answers.
fn sought<S: Source>(source: &mut S, options: &Options, whose: Whose) -> Result<Answers> {
    if options.explain || matches!(options.suffix, Suffix::Start(0..)) || begins_as_array(source)? {
        return from_start(source, options, whose);
    }
    let mut records = LogRecords::new(source, options.limit)?;
    let (mut lo, mut hi) = bounds(&records);
    let mut first = First::default();
    Records::<Kept, _>::forward(&mut records, lo, hi, &mut first)?;
    let id = first.id.unwrap_or_default();
    let is_header = options.session.as_ref().is_none_or(|session| *session == id);
    if first.is_notification || !is_header {
        return from_start(source, options, whose);
    }
    let mut how = How { skip: options.skip, ..How::default() };
    match options.suffix {
        Suffix::Whole => {}
        Suffix::Own => {
            how.own = true;
            how.cut = first.seed_length;
        }
        Suffix::Start(start) => lo = records.from_end(start.unsigned_abs())?,
        Suffix::Turn(turn) => (lo, hi) = turn_window::<Kept, _>(&mut records, turn)?,
        Suffix::SinceSeq(seq) => how.cut = seq,
    }
    let mut walk = stretches::walk(&mut records, lo, hi, how, options.threads)?;
    backward::gather(&mut records, &mut walk, lo, hi)?;
    let mut outcome = backward::finish(&mut records, walk, lo, hi)?;
    outcome.torn = records.torn;
    Ok(vec![(id, outcome)])
}

/// A log that can be read at any offset, forward all the same.
fn from_start<S: Source>(source: &mut S, options: &Options, whose: Whose) -> Result<Answers> {
    let start = match options.suffix {
        Suffix::Start(from_end @ ..0) => {
            let counted = document::read(&mut FromStart::new(source), &mut Nothing, u64::MAX, options.limit)?;
            counted.records.saturating_sub(from_end.unsigned_abs())
        }
        Suffix::Start(start) => start.unsigned_abs(),
        _ => 0,
    };
    through(&mut FromStart::new(source), start, options, whose)
}

/// A log that can only be read once. A start that counts from its end must wait for that.
fn once(input: &mut dyn Input, options: &Options, whose: Whose) -> Result<Answers> {
    match options.suffix {
        Suffix::Start(..0) => sought(&mut Held::new(input)?, options, whose),
        Suffix::Start(start) => through(input, start.unsigned_abs(), options, whose),
        _ => through(input, 0, options, whose),
    }
}

fn through(input: &mut dyn Input, start: u64, options: &Options, whose: Whose) -> Result<Answers> {
    let mut sessions = Sessions::new(options.suffix, options.skip, options.session.clone(), options.explain);
    let end = document::read(input, &mut sessions, start, options.limit)?;
    let mut answers = match whose {
        Whose::One => vec![(Id::default(), sessions.outcome()?)],
        Whose::All => sessions.outcomes()?,
    };
    for (_, outcome) in &mut answers {
        outcome.torn = end.is_torn;
    }
    Ok(answers)
}

impl Sink for Sessions<Kept> {
    fn take(&mut self, found: &Found<Value<'_>>, is_before: bool) -> Result<()> {
        if is_before { self.pass_over(found) } else { self.feed(found) }
    }
}

impl Sink for Checking {
    fn take(&mut self, found: &Found<Value<'_>>, _is_before: bool) -> Result<()> {
        self.take(found);
        Ok(())
    }

    fn examines_all(&self) -> bool {
        true
    }

    fn torn(&mut self, place: Place, sentence: String) {
        self.torn(place, sentence);
    }
}

/// For counting only.
struct Nothing;

impl Sink for Nothing {
    fn take(&mut self, _found: &Found<Value<'_>>, _is_before: bool) -> Result<()> {
        Ok(())
    }
}

/// Whether the first byte, after a byte order mark, could begin an array.
fn begins_as_array<S: Source>(source: &mut S) -> Result<bool> {
    let head = source.block(0, BOM.len() + 1)?;
    Ok(head.strip_prefix(BOM).unwrap_or(head).starts_with(b"["))
}

fn bounds<S: Source>(records: &LogRecords<'_, S>) -> (u64, u64) {
    (Records::<Kept, _>::begin(records), Records::<Kept, _>::end(records))
}

/// What a log's first records say of it: the header, and whether it holds notifications.
#[derive(Default)]
struct First {
    id: Option<Id>,
    seed_length: u64,
    is_notification: bool,
    is_later: bool,
}

impl<K, E> Visitor<K, E> for First {
    fn visit<N>(&mut self, found: &Found<N>) -> std::result::Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        let is_first = !std::mem::replace(&mut self.is_later, true);
        let Some(event) = lenient(found.event())? else { return Ok(Flow::Continue) };
        if is_first && !event.is_notification {
            self.id = dsh::header_id(&event).map_err(Error::Foreign)?;
            self.seed_length = dsh::seed_length(&event).map_err(Error::Foreign)?;
        }
        self.is_notification = event.is_notification;
        Ok(Flow::Stop)
    }
}
