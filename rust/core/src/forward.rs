//! From the start to the end in one pass, for what cannot be walked backward; the same answer (spec S6.3).

use crate::backward::speaks;
use crate::error::{Error, Malformed};
use crate::explanation::Explanation;
use crate::fold::{Fold, Place};
use crate::formats::dsh;
use crate::node::{Flow, Node};
use crate::outcome::Outcome;
use crate::records::{Found, Visitor};
use crate::signal::{Event, Kind};
use crate::suffix::{Side, Suffix, is_turn, turn_not_found};

/// One pass: feed it every record in order, then ask for the outcome.
#[derive(Clone)]
pub struct Pass<K> {
    suffix: Suffix,
    /// The session whose records these are, where the log holds several: its own start cuts it.
    session: Option<Box<[u8]>>,
    explanation: Option<Box<Explanation>>,
    skip: bool,
    /// Whether a header's `seedLength` cuts.
    has_seed_length: bool,
    cut: u64,
    /// A window on one turn is closed until that turn starts.
    inside: bool,
    turns: Vec<u64>,
    found_turn: bool,
    records: u64,
    known: bool,
    unknown: bool,
    outside: bool,
    part: Part<K>,
}

/// What was met since the suffix began, as far as is known yet.
#[derive(Clone)]
struct Part<K> {
    fold: Fold<K>,
    skipped: u64,
    last_defect: Option<Box<Malformed>>,
    first_defect: Option<Box<Malformed>>,
    other_session: Option<Box<Malformed>>,
    enveloped: bool,
}

impl<K> Default for Part<K> {
    fn default() -> Self {
        Self {
            fold: Fold::default(),
            skipped: 0,
            last_defect: None,
            first_defect: None,
            other_session: None,
            enveloped: false,
        }
    }
}

fn placed(mut defect: Box<Malformed>, place: Place) -> Box<Malformed> {
    // An array's elements have both; the byte says more.
    defect.index = place.index.filter(|_| place.offset.is_none());
    defect.offset = place.offset;
    defect.line = place.line;
    defect
}

impl<K> Part<K> {
    fn defect(&mut self, defect: Box<Malformed>, place: Place) {
        self.skipped += 1;
        self.last_defect = Some(placed(defect, place));
    }

    /// Note the first record of another session: an error only if the winner, or one after it, names any.
    fn session<N>(&mut self, event: &Event<N>, place: Place) {
        self.enveloped |= event.session.is_some();
        match self.fold.check_session(event) {
            Ok(()) => self.fold.join_session(event),
            Err(defect) => {
                self.other_session.get_or_insert_with(|| placed(defect, place));
            }
        }
    }

    fn take<N>(&mut self, found: &Found<N>, event: &Event<N>, divided: u64) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        if event.kind == Kind::Message {
            let content = found.check_limits().and_then(|()| dsh::content(event));
            match content {
                Err(Error::Malformed(defect)) => {
                    self.defect(defect, found.place);
                    self.session(event, found.place);
                    return Ok(());
                }
                content => {
                    if content?.len > 0 {
                        self.last_defect = None;
                        self.first_defect = None;
                        self.skipped = 0;
                        self.enveloped = false;
                    }
                }
            }
        }
        self.session(event, found.place);
        let limits = if self.fold.reads(event) { found.check_limits() } else { Ok(()) };
        match limits.and_then(|()| self.fold.take(event, found.place, divided)) {
            Err(Error::Malformed(defect)) => {
                self.skipped += 1;
                self.first_defect.get_or_insert_with(|| placed(defect, found.place));
                Ok(())
            }
            done => done,
        }
    }
}

impl<K> Pass<K> {
    /// A pass for this suffix.
    pub fn new(suffix: Suffix, skip: bool) -> Self {
        Self {
            suffix,
            session: None,
            explanation: None,
            skip,
            has_seed_length: suffix == Suffix::Own,
            cut: if let Suffix::SinceSeq(seq) = suffix { seq } else { 0 },
            inside: !matches!(suffix, Suffix::Turn(_)),
            turns: Vec::new(),
            found_turn: false,
            records: 0,
            known: false,
            unknown: false,
            outside: false,
            part: Part::default(),
        }
    }

    /// Explain the answer too.
    #[must_use]
    pub fn explained(mut self, explain: bool) -> Self {
        self.explanation = explain.then(Box::default);
        self
    }

    /// The records are notifications, of which a header says nothing.
    pub fn ignore_seed_length(&mut self) {
        self.has_seed_length = false;
    }

    /// A copy for the records of one session of several.
    #[must_use]
    pub fn of_session(&self, session: &[u8]) -> Self
    where
        K: Clone,
    {
        Self { session: Some(session.into()), ..self.clone() }
    }

    /// Take over whether another pass met records that the format knows, or doesn't.
    pub fn recognise_as<L>(&mut self, other: &Pass<L>) {
        self.known |= other.known;
        self.unknown |= other.unknown;
    }

    /// Look at a record that the caller knows to stand before the suffix.
    pub fn pass_over<N>(&mut self, found: &Found<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        self.records += 1;
        let (speaks, event) = speaks::<K, N>(found)?;
        if let Some(explanation) = &mut self.explanation {
            explanation.count();
        }
        if let Some(event) = event {
            self.recognise(&event);
            self.explain_header(&event)?;
            if let Some(explanation) = &mut self.explanation {
                explanation.pass_over(found, &event).map_err(Error::Foreign)?;
            }
        }
        self.outside |= speaks;
        Ok(())
    }

    fn explain_header<N: Node>(&mut self, event: &Event<N>) -> Result<(), Error<N::Error>> {
        match &mut self.explanation {
            Some(explanation) if self.records == 1 => explanation.header(event).map_err(Error::Foreign),
            _ => Ok(()),
        }
    }

    /// Take the next record that is examined.
    pub fn feed<N>(&mut self, found: &Found<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        self.records += 1;
        if let Some(explanation) = &mut self.explanation {
            explanation.count();
        }
        let event = match found.event() {
            Err(Error::Malformed(defect)) => {
                if self.inside {
                    if let Some(explanation) = &mut self.explanation {
                        explanation.unreadable(found, &defect);
                    }
                    self.part.defect(defect, found.place);
                }
                return Ok(());
            }
            event => event?,
        };
        self.recognise(&event);
        self.explain_header(&event)?;
        let divided = self.cut(found, &event)?;
        if let Some(explanation) = &mut self.explanation {
            match divided {
                Some(divided) => explanation.take(found, &event, divided),
                None => explanation.pass_over(found, &event),
            }
            .map_err(Error::Foreign)?;
        }
        divided.map_or(Ok(()), |divided| self.part.take(found, &event, divided))
    }

    /// Move the suffix where this record says so; None when the record isn't in it.
    fn cut<N>(&mut self, found: &Found<N>, event: &Event<N>) -> Result<Option<u64>, Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        let is_own = self.suffix == Suffix::Own;
        if self.has_seed_length && self.records == 1 {
            self.cut = dsh::seed_length(event).map_err(Error::Foreign)?;
        }
        if let Suffix::Turn(asked) = self.suffix
            && event.kind == Kind::TurnStart
        {
            let number = dsh::turn(event).map_err(Error::Foreign)?;
            self.turns.extend(number);
            self.inside = is_turn(asked, number);
            if self.inside {
                self.leave();
                self.found_turn = true;
            }
        }
        let side = Side::of(event, self.cut).map_err(Error::Foreign)?;
        let is_marker = is_own
            && match event.kind {
                Kind::Cut => true,
                Kind::ChildStarted if self.session.is_some() => {
                    dsh::started_child(event).map_err(Error::Foreign)? == self.session
                }
                _ => false,
            };
        if side != Side::Above || is_marker {
            self.leave();
        }
        if side != Side::Above || !self.inside {
            self.outside |= speaks::<K, N>(found)?.0;
        }
        Ok(match side {
            _ if is_marker || !self.inside => None,
            Side::Below => None,
            Side::Above => Some(0),
            Side::Divided(members) => Some(members),
        })
    }

    fn recognise<N>(&mut self, event: &Event<N>) {
        self.known |= event.known;
        self.unknown |= !event.known;
    }

    fn leave(&mut self) {
        self.outside |= self.part.fold.speaks();
        self.part = Part::default();
        if let Some(explanation) = &mut self.explanation {
            explanation.leave();
        }
    }

    /// The answer, or the error that S7's order names.
    pub fn outcome<E>(self) -> Result<Outcome<K>, Error<E>> {
        if let Suffix::Turn(turn) = self.suffix
            && !self.found_turn
        {
            return Err(turn_not_found(turn, self.turns));
        }
        let Part { mut fold, skipped, last_defect, first_defect, other_session, enveloped } = self.part;
        let defects = [
            last_defect.filter(|_| !self.skip),
            other_session.filter(|_| enveloped),
            first_defect.filter(|_| !self.skip),
        ];
        if let Some(defect) = defects.into_iter().flatten().next() {
            return Err(defect.into());
        }
        fold.known = self.known;
        fold.unknown = self.unknown;
        let outside = self.outside && !fold.speaks();
        Ok(Outcome { fold, skipped, outside, torn: false, explanation: self.explanation })
    }
}

impl<K, E> Visitor<K, E> for Pass<K> {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        self.feed(found)?;
        Ok(Flow::Continue)
    }
}
