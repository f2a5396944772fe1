//! What a walk backward has met so far, and what two walks over neighbouring stretches make together.
//!
//! A stretch that is walked by itself doesn't know what was said after it, so it goes on where one walk over both
//! would have stopped, and [`Walk::before`] decides what of it counts.

use crate::backward::How;
use crate::error::{Error, Malformed};
use crate::fold::{Place, Said};
use crate::formats::dsh;
use crate::node::{Flow, Node};
use crate::records::{Found, Visitor};
use crate::signal::{Event, Kind, Turn};
use crate::streamed::Streamed;
use crate::suffix::Side;

/// What was met from the end of a stretch on.
pub struct Walk<K> {
    /// How to walk.
    pub how: How,
    /// The last message with blocks.
    pub winner: Option<Said<K>>,
    /// The newest message with text before a winner without.
    pub earlier: Option<Said<K>>,
    /// The last mark of a turn.
    pub turn: Turn,
    /// The sessions that were named.
    pub sessions: Named,
    /// What was streamed before the first message that was met.
    pub streamed: Streamed,
    /// The last record, after the winner, that hides whether it is a message.
    pub defect: Option<(Box<Malformed>, Place)>,
    /// How many of those there are.
    pub skipped: u64,
    /// Whether an event that the format knows was met.
    pub known: bool,
    /// Whether one that it doesn't know was.
    pub unknown: bool,
    /// Where the suffix starts, if that was met.
    pub start: Option<u64>,
    /// How many members of the row there lie before it.
    pub divided: u64,
    /// Whether nothing after it is unknown, so that it may end before the stretch does.
    is_last: bool,
    /// Whether streams are read on the way.
    gathers: bool,
}

/// The sessions that enveloped records name. They count from the winner on: where any is named there, all must be the same.
#[derive(Default)]
pub struct Named {
    /// The last that the winner or a record after it names.
    counted: Option<Box<[u8]>>,
    /// The last of all.
    last: Option<Box<[u8]>>,
    is_mixed: bool,
}

impl Named {
    /// Whether records of several sessions stand where one was to be.
    pub fn are_several(&self) -> bool {
        self.is_mixed && self.counted.is_some()
    }

    fn add(&mut self, session: &[u8], counts: bool) {
        if counts && self.counted.is_none() {
            self.counted = Some(session.into());
        }
        match self.last.as_deref() {
            None => self.last = Some(session.into()),
            Some(last) => self.is_mixed |= last != session,
        }
    }

    fn before(&mut self, earlier: Self, counts: bool) {
        if counts && self.counted.is_none() {
            self.counted = earlier.counted;
        }
        self.is_mixed |= earlier.is_mixed;
        match (&self.last, earlier.last) {
            (Some(last), Some(other)) => self.is_mixed |= *last != other,
            (None, other) => self.last = other,
            _ => {}
        }
    }
}

impl<K> Walk<K> {
    /// A walk from the end of what was asked for.
    pub fn new(how: How) -> Self {
        Self {
            how,
            winner: None,
            earlier: None,
            turn: Turn::Unknown,
            sessions: Named::default(),
            streamed: Streamed::default(),
            defect: None,
            skipped: 0,
            known: false,
            unknown: false,
            start: None,
            divided: 0,
            is_last: true,
            gathers: true,
        }
    }

    /// A walk that leaves streams for later: where reading one costs more than coming back to it.
    pub fn without_streams(how: How) -> Self {
        Self { gathers: false, ..Self::new(how) }
    }

    /// A walk over a stretch after which something stands that it doesn't know.
    pub fn of_stretch(how: How, gathers: bool) -> Self {
        Self { is_last: false, gathers, ..Self::new(how) }
    }

    fn wants_earlier(&self) -> bool {
        self.earlier.is_none() && self.winner.as_ref().is_some_and(|winner| !winner.has_text)
    }

    /// Whether nothing earlier can change the answer.
    pub fn is_over(&self) -> bool {
        let is_settled = self.winner.is_some()
            && (self.how.only_output || (self.turn != Turn::Unknown && !self.wants_earlier()))
            // Where records name their session, all of the suffix must name the same.
            && self.sessions.counted.is_none();
        self.start.is_some() || (self.is_last && (is_settled || self.defect.is_some()))
    }

    /// Leave streams for later from here on, those that were read too.
    pub fn leave_streams(&mut self) {
        self.gathers = false;
        self.streamed = Streamed::default();
    }

    /// Whether streams are read on the way.
    pub fn gathers(&self) -> bool {
        self.gathers
    }

    /// Whether what was streamed may be the answer, or the earlier text.
    pub fn may_need_streams(&self) -> bool {
        self.defect.is_none() && (self.winner.is_none() || (self.wants_earlier() && !self.how.only_output))
    }

    /// Put what was met in the stretch just before this one in front of it.
    pub fn before(&mut self, earlier: Self) {
        self.sessions.before(earlier.sessions, self.winner.is_none());
        if earlier.winner.is_some() {
            self.streamed = earlier.streamed;
        } else {
            self.streamed.before(earlier.streamed);
        }
        if self.winner.is_none() {
            self.skipped += earlier.skipped;
            self.defect = self.defect.take().or(earlier.defect);
            self.winner = earlier.winner;
            self.earlier = earlier.earlier;
        } else if self.wants_earlier() {
            self.earlier = earlier.winner.filter(|said| said.has_text).or(earlier.earlier);
        }
        if self.turn == Turn::Unknown {
            self.turn = earlier.turn;
        }
        self.known |= earlier.known;
        self.unknown |= earlier.unknown;
        self.start = earlier.start;
        self.divided = earlier.divided;
    }

    /// Damage before the winner never counts.
    fn damage(&mut self, defect: Box<Malformed>, place: Place) {
        if self.winner.is_none() {
            self.skipped += 1;
            if !self.how.skip && self.defect.is_none() {
                self.defect = Some((defect, place));
            }
        }
    }

    fn message<N>(&mut self, found: &Found<N>, event: &Event<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        found.check_limits()?;
        let content = dsh::content(event)?;
        if content.len == 0 {
            return match self.gathers {
                true => self
                    .streamed
                    .prepend(found, event, self.divided, |to| dsh::embedded(&content.data, event.path, to)),
                false => Ok(()),
            };
        }
        let said = Said::read(event, &content, found.place)?;
        // What was streamed after a message counts for nothing.
        self.streamed = Streamed::default();
        if self.winner.is_none() {
            self.winner = Some(said);
        } else if said.has_text {
            self.earlier = Some(said);
        }
        Ok(())
    }

    fn take<N>(&mut self, found: &Found<N>, event: &Event<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        if let Some(session) = &event.session {
            self.sessions.add(session, self.winner.is_none());
        }
        match event.kind {
            Kind::Message if self.winner.is_none() || self.wants_earlier() => self.message(found, event)?,
            Kind::Stream(stream) if self.gathers && (self.winner.is_none() || self.wants_earlier()) => {
                self.streamed.prepend(found, event, self.divided, |to| {
                    found.check_limits()?;
                    dsh::pieces(event, stream, to)
                })?;
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
        let taken = found.event().and_then(|event| {
            self.known |= event.known;
            self.unknown |= !event.known;
            match Side::of(&event, self.how.cut).map_err(Error::Foreign)? {
                _ if self.how.own && event.kind == Kind::Cut => self.start = Some(found.end),
                Side::Below => self.start = Some(found.end),
                Side::Above => return self.take(found, &event),
                Side::Divided(members) => {
                    self.start = Some(found.start);
                    self.divided = members;
                    return self.take(found, &event);
                }
            }
            Ok(())
        });
        match taken {
            Err(Error::Malformed(defect)) => self.damage(defect, found.place),
            taken => taken?,
        }
        Ok(if self.is_over() { Flow::Stop } else { Flow::Continue })
    }
}
