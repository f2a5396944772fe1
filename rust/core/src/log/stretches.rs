//! One log on several threads: stretches of it are walked side by side, from the last on, and joined in order.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::backward::How;
use crate::error::Error;
use crate::formats::dsh;
use crate::log::reading::Kept;
use crate::log::records::LogRecords;
use crate::log::source::Source;
use crate::node::{Flow, Node};
use crate::records::{Found, Records, Visitor};
use crate::signal::Kind;
use crate::suffix::lenient;
use crate::walk::Walk;

/// How many threads there are, and how much of a log one takes at a time. The last stretch is walked alone, since
/// most answers are in it.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// How many, at least 1.
    pub count: usize,
    /// Bytes, at least 1.
    pub stretch: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self { count: 1, stretch: 8 << 20 }
    }
}

type Result<T> = std::result::Result<T, Error<Infallible>>;

/// Walk `[lo, hi)`.
pub fn walk<S: Source>(
    records: &mut LogRecords<'_, S>,
    lo: u64,
    hi: u64,
    how: How,
    threads: Threads,
) -> Result<Walk<Kept>> {
    let mut walk = Walk::new(how);
    let alone = last_stretch(records, lo, hi, threads.stretch)?;
    records.backward(alone, hi, &mut walk)?;
    if walk.is_over() || alone == lo {
        return Ok(walk);
    }
    if speaks_early(records, lo, alone)? {
        walk.leave_streams();
    }
    let stretches = usize::try_from((alone - lo).div_ceil(threads.stretch)).unwrap_or(usize::MAX);
    let mut sources: Vec<_> = (0..threads.count.min(stretches)).map_while(|_| records.another_source()).collect();
    let mut readers: Vec<_> = sources.iter_mut().map(|source| records.beside(source)).collect();
    let Some(mut own) = readers.pop().filter(|_| !readers.is_empty()) else {
        drop(readers);
        drop(sources);
        records.backward(lo, alone, &mut walk)?;
        return Ok(walk);
    };
    let gathers = walk.gathers();
    let joined = Mutex::new(Joined::after(walk));
    let shared = Shared { lo, hi: alone, stretch: threads.stretch, how, gathers, joined };
    thread::scope(|scope| {
        for mut records in readers {
            let shared = &shared;
            scope.spawn(move || shared.work(&mut records));
        }
        // This thread works too: what may interrupt the reading is asked on it.
        shared.work(&mut own);
    });
    shared.joined.into_inner().unwrap_or_else(PoisonError::into_inner).outcome()
}

/// Where the last stretch begins: at a line.
fn last_stretch<S: Source>(records: &mut LogRecords<'_, S>, lo: u64, hi: u64, stretch: u64) -> Result<u64> {
    let at = hi.saturating_sub(stretch).max(lo);
    Ok(if at == lo { lo } else { records.after_line_feed(at, hi)?.unwrap_or(lo) })
}

/// How much of the beginning is looked at.
const BEGINNING: u64 = 256 << 10;

/// Whether a message near the beginning has blocks. Then streams hardly matter, and are left until they do: reading them
/// on the way would be a sixth of the time.
fn speaks_early<S: Source>(records: &mut LogRecords<'_, S>, lo: u64, hi: u64) -> Result<bool> {
    let upto = records.after_line_feed((lo + BEGINNING).min(hi), hi)?.unwrap_or(hi);
    let mut first = FirstMessage(false);
    Records::<Kept, _>::forward(records, lo, upto, &mut first)?;
    Ok(first.0)
}

struct FirstMessage(bool);

impl<K, E> Visitor<K, E> for FirstMessage {
    fn visit<N>(&mut self, found: &Found<N>) -> std::result::Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        if let Some(event) = lenient(found.event())?
            && event.kind == Kind::Message
            && let Some(content) = lenient(dsh::content(&event))?
        {
            self.0 = content.len > 0;
        }
        Ok(if self.0 { Flow::Stop } else { Flow::Continue })
    }
}

struct Shared {
    lo: u64,
    hi: u64,
    stretch: u64,
    how: How,
    gathers: bool,
    joined: Mutex<Joined>,
}

/// What is known from the end on, and the stretches that are walked before it.
struct Joined {
    walk: Walk<Kept>,
    /// The number of the stretch to be joined next; the last has number 0.
    next: u64,
    waiting: BTreeMap<u64, Result<Walk<Kept>>>,
    /// The number of the stretch that is walked next.
    untaken: u64,
    error: Option<Error<Infallible>>,
    is_over: bool,
}

impl Joined {
    fn after(walk: Walk<Kept>) -> Self {
        Self { walk, next: 0, waiting: BTreeMap::new(), untaken: 0, error: None, is_over: false }
    }

    fn join(&mut self, number: u64, walked: Result<Walk<Kept>>) {
        // Nobody begins another stretch after an error, though those that were begun may still decide.
        self.is_over |= walked.is_err();
        self.waiting.insert(number, walked);
        while self.error.is_none()
            && !self.walk.is_over()
            && let Some(walked) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            match walked {
                Ok(earlier) => self.walk.before(earlier),
                Err(error) => self.error = Some(error),
            }
        }
        self.is_over |= self.walk.is_over();
    }

    fn outcome(self) -> Result<Walk<Kept>> {
        self.error.map_or(Ok(self.walk), Err)
    }
}

impl Shared {
    fn held<R>(&self, call: impl FnOnce(&mut Joined) -> R) -> R {
        call(&mut self.joined.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn work<S: Source>(&self, records: &mut LogRecords<'_, S>) {
        while let Some((number, lo, hi)) = self.held(|joined| self.take(joined)) {
            let walked = self.walk(records, lo, hi);
            self.held(|joined| joined.join(number, walked));
        }
    }

    /// The next stretch from the end.
    fn take(&self, joined: &mut Joined) -> Option<(u64, u64, u64)> {
        let number = joined.untaken;
        let hi = self.hi.checked_sub(number * self.stretch).filter(|hi| *hi > self.lo && !joined.is_over)?;
        joined.untaken += 1;
        Some((number, hi.saturating_sub(self.stretch).max(self.lo), hi))
    }

    /// Walk the lines that begin in `[lo, hi)`.
    fn walk<S: Source>(&self, records: &mut LogRecords<'_, S>, lo: u64, hi: u64) -> Result<Walk<Kept>> {
        let mut walk = Walk::of_stretch(self.how, self.gathers);
        let begin = if lo == self.lo { Some(lo) } else { records.after_line_feed(lo - 1, hi - 1)? };
        if let Some(begin) = begin {
            let end =
                if hi == self.hi { hi } else { records.after_line_feed(hi - 1, self.hi)?.unwrap_or(self.hi) };
            records.backward(begin, end, &mut walk)?;
        }
        Ok(walk)
    }
}
