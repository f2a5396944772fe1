//! The streamed text of a suffix, gathered record by record in either direction.

use crate::error::{Error, Malformed};
use crate::fold::Place;
use crate::formats::dsh;
use crate::node::{Flow, Node};
use crate::records::{Found, Visitor};
use crate::signal::{Event, Kind};
use crate::suffix::lenient;
use crate::text::{Pieces, Text};

/// What was streamed before the first message.
#[derive(Default)]
pub struct Streamed {
    /// The text of the records, in the order in which they were met.
    text: Text,
    /// Where the text of each ends there, when they were met from the last to the first.
    ends: Vec<usize>,
    /// The place of the first record that streamed any.
    pub place: Option<Place>,
    /// The first record whose stream can't be read.
    pub defect: Option<(Box<Malformed>, Place)>,
    /// How many of those there are.
    pub skipped: u64,
}

impl Streamed {
    /// The text in the order of the log.
    pub fn text(self) -> Text {
        if self.ends.len() < 2 {
            return self.text;
        }
        let bytes = self.text.as_bytes();
        let mut ordered = Vec::with_capacity(bytes.len());
        let mut end = bytes.len();
        for start in self.ends.iter().rev().skip(1).copied().chain([0]) {
            ordered.extend_from_slice(&bytes[start..end]);
            end = start;
        }
        Text::from_wtf8(ordered)
    }

    /// Put what was gathered just before in front.
    pub fn before(&mut self, earlier: Self) {
        let offset = self.text.len();
        self.text.append(&earlier.text);
        self.ends.extend(earlier.ends.iter().map(|end| offset + end));
        self.place = earlier.place.or(self.place);
        self.defect = earlier.defect.or(self.defect.take());
        self.skipped += earlier.skipped;
    }

    /// Take the record before all that were met, without its first `skip` pieces.
    pub fn prepend<N: Node>(
        &mut self,
        found: &Found<N>,
        event: &Event<N>,
        skip: u64,
        read: impl FnOnce(&mut Pieces<'_>) -> Result<(), Error<N::Error>>,
    ) -> Result<(), Error<N::Error>> {
        if self.read(found, skip, read)? {
            self.ends.push(self.text.len());
            self.place = Some(placed(found, event)?);
        }
        Ok(())
    }

    /// Take the record after all that were met.
    fn append<N: Node>(
        &mut self,
        found: &Found<N>,
        event: &Event<N>,
        skip: u64,
        read: impl FnOnce(&mut Pieces<'_>) -> Result<(), Error<N::Error>>,
    ) -> Result<(), Error<N::Error>> {
        let before = self.defect.take();
        let has_text = self.read(found, skip, read)?;
        self.defect = before.or(self.defect.take());
        if has_text && self.place.is_none() {
            self.place = Some(placed(found, event)?);
        }
        Ok(())
    }

    /// Whether there was any text; a defect is noted, and takes back what came before it.
    fn read<N: Node>(
        &mut self,
        found: &Found<N>,
        skip: u64,
        read: impl FnOnce(&mut Pieces<'_>) -> Result<(), Error<N::Error>>,
    ) -> Result<bool, Error<N::Error>> {
        let before = self.text.len();
        match read(&mut Pieces::new(&mut self.text, skip)) {
            Err(Error::Malformed(defect)) => {
                self.text.truncate(before);
                self.skipped += 1;
                self.defect = Some((defect, found.place));
            }
            done => done?,
        }
        Ok(self.text.len() > before)
    }
}

fn placed<N: Node>(found: &Found<N>, event: &Event<N>) -> Result<Place, Error<N::Error>> {
    Ok(Place { seq: dsh::seq(event).map_err(Error::Foreign)?, ..found.place })
}

/// Gathers from the start to the first message. What else may be wrong with a record was judged by a walk backward.
pub struct Gathering {
    /// What it gathered.
    pub streamed: Streamed,
    /// Where the suffix starts, and how many members of the row there lie before it.
    pub start: u64,
    /// See `start`.
    pub divided: u64,
}

impl<K, E> Visitor<K, E> for Gathering {
    fn visit<N>(&mut self, found: &Found<N>) -> Result<Flow, Error<E>>
    where
        N: Node<Error = E>,
        N::Kept: Into<K>,
    {
        let Some(event) = lenient(found.event())? else { return Ok(Flow::Continue) };
        let skip = if found.start == self.start { self.divided } else { 0 };
        match event.kind {
            Kind::Message => {
                let content = lenient(found.check_limits().and_then(|()| dsh::content(&event)))?;
                let Some(content) = content else { return Ok(Flow::Continue) };
                if content.len > 0 {
                    return Ok(Flow::Stop);
                }
                self.streamed.append(found, &event, skip, |to| dsh::embedded(&content.data, event.path, to))?;
            }
            Kind::Stream(stream) => self.streamed.append(found, &event, skip, |to| {
                found.check_limits()?;
                dsh::pieces(&event, stream, to)
            })?,
            _ => {}
        }
        Ok(Flow::Continue)
    }
}
