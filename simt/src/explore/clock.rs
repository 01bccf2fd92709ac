//! Clocks: for an event, how many events of every thread precede it.

/// Most threads of a scenario: lanes of all its warps.
pub(super) const THREADS: usize = 16;
/// The number of an event among those of its thread, from 1. A byte: a clock is copied and joined as one
/// register.
pub(super) type Seq = u8;

/// How many events of each thread are known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Clock([Seq; THREADS]);

impl Clock {
    /// Adds what another clock knows.
    pub(super) fn join(&mut self, other: &Self) {
        for (mine, other) in self.0.iter_mut().zip(other.0) {
            *mine = (*mine).max(other);
        }
    }

    /// How many events of a thread are known.
    pub(super) const fn of(&self, thread: u8) -> Seq {
        self.0[thread as usize]
    }

    /// Knows `seq` events of a thread.
    pub(super) const fn set(&mut self, thread: u8, seq: Seq) {
        self.0[thread as usize] = seq;
    }
}
