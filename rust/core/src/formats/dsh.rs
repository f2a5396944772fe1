//! The format `dsh`: DeepSeek Harness session logs, versions 0 to 4, and their envelopes (spec S4).
//!
//! [`event`] says what a record is; the other functions read one thing from it, when the fold asks.

use std::borrow::Cow;

use crate::error::{Error, Kind as Defect, Malformed};
use crate::node::{Flow, Key, Node};
use crate::signal::{Event, Kind, Stop, Stream};
use crate::text::Pieces;

/// What a line must hold to be examined, or an escape by which that could be spelt (S7).
pub const NEEDLES: [&str; 13] = [
    "assistant/",
    "text-chunks",
    "turn/start",
    "turn/end",
    "end-seed",
    "subagent.started",
    "\\/",
    "\\u002",
    "\\u003",
    "\\u004",
    "\\u005",
    "\\u006",
    "\\u007",
];

/// What the name of a type says.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// What a record of the type can signal.
    pub kind: Kind,
    /// Whether the format knows it.
    pub known: bool,
    is_row: bool,
    /// Whether what it signals is said by the event inside.
    pub is_envelope: bool,
}

const ENVELOPE: &[u8] = b"session_event";
const UNNAMED: Named = Named { kind: Kind::Nothing, known: false, is_row: false, is_envelope: false };

/// What a type's name says.
#[inline]
pub fn named(name: &[u8]) -> Named {
    let (kind, known, is_row) = match name {
        b"assistant/message" => (Kind::Message, true, false),
        b"assistant/attempt" => (Kind::Stream(Stream::Embedded), true, false),
        b"assistant/chunk" => (Kind::Stream(Stream::OneChunk), true, false),
        b"text-chunks" => (Kind::Stream(Stream::PackedRow), true, true),
        b"reasoning-chunks" | b"tool-call-chunks" => (Kind::Nothing, true, true),
        b"turn/start" => (Kind::TurnStart, true, false),
        b"turn/end" => (Kind::TurnEnd, true, false),
        b"session/end-seed" => (Kind::Cut, true, false),
        b"session" => (Kind::Header, true, false),
        ENVELOPE => return Named { is_envelope: true, ..UNNAMED },
        // Names are short: a plain loop ends sooner than a search that must be chosen first.
        _ => (Kind::Nothing, name.contains(&b'/'), false),
    };
    Named { kind, known, is_row, is_envelope: false }
}

/// Unwrap and recognise a record; a defect when it is no object or an envelope without an event.
pub fn event<N: Node>(record: &N) -> Result<Event<N>, Error<N::Error>> {
    event_of(record.clone())
}

/// [`event`] of a record that isn't needed any more.
#[inline]
pub fn event_of<N: Node>(record: N) -> Result<Event<N>, Error<N::Error>> {
    match recognise(&record)? {
        Some(named) => Ok(bare_event(record, named)),
        None => unwrap(&record),
    }
}

/// What a record signals that stands bare; None for an envelope and for a record without a string `type`.
#[inline(always)]
pub fn recognise<N: Node>(record: &N) -> Result<Option<Named>, Error<N::Error>> {
    if !record.is_object().map_err(Error::Foreign)? {
        return Err(not_an_object(record, ""));
    }
    let [kind] = record.members([Key::Type]).map_err(Error::Foreign)?;
    match kind {
        Some(kind) => Ok(kind.with_text(named).map_err(Error::Foreign)?.filter(|named| !named.is_envelope)),
        None => Ok(None),
    }
}

#[inline(never)]
fn unwrap<N: Node>(record: &N) -> Result<Event<N>, Error<N::Error>> {
    let is_envelope = match record.member(Key::Type).map_err(Error::Foreign)? {
        Some(kind) => kind.with_text(|name| name == ENVELOPE).map_err(Error::Foreign)?.unwrap_or(false),
        None => false,
    };
    if is_envelope { inside(record, "event.") } else { by_method(record) }
}

#[cold]
fn not_an_object<N: Node>(value: &N, path: &'static str) -> Error<N::Error> {
    match value.shape() {
        Ok(shape) => Malformed::new(Defect::NotAnObject, path, shape.phrase(), "an object").into(),
        Err(error) => Error::Foreign(error),
    }
}

fn by_method<N: Node>(record: &N) -> Result<Event<N>, Error<N::Error>> {
    enum Method {
        Event,
        ChildStarted,
        Known,
        Unknown,
    }
    let method = match record.member(Key::Method).map_err(Error::Foreign)? {
        Some(method) => method
            .with_text(|name| match name {
                b"session.event" => Method::Event,
                b"subagent.started" => Method::ChildStarted,
                b"session.status" | b"subagent.finished" => Method::Known,
                _ => Method::Unknown,
            })
            .map_err(Error::Foreign)?,
        None => None,
    };
    let named = match method.unwrap_or(Method::Unknown) {
        Method::Event => return inside(&object(record, Key::Params, "")?, "params.event."),
        Method::ChildStarted => Named { kind: Kind::ChildStarted, known: true, ..UNNAMED },
        Method::Known => Named { known: true, ..UNNAMED },
        Method::Unknown => UNNAMED,
    };
    Ok(Event { is_notification: true, ..bare(record.clone(), named, "", None) })
}

fn inside<N: Node>(envelope: &N, path: &'static str) -> Result<Event<N>, Error<N::Error>> {
    let [record, session] = envelope.members([Key::Event, Key::SessionId]).map_err(Error::Foreign)?;
    let here = path.trim_end_matches('.');
    let Some(record) = record else {
        return Err(Malformed::new(Defect::Missing, here, "missing", "an object").into());
    };
    if !record.is_object().map_err(Error::Foreign)? {
        return Err(not_an_object(&record, here));
    }
    let name = match record.member(Key::Type).map_err(Error::Foreign)? {
        Some(kind) => kind.with_text(named).map_err(Error::Foreign)?,
        None => None,
    };
    let session = match session {
        Some(session) => session.with_text(|text| Box::from(text)).map_err(Error::Foreign)?,
        None => None,
    };
    Ok(bare(record, name.unwrap_or(UNNAMED), path, session))
}

/// A record that stands bare.
#[inline(always)]
pub fn bare_event<N>(node: N, named: Named) -> Event<N> {
    bare(node, named, "", None)
}

#[inline(always)]
fn bare<N>(node: N, named: Named, path: &'static str, session: Option<Box<[u8]>>) -> Event<N> {
    let known = named.known || !path.is_empty();
    let is_notification = !path.is_empty();
    Event { kind: named.kind, node, path, session, known, is_row: named.is_row, is_notification }
}

#[cold]
fn absent_or_odd<N: Node>(value: Option<&N>, path: String, expected: &'static str) -> Error<N::Error> {
    match value.map(Node::shape) {
        None => Malformed::new(Defect::Missing, path, "missing", expected).into(),
        Some(Ok(shape)) => Malformed::new(Defect::WrongType, path, shape.phrase(), expected).into(),
        Some(Err(error)) => Error::Foreign(error),
    }
}

#[inline]
fn object<N: Node>(node: &N, key: Key, path: &str) -> Result<N, Error<N::Error>> {
    let value = node.member(key).map_err(Error::Foreign)?;
    is_object(value, || format!("{path}{}", key.as_str()))
}

#[inline]
fn is_object<N: Node>(value: Option<N>, path: impl FnOnce() -> String) -> Result<N, Error<N::Error>> {
    match value {
        Some(value) if value.is_object().map_err(Error::Foreign)? => Ok(value),
        other => Err(absent_or_odd(other.as_ref(), path(), "an object")),
    }
}

/// The content of an `assistant/message`: the list, how many blocks it has, and the message around it.
pub struct Content<N> {
    /// The list of blocks.
    pub list: N,
    /// How many blocks it holds.
    pub len: usize,
    /// The message object.
    pub message: N,
    /// The event's `data`.
    pub data: N,
}

/// The blocks of an `assistant/message`.
#[inline]
pub fn content<N: Node>(event: &Event<N>) -> Result<Content<N>, Error<N::Error>> {
    let data = object(&event.node, Key::Data, event.path)?;
    let message = data.member(Key::Message).map_err(Error::Foreign)?;
    let message = is_object(message, || format!("{}data.message", event.path))?;
    let list = message.member(Key::Content).map_err(Error::Foreign)?;
    let odd = |list: Option<&N>| absent_or_odd(list, format!("{}data.message.content", event.path), "a list");
    let Some(list) = list else { return Err(odd(None)) };
    match list.list_len() {
        Some(len) => Ok(Content { list, len, message, data }),
        None => Err(odd(Some(&list))),
    }
}

/// The streamed text of a record that only streams.
#[inline]
pub fn pieces<N: Node>(event: &Event<N>, stream: Stream, to: &mut Pieces<'_>) -> Result<(), Error<N::Error>> {
    let data = object(&event.node, Key::Data, event.path)?;
    match stream {
        Stream::Embedded => embedded(&data, event.path, to),
        Stream::OneChunk => {
            let path = || format!("{}data.chunk", event.path);
            let inner = is_object(data.member(Key::Chunk).map_err(Error::Foreign)?, path)?;
            chunk(&inner, &path, to)
        }
        Stream::PackedRow => {
            texts(data.member(Key::Texts).map_err(Error::Foreign)?, &|| format!("{}data.texts", event.path), to)
        }
    }
}

/// Members of which the first may make the others needless: all of them where that is one walk, else the first alone.
#[inline(always)]
fn at_once<N: Node, const M: usize>(node: &N, keys: [Key; M]) -> Result<[Option<N>; M], Error<N::Error>> {
    if N::IS_WALKED {
        return node.members(keys).map_err(Error::Foreign);
    }
    let mut found = [const { None }; M];
    found[0] = node.member(keys[0]).map_err(Error::Foreign)?;
    Ok(found)
}

/// One of the others.
#[inline(always)]
fn or_now<N: Node>(found: Option<N>, node: &N, key: Key) -> Result<Option<N>, Error<N::Error>> {
    if N::IS_WALKED { Ok(found) } else { node.member(key).map_err(Error::Foreign) }
}

/// The text of `data.stream`; a missing or null stream is an empty one.
#[inline]
pub fn embedded<N: Node>(data: &N, path: &str, to: &mut Pieces<'_>) -> Result<(), Error<N::Error>> {
    let Some(stream) = data.member(Key::Stream).map_err(Error::Foreign)? else { return Ok(()) };
    if !stream.is_list() {
        return match stream.shape().map_err(Error::Foreign)? {
            crate::node::Shape::Null => Ok(()),
            _ => Err(absent_or_odd(Some(&stream), format!("{path}data.stream"), "a list")),
        };
    }
    stream.each_by(|index, record| {
        let here = || format!("{path}data.stream[{index}]");
        let record = is_object(Some(record), here)?;
        let [kind, list, inner] = at_once(&record, [Key::Type, Key::Texts, Key::Chunk])?;
        let (is_texts, is_chunk) = match kind {
            Some(kind) => kind
                .with_text(|kind| (kind == b"text-chunks", kind == b"chunk"))
                .map_err(Error::Foreign)?
                .unwrap_or_default(),
            None => (false, false),
        };
        if is_texts {
            texts(or_now(list, &record, Key::Texts)?, &|| format!("{}.texts", here()), to)?;
        } else if is_chunk {
            let path = || format!("{}.chunk", here());
            chunk(&is_object(or_now(inner, &record, Key::Chunk)?, path)?, &path, to)?;
        }
        Ok(Flow::Continue)
    })
}

#[inline]
fn chunk<N: Node>(chunk: &N, path: &dyn Fn() -> String, to: &mut Pieces<'_>) -> Result<(), Error<N::Error>> {
    let [kind, text] = at_once(chunk, [Key::Type, Key::Text])?;
    let is_delta = match kind {
        Some(kind) => kind.with_text(|kind| kind == b"text-delta").map_err(Error::Foreign)?.unwrap_or(false),
        None => false,
    };
    if !is_delta {
        return Ok(());
    }
    match or_now(text, chunk, Key::Text)? {
        Some(text) if text.append_to(to).map_err(Error::Foreign)? => Ok(()),
        other => Err(absent_or_odd(other.as_ref(), format!("{}.text", path()), "a string")),
    }
}

#[inline]
fn texts<N: Node>(list: Option<N>, path: &dyn Fn() -> String, to: &mut Pieces<'_>) -> Result<(), Error<N::Error>> {
    let Some(list) = list.as_ref().filter(|list| list.is_list()) else {
        return Err(absent_or_odd(list.as_ref(), path(), "a list of strings"));
    };
    match list.append_each_to(to)? {
        Some((index, odd)) => Err(absent_or_odd(Some(&odd), format!("{}[{index}]", path()), "a string")),
        None => Ok(()),
    }
}

/// How a `turn/end` says the turn ended; a missing or odd reason is no stop, never a defect.
pub fn stop<N: Node>(event: &Event<N>) -> Result<Stop, N::Error> {
    let mut node = event.node.clone();
    for key in [Key::Data, Key::Reason, Key::Kind] {
        let Some(value) = (if node.is_object()? { node.member(key)? } else { None }) else {
            return Ok(Stop { raw: None });
        };
        node = value;
    }
    Ok(Stop { raw: node.with_text(word)? })
}

/// The usual words cost no allocation.
fn word(raw: &[u8]) -> Cow<'static, [u8]> {
    const USUAL: [&[u8]; 6] = [b"completed", b"max-tokens", b"aborted", b"error", b"blocked", b"interrupted"];
    match USUAL.into_iter().find(|usual| *usual == raw) {
        Some(usual) => Cow::Borrowed(usual),
        None => Cow::Owned(raw.to_vec()),
    }
}

/// The number of a `turn/start`.
pub fn turn<N: Node>(event: &Event<N>) -> Result<Option<u64>, N::Error> {
    match event.node.member(Key::Data)? {
        Some(data) if data.is_object()? => Ok(data.member(Key::Turn)?.and_then(|turn| turn.ordinal())),
        _ => Ok(None),
    }
}

/// The sequence number of an event; of a packed row that of its first member.
#[inline]
pub fn seq<N: Node>(event: &Event<N>) -> Result<Option<u64>, N::Error> {
    let key = if event.is_row { Key::Seq0 } else { Key::Seq };
    Ok(event.node.member(key)?.and_then(|seq| seq.ordinal()))
}

/// How many events a record stands for: a packed row's members, 1 for everything else.
pub fn members<N: Node>(event: &Event<N>) -> Result<u64, N::Error> {
    if event.is_row
        && let Some(data) = event.node.member(Key::Data)?
        && data.is_object()?
    {
        for key in [Key::Texts, Key::Args] {
            if let Some(len) = data.member(key)?.as_ref().and_then(Node::list_len) {
                return Ok(len.max(1) as u64);
            }
        }
    }
    Ok(1)
}

/// How many events a header of version 0 or 1 says were copied; 0 for every other first record.
pub fn seed_length<N: Node>(event: &Event<N>) -> Result<u64, N::Error> {
    if !matches!(header_version(event)?, Some(0 | 1)) {
        return Ok(0);
    }
    Ok(event.node.member(Key::SeedLength)?.and_then(|length| length.ordinal()).unwrap_or(0))
}

/// The id in a header, in WTF-8; None for every other record.
pub fn header_id<N: Node>(event: &Event<N>) -> Result<Option<Box<[u8]>>, N::Error> {
    if event.kind != Kind::Header {
        return Ok(None);
    }
    event.node.member(Key::Id)?.map_or(Ok(None), |id| id.with_text(|text| Box::from(text)))
}

/// The version in a header; None for every other record.
pub fn header_version<N: Node>(event: &Event<N>) -> Result<Option<u64>, N::Error> {
    if event.kind != Kind::Header {
        return Ok(None);
    }
    Ok(event.node.member(Key::Version)?.and_then(|version| version.ordinal()))
}

/// The session that a `subagent.started` notification announces, in WTF-8.
pub fn started_child<N: Node>(event: &Event<N>) -> Result<Option<Box<[u8]>>, N::Error> {
    match event.node.member(Key::Params)? {
        Some(params) if params.is_object()? => match params.member(Key::ChildSessionId)? {
            Some(child) => child.with_text(|text| Box::from(text)),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}
