//! A record as a read-only tree: Python objects or JSON bytes, so that a format is written once.

use crate::error::Error;
use crate::text::{self, Pieces};

/// The member names that formats read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(usize)]
pub enum Key {
    Args,
    ChildSessionId,
    Chunk,
    Content,
    Data,
    Event,
    Id,
    Kind,
    Message,
    Method,
    Params,
    Reason,
    SeedLength,
    Seq,
    Seq0,
    SessionId,
    Stream,
    Text,
    Texts,
    Turn,
    Type,
    Version,
}

impl Key {
    /// Every key, in the order of their numbers.
    pub const NAMES: [&'static str; 22] = [
        "args",
        "childSessionId",
        "chunk",
        "content",
        "data",
        "event",
        "id",
        "kind",
        "message",
        "method",
        "params",
        "reason",
        "seedLength",
        "seq",
        "seq0",
        "sessionId",
        "stream",
        "text",
        "texts",
        "turn",
        "type",
        "version",
    ];

    /// The first eight bytes of each name, the first byte lowest.
    const WORDS: [u64; Self::NAMES.len()] = {
        let mut words = [0; Self::NAMES.len()];
        let mut key = 0;
        while key < words.len() {
            let name = Self::NAMES[key].as_bytes();
            let mut at = 0;
            while at < name.len() && at < 8 {
                words[key] |= (name[at] as u64) << (8 * at);
                at += 1;
            }
            key += 1;
        }
        words
    };

    /// The first eight bytes of the member's name, the first byte lowest, and zeros after a shorter one.
    pub(crate) fn word(self) -> u64 {
        Self::WORDS[self as usize]
    }

    /// The member's name.
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// What a value is, and how an error message calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shape {
    Null,
    Boolean,
    Number,
    String,
    List,
    Object,
    /// A Python type that JSON does not have.
    Other(String),
}

impl Shape {
    /// The phrase of an error message.
    pub fn phrase(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Boolean => "a boolean".into(),
            Self::Number => "a number".into(),
            Self::String => "a string".into(),
            Self::List => "a list".into(),
            Self::Object => "an object".into(),
            Self::Other(name) => format!("a Python {name}"),
        }
    }
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Flow {
    Continue,
    Stop,
}

/// A value of a record.
pub trait Node: Sized + Clone {
    /// What reading can raise: nothing for bytes, an exception for Python objects.
    type Error;
    /// What a fold keeps of a value: a reference to the object, or the value's bytes.
    type Kept;

    /// Whether one member is found by walking past all, so that it is cheaper to ask for several at once.
    const IS_WALKED: bool = false;

    /// What the value is.
    fn shape(&self) -> Result<Shape, Self::Error>;
    /// Whether it is an object.
    fn is_object(&self) -> Result<bool, Self::Error>;
    /// The members of an object by name, None where there is none; all None for anything else.
    fn members<const N: usize>(&self, keys: [Key; N]) -> Result<[Option<Self>; N], Self::Error>;
    /// Whether it is a list.
    fn is_list(&self) -> bool {
        self.list_len().is_some()
    }
    /// The number of elements of a list; None for anything else.
    fn list_len(&self) -> Option<usize>;
    /// Each element of a list in order, until `visit` stops or fails; nothing for anything else.
    fn each(
        &self,
        visit: &mut dyn FnMut(usize, Self) -> Result<Flow, Error<Self::Error>>,
    ) -> Result<(), Error<Self::Error>>;
    /// [`Node::each`] for a visitor that is known when this is compiled.
    fn each_by(
        &self,
        mut visit: impl FnMut(usize, Self) -> Result<Flow, Error<Self::Error>>,
    ) -> Result<(), Error<Self::Error>> {
        self.each(&mut visit)
    }
    /// The characters of a string in WTF-8 (UTF-8 that may hold unpaired surrogates); None for anything else.
    fn with_text<R>(&self, read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, Self::Error>;
    /// Give a string to `pieces`; whether it is one.
    fn append_to(&self, pieces: &mut Pieces<'_>) -> Result<bool, Self::Error> {
        Ok(self.with_text(|text| pieces.push(text))?.is_some())
    }
    /// Give the strings of a list to `pieces` in order; the first element that is none, and its index.
    fn append_each_to(&self, pieces: &mut Pieces<'_>) -> Result<Option<(usize, Self)>, Error<Self::Error>> {
        let mut odd = None;
        self.each(&mut |index, element| {
            if element.append_to(pieces).map_err(Error::Foreign)? {
                return Ok(Flow::Continue);
            }
            odd = Some((index, element));
            Ok(Flow::Stop)
        })?;
        Ok(odd)
    }
    /// Whether a string is nothing but white space (spec S1); None for anything else.
    fn is_blank(&self) -> Result<Option<bool>, Self::Error> {
        self.with_text(text::is_blank)
    }
    /// An integer from 0 to 2^53 - 1 (spec S1); None for anything else.
    fn ordinal(&self) -> Option<u64>;
    /// What a fold keeps.
    fn keep(&self) -> Self::Kept;

    /// One member of an object.
    fn member(&self, key: Key) -> Result<Option<Self>, Self::Error> {
        let [value] = self.members([key])?;
        Ok(value)
    }
}

/// The largest ordinal: JavaScript's largest safe integer.
pub const MAX_ORDINAL: u64 = (1 << 53) - 1;
