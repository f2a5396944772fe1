//! What the core answers, in a form that can be compared: everything a Selection of spec S9 is made of.

use std::convert::Infallible;

use lastsaid_core::error::{Error, Malformed};
use lastsaid_core::fold::{Fold, Place, Said as Message};
use lastsaid_core::json::Value;
use lastsaid_core::log::reading::Kept;
use lastsaid_core::node::Flow;
use lastsaid_core::outcome::Outcome;
use lastsaid_core::signal::Turn;
use lastsaid_core::text::{self, Text};

use super::json::{self, Json};

/// An answer or why there is none.
pub type Said = Result<Answer, Failure>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub source: &'static str,
    /// The bytes of a message's content as they stood in the log, or those of the streamed text.
    pub kept: Vec<u8>,
    /// WTF-8, as all text here.
    pub text: Vec<u8>,
    pub place: Place,
    pub message_id: Option<Vec<u8>>,
    pub turn: Turn,
    pub earlier: Option<Earlier>,
    pub warnings: Vec<&'static str>,
    pub skipped: u64,
    pub outside: bool,
    pub torn: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    pub text: Vec<u8>,
    pub source: &'static str,
    pub place: Place,
    pub message_id: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Malformed {
        kind: &'static str,
        path: String,
        message: String,
        index: Option<u64>,
        offset: Option<u64>,
        line: Option<u64>,
    },
    TurnNotFound(i64, Vec<u64>),
    SessionNotFound(Option<Box<[u8]>>, Vec<Box<[u8]>>),
}

impl From<Box<Malformed>> for Failure {
    fn from(defect: Box<Malformed>) -> Self {
        Self::Malformed {
            kind: defect.kind.as_str(),
            message: defect.to_string(),
            index: defect.index,
            offset: defect.offset,
            line: defect.line,
            path: defect.path,
        }
    }
}

impl From<Error<Infallible>> for Failure {
    fn from(error: Error<Infallible>) -> Self {
        match error {
            Error::Malformed(defect) => defect.into(),
            Error::TurnNotFound(turn, turns) => Self::TurnNotFound(turn, turns),
            Error::SessionNotFound(session, sessions) => Self::SessionNotFound(session, sessions),
            Error::Io(error) => panic!("a log in memory can't fail: {error}"),
            Error::Foreign(never) => match never {},
        }
    }
}

/// What a scan says.
pub fn said(outcome: Result<Outcome<Kept>, Error<Infallible>>) -> Said {
    let Outcome { fold, skipped, outside, torn, .. } = outcome?;
    Ok(answer(&fold, skipped, outside, torn))
}

/// What a fold says by itself.
pub fn of_fold(fold: &Fold<Kept>) -> Answer {
    answer(fold, 0, false, false)
}

fn answer(fold: &Fold<Kept>, skipped: u64, outside: bool, torn: bool) -> Answer {
    let streamed = fold.streamed().map(|(text, place)| (text.joined().into_owned(), place));
    let (source, kept, text, place) = match (fold.message(), &streamed) {
        (Some(said), _) => ("message", said.content.to_vec(), text_of(said), said.place),
        (None, Some((text, place))) => ("stream", text.clone(), text.clone(), *place),
        (None, None) => ("none", Vec::new(), Vec::new(), Place::default()),
    };
    let earlier = match (fold.message().filter(|said| !said.has_text), fold.earlier(), streamed) {
        (None, ..) => None,
        (_, Some(said), _) => Some(Earlier {
            text: text_of(said),
            source: "message",
            place: said.place,
            message_id: said.message_id.as_deref().map(<[u8]>::to_vec),
        }),
        (_, None, Some((text, place))) if !text::is_blank(&text) => {
            Some(Earlier { text, source: "stream", place, message_id: None })
        }
        _ => None,
    };
    let warnings = [
        ("textless", fold.speaks() && text::is_blank(&text)),
        ("torn_tail", torn),
        ("malformed_skipped", skipped > 0),
        ("open_turn", fold.turn == Turn::Open),
        ("empty_suffix", outside && !fold.speaks()),
        ("unrecognised", !fold.speaks() && fold.unknown && !fold.known),
        ("lone_surrogate", text::has_surrogate(&text)),
    ];
    Answer {
        source,
        kept,
        text,
        place,
        message_id: fold.message().and_then(|said| said.message_id.as_deref().map(<[u8]>::to_vec)),
        turn: fold.turn.clone(),
        earlier,
        warnings: warnings.into_iter().filter(|(_, is_so)| *is_so).map(|(name, _)| name).collect(),
        skipped,
        outside,
        torn,
    }
}

fn text_of(said: &Message<Kept>) -> Vec<u8> {
    let mut text = Text::default();
    let done = text::block_texts(&Value::kept(&said.content), &mut |block| {
        text.push(block);
        Flow::Continue
    });
    assert!(done.is_ok());
    text.joined().into_owned()
}

impl Answer {
    /// The output as JSON, None for nothing.
    pub fn output(&self) -> Option<Json> {
        match self.source {
            "message" => Some(json::parse(&self.kept).expect("what is kept is JSON")),
            "stream" => Some(Json::List(vec![json::text_block(json::from_wtf8(&self.kept))])),
            _ => None,
        }
    }

    pub fn stop_reason_raw(&self) -> Option<Vec<u8>> {
        match &self.turn {
            Turn::Ended(stop) => stop.raw.as_ref().map(|raw| raw.to_vec()),
            _ => None,
        }
    }

    pub fn stop_reason(&self) -> Option<Vec<u8>> {
        match &self.turn {
            Turn::Ended(stop) => stop.reason().map(<[u8]>::to_vec),
            _ => None,
        }
    }

    pub fn completeness(&self) -> &'static str {
        match &self.turn {
            Turn::Ended(stop) => stop.completeness(),
            _ => "unknown",
        }
    }

    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        [&mut self.place].into_iter().chain(self.earlier.as_mut().map(|earlier| &mut earlier.place))
    }

    /// The answer without the lines, which only a read from the start knows.
    pub fn without_lines(mut self) -> Self {
        self.places_mut().for_each(|place| place.line = None);
        self
    }

    /// The answer without what an index or an offset says.
    pub fn without_places(mut self) -> Self {
        self.places_mut().for_each(|place| *place = Place { seq: place.seq, ..Place::default() });
        self
    }
}
