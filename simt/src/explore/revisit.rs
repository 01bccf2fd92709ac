//! Revisits: a read that is older than a write in the search reads that write after all.

use super::branch::{Choice, Level};
use super::graph::{Id, NONE};
use super::search::{Dead, Search};
use super::{fences, model};

impl Search<'_> {
    /// Notes the reads that a write may revisit.
    pub(super) fn push_revisits(&mut self, by: Id) {
        if self.walk.is_some() {
            return;
        }
        let write = self.graph.event(by);
        for read in self.graph.accesses(write.word) {
            let event = self.graph.event(read);
            if !event.is_write && !event.is_known(&write.order) && self.is_maximal(read, by) {
                self.choices.push(Choice::Revisit { read, by });
            }
        }
    }

    /// Whether everything that a revisit of `read` by `by` takes back, and the read itself, is as it would be
    /// if it were added last: a read reads the newest write, a write is the newest, and nothing reads it.
    pub(super) fn is_maximal(&self, read: Id, by: Id) -> bool {
        let order = &self.graph.event(by).order;
        (read..by).all(|id| {
            let event = self.graph.event(id);
            if id != read && event.is_known(order) {
                return true;
            }
            let stays = |other: Id| other != by && (other <= id || self.graph.event(other).is_known(order));
            let (newest, word) = (if event.is_write { id } else { event.from }, event.word);
            let read_again = |other: Id| {
                let other_event = self.graph.event(other);
                !other_event.is_write && other_event.from == id && stays(other)
            };
            if event.is_write && self.graph.accesses(word).any(read_again) {
                return false;
            }
            let mut later = self.graph.next(word, newest);
            while later != NONE {
                if stays(later) {
                    return false;
                }
                later = self.graph.next(word, later);
            }
            newest == NONE || stays(newest)
        })
    }

    /// Goes to the graph in which `read` reads `by`.
    pub(super) fn revisit(&mut self, read: Id, by: Id) -> Result<(), Dead> {
        let mut level = self.spare.pop().unwrap_or_default();
        level.choices.clear();
        let (read, by) = self.graph.cut(read, by, &mut level.graph, &mut self.numbers);
        let graph = std::mem::replace(&mut self.graph, level.graph);
        let choices = std::mem::replace(&mut self.choices, level.choices);
        self.below.push(Level { graph, choices });
        let reader = self.graph.event(read);
        let (word, known) = (reader.word, model::oldest(&self.graph, reader.word, &reader.known));
        let write = self.graph.event(by);
        let first = if write.exclusive {
            let half = write.from;
            let from = self.graph.event(half).from;
            let free = self.graph.taken(half, from).is_none();
            (free && self.graph.rank(from) >= known).then_some(from)
        } else {
            let twins = self.twins.oldest(&self.graph, by);
            let oldest = model::oldest(&self.graph, word, &write.known).max(known).max(twins);
            let mut first = None;
            for before in model::places(&self.graph, word, oldest) {
                match first {
                    None => first = Some(before),
                    Some(_) => self.choices.push(Choice::Place { by, before }),
                }
            }
            first
        };
        let first = first.ok_or(Dead)?;
        self.graph.place(by, first);
        self.read_from(read, by);
        self.revisited(by)
    }

    /// Goes on where a write that revisited a read has its place.
    pub(super) fn revisited(&mut self, by: Id) -> Result<(), Dead> {
        let word = self.graph.event(by).word;
        let reader = |&read: &Id| !self.graph.event(read).is_write && self.graph.event(read).from == by;
        let in_turn = |read| self.twins.may_read(&self.graph, read, by);
        if !self.graph.accesses(word).filter(reader).all(in_turn) {
            return Err(Dead);
        }
        self.fenced()?;
        self.halves()?;
        self.placed(by)
    }

    /// Whether the fences can be put in one order. What is added newest never changes that; the second half
    /// of a step that read an older write can.
    pub(super) fn fenced(&self) -> Result<(), Dead> {
        let hb = |id| &self.graph.event(id).hb;
        if fences::agree(&self.graph, &hb) { Ok(()) } else { Err(Dead) }
    }

    /// Adds the second halves that are missing.
    pub(super) fn halves(&mut self) -> Result<(), Dead> {
        (0..self.graph.events.len() as Id).try_for_each(|id| match self.graph.event(id).is_write {
            true => Ok(()),
            false => self.halve(id),
        })
    }
}
