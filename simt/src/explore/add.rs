//! Adds events: a read branches over the writes that it may read, a write over its places.

use super::branch::Choice;
use super::clock::Clock;
use super::graph::{Event, Id, Lane, NONE};
use super::model;
use super::search::{Dead, Search};

/// How often a lane reads the same overwritten value of a word again, while its warp does nothing new.
const STALE: usize = 3;

impl Search<'_> {
    /// Adds a read of `lane`, which is about to make an access. Returns the event.
    pub(super) fn read(&mut self, event: Event, lane: &Lane) -> Result<Id, Dead> {
        let word = event.word;
        let read = self.graph.push(event);
        if let Some(from) = self.walk_read(read, lane) {
            self.read_from(read, from);
            self.fenced()?;
            self.halve(read)?;
            return Ok(read);
        }
        let mut first = None;
        for write in model::readable(&self.graph, word, &lane.hb) {
            match first {
                None => first = Some(write),
                Some(_) if !self.twins.may_read(&self.graph, read, write) => {}
                Some(_) if self.is_fair(read, write) => self.choices.push(Choice::Read { read, from: write }),
                Some(_) => {}
            }
        }
        self.read_from(read, first.unwrap_or(NONE));
        self.halve(read)?;
        Ok(read)
    }

    /// Whether `read` may read `write`, which was overwritten: not if its lane has done so too often, while
    /// its warp wrote nothing and read nothing new. What is written shows in the end, and a loop that waits
    /// for it ends.
    pub(super) fn is_fair(&self, read: Id, write: Id) -> bool {
        let reader = self.graph.event(read);
        let warp = &self.graph.warps[reader.warp as usize];
        let begin = warp.starts.last().map_or(0, |start| start.count);
        let call = &warp.events[begin..];
        let same = |id: Id, other: Id| {
            let (one, other) = (self.graph.event(id), self.graph.event(other));
            let alike = |event: &Event| (event.lane, event.word, event.is_write, event.from);
            alike(one) == alike(other)
        };
        let mut again = 0;
        for (at, &id) in call.iter().enumerate().rev().filter(|&(_, &id)| id != read) {
            let event = self.graph.event(id);
            if event.is_write || !call[..at].iter().any(|&before| same(before, id)) {
                // Something new.
                break;
            }
            let same = event.lane == reader.lane && event.word == reader.word && event.from == write;
            // It was overwritten then already.
            let rank = self.graph.rank(write);
            again += (same && self.graph.writes(reader.word).any(|w| w < id && self.graph.rank(w) > rank))
                as usize;
        }
        again < STALE
    }

    /// Lets a read read a write.
    pub(super) fn read_from(&mut self, read: Id, from: Id) {
        let value = self.graph.value(self.graph.event(read).word, from);
        let width = self.width(self.graph.event(read).word);
        let (porf, released) = match from {
            NONE => (Clock::default(), Clock::default()),
            from => (self.graph.event(from).porf, self.graph.event(from).released),
        };
        let scoped = self.synchronizes(read, from);
        let event = self.graph.event_mut(read);
        (event.from, event.value) = (from, value);
        event.exclusive = model::writes(event.access, value, width);
        event.hb = event.known;
        event.porf = event.needs;
        event.porf.join(&porf);
        event.hb.set(event.thread, event.seq);
        event.porf.set(event.thread, event.seq);
        if scoped && model::acquires(event.access) {
            event.hb.join(&released);
        }
        let (order, tied) = self.twins.order(&self.graph, self.graph.event(read));
        let event = self.graph.event_mut(read);
        (event.order, event.tied) = (order, tied);
    }

    /// Whether a read can learn from a write at all.
    pub(super) fn synchronizes(&self, read: Id, write: Id) -> bool {
        let read = self.graph.event(read);
        let warp = |event: &Event| event.warp as usize;
        write != NONE && self.case.in_scope(read.word as usize, warp(read), warp(self.graph.event(write)))
    }

    /// Adds the second half of a step that reads and writes, if `read` is the first of one.
    pub(super) fn halve(&mut self, read: Id) -> Result<(), Dead> {
        let first = self.graph.event(read);
        if !first.exclusive || first.half != NONE {
            return Ok(());
        }
        let (word, from) = (first.word, first.from);
        let taken = self.graph.taken(read, from);
        if taken.is_some_and(|other| self.graph.event(other).is_known(&self.graph.event(read).order)) {
            // It stays taken, whatever is revisited.
            return Err(Dead);
        }
        let first = self.graph.event(read);
        let sequence = self.synchronizes(read, from).then(|| self.graph.event(from).released);
        let mut event = first.clone();
        event.seq += 1;
        (event.is_write, event.exclusive, event.from) = (true, true, read);
        event.hb.set(event.thread, event.seq);
        event.porf.set(event.thread, event.seq);
        event.released = model::released(first.access, &event.hb, &first.released, sequence.as_ref());
        event.value = first.access.apply(first.value, self.width(word)).unwrap_or(first.value);
        event.value_id = self.judge.states.intern(word, event.value);
        (event.order, event.tied) = self.twins.order(&self.graph, &event);
        let write = self.graph.push(event);
        self.push_revisits(write);
        if taken.is_some() {
            return Err(Dead);
        }
        self.graph.place(write, from);
        self.fenced()?;
        self.placed(write)
    }

    /// Adds a write that is not half of a read-modify-write.
    pub(super) fn write(&mut self, mut event: Event, lane: &Lane) -> Result<Id, Dead> {
        let word = event.word;
        event.hb = lane.hb;
        event.porf = lane.porf;
        event.hb.set(event.thread, event.seq);
        event.porf.set(event.thread, event.seq);
        event.released = model::released(event.access, &event.hb, &lane.fenced, None);
        event.value_id = self.judge.states.intern(word, event.value);
        (event.order, event.tied) = self.twins.order(&self.graph, &event);
        let write = self.graph.push(event);
        let mut first = None;
        let oldest = model::oldest(&self.graph, word, &lane.hb).max(self.twins.oldest(&self.graph, write));
        if let Some(walk) = &mut self.walk {
            let places: Vec<Id> = model::places(&self.graph, word, oldest).collect();
            first = walk.choose(&places);
        }
        for before in model::places(&self.graph, word, oldest).filter(|_| self.walk.is_none()) {
            match first {
                None => first = Some(before),
                Some(_) => self.choices.push(Choice::Write { write, before }),
            }
        }
        self.push_revisits(write);
        self.graph.place(write, first.unwrap_or(NONE));
        if self.walk.is_some() {
            self.fenced()?;
        }
        self.placed(write)?;
        Ok(write)
    }
}
