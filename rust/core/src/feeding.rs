//! A stream of bytes as it comes, cut into records: lines, or server-sent events (spec S5 `feed`).
//!
//! What is kept between two calls is plain, so that a pickle can carry it.

use memchr::{memchr, memchr2};

use crate::error::Malformed;
use crate::json::{self, BOM, Record};
use crate::log::{lines, needles};

/// The most bytes of a record.
pub const LIMIT: u64 = 256 << 20;

/// How records are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Framing {
    #[default]
    Lines,
    Sse,
}

impl Framing {
    /// The word of S5.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Sse => "sse",
        }
    }

    /// The framing of that word.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Lines, Self::Sse].into_iter().find(|framing| framing.as_str() == word)
    }
}

/// A record as its bytes come: the first of them, up to the limit, and what must be known of the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The place of its first byte.
    pub offset: u64,
    /// The line of that, from 1.
    pub line: u64,
    /// Its first bytes.
    pub data: Vec<u8>,
    /// How many it has.
    pub size: u64,
    /// How many without the zero bytes at its end, which are padding if nothing follows.
    pub used: u64,
    /// Whether a needle is in it.
    pub needle: bool,
    /// Without a needle its last bytes, in which one may have begun.
    pub edge: Vec<u8>,
    /// Whether what is used of it is blank.
    pub blank: bool,
}

impl Unfinished {
    fn new(offset: u64, line: u64) -> Self {
        Self { offset, line, data: Vec::new(), size: 0, used: 0, needle: false, edge: Vec::new(), blank: true }
    }

    fn add(&mut self, piece: &[u8]) {
        let room = usize::try_from(LIMIT.saturating_sub(self.size)).unwrap_or(usize::MAX).min(piece.len());
        self.data.extend_from_slice(&piece[..room]);
        let unpadded = lines::without_padding(piece);
        if !unpadded.is_empty() {
            // Zero bytes that something follows are no padding, and not blank.
            self.blank = self.blank && self.used == self.size && is_blank(unpadded);
            self.used = self.size + unpadded.len() as u64;
        }
        self.size += piece.len() as u64;
        if !self.needle {
            // A needle that began before ends within so many bytes.
            let seam = self.edge.len();
            self.edge.extend_from_slice(&piece[..piece.len().min(needles::LONGEST)]);
            self.needle = (seam > 0 && needles::is_in(&self.edge)) || needles::is_in(piece);
            if self.needle {
                self.edge.clear();
            } else if piece.len() >= needles::LONGEST {
                self.edge.clear();
                self.edge.extend_from_slice(&piece[piece.len() - needles::LONGEST..]);
            } else {
                let keep = self.edge.len().saturating_sub(needles::LONGEST);
                self.edge.drain(..keep);
            }
        }
    }

    /// All of a line that holds no needle.
    fn pass(&mut self, line: &[u8]) {
        self.size = line.len() as u64;
        self.used = self.size;
        self.blank = is_blank(line);
    }

    fn is_blank(&self) -> bool {
        self.blank && self.used == self.size
    }

    fn cut_padding(&mut self) {
        self.data.truncate(usize::try_from(self.used).unwrap_or(usize::MAX));
        self.size = self.used;
    }

    /// Whether a record at the end of a stream is cut off; over the limit nobody looks.
    pub fn is_torn(&self) -> bool {
        self.size <= LIMIT && json::parse(&self.data).is_err()
    }

    /// The record, or what makes it unreadable.
    pub fn parse<'p>(&'p self, parser: &'p mut json::Parser) -> Result<Record<'p>, Box<Malformed>> {
        if self.size > LIMIT {
            let found = format!("{} bytes long", self.size);
            let expected = format!("at most {LIMIT} (see max_record_bytes)");
            return Err(Malformed::new(crate::error::Kind::TooLarge, "", found, expected));
        }
        parser.parse(&self.data)
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// So many bytes of a line say whether it is a `data` line, and where its value begins.
pub const HEAD: usize = b"data: ".len();

/// Bytes nobody has looked at. A chunk may hold many bad records, after each of which the rest waits for the next call:
/// it stays where it is.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    bytes: Vec<u8>,
    passed: usize,
}

impl Pending {
    /// The bytes.
    pub fn rest(&self) -> &[u8] {
        self.bytes.get(self.passed..).unwrap_or_default()
    }

    fn add(&mut self, chunk: &[u8]) {
        // What was passed is let go of when it is most of what there is.
        if self.passed > self.bytes.len() / 2 {
            self.bytes.drain(..self.passed);
            self.passed = 0;
        }
        self.bytes.extend_from_slice(chunk);
    }

    fn pass(&mut self, count: usize) {
        self.passed += count;
        if self.rest().is_empty() {
            *self = Self::default();
        }
    }
}

impl From<Vec<u8>> for Pending {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, passed: 0 }
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.rest() == other.rest()
    }
}

impl Eq for Pending {}

/// Where a stream stands. `offset` and `line` are those of the next byte, which is the first of `pending`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeding {
    /// Of the last call.
    pub framing: Framing,
    /// Bytes nobody has looked at: what follows a bad record, or the beginning of a byte order mark.
    pub pending: Pending,
    /// Where the stream stands.
    pub offset: u64,
    /// The line of that, from 1.
    pub line: u64,
    /// Those that are whole and not blank.
    pub records: u64,
    /// Of the stream before: whether it ended in the middle of a record.
    pub torn: bool,
    /// The record whose end hasn't come.
    pub record: Option<Unfinished>,
    /// Of a line of an event its first bytes.
    pub head: Vec<u8>,
    /// Where that line began.
    pub head_offset: u64,
    /// Whether the byte before was a CR that ended a line.
    pub after_cr: bool,
}

impl Default for Feeding {
    fn default() -> Self {
        Self {
            framing: Framing::Lines,
            pending: Pending::default(),
            offset: 0,
            line: 1,
            records: 0,
            torn: false,
            record: None,
            head: Vec::new(),
            head_offset: 0,
            after_cr: false,
        }
    }
}

impl Feeding {
    /// Whether there are bytes of a record that isn't whole, or that nobody has looked at.
    pub fn is_pending(&self) -> bool {
        !self.pending.rest().is_empty() || !self.head.is_empty() || self.record.is_some()
    }

    /// Take bytes in; `take` gets the records that are complete with them, and whether each is examined.
    /// Where it fails, the record is out of the stream and what follows it is pending.
    pub fn feed<E>(
        &mut self,
        chunk: &[u8],
        framing: Framing,
        take: impl FnMut(&Unfinished, bool) -> Result<(), E>,
    ) -> Result<(), E> {
        self.framing = framing;
        self.torn = false;
        let mut pending = std::mem::take(&mut self.pending);
        if pending.rest().is_empty() {
            let (used, done) = self.whole(chunk, false, take);
            self.pending = chunk[used..].to_vec().into();
            return done;
        }
        pending.add(chunk);
        let (used, done) = self.whole(pending.rest(), false, take);
        pending.pass(used);
        self.pending = pending;
        done
    }

    /// Take what is pending as the end of the stream.
    pub fn end<E>(&mut self, mut take: impl FnMut(&Unfinished, bool) -> Result<(), E>) -> Result<(), E> {
        let mut torn = self.torn;
        let mut pending = std::mem::take(&mut self.pending);
        let (used, mut done) = self.whole(pending.rest(), true, &mut take);
        pending.pass(used);
        self.pending = pending;
        if done.is_ok() {
            if !self.head.is_empty() {
                self.end_of_field();
            }
            if let Some(mut record) = self.record.take() {
                record.cut_padding();
                if !record.is_blank() {
                    torn = record.is_torn();
                    if !torn {
                        done = take(&record, true);
                    }
                }
            }
        }
        if !self.is_pending() {
            *self = Self { torn, ..Self::default() };
        }
        done
    }

    /// Take the records that are complete with these bytes, up to the first that is bad; how many bytes were looked at.
    fn whole<E>(
        &mut self,
        bytes: &[u8],
        at_end: bool,
        mut take: impl FnMut(&Unfinished, bool) -> Result<(), E>,
    ) -> (usize, Result<(), E>) {
        let mut rest = bytes;
        if self.offset == 0 {
            if !at_end && rest.len() < BOM.len() && BOM.starts_with(rest) {
                return (0, Ok(()));
            }
            if let Some(after) = rest.strip_prefix(BOM) {
                rest = after;
                self.offset = BOM.len() as u64;
            }
        }
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) {
                let is_lf = usize::from(*first == b'\n');
                self.offset += is_lf as u64;
                rest = &rest[is_lf..];
                continue;
            }
            let (used, is_end) = match self.framing {
                Framing::Lines => self.line(rest),
                Framing::Sse => self.event_line(rest),
            };
            rest = &rest[used..];
            if is_end
                && let Some(record) = self.record.take()
                && !record.is_blank()
            {
                self.records += 1;
                if let Err(error) = take(&record, record.needle || self.records == 1) {
                    return (bytes.len() - rest.len(), Err(error));
                }
            }
        }
        (bytes.len(), Ok(()))
    }

    /// Go to the end of the line, or of what is there; how far, and whether it was the line's.
    fn line(&mut self, rest: &[u8]) -> (usize, bool) {
        let lf = memchr(b'\n', rest);
        let end = lf.unwrap_or(rest.len());
        let (offset, line) = (self.offset, self.line);
        // A line that is here from its first byte to its last, and that nobody will read, is not copied.
        let is_unread = self.record.is_none() && lf.is_some() && self.records > 0 && !needles::is_in(&rest[..end]);
        let record = self.record.get_or_insert_with(|| Unfinished::new(offset, line));
        if is_unread {
            record.pass(&rest[..end])
        } else {
            record.add(&rest[..end])
        }
        let used = end + usize::from(lf.is_some());
        self.offset += used as u64;
        self.line += u64::from(lf.is_some());
        (used, lf.is_some())
    }

    /// Go to the end of the line, or of what is there; how far, and whether it was an empty one, which ends an event.
    fn event_line(&mut self, rest: &[u8]) -> (usize, bool) {
        let at = memchr2(b'\r', b'\n', rest);
        let end = at.unwrap_or(rest.len());
        self.add_to_field(&rest[..end]);
        self.offset += end as u64;
        if at.is_none() {
            return (end, false);
        }
        let is_empty = self.head.is_empty();
        self.end_of_field();
        self.after_cr = rest[end] == b'\r';
        self.offset += 1;
        self.line += 1;
        (end + 1, is_empty)
    }

    fn add_to_field(&mut self, piece: &[u8]) {
        if self.head.is_empty() {
            self.head_offset = self.offset;
        }
        let missing = HEAD - self.head.len();
        let (head, value) = piece.split_at(missing.min(piece.len()));
        self.head.extend_from_slice(head);
        if self.head.len() < HEAD || !self.head.starts_with(b"data:") {
            return;
        }
        if missing > 0 {
            let first = if self.head.ends_with(b" ") { None } else { self.head.last().copied() };
            self.begin_data().add(first.as_slice());
        }
        if let Some(record) = &mut self.record {
            record.add(value);
        }
    }

    fn end_of_field(&mut self) {
        if self.head == b"data" || self.head == b"data:" {
            self.begin_data();
        }
        self.head.clear();
        self.head_offset = 0;
    }

    /// The value of a `data` line begins: the first of its event, or another after an LF.
    fn begin_data(&mut self) -> &mut Unfinished {
        let (offset, line) = (self.head_offset, self.line);
        if let Some(record) = &mut self.record {
            record.add(b"\n");
        }
        self.record.get_or_insert_with(|| Unfinished::new(offset, line))
    }
}
