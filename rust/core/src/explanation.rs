//! Which record won, which lost and why, and what was streamed and not used (spec S9 `counts`, `candidates`).
//!
//! A pass tells what it meets; the answer never depends on it. Memory is bounded: counts, and the newest records.

use std::collections::VecDeque;

use crate::error::{Error, Malformed};
use crate::fold::{Fold, Place};
use crate::formats::dsh;
use crate::node::{Flow, Key, Node};
use crate::records::Found;
use crate::signal::{Event, Kind};
use crate::text::{self, Pieces, Text};

/// The most records that are told of.
const MOST: usize = 100;
/// The most block types that are named of one message.
const MOST_BLOCKS: usize = 20;
/// The code points of a preview.
const PREVIEW: usize = 80;

/// Text that is counted as it comes and kept only at its beginning.
#[derive(Clone, Debug, Default)]
struct Measure {
    characters: u64,
    /// A high half at the end, which a low one may still join.
    ends_high: bool,
    beginning: Text,
    kept: usize,
}

impl Measure {
    fn push(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        let mut text = Text::default();
        if self.ends_high {
            text.push(&HIGH);
        }
        text.push(piece);
        let joined = text.joined();
        self.characters += code_points(&joined) - u64::from(self.ends_high);
        self.ends_high = ends_high(&joined);
        // Twice as much as is shown: pieces that are joined become shorter.
        if self.kept < 2 * PREVIEW {
            let room = 2 * PREVIEW + 2 - self.kept;
            let beginning = first_code_points(piece, room);
            self.kept += usize::try_from(code_points(beginning)).unwrap_or(room);
            self.beginning.push(beginning);
        }
    }

    fn preview(&self) -> Vec<u8> {
        first_code_points(&self.beginning.joined(), PREVIEW).to_vec()
    }
}

/// Any high half: only that it is one matters.
const HIGH: [u8; 3] = [0xED, 0xA0, 0xBD];

fn ends_high(wtf8: &[u8]) -> bool {
    matches!(wtf8, [.., 0xED, 0xA0..=0xAF, 0x80..=0xBF])
}

fn code_points(wtf8: &[u8]) -> u64 {
    wtf8.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64
}

fn first_code_points(wtf8: &[u8], count: usize) -> &[u8] {
    let end = wtf8.iter().enumerate().filter(|(_, byte)| *byte & 0xC0 != 0x80).nth(count).map(|(at, _)| at);
    &wtf8[..end.unwrap_or(wtf8.len())]
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Verdict {
    Won,
    Lost,
    Empty,
    Unused,
    Malformed,
    Outside,
}

impl Verdict {
    /// The word of S9.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Empty => "empty",
            Self::Unused => "unused",
            Self::Malformed => "malformed",
            Self::Outside => "outside",
        }
    }
}

/// A record that was or could have been the answer.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What became of it.
    pub verdict: Verdict,
    /// `message`, `stream` or `record`.
    pub kind: &'static str,
    /// Where it stands.
    pub place: Place,
    /// The message's id, in WTF-8.
    pub message_id: Option<Box<[u8]>>,
    /// The types of its blocks, in WTF-8; None for one without a type.
    pub blocks: Vec<Option<Box<[u8]>>>,
    /// The code points of its text.
    pub characters: u64,
    /// The first of them, in WTF-8.
    pub preview: Vec<u8>,
    /// Why, in words.
    pub reason: String,
    position: u64,
}

/// What of it is counted.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Counts {
    pub records: u64,
    pub suffix_records: u64,
    pub messages: u64,
    pub empty_messages: u64,
    pub streams: u64,
    pub streamed_characters: u64,
    pub malformed: u64,
    pub version: Option<u64>,
    pub suffix: Option<Place>,
}

/// What a pass has told so far.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    records: u64,
    version: Option<u64>,
    outside: Option<Candidate>,
    part: Part,
}

/// What belongs to the suffix as far as it is known yet.
#[derive(Clone, Debug, Default)]
struct Part {
    records: u64,
    messages: u64,
    empty_messages: u64,
    streams: u64,
    malformed: u64,
    begin: Option<Place>,
    winner: Option<Candidate>,
    others: VecDeque<Candidate>,
    streamed: Measure,
    streamed_from: Option<(Place, u64)>,
}

impl Part {
    fn begin(&mut self, place: Place) {
        self.records += 1;
        self.begin.get_or_insert(place);
    }

    fn add(&mut self, candidate: Candidate) {
        if self.others.len() > MOST {
            self.others.pop_front();
        }
        self.others.push_back(candidate);
    }

    fn malformed(&mut self, defect: &Malformed, place: Place, position: u64) {
        self.malformed += 1;
        self.add(Candidate {
            verdict: Verdict::Malformed,
            kind: "record",
            place,
            message_id: None,
            blocks: Vec::new(),
            characters: 0,
            preview: Vec::new(),
            reason: defect.sentence(),
            position,
        });
    }

    fn say(&mut self, message: Candidate) {
        if let Some(before) = self.winner.replace(message) {
            self.add(Candidate { verdict: Verdict::Lost, reason: "an older message".into(), ..before });
        }
    }
}

impl Explanation {
    /// A record was examined.
    pub fn count(&mut self) {
        self.records += 1;
    }

    /// The log's header.
    pub fn header<N: Node>(&mut self, event: &Event<N>) -> Result<(), N::Error> {
        self.version = dsh::header_version(event)?;
        Ok(())
    }

    /// A record of the suffix that can't be read at all.
    pub fn unreadable<N>(&mut self, found: &Found<N>, defect: &Malformed) {
        self.part.begin(found.place);
        self.part.malformed(defect, found.place, found.start);
    }

    /// A record of the suffix. `skip`: so many members of a packed row lie before it.
    pub fn take<N: Node>(&mut self, found: &Found<N>, event: &Event<N>, skip: u64) -> Result<(), N::Error> {
        self.part.begin(found.place);
        let reads = matches!(event.kind, Kind::Message | Kind::Stream(_));
        if !reads {
            return Ok(());
        }
        match self.read(found, event, skip) {
            Err(Error::Foreign(error)) => Err(error),
            Err(Error::Malformed(defect)) => {
                self.part.malformed(&defect, found.place, found.start);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read<N: Node>(&mut self, found: &Found<N>, event: &Event<N>, skip: u64) -> Result<(), Error<N::Error>> {
        found.check_limits()?;
        let mut pieces = Text::default();
        match event.kind {
            Kind::Message => {
                let content = dsh::content(event)?;
                if content.len > 0 {
                    self.part.messages += 1;
                    self.part.say(message(found, event, &content)?);
                    return Ok(());
                }
                dsh::embedded(&content.data, event.path, &mut Pieces::new(&mut pieces, 0))?;
                self.part.empty_messages += 1;
                let mut empty = message(found, event, &content)?;
                empty.verdict = Verdict::Empty;
                empty.reason = "no blocks".into();
                self.part.add(empty);
            }
            Kind::Stream(stream) => dsh::pieces(event, stream, &mut Pieces::new(&mut pieces, skip))?,
            _ => {}
        }
        if !pieces.is_empty() {
            self.part.streams += 1;
            self.part.streamed.push(&pieces.joined());
            if self.part.streamed_from.is_none() {
                let seq = dsh::seq(event).map_err(Error::Foreign)?;
                self.part.streamed_from = Some((Place { seq, ..found.place }, found.start));
            }
        }
        Ok(())
    }

    /// A record that is not in the suffix.
    pub fn pass_over<N: Node>(&mut self, found: &Found<N>, event: &Event<N>) -> Result<(), N::Error> {
        if event.kind != Kind::Message {
            return Ok(());
        }
        let read = found.check_limits().and_then(|()| dsh::content(event)).and_then(|content| {
            if content.len > 0 { message(found, event, &content).map(Some) } else { Ok(None) }
        });
        match read {
            Err(Error::Foreign(error)) => return Err(error),
            Ok(Some(message)) => self.leave_behind(message),
            _ => {}
        }
        Ok(())
    }

    /// The suffix begins anew: what was told of it is outside.
    pub fn leave(&mut self) {
        let before = std::mem::take(&mut self.part);
        if let Some(message) = before.winner {
            self.leave_behind(message);
        }
    }

    fn leave_behind(&mut self, message: Candidate) {
        self.outside =
            Some(Candidate { verdict: Verdict::Outside, reason: "not part of this run".into(), ..message });
    }

    /// What is counted.
    pub fn counts(&self) -> Counts {
        Counts {
            records: self.records,
            suffix_records: self.part.records,
            messages: self.part.messages,
            empty_messages: self.part.empty_messages,
            streams: self.part.streams,
            streamed_characters: self.part.streamed.characters,
            malformed: self.part.malformed,
            version: self.version,
            suffix: self.part.begin,
        }
    }

    /// The winner, then the others from the newest to the oldest.
    pub fn candidates<K>(&self, fold: &Fold<K>) -> Vec<Candidate> {
        let stream = self.part.streamed_from.map(|(place, position)| Candidate {
            verdict: if fold.message().is_some() { Verdict::Unused } else { Verdict::Won },
            kind: "stream",
            place,
            message_id: None,
            blocks: Vec::new(),
            characters: self.part.streamed.characters,
            preview: self.part.streamed.preview(),
            reason: if fold.message().is_some() { "a message was found" } else { "no message has blocks" }.into(),
            position,
        });
        let mut others: Vec<_> =
            self.part.others.iter().cloned().chain(stream).chain(self.outside.clone()).collect();
        others.sort_by_key(|candidate| (candidate.verdict != Verdict::Won, u64::MAX - candidate.position));
        let mut told: Vec<_> = self.part.winner.clone().into_iter().chain(others).collect();
        told.truncate(MOST);
        told
    }
}

fn message<N: Node>(
    found: &Found<N>,
    event: &Event<N>,
    content: &dsh::Content<N>,
) -> Result<Candidate, Error<N::Error>> {
    let mut blocks = Vec::new();
    content.list.each(&mut |index, block| {
        if index == MOST_BLOCKS {
            return Ok(Flow::Stop);
        }
        let kind = block.member(Key::Type).map_err(Error::Foreign)?;
        let kind = kind.map_or(Ok(None), |kind| kind.with_text(|kind| Box::from(kind))).map_err(Error::Foreign)?;
        blocks.push(kind);
        Ok(Flow::Continue)
    })?;
    let mut said = Measure::default();
    text::block_texts(&content.list, &mut |block| {
        said.push(block);
        Flow::Continue
    })?;
    let id = content.message.member(Key::Id).map_err(Error::Foreign)?;
    let id = id.map_or(Ok(None), |id| id.with_text(|id| Box::from(id))).map_err(Error::Foreign)?;
    let seq = dsh::seq(event).map_err(Error::Foreign)?;
    Ok(Candidate {
        verdict: Verdict::Won,
        kind: "message",
        place: Place { seq, ..found.place },
        message_id: id,
        blocks,
        characters: said.characters,
        preview: said.preview(),
        reason: "the last message that has blocks".into(),
        position: found.start,
    })
}
