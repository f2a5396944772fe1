//! The rule once more, as plainly as spec S2 to S4 say it: the whole log at hand, no state, no directions.
//!
//! For sound records only.

use lastsaid_core::formats::dsh::NEEDLES;

use super::json::{self, Json, Units};
use super::said::Answer;

/// What must come of a suffix.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub output: Option<Json>,
    /// The bytes that the text is in WTF-8.
    pub text: Vec<u8>,
    /// The number of the record where it stands.
    pub record: Option<usize>,
    pub earlier: Option<(Vec<u8>, usize)>,
    /// The word of the last turn end.
    pub stop: Option<Vec<u8>>,
    pub is_open: bool,
}

impl Expected {
    /// What an answer says of the same; `record_at` finds a record's number by its place.
    pub fn of(answer: &Answer, record_at: impl Fn(lastsaid_core::fold::Place) -> usize) -> Self {
        Self {
            output: answer.output(),
            text: answer.text.clone(),
            record: (answer.source != "none").then(|| record_at(answer.place)),
            earlier: answer.earlier.as_ref().map(|earlier| (earlier.text.clone(), record_at(earlier.place))),
            stop: answer.stop_reason_raw(),
            is_open: answer.warnings.contains(&"open_turn"),
        }
    }
}

/// The record inside its envelope.
pub fn bare(record: &Json) -> &Json {
    match record.get("type") {
        Some(Json::String(_)) if record.get("type").is_some_and(|kind| kind.is("session_event")) => {
            record.get("event").unwrap()
        }
        Some(Json::String(_)) => record,
        _ if record.get("method").is_some_and(|method| method.is("session.event")) => {
            record.get("params").unwrap().get("event").unwrap()
        }
        _ => record,
    }
}

fn kind(record: &Json) -> String {
    record.get("type").and_then(Json::as_text).unwrap_or_default()
}

fn is_row(record: &Json) -> bool {
    matches!(kind(record).as_str(), "text-chunks" | "reasoning-chunks" | "tool-call-chunks")
}

fn member<'j>(record: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(record, |value, name| value.get(name))
}

fn strings(list: &Json) -> Vec<Units> {
    list.as_list().unwrap().iter().map(|text| text.as_units().unwrap().clone()).collect()
}

fn chunk(chunk: &Json) -> Vec<Units> {
    let is_delta = chunk.get("type").is_some_and(|kind| kind.is("text-delta"));
    if is_delta { vec![chunk.get("text").unwrap().as_units().unwrap().clone()] } else { Vec::new() }
}

fn pieces(record: &Json) -> Vec<Units> {
    match kind(record).as_str() {
        "assistant/message" | "assistant/attempt" => {
            let stream = member(record, &["data", "stream"]).and_then(Json::as_list).unwrap_or_default();
            stream
                .iter()
                .flat_map(|record| match kind(record).as_str() {
                    "text-chunks" => strings(record.get("texts").unwrap()),
                    "chunk" => chunk(record.get("chunk").unwrap()),
                    _ => Vec::new(),
                })
                .collect()
        }
        "assistant/chunk" => chunk(member(record, &["data", "chunk"]).unwrap()),
        "text-chunks" => strings(member(record, &["data", "texts"]).unwrap()),
        _ => Vec::new(),
    }
}

fn content(record: &Json) -> &[Json] {
    if kind(record) != "assistant/message" {
        return &[];
    }
    member(record, &["data", "message", "content"]).unwrap().as_list().unwrap()
}

fn text_of(content: &[Json]) -> Units {
    let texts = content.iter().filter(|block| block.get("type").is_some_and(|kind| kind.is("text")));
    texts.filter_map(|block| block.get("text")).filter_map(Json::as_units).flatten().copied().collect()
}

fn is_blank(text: &[u16]) -> bool {
    char::decode_utf16(text.iter().copied()).all(|decoded| decoded.is_ok_and(char::is_whitespace))
}

/// A block that is blank by itself counts as none, also if halves of several would meet.
fn has_text(content: &[Json]) -> bool {
    content.iter().any(|block| !is_blank(&text_of(std::slice::from_ref(block))))
}

/// The answer of `records[start..]`; of the first the fold doesn't see the first `divided` members.
pub fn answer(records: &[Json], start: usize, divided: usize) -> Expected {
    let suffix: Vec<(usize, &Json)> =
        records.iter().enumerate().skip(start).map(|(n, record)| (n, bare(record))).collect();
    let mut expected = Expected::default();
    for (_, record) in &suffix {
        match kind(record).as_str() {
            "turn/start" => (expected.is_open, expected.stop) = (true, None),
            "turn/end" => {
                let word = member(record, &["data", "reason", "kind"]).and_then(Json::as_units);
                (expected.is_open, expected.stop) = (false, word.map(|word| json::wtf8(word)));
            }
            _ => {}
        }
    }
    let messages: Vec<_> = suffix.iter().filter(|(_, record)| !content(record).is_empty()).collect();
    let first_message = messages.first().map_or(usize::MAX, |(n, _)| *n);
    let mut streamed = Vec::new();
    for (n, record) in suffix.iter().filter(|(n, _)| *n < first_message) {
        let skipped = if *n == start { divided } else { 0 };
        streamed.extend(
            pieces(record).into_iter().skip(skipped).filter(|piece| !piece.is_empty()).map(|piece| (*n, piece)),
        );
    }
    let joined: Units = streamed.iter().flat_map(|(_, piece)| piece).copied().collect();
    let streamed = streamed.first().map(|(n, _)| (json::wtf8(&joined), *n));
    match (messages.split_last(), streamed) {
        (Some(((n, winner), before)), streamed) => {
            expected.output = Some(Json::List(content(winner).to_vec()));
            expected.text = json::wtf8(&text_of(content(winner)));
            expected.record = Some(*n);
            if !has_text(content(winner)) {
                let newest = before.iter().rev().find(|(_, message)| has_text(content(message)));
                expected.earlier = newest
                    .map(|(n, message)| (json::wtf8(&text_of(content(message))), *n))
                    .or(streamed.filter(|_| !is_blank(&joined)));
            }
        }
        (None, Some((text, n))) => {
            expected.output = Some(Json::List(vec![json::text_block(joined)]));
            (expected.text, expected.record) = (text, Some(n));
        }
        (None, None) => {}
    }
    expected
}

fn ordinal(record: &Json, name: &str) -> Option<u64> {
    record.get(name).and_then(Json::as_ordinal)
}

/// The last record that lies, wholly or in part, before the cut by seq: its number, and how many of its members.
fn last_below(records: &[Json], is_examined: &dyn Fn(usize) -> bool, cut: u64) -> Option<(usize, u64, u64)> {
    let below = |(n, record): (usize, &Json)| {
        let record = bare(record);
        let seq = ordinal(record, if is_row(record) { "seq0" } else { "seq" }).filter(|seq| *seq < cut)?;
        let list = |name| member(record, &["data", name]).and_then(Json::as_list).map(<[Json]>::len);
        let members = if is_row(record) { list("texts").or(list("args")).unwrap_or(1).max(1) as u64 } else { 1 };
        Some((n, (cut - seq).min(members), members))
    };
    records.iter().enumerate().filter(|(n, _)| is_examined(*n)).filter_map(below).next_back()
}

/// Where the suffix after a cut by seq begins, and how many members of the row there it leaves out.
pub fn cut_start(records: &[Json], is_examined: &dyn Fn(usize) -> bool, cut: u64) -> (usize, usize) {
    match last_below(records, is_examined, cut) {
        Some((n, below, members)) if below == members => (n + 1, 0),
        Some((n, below, _)) => (n, usize::try_from(below).unwrap()),
        None => (0, 0),
    }
}

/// Where the own suffix begins.
pub fn own_start(records: &[Json], is_examined: &dyn Fn(usize) -> bool) -> (usize, usize) {
    let cut = match records.first().map(bare) {
        Some(header) if kind(header) == "session" && matches!(ordinal(header, "version"), Some(0 | 1)) => {
            ordinal(header, "seedLength").unwrap_or(0)
        }
        _ => 0,
    };
    let marker = records.iter().rposition(|record| kind(bare(record)) == "session/end-seed").map_or(0, |n| n + 1);
    cut_start(records, is_examined, cut).max((marker, 0))
}

/// Whether a line holds what makes it a candidate.
pub fn has_needle(line: &[u8]) -> bool {
    NEEDLES.iter().any(|needle| memchr::memmem::find(line, needle.as_bytes()).is_some())
}
