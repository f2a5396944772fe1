//! From the end to the answer, stopping as soon as nothing earlier can change it (spec S6.3, S7 Order).
//!
//! Two walks at most: backward to the last non-empty message, and, where the suffix has none,
//! forward over the suffix for its streamed text.

use crate::error::{Error, Malformed};
use crate::fold::{Fold, Place, Said};
use crate::formats::dsh;
use crate::node::{Flow, Node};
use crate::outcome::Outcome;
use crate::records::{Found, Records, Visitor};
use crate::signal::{Event, Kind, Turn};
use crate::suffix::{Side, lenient};

/// How to walk: where the suffix is cut further, and what to do with defects.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Cut after the last seed marker.
    pub own: bool,
    /// Cut after the last event with a seq below this.
    pub cut: u64,
    /// Pass defects over.
    pub skip: bool,
}

/// The answer of `[lo, hi)`.
pub fn scan<K, E, R: Records<K, E>>(records: &mut R, lo: u64, hi: u64, how: How) -> Result<Outcome<K>, Error<E>> {
    let mut walk = Walk::new(how, lo);
    match records.backward(lo, hi, &mut walk) {
        Err(Error::Malformed(defect)) => return Err(records.placed(defect, walk.place)?.into()),
        done => done?,
    }
    if walk.other_session {
        let mut search = SessionSearch { fold: Fold::<K>::default(), place: Place::default() };
        match records.forward(walk.start, hi, &mut search) {
            Err(Error::Malformed(defect)) => return Err(records.placed(defect, search.place)?.into()),
            done => done?,
        }
    }
    let Walk { winner, earlier, turn, known, unknown, start, divided, skipped, .. } = walk;
    let mut push = Push {
        fold: Fold::default(),
        how,
        start,
        divided,
        skipped: 0,
        place: Place::default(),
        until_message: false,
    };
    let mut skipped = skipped;
    match winner {
        None => {
            match records.forward(start, hi, &mut push) {
                Err(Error::Malformed(defect)) => return Err(records.placed(defect, push.place)?.into()),
                done => done?,
            }
            skipped = push.skipped;
        }
        Some(winner) => {
            if !winner.has_text {
                match earlier {
                    Some(earlier) => push.fold.say(earlier),
                    None => {
                        push.until_message = true;
                        push.how.skip = true;
                        records.forward(start, hi, &mut push)?;
                    }
                }
            }
            push.fold.say(winner);
        }
    }
    let mut fold = push.fold;
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
        if !look.speaks && divided > 0 {
            look.only_first = true;
            records.forward(start, hi, &mut look)?;
        }
        fold.known = look.known;
        fold.unknown = look.unknown;
        outside = look.speaks;
    }
    Ok(Outcome { fold, skipped, outside, torn: false, explanation: None })
}

/// The walk backward: what it has met so far.
struct Walk<K> {
    how: How,
    winner: Option<Said<K>>,
    earlier: Option<Said<K>>,
    turn: Turn,
    session: Option<Box<[u8]>>,
    other_session: bool,
    skipped: u64,
    known: bool,
    unknown: bool,
    /// Where the suffix starts, and how many members of the row there lie before it.
    start: u64,
    divided: u64,
    /// The place of the record looked at last.
    place: Place,
}

impl<K> Walk<K> {
    fn new(how: How, lo: u64) -> Self {
        Self {
            how,
            winner: None,
            earlier: None,
            turn: Turn::Unknown,
            session: None,
            other_session: false,
            skipped: 0,
            known: false,
            unknown: false,
            start: lo,
            divided: 0,
            place: Place::default(),
        }
    }

    fn wants_earlier(&self) -> bool {
        self.earlier.is_none() && self.winner.as_ref().is_some_and(|winner| !winner.has_text)
    }

    /// Where records name their session, all of the suffix must name the same.
    fn is_settled(&self) -> bool {
        self.winner.is_some() && self.turn != Turn::Unknown && !self.wants_earlier() && self.session.is_none()
    }

    /// Damage before the winner never counts.
    fn defect<E>(&mut self, defect: Box<Malformed>) -> Result<Flow, Error<E>> {
        if self.winner.is_none() {
            if !self.how.skip {
                return Err(Error::Malformed(defect));
            }
            self.skipped += 1;
        }
        Ok(Flow::Continue)
    }

    fn take<N>(&mut self, found: &Found<N>, event: &Event<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        // Sessions count from the winner on; where any is named there, all before must be the same.
        if let Some(session) = &event.session
            && (self.winner.is_none() || self.session.is_some())
        {
            self.other_session |= self.session.as_ref().is_some_and(|other| other != session);
            self.session.get_or_insert_with(|| session.clone());
        }
        match event.kind {
            Kind::Message if self.winner.is_none() || self.wants_earlier() => {
                found.check_limits()?;
                let content = dsh::content(event)?;
                if content.len > 0 {
                    let said = Said::read(event, &content, found.place)?;
                    if self.winner.is_none() {
                        self.winner = Some(said);
                    } else if said.has_text {
                        self.earlier = Some(said);
                    }
                }
            }
            Kind::TurnStart if self.turn == Turn::Unknown => self.turn = Turn::Open,
            Kind::TurnEnd if self.turn == Turn::Unknown => {
                self.turn = Turn::Ended(dsh::stop(event).map_err(Error::Foreign)?);
            }
            _ => {}
        }
        Ok(())
    }
}

impl<K, E> Visitor<K, E> for Walk<K> {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        self.place = found.place;
        let event = match found.event() {
            Err(Error::Malformed(defect)) => return self.defect(defect),
            event => event?,
        };
        self.known |= event.known;
        self.unknown |= !event.known;
        let side = Side::of(&event, self.how.cut).map_err(Error::Foreign)?;
        if side == Side::Below || (self.how.own && event.kind == Kind::Cut) {
            self.start = found.end;
            return Ok(Flow::Stop);
        }
        match self.take(found, &event) {
            Err(Error::Malformed(defect)) => {
                self.defect::<E>(defect)?;
            }
            done => done?,
        }
        if let Side::Divided(members) = side {
            self.start = found.start;
            self.divided = members;
            return Ok(Flow::Stop);
        }
        Ok(if self.is_settled() { Flow::Stop } else { Flow::Continue })
    }
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

/// Pushes the suffix as a caller would.
struct Push<K> {
    fold: Fold<K>,
    how: How,
    start: u64,
    divided: u64,
    skipped: u64,
    place: Place,
    until_message: bool,
}

impl<K, E> Visitor<K, E> for Push<K> {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        self.place = found.place;
        let skip_members = if found.start == self.start { self.divided } else { 0 };
        let pushed = found.event().and_then(|event| {
            if self.fold.reads(&event) {
                found.check_limits()?;
            }
            self.fold.take(&event, found.place, skip_members)
        });
        match pushed {
            Err(Error::Malformed(_)) if self.how.skip => self.skipped += 1,
            done => done?,
        }
        Ok(if self.until_message && self.fold.message().is_some() { Flow::Stop } else { Flow::Continue })
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
