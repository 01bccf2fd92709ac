//! The locks of the table and of the room, made of words: every step of taking and giving back is one that
//! the engines interleave.

use super::table::{Held, Table};
use crate::check::{Memory, SimWarp};
use std::cell::RefCell;
use warpproof_model::growth::{Monitor, Room};
use warpproof_model::{Order, Words};

/// The array of the table's locks, a word for each thread: who shares the table has taken its own, who has it
/// alone has taken all. So those that share it have no step in common, and their order makes no executions.
pub(super) const LOCKS: usize = 0;
/// What such a word holds if it is taken, to share the table or to have it alone; else 0.
const SHARED: u32 = 1;
pub(super) const ALONE: u32 = 2;

/// The array of the room, which is its own lock: a word of the room's numbers, or [`HELD`].
pub(super) const ROOM: usize = 1;
/// What the room's word holds while a thread changes the room.
pub(super) const HELD: u64 = u64::MAX;
/// Bits of a number of the room.
const BITS: u32 = 16;
/// The bit that says whether they are exact.
const EXACT: u32 = 3 * BITS;

/// The room as a word.
pub(super) const fn room_word(room: Room) -> u64 {
    (room.exact as u64) << EXACT | room.limit << (2 * BITS) | room.taken << BITS | room.promised
}

/// What such a word says, or `None` while a thread changes the room.
pub(super) fn room_of(word: u64) -> Option<Room> {
    let number = |at: u32| word >> (at * BITS) & ((1 << BITS) - 1);
    let exact = word >> EXACT & 1 != 0;
    let room = Room { limit: number(2), taken: number(1), promised: number(0), exact };
    (word != HELD).then_some(room)
}

/// A host thread: the warp that runs it, and the words that it shares with the others.
pub struct Thread<'a, W, M, T> {
    pub(super) warp: RefCell<&'a mut W>,
    pub(super) m: M,
    pub(super) table: &'a T,
    /// What says which table there is.
    pub(super) held: Held,
}

/// The locks as a thread takes them.
#[derive(Clone, Copy)]
pub struct Locks<'a, W, M, T>(pub(super) &'a Thread<'a, W, M, T>);

impl<W: SimWarp, M: Memory, T> Thread<'_, W, M, T> {
    fn pause(&self) {
        self.warp.borrow_mut().pause();
    }

    fn take(&self, lock: usize, to: u32) {
        // Acquire: pairs with the Release of `give_back`.
        while self.m.w32(LOCKS).compare_exchange(lock, 0, to, Order::Acquire) != 0 {
            self.pause();
        }
    }

    fn give_back(&self, lock: usize) {
        // Release: pairs with the Acquire of `take`. An exchange: loom's are atomic among themselves, and not
        // against a store.
        self.m.w32(LOCKS).swap(lock, 0, Order::Release);
    }
}

impl<'a, W: SimWarp, M: Memory, T: Table> Monitor for Locks<'a, W, M, T> {
    type Table = &'a Thread<'a, W, M, T>;

    fn shared<R>(&self, f: impl FnOnce(&Self::Table) -> R) -> R {
        let own = self.0.warp.borrow().id() as usize;
        self.0.take(own, SHARED);
        let result = f(&self.0);
        self.0.give_back(own);
        result
    }

    fn alone<R>(&self, f: impl FnOnce(&mut Self::Table) -> R) -> R {
        let locks = self.0.m.w32(LOCKS).len();
        // In one order: two that want all do not wait for each other.
        (0..locks).for_each(|lock| self.0.take(lock, ALONE));
        let mut table = self.0;
        let result = f(&mut table);
        (0..locks).for_each(|lock| self.0.give_back(lock));
        result
    }

    fn room<R>(&self, f: impl FnOnce(&mut Room) -> R) -> R {
        let word = self.0.m.w64(ROOM);
        let mut room = loop {
            // Relaxed, here and below: the word is all that there is to say. A lock may order more; the
            // protocol does not need it.
            match room_of(word.swap(0, HELD, Order::Relaxed)) {
                Some(room) => break room,
                None => self.0.pause(),
            }
        };
        let result = f(&mut room);
        // An exchange: as in `give_back`.
        word.swap(0, room_word(room), Order::Relaxed);
        result
    }
}
