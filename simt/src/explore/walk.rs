//! A random execution, if there are too many: a walk from the graph without events to a complete one.
//!
//! Warps run in the order of random priorities. In every second execution these change at a few random
//! places, as in PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
//! guarantees of finding bugs", ASPLOS 2010); in the others, before about every third event. A read reads the
//! newest write that it may read, or any; a write likewise goes last, or anywhere. The seed and the number of
//! an execution identify it.

use super::graph::Id;

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

impl Walk {
    /// Execution number `number` of a seed, of about `length` events.
    pub(super) fn new(seed: u64, number: u64, warps: usize, length: u64) -> Self {
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
