//! What can go wrong, in our words (spec S7).

use std::borrow::Cow;
use std::fmt;
use std::io;

/// The closed set of what can be wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    NotUtf8,
    NotJson,
    TooDeep,
    Number,
    NotAnObject,
    Missing,
    WrongType,
    WrongSession,
    TooLarge,
    DamagedFrame,
}

impl Kind {
    /// The word that users see and match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::TooDeep => "too_deep",
            Self::Number => "number",
            Self::NotAnObject => "not_an_object",
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::WrongSession => "wrong_session",
            Self::TooLarge => "too_large",
            Self::DamagedFrame => "damaged_frame",
        }
    }
}

/// A record that the answer needs and that can't be read, with its place once that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong.
    pub kind: Kind,
    /// The innermost value at fault; empty for the record as a whole.
    pub path: String,
    /// What stands there, as a phrase.
    pub found: String,
    /// What should, as a phrase.
    pub expected: Cow<'static, str>,
    /// The event's place in a list.
    pub index: Option<u64>,
    /// The record's first byte in a log.
    pub offset: Option<u64>,
    /// The record's line in a log, from 1.
    pub line: Option<u64>,
}

impl Malformed {
    /// A defect that has no place yet.
    pub fn new(
        kind: Kind,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<Cow<'static, str>>,
    ) -> Box<Self> {
        Box::new(Self {
            kind,
            path: path.into(),
            found: found.into(),
            expected: expected.into(),
            index: None,
            offset: None,
            line: None,
        })
    }

    /// The same defect of the event at that place of a list.
    #[must_use]
    pub fn at_index(mut self: Box<Self>, index: u64) -> Box<Self> {
        self.index = Some(index);
        self
    }

    /// The same defect of the record at that place of a log.
    #[must_use]
    pub fn at_offset(mut self: Box<Self>, offset: u64, line: Option<u64>) -> Box<Self> {
        self.offset = Some(offset);
        self.line = line;
        self
    }
}

impl Malformed {
    /// The message without its place.
    pub fn sentence(&self) -> String {
        let path = if self.path.is_empty() { "the record" } else { &self.path };
        format!("{path} is {}, expected {}", self.found, self.expected)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.index, self.offset, self.line) {
            (Some(index), _, _) => write!(f, "event {index}: ")?,
            (_, Some(offset), Some(line)) => write!(f, "line {line}, byte {offset}: ")?,
            (_, Some(offset), None) => write!(f, "byte {offset}: ")?,
            _ => {}
        }
        f.write_str(&self.sentence())
    }
}

/// Why there is no answer. `E` is what reading a node can raise by itself.
#[derive(Debug)]
pub enum Error<E> {
    /// A record is malformed.
    Malformed(Box<Malformed>),
    /// The turn that was asked for is not there; those that are, in order.
    TurnNotFound(i64, Vec<u64>),
    /// The session that was asked for is not there, or none was and there are several; those that are, in order, in WTF-8.
    SessionNotFound(Option<Box<[u8]>>, Vec<Box<[u8]>>),
    /// The source can't be read.
    Io(io::Error),
    /// A node raised.
    Foreign(E),
}

impl<E> From<Box<Malformed>> for Error<E> {
    fn from(malformed: Box<Malformed>) -> Self {
        Self::Malformed(malformed)
    }
}

impl<E> From<io::Error> for Error<E> {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
