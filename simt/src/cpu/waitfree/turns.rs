//! The warps that work on a table: several with different numbers, or one alone.

use crate::cpu::warp::CpuWarp;
use core::ops::{Deref, DerefMut};
use std::collections::TryReserveError;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Numbers for warps, and the times at which no warp is in the middle of an operation.
///
/// A turn lasts for a chunk of operations. A warp that has a turn waits only in [`Turns::alone`], where it is
/// between two operations: so every wait here ends.
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Numbers that no warp has, the next one last.
    numbers: Vec<u32>,
    /// Warps that have a turn and do not wait to be alone.
    running: u32,
    /// Warps that wait to be alone, or are.
    waiting: u32,
    room: Room,
}

/// The known state of the free nodes.
pub(super) struct Room {
    /// Nodes that were free when they were counted last.
    pub(super) counted: u64,
    /// Operations that have found no free node since then. At the beginning of a batch some may be free
    /// again.
    pub(super) missed: u64,
}

/// Numbers of the words in a cache line: warps that follow one another do not write to the same line.
const STRIDE: u32 = 8;

impl Turns {
    /// Turns for so many warps at a time.
    pub(super) fn new(warps: u32) -> Result<Self, TryReserveError> {
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(warps as usize)?;
        numbers.extend((0..STRIDE).flat_map(|first| (first..warps).step_by(STRIDE as usize)));
        numbers.reverse();
        let state = State { numbers, running: 0, waiting: 0, room: Room { counted: u64::MAX, missed: 0 } };
        Ok(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Waits until there is a number, and no warp waits to be alone.
    pub(super) fn turn<const L: usize>(&self) -> Turn<'_, L> {
        let mut state = self.lock();
        loop {
            if state.waiting == 0
                && let Some(number) = state.numbers.pop()
            {
                if state.running == 0 {
                    state.room.missed = u64::MAX;
                }
                state.running += 1;
                return Turn { warp: CpuWarp::new(number), number, turns: self };
            }
            state = self.wait(state);
        }
    }

    /// Waits until every other warp has ended its turn, or waits here too. The caller has a turn, and is
    /// between two operations.
    pub(super) fn alone(&self) -> Alone<'_> {
        let mut state = self.lock();
        state.running -= 1;
        state.waiting += 1;
        self.changed.notify_all();
        while state.running > 0 {
            state = self.wait(state);
        }
        Alone { state, turns: self }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the value whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A warp, for some operations.
pub(super) struct Turn<'a, const L: usize> {
    warp: CpuWarp<L>,
    number: u32,
    turns: &'a Turns,
}

impl<const L: usize> Deref for Turn<'_, L> {
    type Target = CpuWarp<L>;

    fn deref(&self) -> &CpuWarp<L> {
        &self.warp
    }
}

impl<const L: usize> DerefMut for Turn<'_, L> {
    fn deref_mut(&mut self) -> &mut CpuWarp<L> {
        &mut self.warp
    }
}

impl<const L: usize> Drop for Turn<'_, L> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        state.running -= 1;
        state.numbers.push(self.number);
        drop(state);
        self.turns.changed.notify_all();
    }
}

/// A time at which no other warp is in the middle of an operation.
pub(super) struct Alone<'a> {
    state: MutexGuard<'a, State>,
    turns: &'a Turns,
}

impl Alone<'_> {
    /// The known state of the free nodes.
    pub(super) fn room(&mut self) -> &mut Room {
        &mut self.state.room
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.state.waiting -= 1;
        self.state.running += 1;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use warpproof_model::Warp as _;

    /// More threads than numbers; each is alone now and then.
    #[test]
    fn numbers_differ_and_who_is_alone_is_alone() {
        const WARPS: u32 = 3;
        let turns = Turns::new(WARPS).unwrap();
        let users: [AtomicU32; WARPS as usize] = Default::default();
        let inside = AtomicU32::new(0);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (turns, users, inside) = (&turns, &users, &inside);
                scope.spawn(move || {
                    for round in 0..200 {
                        let turn = turns.turn::<1>();
                        let mine = &users[turn.id() as usize];
                        assert_eq!(mine.fetch_add(1, Ordering::Relaxed), 0, "two warps have one number");
                        inside.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        if (round + thread) % 5 == 0 {
                            let alone = turns.alone();
                            assert_eq!(inside.load(Ordering::SeqCst), 0, "an operation runs");
                            drop(alone);
                        }
                        mine.fetch_sub(1, Ordering::Relaxed);
                    }
                });
            }
        });
        let state = turns.lock();
        assert_eq!((state.numbers.len(), state.running, state.waiting), (WARPS as usize, 0, 0));
    }

    #[test]
    fn warps_that_follow_one_another_have_words_in_other_lines() {
        let turns = Turns::new(20).unwrap();
        let taken: Vec<_> = (0..20).map(|_| turns.turn::<1>()).collect();
        let numbers: Vec<_> = taken.iter().map(|turn| turn.id()).collect();
        assert_eq!(numbers[..4], [0, 8, 16, 1]);
        let mut all = numbers.clone();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
    }
}
