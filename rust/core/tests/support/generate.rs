//! Events of every kind, sound and broken, and logs of them, decided by a tape.

use std::fmt;

use lastsaid_core::json::BOM;
use lastsaid_core::log::reading::Options;
use lastsaid_core::suffix::Suffix;

use super::json::{Json, Units, literal, number, object, rendered, string, text_block, units};
use super::tape::Tape;

/// Some text: halves of characters, blanks that look like none and the other way round, what JSON must escape.
pub fn text(tape: &mut Tape<'_>) -> Units {
    const ATOMS: [&str; 12] = [
        "a",
        "b ",
        "\u{e9}",
        "\u{1F600}",
        "\n",
        "\t\u{1c}",
        "\u{3000}",
        "\u{feff}",
        "\"\\/",
        "\0\u{7f}",
        "assistant/",
        "]}",
    ];
    let mut out = Units::new();
    for _ in 0..tape.below(5) {
        match tape.below(ATOMS.len() + 4) {
            0 | 1 => out.push(0xD83D),
            2 | 3 => out.push(0xDE00),
            other => out.extend(units(ATOMS[other - 4])),
        }
    }
    out
}

fn words(tape: &mut Tape<'_>) -> Units {
    let mut out = units(tape.pick(&["", "said ", "", " ", "x"]));
    out.extend(text(tape));
    out
}

/// Any JSON value.
pub fn value(tape: &mut Tape<'_>, depth: usize) -> Json {
    match tape.below(if depth == 0 { 7 } else { 9 }) {
        0 => Json::Null,
        1 => Json::Bool(tape.rarely(2)),
        2 => number(tape.below(7) as i64 - 3),
        3 => literal(tape.pick(&[
            "1.0",
            "-0.5",
            "1E-7",
            "1000000000000000000000000000000",
            "9007199254740992",
            "-0",
        ])),
        4 => Json::String(text(tape)),
        5 => string(tape.pick(&["text", "text-delta", "assistant/message", "turn/end"])),
        6 => object([]),
        7 => Json::List((0..tape.below(3)).map(|_| value(tape, depth - 1)).collect()),
        _ => {
            let mut made = object([]);
            for _ in 0..tape.below(3) {
                let name = tape.pick(&["type", "text", "a", "\u{e9}", "content"]);
                made = made.with(name, value(tape, depth - 1));
            }
            made
        }
    }
}

fn ordinal(tape: &mut Tape<'_>) -> Json {
    match tape.below(16) {
        13 => number((1_u64 << 53) - 1),
        14 => number(1_u64 << 53),
        15 => literal(tape.pick(&["-1", "1.0", "1e0", "true", "\"1\"", "-0"])),
        small => number(small),
    }
}

fn list(tape: &mut Tape<'_>, up_to: usize, make: impl Fn(&mut Tape<'_>) -> Json) -> Json {
    Json::List((0..tape.below(up_to + 1)).map(|_| make(tape)).collect())
}

fn block(tape: &mut Tape<'_>) -> Json {
    match tape.below(8) {
        0..=3 => text_block(words(tape)),
        4 => object([("type", string("reasoning")), ("text", Json::String(text(tape)))]),
        5 => object([("type", string("tool-call")), ("id", string("c")), ("arguments", string("{}"))]),
        6 => object([("type", string("text")), ("text", value(tape, 1))]),
        _ => value(tape, 2),
    }
}

fn texts(tape: &mut Tape<'_>) -> Json {
    list(tape, 3, |tape| Json::String(words(tape)))
}

fn chunk(tape: &mut Tape<'_>) -> Json {
    match tape.below(6) {
        0..=2 => object([("type", string("text-delta")), ("text", Json::String(words(tape)))]),
        3 => object([("type", string("reasoning-delta")), ("text", string("no"))]),
        4 => object([("type", string("block-end")), ("block", text_block(units("no")))]),
        _ => object([("type", number(3)), ("text", value(tape, 1))]),
    }
}

fn stream(tape: &mut Tape<'_>) -> Json {
    list(tape, 3, |tape| match tape.below(5) {
        0 | 1 => object([("type", string("text-chunks")), ("texts", texts(tape))]),
        2 => object([("type", string("chunk")), ("chunk", chunk(tape))]),
        3 => object([("type", string("reasoning-chunks")), ("texts", value(tape, 1))]),
        _ => object([]),
    })
}

/// The members that any event may have.
fn event(tape: &mut Tape<'_>, kind: &str, data: Json) -> Json {
    let mut made = object([("type", string(kind)), ("data", data)]);
    if tape.rarely(2) {
        made = made.with("seq", ordinal(tape));
    }
    if tape.rarely(4) {
        made = made.with("time", number(1_796_073_061_000_u64));
    }
    made
}

fn message(tape: &mut Tape<'_>) -> Json {
    let mut message = object([("content", list(tape, 3, block))]);
    match tape.below(4) {
        1 => message = message.with("id", Json::String(text(tape))),
        2 => message = message.with("id", value(tape, 1)).with("role", string("assistant")),
        _ => {}
    }
    let mut data = object([("message", message)]);
    match tape.below(4) {
        1 | 2 => data = data.with("stream", stream(tape)),
        3 => data = data.with("stream", Json::Null).with("interrupted", Json::Bool(true)),
        _ => {}
    }
    event(tape, "assistant/message", data)
}

fn row(tape: &mut Tape<'_>, kind: &str, data: Json) -> Json {
    let made = object([("type", string(kind)), ("data", data)]);
    if tape.rarely(4) { made } else { made.with("seq0", ordinal(tape)) }
}

fn turn_end(tape: &mut Tape<'_>) -> Json {
    const WORDS: [&str; 9] =
        ["completed", "max-tokens", "max-turns", "aborted", "interrupted", "error", "blocked", "refusal", "new"];
    let reason = if tape.rarely(3) { value(tape, 2) } else { object([("kind", string(tape.pick(&WORDS)))]) };
    if tape.rarely(6) {
        return object([("type", string("turn/end"))]).with("data", value(tape, 1));
    }
    event(tape, "turn/end", object([("reason", reason)]))
}

fn noise(tape: &mut Tape<'_>) -> Json {
    let data = value(tape, 2);
    match tape.below(8) {
        0 | 1 => event(tape, "user/message", data),
        2 => event(tape, "tool/result", data),
        3 => {
            const KINDS: [&str; 6] =
                ["assistant/other", "nothing", "", "assistant/messages", "reasoning-delta", "session.event"];
            let kind = tape.pick(&KINDS);
            event(tape, kind, data)
        }
        4 => object([("type", odd_type(tape)), ("data", data)]),
        5 => object([("method", string("session.status")), ("params", object([("note", string("turn/end"))]))]),
        6 => object([("method", string("subagent.started")), ("params", object([("childSessionId", data)]))]),
        _ => object([]),
    }
}

fn odd_type(tape: &mut Tape<'_>) -> Json {
    [Json::Null, number(1), Json::List(Vec::new())][tape.below(3)].clone()
}

fn header(tape: &mut Tape<'_>) -> Json {
    let version = literal(tape.pick(&["0", "1", "2", "3", "4", "1.0", "true", "-0"]));
    let made = object([("type", string("session")), ("version", version)]);
    if tape.rarely(3) { made } else { made.with("seedLength", ordinal(tape)) }
}

fn unwrapped(tape: &mut Tape<'_>) -> Json {
    match tape.below(16) {
        0..=3 => message(tape),
        4 | 5 => {
            let data = object([("stream", stream(tape))]);
            event(tape, "assistant/attempt", data)
        }
        6 => event(tape, "assistant/attempt", object([])),
        7 => {
            let data = object([("chunk", chunk(tape))]);
            event(tape, "assistant/chunk", data)
        }
        8 => {
            let data = object([("texts", texts(tape))]);
            row(tape, "text-chunks", data)
        }
        9 => {
            let data = if tape.rarely(2) { object([("args", texts(tape))]) } else { value(tape, 1) };
            let kind = tape.pick(&["tool-call-chunks", "reasoning-chunks"]);
            row(tape, kind, data)
        }
        10 | 11 => {
            let turn = if tape.rarely(4) { value(tape, 1) } else { number(tape.below(4)) };
            event(tape, "turn/start", object([("turn", turn)]))
        }
        12 | 13 => turn_end(tape),
        14 => {
            let data = if tape.rarely(2) { object([("inherited", Json::Bool(true))]) } else { object([]) };
            event(tape, "session/end-seed", data)
        }
        _ => noise(tape),
    }
}

fn enveloped(tape: &mut Tape<'_>, event: Json, session: Json) -> Json {
    if tape.rarely(2) {
        return object([("type", string("session_event")), ("sessionId", session), ("event", event)]);
    }
    let params = object([("sessionId", session), ("event", event)]);
    object([("jsonrpc", string("2.0")), ("method", string("session.event")), ("params", params)])
}

/// An event of the session `s1`, if it names any, with nothing wrong in it.
pub fn sound(tape: &mut Tape<'_>) -> Json {
    let event = unwrapped(tape);
    // An object without a type, a session_event inside a session_event: what is inside is no envelope any more.
    if tape.rarely(4) { enveloped(tape, event, string("s1")) } else { event }
}

/// An event that may be odd, broken, of another session, or none at all.
pub fn any(tape: &mut Tape<'_>) -> Json {
    match tape.below(12) {
        0..=6 => sound(tape),
        7 | 8 => {
            let mut made = sound(tape);
            spoil(tape, &mut made);
            made
        }
        9 => {
            let event = unwrapped(tape);
            let session = if tape.rarely(3) { value(tape, 1) } else { string(tape.pick(&["s2", "s1", "\u{e9}"])) };
            enveloped(tape, event, session)
        }
        10 => {
            let event = value(tape, 1);
            enveloped(tape, event, string("s1"))
        }
        _ => value(tape, 2),
    }
}

/// Replace or remove one thing somewhere in a value.
fn spoil(tape: &mut Tape<'_>, spoilt: &mut Json) {
    let is_deeper = |inner: &Json| match inner {
        Json::Object(members) => !members.is_empty(),
        Json::List(elements) => !elements.is_empty(),
        _ => false,
    };
    match spoilt {
        Json::Object(members) if !members.is_empty() => {
            let name = members.keys().nth(tape.below(members.len())).unwrap().clone();
            let inner = members.get_mut(&name).unwrap();
            if is_deeper(inner) && !tape.rarely(4) {
                spoil(tape, inner);
            } else if tape.rarely(2) {
                members.remove(&name);
            } else {
                *inner = value(tape, 1);
            }
        }
        Json::List(elements) if !elements.is_empty() => {
            let nth = tape.below(elements.len());
            if is_deeper(&elements[nth]) && !tape.rarely(4) {
                spoil(tape, &mut elements[nth]);
            } else {
                elements[nth] = value(tape, 1);
            }
        }
        other => *other = value(tape, 1),
    }
}

/// Some events; half of them start with a header.
pub fn events(tape: &mut Tape<'_>, up_to: usize, make: impl Fn(&mut Tape<'_>) -> Json) -> Vec<Json> {
    let count = tape.below(up_to + 1);
    let header = tape.rarely(2).then(|| header(tape));
    header.into_iter().chain((0..count).map(|_| make(tape))).collect()
}

/// A line that is no sound record, or an odd one.
fn damage(tape: &mut Tape<'_>) -> Vec<u8> {
    let deep = |inner: &str, depth: usize| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
    let long = "9".repeat(4301);
    match tape.below(18) {
        0 => b"{\"type\":\"assistant/message\"".to_vec(),
        1 => b"{\"type\":\"assistant/message\",\"data\":{\"message\":{\"content\":[NaN]}}}".to_vec(),
        2 => b"{\"type\":\"assistant/message\",\"data\":{\"message\":{\"content\":[\"\xff\"]}}}".to_vec(),
        3 => b"\xef\xbb\xbf{\"type\":\"assistant/chunk\"}".to_vec(),
        4 => b"[\"assistant/message\"]".to_vec(),
        5 => b"\"turn/start\"".to_vec(),
        6 => b"nothing\xff".to_vec(),
        7 => b"[".to_vec(),
        8 => b"{\"type\":\"assistant/message\",\"data\":{\"message\":{\"content\":[1e999]}}}".to_vec(),
        9 => {
            format!("{{\"type\":\"assistant/message\",\"data\":{{\"message\":{{\"content\":[{long}]}}}}}}").into()
        }
        10 => format!("{{\"type\":\"assistant/attempt\",\"data\":{{\"stream\":null,\"x\":{}}}}}", deep("", 600))
            .into(),
        11 => format!("{{\"type\":\"x/y\",\"note\":\"turn/end\",\"x\":{}}}", deep(&long, 600)).into(),
        12 => format!("{{\"type\":\"turn/end\",\"data\":{{\"reason\":{{\"kind\":\"completed\"}}}},\"n\":{long}}}")
            .into(),
        13 => format!(
            "{{\"type\":\"assistant/message\",\"data\":{{\"message\":{{\"content\":[{}]}}}}}}",
            deep("1", 508)
        )
        .into(),
        14 => format!(
            "{{\"type\":\"assistant/message\",\"data\":{{\"message\":{{\"content\":[{}]}}}}}}",
            deep("1", 509)
        )
        .into(),
        15 => b"\xff\xfe{\0turn/end".to_vec(),
        16 => b"{\"type\":\"turn/end\"}\0".to_vec(),
        _ => b"{\"type\":\"assistant/message\",\"data\":{\"message\":{\"content\":[3]}}} {}".to_vec(),
    }
}

/// A log as bytes.
#[derive(Clone)]
pub struct Log {
    pub bytes: Vec<u8>,
    /// The whole records that were put in, as values; empty where damage was.
    pub events: Vec<Json>,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bytes.len() > 20_000 {
            return write!(f, "{} bytes", self.bytes.len());
        }
        write!(f, "b\"{}\"", self.bytes.escape_ascii())
    }
}

/// Line ends, blank lines, a BOM, padding, a torn tail.
fn framed(tape: &mut Tape<'_>, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut log = if tape.rarely(6) { BOM.to_vec() } else { Vec::new() };
    for line in lines {
        log.extend_from_slice(tape.pick(&[b"" as &[u8], b"", b"", b" \t\r\n", b"\n"]));
        log.extend_from_slice(line);
        log.extend_from_slice(tape.pick(&[b"\n" as &[u8], b"\n", b"\r\n"]));
    }
    let end = tape.below(8);
    if end == 3 {
        while log.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
            log.pop();
        }
    }
    if let (4 | 5, Some(line)) = (end, lines.last().map(|line| line.trim_ascii_end())) {
        // At least its last byte is missing.
        log.extend_from_slice(&line[..tape.below_wide(line.len().max(1))]);
    }
    if matches!(end, 5 | 6) {
        log.resize(log.len() + tape.pick(&[1, 3, 512]), 0);
    }
    log
}

/// A log of sound records.
pub fn sound_log(tape: &mut Tape<'_>, up_to: usize) -> Log {
    let events = events(tape, up_to, sound);
    let lines: Vec<_> = events.iter().map(|event| rendered(event, tape).into_bytes()).collect();
    Log { bytes: framed(tape, &lines), events }
}

/// A log in which anything may be.
pub fn any_log(tape: &mut Tape<'_>, up_to: usize) -> Log {
    let mut lines: Vec<_> =
        events(tape, up_to, any).iter().map(|event| rendered(event, tape).into_bytes()).collect();
    for _ in 0..tape.below(4).saturating_sub(1) {
        let line = damage(tape);
        lines.insert(tape.below(lines.len() + 1), line);
    }
    Log { bytes: framed(tape, &lines), events: Vec::new() }
}

/// The sizes at which the core's windows and blocks end, as far as the tests can know.
const EDGES: [usize; 6] = [8 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20];

/// A log with lines so long that records lie across the edges of every window.
pub fn long_log(tape: &mut Tape<'_>) -> Log {
    let mut lines = Vec::new();
    for _ in 0..1 + tape.below(6) {
        let edge = EDGES[tape.below(EDGES.len())] + 1 - tape.below(3);
        let length = if tape.rarely(2) { edge } else { edge - tape.below(256) };
        let filler = length - 4000;
        // Spaces at the end make it as long as it should be.
        let long = |line: String| {
            let mut line = line.into_bytes();
            line.resize(length.max(line.len()), b' ');
            line
        };
        lines.push(match tape.below(7) {
            0 | 1 => any(tape).to_string().into_bytes(),
            2 => long(format!("{{\"type\":\"user/message\",\"data\":\"{}\"}}", "x".repeat(filler))),
            3 => long(message(tape).with("note", string(&"y".repeat(filler))).to_string()),
            4 => vec![tape.pick(b" \0z"); length],
            5 => [vec![tape.pick(b" \0"); filler], vec![tape.pick(b" \0"); 4000]].concat(),
            _ => [b"\n".repeat(length % 70_000), b"{}".to_vec()].concat(),
        });
    }
    let mut log = framed(tape, &lines);
    if tape.rarely(6) {
        log.resize(log.len() + EDGES[tape.below(EDGES.len())] + tape.below(3), tape.pick(&[0, b' ']));
    }
    Log { bytes: log, events: Vec::new() }
}

/// A log that something happened to.
pub fn mutated(tape: &mut Tape<'_>, mut log: Log) -> Log {
    for _ in 0..=tape.below(4) {
        let len = log.bytes.len();
        let at = tape.below_wide(len.max(1));
        let end = (at + tape.below(40)).min(len);
        match tape.below(6) {
            0 if len > 0 => log.bytes[at] ^= 1 << tape.below(8),
            1 if len > 0 => log.bytes[at] = tape.pick(b"\n\0\"\\{}[]:,\xff\xef \r0"),
            2 => drop(log.bytes.drain(at.min(len)..end)),
            3 => {
                let copied = log.bytes[at.min(len)..end].to_vec();
                let to = tape.below_wide(len + 1);
                log.bytes.splice(to..to, copied);
            }
            4 => log.bytes.truncate(at),
            _ => {
                let inserted = [tape.byte(), tape.byte(), tape.byte()];
                log.bytes.splice(at.min(len)..at.min(len), inserted);
            }
        }
    }
    log
}

/// How to read; with small limits now and then if that is asked for.
pub fn options(tape: &mut Tape<'_>, with_limits: bool) -> Options {
    let suffix = match tape.below(12) {
        0..=2 => Suffix::Own,
        3 | 4 => Suffix::Whole,
        5 | 6 => Suffix::Start(tape.below(16) as i64 - 6),
        7 | 8 => Suffix::Turn(tape.below(6) as i64 - 2),
        9 | 10 => Suffix::SinceSeq(tape.below(14) as u64),
        _ => tape.pick(&[
            Suffix::Start(i64::MIN),
            Suffix::Start(i64::MAX),
            Suffix::Turn(i64::MIN),
            Suffix::Turn(i64::MAX),
            Suffix::SinceSeq(u64::MAX),
            Suffix::SinceSeq((1 << 53) - 1),
        ]),
    };
    let limits = [1_usize, 0, 3, 16, 40, 80, 120, 200, 400];
    let limit = if with_limits && tape.rarely(2) { tape.pick(&limits) } else { Options::default().limit };
    Options { suffix, skip: tape.rarely(3), limit, ..Options::default() }
}
