//! Random executions, where there are too many: a walk from the graph without events to a complete one.
//!
//! Warps go in the order of random priorities. In every second execution these change at a few random places, as in PCT
//! (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs",
//! ASPLOS 2010), in the others before every third event or so. A read reads the newest write that it may read, or any; a
//! write likewise goes last, or anywhere. The seed and the number of an execution name it.

use super::graph::{Event, Graph, Id, Lane};
use super::model;
use super::search::{Limit, Search};

/// One execution at random.
pub(super) struct Walk {
    state: u64,
    /// The higher one goes first.
    priorities: Vec<i64>,
    /// Before which events the priority of the warp that goes becomes the lowest.
    changes: Vec<u64>,
    events: u64,
    /// Priorities change all the time.
    restless: bool,
    /// Of so many reads and writes one takes any place that it may, on average.
    any: u64,
}

/// Most changes of priority in an execution.
const CHANGES: u64 = 4;
/// Tries per execution that is asked for: some end in a graph that has no execution.
const TRIES: u64 = 8;

impl Walk {
    /// Execution number `number` of a seed, of about `length` events.
    fn new(seed: u64, number: u64, warps: usize, length: u64) -> Self {
        let state = mix(seed).wrapping_add(number);
        let mut walk = Self {
            state,
            priorities: Vec::new(),
            changes: Vec::new(),
            events: 0,
            restless: number % 2 == 1,
            any: 0,
        };
        walk.any = 1 + walk.below(4);
        walk.priorities = (0..warps).map(|_| walk.below(1 << 32) as i64).collect();
        walk.changes = (0..walk.below(CHANGES + 1)).map(|_| walk.below(length)).collect();
        walk
    }

    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state) % end.max(1)
    }

    /// One of the places that a read or write may take, the newest of which comes first.
    pub(super) fn choose(&mut self, places: &[Id]) -> Option<Id> {
        let any = self.below(self.any) == 0;
        let at = if any { self.below(places.len() as u64) } else { 0 };
        places.get(at as usize).copied()
    }

    /// Another event of `warp` is about to be added: whether another warp goes first.
    pub(super) fn interrupts(&mut self, warp: usize) -> bool {
        self.events += 1;
        let changes = match self.restless {
            true => self.below(3) == 0,
            false => self.changes.contains(&(self.events - 1)),
        };
        if changes {
            self.lower(warp);
        }
        changes
    }

    /// All other warps go first.
    pub(super) fn lower(&mut self, warp: usize) {
        let lowest = self.priorities.iter().copied().min().unwrap_or(0);
        self.priorities[warp] = lowest - 1;
    }

    /// Which of these warps goes next.
    pub(super) fn next(&self, warps: impl Iterator<Item = usize>) -> Option<usize> {
        warps.max_by_key(|&warp| self.priorities[warp])
    }
}

/// A number in which every bit depends on all bits of the other (the finalizer of splitmix64).
const fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

impl Search<'_> {
    /// Tries as many executions as asked for.
    pub(super) fn sample(&mut self, seed: u64, schedules: u64, limit: &Limit) {
        let mut length = 1;
        for number in 0..schedules.saturating_mul(TRIES) {
            let executions = self.case.executions();
            if executions >= schedules || self.stop {
                return;
            }
            if limit.cap.reached(limit.before + executions, limit.started) || limit.cap.is_late(limit.started)
            {
                break;
            }
            self.graph = Graph::new(self.case);
            self.walk = Some(Walk::new(seed, number, self.graph.warps.len(), length));
            if self.run().is_ok() {
                self.finish();
            }
            length = length.max(self.graph.events.len() as u64);
        }
        self.too_much();
    }

    /// The write that a new read reads in a walk; nothing if this is no walk.
    pub(super) fn walk_read(&mut self, read: Id, lane: &Lane) -> Option<Id> {
        let mut walk = self.walk.take()?;
        let Event { word, access, .. } = *self.graph.event(read);
        let writes = model::readable(&self.graph, word, &lane.hb);
        let free = |&write: &Id| {
            let value = self.graph.value(word, write);
            !model::writes(access, value, self.width(word)) || self.graph.taken(read, write).is_none()
        };
        let newest = self.graph.last(word);
        let fair = |&write: &Id| write == newest || self.is_fair(read, write);
        let write = walk.choose(&writes.filter(free).filter(fair).collect::<Vec<_>>());
        self.walk = Some(walk);
        write.or(Some(newest))
    }
}
