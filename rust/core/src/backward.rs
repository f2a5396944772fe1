//! From the end to the answer, stopping as soon as nothing earlier can change it (spec S6.3, S7 Order).
//!
//! A log is walked once, and what was streamed is gathered on the way, in case that no message has blocks; a list is
//! walked for its messages, and for its streams only without one.

use crate::error::Error;
use crate::fold::{Fold, Place};
use crate::node::{Flow, Node};
use crate::outcome::Outcome;
use crate::records::{Found, Records, Visitor};
use crate::signal::Event;
use crate::streamed::{Gathering, Streamed};
use crate::suffix::lenient;
use crate::walk::Walk;

/// How to walk: where the suffix is cut further, and what to do with defects.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Cut after the last seed marker.
    pub own: bool,
    /// Cut after the last event with a seq below this.
    pub cut: u64,
    /// Pass defects over.
    pub skip: bool,
    /// Nothing but the output is wanted: no turn, and no earlier text.
    pub only_output: bool,
}

/// The answer of `[lo, hi)` of records to which coming back is cheap: streams are read only if they matter.
pub fn scan<K, E, R: Records<K, E>>(records: &mut R, lo: u64, hi: u64, how: How) -> Result<Outcome<K>, Error<E>> {
    let mut walk = Walk::without_streams(how);
    records.backward(lo, hi, &mut walk)?;
    gather(records, &mut walk, lo, hi)?;
    finish(records, walk, lo, hi)
}

/// Read the streams of `[lo, hi)` if the walk left them and they matter.
pub fn gather<K, E, R: Records<K, E>>(
    records: &mut R,
    walk: &mut Walk<K>,
    lo: u64,
    hi: u64,
) -> Result<(), Error<E>> {
    if !walk.gathers() && walk.may_need_streams() {
        let start = walk.start.unwrap_or(lo);
        let mut gathering = Gathering { streamed: Streamed::default(), start, divided: walk.divided };
        records.forward(start, hi, &mut gathering)?;
        walk.streamed = gathering.streamed;
    }
    Ok(())
}

/// The answer of `[lo, hi)`, which was walked.
pub fn finish<K, E, R: Records<K, E>>(
    records: &mut R,
    walk: Walk<K>,
    lo: u64,
    hi: u64,
) -> Result<Outcome<K>, Error<E>> {
    let Walk { how, winner, earlier, turn, defect, known, unknown, streamed, skipped, .. } = walk;
    let start = walk.start.unwrap_or(lo);
    if let Some((defect, place)) = defect {
        return Err(records.placed(defect, place)?.into());
    }
    if walk.sessions.are_several() {
        let mut search = SessionSearch { fold: Fold::<K>::default(), place: Place::default() };
        match records.forward(start, hi, &mut search) {
            Err(Error::Malformed(defect)) => return Err(records.placed(defect, search.place)?.into()),
            done => done?,
        }
    }
    if winner.is_none()
        && !how.skip
        && let Some((defect, place)) = streamed.defect
    {
        return Err(records.placed(defect, place)?.into());
    }
    let skipped = if winner.is_none() { skipped + streamed.skipped } else { skipped };
    let mut fold = match (&winner, &earlier) {
        (Some(winner), _) if winner.has_text => Fold::default(),
        (_, Some(_)) => Fold::default(),
        _ => Fold::from_parts(None, None, streamed.place.map(|place| (streamed.text(), place))),
    };
    for said in [earlier, winner].into_iter().flatten() {
        fold.say(said);
    }
    fold.turn = turn;
    fold.known = known;
    fold.unknown = unknown;
    let mut outside = false;
    if !fold.speaks() {
        let mut look = Look { known: fold.known, unknown: fold.unknown, speaks: false, only_first: false };
        let (begin, end) = (records.begin(), records.end());
        records.forward(hi, end, &mut look)?;
        if !look.speaks {
            records.forward(begin, start, &mut look)?;
        }
        if !look.speaks && walk.divided > 0 {
            look.only_first = true;
            records.forward(start, hi, &mut look)?;
        }
        fold.known = look.known;
        fold.unknown = look.unknown;
        outside = look.speaks;
    }
    Ok(Outcome { fold, skipped, outside, torn: false, explanation: None })
}

/// Names the first record of another session than the suffix's first.
struct SessionSearch<K> {
    fold: Fold<K>,
    place: Place,
}

impl<K, E> Visitor<K, E> for SessionSearch<K> {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        self.place = found.place;
        if let Some(event) = lenient(found.event())? {
            self.fold.check_session(&event)?;
            self.fold.join_session(&event);
        }
        Ok(Flow::Continue)
    }
}

/// Whether what is outside a silent suffix says anything (`empty_suffix`).
struct Look {
    known: bool,
    unknown: bool,
    speaks: bool,
    only_first: bool,
}

impl<K, E> Visitor<K, E> for Look {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        let (speaks, event) = speaks::<K, N>(found)?;
        if let Some(event) = event {
            self.known |= event.known;
            self.unknown |= !event.known;
        }
        self.speaks |= speaks;
        Ok(if self.speaks || self.only_first { Flow::Stop } else { Flow::Continue })
    }
}

/// Whether a record is a message with blocks or holds streamed text; the event, if it can be recognised.
type Spoken<N> = (bool, Option<Event<N>>);

/// Whether a record outside the suffix says anything.
pub fn speaks<K, N>(found: &Found<N>) -> Result<Spoken<N>, Error<N::Error>>
where
    N: Node,
    N::Kept: Into<K>,
{
    let Some(event) = lenient(found.event())? else { return Ok((false, None)) };
    let mut alone = Fold::<K>::default();
    if !alone.reads(&event) || lenient(found.check_limits())?.is_none() {
        return Ok((false, Some(event)));
    }
    lenient(alone.take(&event, Place::default(), 0))?;
    Ok((alone.speaks(), Some(event)))
}
