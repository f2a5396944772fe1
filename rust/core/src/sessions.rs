//! The sessions of a log, each with a pass of its own (spec S4 "Sessions of a log", S5 `session=`).
//!
//! Until a record could be read nobody knows whether the log holds notifications; what can't be read is everybody's.

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::formats::dsh;
use crate::forward::Pass;
use crate::node::Node;
use crate::outcome::Outcome;
use crate::records::Found;
use crate::signal::{Event, Kind};
use crate::suffix::Suffix;

/// A session's id, in WTF-8.
pub type Id = Box<[u8]>;

/// One pass over a log, for one of its sessions or for all.
pub struct Sessions<K> {
    wanted: Option<Id>,
    /// Whether a record that signals nothing changes nothing but what is known: it may move a cut by seq, and be counted.
    is_quiet: bool,
    /// Whether the log is read as one that holds notifications; None until a record could be read.
    is_many: Option<bool>,
    header: Option<Id>,
    records: u64,
    /// The records that name no session: of a log without notifications, all.
    bare: Pass<K>,
    /// In the order in which they were first named; without a pass where another was asked for.
    named: Vec<(Id, Option<Pass<K>>)>,
    places: HashMap<Id, usize>,
    children: HashSet<Id>,
}

/// What a pass does with a record.
type Take<'a, K, N> = &'a mut dyn FnMut(&mut Pass<K>, &Found<N>) -> Result<(), Error<<N as Node>::Error>>;

/// Where a record goes.
enum To {
    /// The session of this place in the order.
    One(usize),
    All,
    /// To all, but it says nothing that they must hear one by one.
    Bare,
}

impl<K: Clone> Sessions<K> {
    /// A pass for this suffix; `wanted` picks a session.
    pub fn new(suffix: Suffix, skip: bool, wanted: Option<Id>, explain: bool) -> Self {
        Self {
            wanted,
            is_quiet: !explain && !matches!(suffix, Suffix::SinceSeq(_)),
            is_many: None,
            header: None,
            records: 0,
            bare: Pass::new(suffix, skip).explained(explain),
            named: Vec::new(),
            places: HashMap::new(),
            children: HashSet::new(),
        }
    }

    /// Take the next record that is examined.
    pub fn feed<N>(&mut self, found: &Found<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        self.each(found, &mut |pass, found| pass.feed(found))
    }

    /// Look at a record that the caller knows to stand before the suffix.
    pub fn pass_over<N>(&mut self, found: &Found<N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        self.each(found, &mut |pass, found| pass.pass_over(found))
    }

    fn each<N>(&mut self, found: &Found<N>, take: Take<'_, K, N>) -> Result<(), Error<N::Error>>
    where
        N: Node,
        N::Kept: Into<K>,
    {
        let to = self.addressee(found)?;
        match to {
            To::One(place) => match &mut self.named[place].1 {
                Some(pass) => take(pass, found),
                None => Ok(()),
            },
            To::Bare => take(&mut self.bare, found),
            To::All => {
                take(&mut self.bare, found)?;
                self.named.iter_mut().filter_map(|(_, pass)| pass.as_mut()).try_for_each(|pass| take(pass, found))
            }
        }
    }

    /// Whose a record is; sessions that it names are noted.
    fn addressee<N: Node>(&mut self, found: &Found<N>) -> Result<To, Error<N::Error>> {
        self.records += 1;
        if self.is_many == Some(false) {
            return Ok(To::Bare);
        }
        let event = match found.event() {
            Err(Error::Malformed(_)) => return Ok(To::All),
            event => event?,
        };
        if self.is_many.is_none() {
            self.decide(&event)?;
        }
        if self.is_many == Some(false) {
            return Ok(To::Bare);
        }
        if let Some(session) = &event.session {
            return Ok(To::One(self.place_of(session)));
        }
        if event.kind == Kind::ChildStarted
            && let Some(child) = dsh::started_child(&event).map_err(Error::Foreign)?
        {
            self.place_of(&child);
            self.children.insert(child);
        }
        Ok(if event.kind == Kind::Nothing && self.is_quiet { To::Bare } else { To::All })
    }

    fn decide<N: Node>(&mut self, event: &Event<N>) -> Result<(), Error<N::Error>> {
        if self.records == 1 && !event.is_notification {
            self.header = dsh::header_id(event).map_err(Error::Foreign)?;
        }
        let is_many = event.is_notification || !self.wants_header();
        if is_many {
            self.bare.ignore_seed_length();
        }
        self.is_many = Some(is_many);
        Ok(())
    }

    /// Whether nobody asked for a session, or for the one that the header names.
    fn wants_header(&self) -> bool {
        self.wanted.as_deref().is_none_or(|wanted| wanted == self.header.as_deref().unwrap_or_default())
    }

    fn place_of(&mut self, session: &[u8]) -> usize {
        if let Some(place) = self.places.get(session) {
            return *place;
        }
        let is_wanted = self.wanted.as_deref().is_none_or(|wanted| wanted == session);
        self.named.push((session.into(), is_wanted.then(|| self.bare.of_session(session))));
        self.places.insert(session.into(), self.named.len() - 1);
        self.named.len() - 1
    }

    /// The answer of the session that was asked for, or of the one that there is.
    pub fn outcome<E>(mut self) -> Result<Outcome<K>, Error<E>> {
        if !self.is_many.unwrap_or(!self.wants_header()) {
            return self.bare.outcome();
        }
        let picked = match &self.wanted {
            Some(_) if self.named.is_empty() && self.wants_header() => return self.bare.outcome(),
            Some(wanted) => self.places.get(wanted).copied(),
            None if self.named.is_empty() => return self.bare.outcome(),
            None if self.named.len() == 1 => Some(0),
            None => {
                let mut roots =
                    (0..self.named.len()).filter(|place| !self.children.contains(&self.named[*place].0));
                roots.next().filter(|_| roots.next().is_none())
            }
        };
        match picked.and_then(|place| self.named[place].1.take()) {
            Some(mut pass) => {
                pass.recognise_as(&self.bare);
                pass.outcome()
            }
            None => Err(Error::SessionNotFound(self.wanted, self.named.into_iter().map(|(id, _)| id).collect())),
        }
    }

    /// The answer of every session, in the order in which they were first named.
    pub fn outcomes<E>(self) -> Result<Vec<(Id, Outcome<K>)>, Error<E>> {
        if self.is_many != Some(true) || self.named.is_empty() {
            let id = self.header.unwrap_or_default();
            return Ok(vec![(id, self.bare.outcome()?)]);
        }
        let mut outcomes = Vec::with_capacity(self.named.len());
        for (id, pass) in self.named {
            if let Some(mut pass) = pass {
                pass.recognise_as(&self.bare);
                outcomes.push((id, pass.outcome()?));
            }
        }
        Ok(outcomes)
    }
}
