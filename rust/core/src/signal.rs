//! What a format makes of a record, before anyone selects (spec S3, S4).

use std::borrow::Cow;

/// What a record can signal. Reading further is the fold's decision: a stream may not matter any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Nothing,
    Message,
    Stream(Stream),
    TurnStart,
    TurnEnd,
    Cut,
    Header,
    ChildStarted,
}

/// Where a record that only streams holds its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stream {
    Embedded,
    OneChunk,
    PackedRow,
}

/// How a turn ended: the log's word, which may be none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The log's own word, in WTF-8.
    pub raw: Option<Cow<'static, [u8]>>,
}

impl Stop {
    /// The rule's word for it (S4).
    pub fn reason(&self) -> Option<&[u8]> {
        self.raw.as_deref().map(|raw| if raw == b"blocked" { b"refusal" } else { raw })
    }

    /// How complete that leaves the answer (S9).
    pub fn completeness(&self) -> &'static str {
        match self.reason() {
            None => "unknown",
            Some(b"completed") => "complete",
            Some(b"max-tokens" | b"max-turns") => "truncated",
            Some(b"aborted" | b"interrupted") => "aborted",
            Some(_) => "error",
        }
    }
}

/// What the last mark of a turn in a suffix was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Turn {
    #[default]
    Unknown,
    Open,
    Ended(Stop),
}

/// One record, unwrapped.
#[derive(Clone, Debug)]
pub struct Event<N> {
    /// What it can signal.
    pub kind: Kind,
    /// The object inside the envelope.
    pub node: N,
    /// The path to it: empty, `event.` or `params.event.`.
    pub path: &'static str,
    /// The session that the envelope names, in WTF-8.
    pub session: Option<Box<[u8]>>,
    /// Whether the format knows it.
    pub known: bool,
    /// Whether it is a storage row that holds several events.
    pub is_row: bool,
    /// Whether it is an envelope or has no string `type`: a log that begins so holds notifications.
    pub is_notification: bool,
}
