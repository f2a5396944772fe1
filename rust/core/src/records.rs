//! What the two scans walk over: the records of a list or of a log, each with its place.
//!
//! A scan asks for the records of `[lo, hi)` in one direction; positions are indexes in a list,
//! byte offsets in a log.

use crate::error::{Error, Malformed};
use crate::fold::Place;
use crate::formats::dsh;
use crate::json;
use crate::node::{Flow, Node};
use crate::signal::Event;

/// A record that must be looked at: where it is, and what it holds or why it cannot be read.
pub struct Found<N> {
    /// Its place, as far as it is known without reading it.
    pub place: Place,
    /// Its position.
    pub start: u64,
    /// The position after it.
    pub end: u64,
    /// Its value, or the defect that makes it unreadable.
    pub value: Result<N, Box<Malformed>>,
    /// What may be wrong with it if it signals.
    pub limits: Result<(), Box<Malformed>>,
}

impl<N: Node> Found<N> {
    /// Recognise the record; a defect when it is unreadable.
    pub fn event(&self) -> Result<Event<N>, Error<N::Error>> {
        match &self.value {
            Ok(value) => dsh::event(value),
            Err(defect) => Err(defect.clone().into()),
        }
    }

    /// A defect when a record that signals breaks a limit.
    pub fn check_limits(&self) -> Result<(), Error<N::Error>> {
        Ok(self.limits.clone()?)
    }
}

impl<'a> Found<json::Value<'a>> {
    /// A line of a log.
    pub fn line(place: Place, start: u64, end: u64, line: &'a [u8], parser: &'a mut json::Parser) -> Self {
        match parser.parse(line) {
            Ok(record) => Self { place, start, end, value: Ok(record.value), limits: record.check_limits() },
            Err(defect) => Self { place, start, end, value: Err(defect), limits: Ok(()) },
        }
    }
}

/// What a scan does with each record.
pub trait Visitor<K, E> {
    /// Look at the next record.
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>;
}

/// A list or a log that can be walked both ways.
pub trait Records<K, E> {
    /// The position of the first record.
    fn begin(&self) -> u64;
    /// The position after the last.
    fn end(&self) -> u64;
    /// Visit the records of `[lo, hi)`, last first.
    fn backward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, E>) -> Result<(), Error<E>>;
    /// Visit the records of `[lo, hi)`, first first.
    fn forward(&mut self, lo: u64, hi: u64, visitor: &mut impl Visitor<K, E>) -> Result<(), Error<E>>;
    /// The defect, placed in the input.
    fn placed(&mut self, defect: Box<Malformed>, place: Place) -> Result<Box<Malformed>, Error<E>>;
}
