//! The writes of an execution, and which of them can have been made before others.

use super::clock::{Clock, Seq};
use super::graph::{Event, Graph, Id, NONE};
use crate::check::{Breach, Case};

/// The writes, and which come before each. A *cut* is a set of writes with all that come before them.
#[derive(Default)]
pub(super) struct Cuts {
    pub(super) writes: Vec<Write>,
    /// For each event that is one, its place among them.
    places: Vec<usize>,
    /// For each write those that come before it, and itself.
    needs: Vec<u128>,
}

/// What matters of a write.
pub(super) struct Write {
    pub(super) id: Id,
    thread: u8,
    seq: Seq,
    word: u16,
    rank: u16,
    /// What it depends on, and what those reads depend on that come before it.
    porf: Clock,
}

/// When a value was read or written that precedes another one in the order of its word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Older {
    /// Before the other was written, as if memory were sequentially consistent.
    First,
    /// At any time. A store that depends on nothing may be made before one that precedes it in that order:
    /// the part of an execution made so far is closed only under dependency, and is itself an execution.
    AnyTime,
}

/// Writes that a cut has, and writes that it has not.
pub(super) type Bounds = (u128, u128);

impl Cuts {
    /// Takes the writes of a graph.
    pub(super) fn order(&mut self, case: &Case, graph: &Graph, older: Older) {
        let counts = |event: &Event| (event.word as usize) < case.initial.len();
        self.writes.clear();
        self.places.clear();
        self.places.resize(graph.events.len(), 0);
        for (id, event) in graph.events.iter().enumerate().filter(|(_, event)| event.placed && counts(event))
        {
            self.places[id] = self.writes.len();
            let Event { thread, seq, word, rank, porf, .. } = *event;
            self.writes.push(Write { id: id as Id, thread, seq, word, rank, porf });
        }
        if older == Older::First {
            for event in graph.events.iter().filter(|event| !event.is_write && counts(event)) {
                let next = graph.next(event.word, event.from);
                if next != NONE {
                    self.writes[self.places[next as usize]].porf.join(&event.porf);
                }
            }
        }
        self.needs.clear();
        for (at, write) in self.writes.iter().enumerate() {
            let comes_before = |other: &Write| {
                older == Older::First && other.word == write.word && other.rank < write.rank
                    || write.porf.of(other.thread) >= other.seq
            };
            let bits = self.writes.iter().enumerate().filter(|(_, other)| comes_before(other));
            self.needs.push(bits.fold(1 << at, |needs, (bit, _)| needs | 1 << bit));
        }
        close(&mut self.needs);
    }

    /// The cuts that have a write.
    pub(super) fn with(&self, write: Id) -> Bounds {
        (self.needs[self.places[write as usize]], 0)
    }

    /// The cuts that have none of these writes.
    pub(super) fn without(&self, left_out: impl Fn(Id) -> bool) -> Bounds {
        let out = self.writes.iter().enumerate().filter(|(_, write)| left_out(write.id));
        (0, out.fold(0, |out, (at, _)| out | 1 << at))
    }

    /// Shows every cut within the bounds, until one is the right one. Tells whether one was.
    pub(super) fn each(
        &self,
        (with, without): Bounds,
        is_right: &mut impl FnMut(u128) -> Result<bool, Breach>,
    ) -> Result<bool, Breach> {
        let Some(open) = (0..self.writes.len()).find(|at| (with | without) & 1 << at == 0) else {
            return is_right(with);
        };
        let more = with | self.needs[open];
        if more & without == 0 && self.each((more, without), is_right)? {
            return Ok(true);
        }
        self.each((with, without | 1 << open), is_right)
    }
}

/// Adds to each set the sets of its members, until nothing is missing.
fn close(needs: &mut [u128]) {
    loop {
        let mut changed = false;
        for at in 0..needs.len() {
            let mut all = needs[at];
            let mut left = all & !(1 << at);
            while left != 0 {
                all |= needs[left.trailing_zeros() as usize];
                left &= left - 1;
            }
            changed |= all != needs[at];
            needs[at] = all;
        }
        if !changed {
            return;
        }
    }
}
