//! An execution as a graph of events.

use super::clock::{Clock, Seq};
use crate::check::{Access, Case};
use std::sync::Arc;

/// The number of an event: events are numbered in the order in which they were added.
pub(super) type Id = u16;

/// No event. Where a write is named, the initial value of its word.
pub(super) const NONE: Id = Id::MAX;

/// Most events of an execution, each of which has a number.
const MOST_EVENTS: usize = NONE as usize - 2;
/// Most events of a lane: the next one's number, and that of its second half, are the last.
pub(super) const MOST_OF_LANE: usize = Seq::MAX as usize - 2;
/// Most writes of an execution, and most fences: each is a bit of a word.
pub(super) const MOST_WRITES: usize = u128::BITS as usize;

/// A read of a word or a write to one. A read-modify-write is a read and, if it writes, a write that follows
/// it.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) warp: u8,
    pub(super) lane: u8,
    /// Number of the lane among all lanes.
    pub(super) thread: u8,
    pub(super) is_write: bool,
    /// A read: that its lane writes the word in the same step. A write: that it is the second half of such a
    /// step.
    pub(super) exclusive: bool,
    /// A write: whether it stands in the order of its word.
    pub(super) placed: bool,
    /// Collectives of the warp before it.
    pub(super) epoch: u16,
    /// Number among the events of its lane, from 1.
    pub(super) seq: Seq,
    pub(super) word: u16,
    pub(super) access: Access,
    /// What was read or written.
    pub(super) value: u128,
    /// The number of the value among those of its word.
    pub(super) value_id: u32,
    /// A read: the write that it reads. The second half of a read-modify-write: the first.
    pub(super) from: Id,
    /// The first half of a read-modify-write: the second.
    pub(super) half: Id,
    /// The neighbours of a write in the order of its word, and its rank there; ranks ascend and have gaps.
    pub(super) before: Id,
    pub(super) after: Id,
    pub(super) rank: u16,
    /// The access of its word that was added before it.
    pub(super) previous: Id,
    /// What its lane knew before it, and what it depends on besides what it reads.
    pub(super) known: Clock,
    pub(super) needs: Clock,
    /// What happens before it, itself included.
    pub(super) hb: Clock,
    /// What it depends on, itself included: program order up to the last collective and within its lane, and
    /// reads-from.
    pub(super) porf: Clock,
    /// What it depends on, as in `porf`, and the events of twins that it waits for ([`super::twins`]).
    pub(super) order: Clock,
    /// Its warp and the twin before it have read the same writes up to here.
    pub(super) tied: bool,
    /// A write: what is learned from it by acquiring. A read: what a relaxed write of its lane releases.
    pub(super) released: Clock,
}

impl Event {
    /// Whether a clock knows this event.
    pub(super) const fn is_known(&self, clock: &Clock) -> bool {
        clock.of(self.thread) >= self.seq
    }
}

/// What a lane knows.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Lane {
    pub(super) hb: Clock,
    pub(super) porf: Clock,
    /// What was released by the writes that it read without acquiring: a fence acquires it.
    pub(super) pending: Clock,
    /// What it knew at its last fence: its relaxed writes release it.
    pub(super) fenced: Clock,
}

/// A warp where one of its calls begins.
#[derive(Debug)]
pub(super) struct Start {
    /// Events of the warp before.
    pub(super) count: usize,
    pub(super) epoch: u16,
    pub(super) taken: u32,
    pub(super) barriers: usize,
    pub(super) lanes: Vec<Lane>,
}

/// Why a warp does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halted {
    /// It waits for another one's write.
    Waits,
    /// It lets the others go first.
    Yields,
    /// It waits at a barrier of its block, and knows this.
    AtBarrier(Clock, Clock),
    /// It stopped for ever, as its scenario says.
    Stalled,
    /// It took too many steps beside a stalled one, as its scenario allows.
    Blocked,
}

/// What a warp has done.
#[derive(Clone, Default, Debug)]
pub(super) struct WarpState {
    pub(super) events: Vec<Id>,
    /// Where its calls begin: those that returned, and the one that is next.
    pub(super) starts: Vec<Arc<Start>>,
    /// What its calls returned, and after how many events of the warp.
    pub(super) rets: Vec<(u32, usize)>,
    /// Why it does not go on, and after how many events.
    pub(super) halted: Option<(Halted, usize)>,
}

/// A barrier that all warps reached: the number of events of each before it, and what they know after it.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    pub(super) counts: Vec<usize>,
    pub(super) hb: Clock,
    pub(super) porf: Clock,
}

/// The initial value of a word, and its accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) initial: u128,
    /// The access that was added last.
    pub(super) newest: Id,
    /// The ends of the order of its writes.
    pub(super) first: Id,
    pub(super) last: Id,
}

/// An execution, or a part of one that is closed under what its events depend on.
#[derive(Clone, Default, Debug)]
pub(super) struct Graph {
    pub(super) events: Vec<Event>,
    pub(super) words: Vec<Word>,
    pub(super) warps: Vec<WarpState>,
    pub(super) barriers: Vec<Barrier>,
}

impl Graph {
    /// No event yet. The last word is the one on which fences meet.
    pub(super) fn new(case: &Case) -> Self {
        let lanes = case.subject.lanes() as usize;
        let word = |initial| Word { initial, newest: NONE, first: NONE, last: NONE };
        let start =
            || Start { count: 0, epoch: 0, taken: 0, barriers: 0, lanes: vec![Lane::default(); lanes] };
        let warp = |_| WarpState { starts: vec![Arc::new(start())], ..WarpState::default() };
        Self {
            events: Vec::new(),
            words: case.initial.iter().copied().chain([0]).map(word).collect(),
            warps: (0..case.scenario.programs.len()).map(warp).collect(),
            barriers: Vec::new(),
        }
    }

    pub(super) fn event(&self, id: Id) -> &Event {
        &self.events[id as usize]
    }

    pub(super) fn event_mut(&mut self, id: Id) -> &mut Event {
        &mut self.events[id as usize]
    }

    /// Number of words, the one of the fences included.
    pub(super) const fn words(&self) -> usize {
        self.words.len()
    }

    /// How many of its events are writes.
    pub(super) fn count_writes(&self) -> usize {
        self.events.iter().filter(|event| event.is_write).count()
    }

    /// Whether there is no number left for an event of `word`, of a lane that has `count` of them.
    pub(super) fn is_full(&self, word: u16, count: Seq) -> bool {
        let fence = word as usize + 1 == self.words();
        self.events.len() >= MOST_EVENTS
            || usize::from(count) > MOST_OF_LANE
            || fence && self.accesses(word).count() >= MOST_WRITES
    }

    /// Adds an event as the last one of its lane.
    pub(super) fn push(&mut self, mut event: Event) -> Id {
        let id = self.events.len() as Id;
        let word = &mut self.words[event.word as usize];
        event.previous = word.newest;
        word.newest = id;
        self.warps[event.warp as usize].events.push(id);
        if event.is_write && event.exclusive {
            self.events[event.from as usize].half = id;
        }
        self.events.push(event);
        id
    }

    /// The newest write of a word.
    pub(super) fn last(&self, word: u16) -> Id {
        self.words[word as usize].last
    }

    /// The write that follows `write` in the order of its word.
    pub(super) fn next(&self, word: u16, write: Id) -> Id {
        if write == NONE { self.words[word as usize].first } else { self.event(write).after }
    }

    pub(super) fn rank(&self, write: Id) -> u16 {
        if write == NONE { 0 } else { self.event(write).rank }
    }

    /// The position of an access among those of its word: a write is at twice its rank, a read right after
    /// the write that it reads.
    pub(super) fn level(&self, id: Id) -> u16 {
        let event = self.event(id);
        if event.is_write { 2 * self.rank(id) } else { 2 * self.rank(event.from) + 1 }
    }

    /// What a write wrote.
    pub(super) fn value(&self, word: u16, write: Id) -> u128 {
        if write == NONE { self.words[word as usize].initial } else { self.event(write).value }
    }

    /// The accesses of a word, newest first.
    pub(super) fn accesses(&self, word: u16) -> impl Iterator<Item = Id> {
        let newest = self.words[word as usize].newest;
        std::iter::successors((newest != NONE).then_some(newest), |&id| {
            let previous = self.event(id).previous;
            (previous != NONE).then_some(previous)
        })
    }

    /// The writes of a word, in its order.
    pub(super) fn writes(&self, word: u16) -> impl Iterator<Item = Id> {
        let first = self.words[word as usize].first;
        std::iter::successors((first != NONE).then_some(first), |&id| {
            let after = self.event(id).after;
            (after != NONE).then_some(after)
        })
    }

    /// Puts a write after `before` in the order of its word.
    pub(super) fn place(&mut self, write: Id, before: Id) {
        let word = self.event(write).word;
        let after = self.next(word, before);
        let mut rank = self.rank(before) + 1;
        let event = self.event_mut(write);
        (event.before, event.after, event.rank, event.placed) = (before, after, rank, true);
        match before {
            NONE => self.words[word as usize].first = write,
            before => self.event_mut(before).after = write,
        }
        match after {
            NONE => self.words[word as usize].last = write,
            after => self.event_mut(after).before = write,
        }
        let mut next = after;
        while next != NONE && self.event(next).rank <= rank {
            rank += 1;
            self.event_mut(next).rank = rank;
            next = self.event(next).after;
        }
    }

    /// Takes a write out of the order of its word.
    pub(super) fn displace(&mut self, write: Id) {
        let Event { word, before, after, placed, .. } = *self.event(write);
        if !placed {
            return;
        }
        self.event_mut(write).placed = false;
        match before {
            NONE => self.words[word as usize].first = after,
            before => self.event_mut(before).after = after,
        }
        match after {
            NONE => self.words[word as usize].last = before,
            after => self.event_mut(after).before = before,
        }
    }

    /// Whether another step than that of `read` reads `write` and writes the word at once.
    pub(super) fn taken(&self, read: Id, write: Id) -> Option<Id> {
        self.accesses(self.event(read).word).find(|&id| {
            let event = self.event(id);
            id != read && !event.is_write && event.from == write && event.half != NONE
        })
    }
}
