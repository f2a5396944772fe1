//! The rule (spec S2, S3): Nothing → Text → Message, one record at a time.
//!
//! It knows no files and no threads. `K` is what it keeps of a value: bytes, or a reference to an object.

use std::fmt::Write as _;

use crate::error::{Error, Kind as Defect, Malformed};
use crate::formats::dsh::{self, Named};
use crate::node::{Key, Node};
use crate::signal::{Event, Kind, Turn};
use crate::text::{self, Pieces, Text};

/// Where a record stood (spec S9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// 0-based in a list; in a fold the count of calls before.
    pub index: Option<u64>,
    /// The record's first byte in a log.
    pub offset: Option<u64>,
    /// The record's line in a log, from 1, where it is known.
    pub line: Option<u64>,
    /// What the record says of itself.
    pub seq: Option<u64>,
}

impl Place {
    /// The place of an event in a list or fold.
    pub fn at_index(index: u64) -> Self {
        Self { index: Some(index), ..Self::default() }
    }

    /// The place of a record in a log.
    pub fn at_offset(offset: u64, line: Option<u64>) -> Self {
        Self { offset: Some(offset), line, ..Self::default() }
    }

    fn moved_by(self, count: u64) -> Self {
        Self { index: self.index.map(|index| index.saturating_add(count)), ..self }
    }
}

/// A non-empty message.
#[derive(Clone, Debug)]
pub struct Said<K> {
    /// Its list of blocks.
    pub content: K,
    /// Its id, a string.
    pub message_id: Option<K>,
    /// Whether its text is more than blank.
    pub has_text: bool,
    /// Where it stood.
    pub place: Place,
}

impl<K> Said<K> {
    /// Keep a message that has blocks.
    #[inline]
    pub fn read<N>(event: &Event<N>, content: &dsh::Content<N>, place: Place) -> Result<Self, Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        let has_text = text::has_text(&content.list)?;
        let id = content.message.member(Key::Id).map_err(Error::Foreign)?;
        let id = match id {
            Some(id) => id.with_text(|_| ()).map_err(Error::Foreign)?.map(|()| id.keep().into()),
            None => None,
        };
        let seq = dsh::seq(event).map_err(Error::Foreign)?;
        Ok(Self { content: content.list.keep().into(), message_id: id, has_text, place: Place { seq, ..place } })
    }
}

/// What has been said so far in one suffix of one session.
#[derive(Clone, Debug)]
pub struct Fold<K> {
    message: Option<Said<K>>,
    /// The newest message with text before a message without; None while the message has some.
    earlier: Option<Said<K>>,
    /// Streamed before the first message, kept until a message with text came.
    text: Text,
    text_place: Option<Place>,
    /// The last mark of a turn.
    pub turn: Turn,
    /// The session that enveloped records named, in WTF-8.
    pub session: Option<Box<[u8]>>,
    /// Whether an event that the format knows was taken.
    pub known: bool,
    /// Whether one that it does not know was.
    pub unknown: bool,
    /// How many calls and extend members were taken.
    pub count: u64,
}

impl<K> Default for Fold<K> {
    fn default() -> Self {
        Self {
            message: None,
            earlier: None,
            text: Text::default(),
            text_place: None,
            turn: Turn::Unknown,
            session: None,
            known: false,
            unknown: false,
            count: 0,
        }
    }
}

impl<K> Fold<K> {
    /// Take the next event of those that are given one by one, or fail and stay as it was.
    #[inline(always)]
    pub fn push<N>(&mut self, record: &N) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        let place = Place::at_index(self.count);
        match dsh::recognise(record)? {
            // Most events: of the fold's session, since they name none, and of no more interest.
            Some(Named { kind: Kind::Nothing, known, .. }) => self.note(known),
            Some(named) => self.take(&dsh::bare_event(record.clone(), named), place, 0)?,
            None => self.apply(&dsh::event(record)?, place)?,
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Take one record of this fold's session, or fail and stay as it was.
    #[inline]
    pub fn apply<N>(&mut self, event: &Event<N>, place: Place) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        self.check_session(event)?;
        self.take(event, place, 0)?;
        self.join_session(event);
        Ok(())
    }

    /// Take one record of any session. `skip_members`: of a packed row that a cut divides.
    #[inline]
    pub fn take<N>(&mut self, event: &Event<N>, place: Place, skip_members: u64) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        match event.kind {
            Kind::Message => {
                let content = dsh::content(event)?;
                if content.len > 0 {
                    self.say(Said::read(event, &content, place)?);
                } else if self.message.is_none() {
                    self.stream_of(event, place, 0, |to| dsh::embedded(&content.data, event.path, to))?;
                }
            }
            Kind::Stream(stream) => {
                if self.message.is_none() {
                    self.stream_of(event, place, skip_members, |to| dsh::pieces(event, stream, to))?;
                }
            }
            Kind::TurnStart => self.turn = Turn::Open,
            Kind::TurnEnd => self.turn = Turn::Ended(dsh::stop(event).map_err(Error::Foreign)?),
            Kind::Nothing | Kind::Cut | Kind::Header | Kind::ChildStarted => {}
        }
        self.recognise(event);
        Ok(())
    }

    /// Note whether the format knows an event.
    #[inline]
    pub fn recognise<N>(&mut self, event: &Event<N>) {
        self.note(event.known);
    }

    #[inline]
    fn note(&mut self, known: bool) {
        self.known |= known;
        self.unknown |= !known;
    }

    /// Fail for an event of another session.
    #[inline]
    pub fn check_session<N>(&self, event: &Event<N>) -> Result<(), Box<Malformed>> {
        match (&event.session, &self.session) {
            (Some(found), Some(expected)) if found != expected => Err(other_session(event.path, found, expected)),
            _ => Ok(()),
        }
    }

    /// Take over the session of an event that was checked.
    #[inline]
    pub fn join_session<N>(&mut self, event: &Event<N>) {
        if event.session.is_some() && self.session.is_none() {
            self.session.clone_from(&event.session);
        }
    }

    /// Whether a record of this kind would be read, so that its limits count (S7).
    pub fn reads<N>(&self, event: &Event<N>) -> bool {
        match event.kind {
            Kind::Message => true,
            Kind::Stream(_) => self.message.is_none(),
            _ => false,
        }
    }

    /// A message with blocks.
    #[inline]
    pub fn say(&mut self, said: Said<K>) {
        if said.has_text {
            if self.earlier.is_some() {
                self.earlier = None;
            }
            if self.text_place.is_some() {
                self.text = Text::default();
                self.text_place = None;
            }
        } else if self.message.as_ref().is_some_and(|before| before.has_text) {
            self.earlier = self.message.take();
        }
        self.message = Some(said);
    }

    /// Streamed text that came by itself: `append` gives the pieces, also where they don't count, and says how many.
    /// Before the fold speaks that must be one, whose place is that of the text.
    #[inline(always)]
    pub fn stream<E>(&mut self, append: impl FnOnce(&mut Pieces<'_>) -> Result<u64, E>) -> Result<(), E> {
        let passes = if self.message.is_some() { u64::MAX } else { 0 };
        let given = append(&mut Pieces::new(&mut self.text, passes))?;
        if self.text_place.is_none() && !self.text.is_empty() {
            self.text_place = Some(Place::at_index(self.count));
        }
        self.count = self.count.saturating_add(given);
        Ok(())
    }

    #[inline]
    fn stream_of<N: Node>(
        &mut self,
        event: &Event<N>,
        place: Place,
        skip: u64,
        read: impl FnOnce(&mut Pieces<'_>) -> Result<(), Error<N::Error>>,
    ) -> Result<(), Error<N::Error>> {
        let before = self.text.len();
        let done = read(&mut Pieces::new(&mut self.text, skip)).and_then(|()| {
            if self.text_place.is_none() && self.text.len() > before {
                let seq = dsh::seq(event).map_err(Error::Foreign)?;
                self.text_place = Some(Place { seq, ..place });
            }
            Ok(())
        });
        if done.is_err() {
            self.text.truncate(before);
        }
        done
    }

    /// Whether there is output.
    pub fn speaks(&self) -> bool {
        self.message.is_some() || self.text_place.is_some()
    }

    /// The message that is the output, in state Message.
    pub fn message(&self) -> Option<&Said<K>> {
        self.message.as_ref()
    }

    /// The newest message with text before one without.
    pub fn earlier(&self) -> Option<&Said<K>> {
        self.earlier.as_ref()
    }

    /// The streamed text that is kept, and the place of its first piece.
    pub fn streamed(&self) -> Option<(&Text, Place)> {
        self.text_place.map(|place| (&self.text, place))
    }

    /// Put a fold together from its parts, as a pickle holds them.
    pub fn from_parts(
        message: Option<Said<K>>,
        earlier: Option<Said<K>>,
        streamed: Option<(Text, Place)>,
    ) -> Self {
        let (text, text_place) = streamed.map_or_else(Default::default, |(text, place)| (text, Some(place)));
        Self { message, earlier, text, text_place, ..Self::default() }
    }
}

impl<K> Fold<K> {
    /// A copy; `keep` copies what is kept of a value.
    pub fn copy_with(&self, keep: &impl Fn(&K) -> K) -> Self {
        let copy = |said: &Said<K>| said.copy_with(keep, 0);
        Self {
            message: self.message.as_ref().map(copy),
            earlier: self.earlier.as_ref().map(copy),
            text: self.text.clone(),
            text_place: self.text_place,
            turn: self.turn.clone(),
            session: self.session.clone(),
            known: self.known,
            unknown: self.unknown,
            count: self.count,
        }
    }

    /// The fold of this one's input and then the other's (S5); neither changes.
    pub fn merge_with(&self, later: &Self, keep: &impl Fn(&K) -> K) -> Result<Self, Box<Malformed>> {
        if let (Some(ours), Some(theirs)) = (&self.session, &later.session)
            && ours != theirs
        {
            return Err(Malformed::new(
                Defect::WrongSession,
                "later",
                format!("a fold of session {}", quoted(theirs)),
                format!("one of session {}", quoted(ours)),
            ));
        }
        let mut both = self.copy_with(keep);
        if both.message.is_none() {
            both.text.append(&later.text);
            both.text_place = both.text_place.or(later.text_place.map(|place| place.moved_by(self.count)));
        }
        for said in [&later.earlier, &later.message].into_iter().flatten() {
            both.say(said.copy_with(keep, self.count));
        }
        if later.turn != Turn::Unknown {
            both.turn = later.turn.clone();
        }
        if both.session.is_none() {
            both.session.clone_from(&later.session);
        }
        both.known |= later.known;
        both.unknown |= later.unknown;
        both.count = both.count.saturating_add(later.count);
        Ok(both)
    }
}

impl<K> Fold<K> {
    /// The same fold with what it keeps in another form.
    pub fn map_kept<L>(self, mut map: impl FnMut(K) -> L) -> Fold<L> {
        let mut said = |said: Said<K>| Said {
            content: map(said.content),
            message_id: said.message_id.map(&mut map),
            has_text: said.has_text,
            place: said.place,
        };
        Fold {
            message: self.message.map(&mut said),
            earlier: self.earlier.map(&mut said),
            text: self.text,
            text_place: self.text_place,
            turn: self.turn,
            session: self.session,
            known: self.known,
            unknown: self.unknown,
            count: self.count,
        }
    }
}

impl<K> Said<K> {
    fn copy_with(&self, keep: &impl Fn(&K) -> K, moved_by: u64) -> Self {
        Self {
            content: keep(&self.content),
            message_id: self.message_id.as_ref().map(keep),
            has_text: self.has_text,
            place: self.place.moved_by(moved_by),
        }
    }
}

#[cold]
fn other_session(path: &str, found: &[u8], expected: &[u8]) -> Box<Malformed> {
    let path = if path == "event." { "sessionId" } else { "params.sessionId" };
    let expected = format!("{} (one fold is one session)", quoted(expected));
    Malformed::new(Defect::WrongSession, path, quoted(found), expected)
}

/// WTF-8 as a JSON string in ASCII, for an error message.
fn quoted(wtf8: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut units = |unit: u32| {
        let _ = match unit {
            0x22 => write!(out, "\\\""),
            0x5C => write!(out, "\\\\"),
            0x08 => write!(out, "\\b"),
            0x0C => write!(out, "\\f"),
            0x0A => write!(out, "\\n"),
            0x0D => write!(out, "\\r"),
            0x09 => write!(out, "\\t"),
            0x20..=0x7E => write!(out, "{}", char::from_u32(unit).unwrap_or('?')),
            _ => write!(out, "\\u{unit:04x}"),
        };
    };
    let mut rest = wtf8;
    while let Some(&first) = rest.first() {
        let len = match first {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let (bytes, after) = rest.split_at(len.min(rest.len()));
        rest = after;
        let mut point = u32::from(first) & [0x7F, 0x1F, 0x0F, 0x07][len - 1];
        for byte in &bytes[1..] {
            point = point << 6 | u32::from(byte & 0x3F);
        }
        if point > 0xFFFF {
            units(0xD800 + ((point - 0x10000) >> 10));
            units(0xDC00 + ((point - 0x10000) & 0x3FF));
        } else {
            units(point);
        }
    }
    out.push('"');
    out
}
