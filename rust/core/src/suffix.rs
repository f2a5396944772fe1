//! Which part of a list or log belongs to the run that is asked about (spec S4, S5).

use crate::error::Error;
use crate::formats::dsh;
use crate::node::{Flow, Node};
use crate::records::{Found, Records, Visitor};
use crate::signal::{Event, Kind};

/// What a caller asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suffix {
    /// The last run's own events.
    #[default]
    Own,
    /// All of it.
    Whole,
    /// From the n-th record on, as a slice starts.
    Start(i64),
    /// The last turn of that number; -1: the last turn.
    Turn(i64),
    /// The events from that seq on.
    SinceSeq(u64),
}

/// On which side of a cut by seq a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// None of it is below.
    Above,
    /// All of it is below.
    Below,
    /// So many members of a packed row are below.
    Divided(u64),
}

impl Side {
    /// Where a record stands to the events with a seq below `cut` (S4).
    pub fn of<N: Node>(event: &Event<N>, cut: u64) -> Result<Self, N::Error> {
        if cut == 0 {
            return Ok(Self::Above);
        }
        match dsh::seq(event)? {
            Some(seq) if seq < cut => {
                let end = seq.saturating_add(dsh::members(event)?);
                Ok(if end <= cut { Self::Below } else { Self::Divided(cut - seq) })
            }
            _ => Ok(Self::Above),
        }
    }
}

/// A defect goes on as Ok(None): damage outside a suffix never counts. What a node raises goes through.
pub fn lenient<T, E>(result: Result<T, Error<E>>) -> Result<Option<T>, Error<E>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Malformed(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// From the last start of that turn (-1: of any) to the next turn's, or the end.
pub fn turn_window<K, E>(records: &mut impl Records<K, E>, turn: i64) -> Result<(u64, u64), Error<E>> {
    let (begin, end) = (records.begin(), records.end());
    let mut search = TurnSearch { turn, lo: None, hi: end, turns: Vec::new() };
    records.backward(begin, end, &mut search)?;
    match search.lo {
        Some(lo) => Ok((lo, search.hi)),
        None => {
            search.turns.reverse();
            Err(turn_not_found(turn, search.turns))
        }
    }
}

/// The error that names the turns there are, each once.
pub fn turn_not_found<E>(turn: i64, turns: Vec<u64>) -> Error<E> {
    let mut seen = std::collections::HashSet::new();
    Error::TurnNotFound(turn, turns.into_iter().filter(|turn| seen.insert(*turn)).collect())
}

/// Whether a turn's number is the one that is asked for.
pub fn is_turn(asked: i64, number: Option<u64>) -> bool {
    asked == -1 || number.is_some_and(|number| u64::try_from(asked) == Ok(number))
}

struct TurnSearch {
    turn: i64,
    lo: Option<u64>,
    hi: u64,
    turns: Vec<u64>,
}

impl<K, E> Visitor<K, E> for TurnSearch {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        let Some(event) = lenient(found.event())? else { return Ok(Flow::Continue) };
        if event.kind == Kind::TurnStart {
            let number = dsh::turn(&event).map_err(Error::Foreign)?;
            if is_turn(self.turn, number) {
                self.lo = Some(found.start);
                return Ok(Flow::Stop);
            }
            self.hi = found.start;
            self.turns.extend(number);
        }
        Ok(Flow::Continue)
    }
}
