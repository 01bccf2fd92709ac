//! A u64 key and a u64 value in two 64-bit words, for targets without 128-bit atomics.
//!
//! While an insert writes the value, the word [`LOCKED`] takes the place of the key. The README of this
//! module has the steps, and the reason why the value needs no second look.

use super::multiplicity::{Multi, Multiplicity};
use super::packed::publish;
use super::slots::{Change, Link, Slots};
use crate::entry::LOCKED;
use crate::key::Key;
use crate::memory::{Order, ReadOrder, Words, WriteOrder};
use crate::reclaim::NodeIndex;
use core::marker::PhantomData;

/// A slot that was never taken: a reserved key, like the tombstone.
const EMPTY: u64 = u64::MAX;
/// A slot whose entry was deleted.
const TOMBSTONE: u64 = u64::FIRST_RESERVED;

/// Slots with a key word and a value word, in two arrays of the same shape.
#[derive(Clone, Copy, Debug)]
pub struct LockWordSlots<H, M = Multi> {
    keys: H,
    values: H,
    kind: PhantomData<M>,
}

impl<H: Words<u64>, M: Multiplicity> LockWordSlots<H, M> {
    /// Slots over `keys` (the last word of each slab is its link) and `values` (same indices; the word at the
    /// index of a link is not used).
    #[inline(always)]
    pub const fn new(keys: H, values: H) -> Self {
        Self { keys, values, kind: PhantomData }
    }

    /// Takes an empty slot, writes the value, publishes the key.
    #[inline(always)]
    fn fill(self, at: usize, key: u64, value: u64) -> bool {
        // Relaxed: the lock excludes other inserts by its value alone; nothing is read under it.
        if self.keys.compare_exchange(at, EMPTY, LOCKED, Order::Relaxed) != EMPTY {
            return false;
        }
        // Relaxed: published by the store below.
        self.values.store(at, value, WriteOrder::Relaxed);
        // Release: pairs with the Acquire in `value` and `assign`, and in a multimap with the fence of
        // `settle`.
        self.keys.store(at, key, WriteOrder::Release);
        true
    }

    /// Replaces the value of an entry that was live when it was probed.
    #[inline(always)]
    fn assign(self, at: usize, value: u64) -> bool {
        // Acquire: pairs with the Release in `fill`: the first value comes before this one.
        self.keys.load(at, ReadOrder::Acquire);
        // Relaxed: one word. If the entry was deleted since it was probed, this assignment takes effect just
        // before that delete.
        self.values.store(at, value, WriteOrder::Relaxed);
        true
    }
}

impl<H: Words<u64>, M: Multiplicity> Slots for LockWordSlots<H, M> {
    type Key = u64;
    type Value = u64;
    type Word = u64;
    type Multiplicity = M;
    type Probe = H;

    const PENDING: bool = true;
    const VALUE_IN_WORD: bool = false;

    #[inline(always)]
    fn probe(self) -> H {
        self.keys
    }
    #[inline(always)]
    fn is_empty(word: u64) -> bool {
        word == EMPTY
    }
    #[inline(always)]
    fn holds(word: u64, key: u64) -> bool {
        word == key
    }
    #[inline(always)]
    fn is_pending(word: u64) -> bool {
        word == LOCKED
    }
    #[inline(always)]
    fn is_tombstone(word: u64) -> bool {
        word == TOMBSTONE
    }
    #[inline(always)]
    fn key(seen: u64) -> u64 {
        seen
    }
    #[inline(always)]
    fn value(self, at: usize, _seen: u64) -> u64 {
        // Acquire: pairs with the Release in `fill`. The lane that reads the value reads it again, so no
        // `sync` is needed. If it is a tombstone by now, the entry was live when it was probed, and its last
        // value is still in place.
        self.keys.load(at, ReadOrder::Acquire);
        // Relaxed: one word, ordered after the key by the acquire above.
        self.values.load(at, ReadOrder::Relaxed)
    }
    #[inline(always)]
    fn change(self, at: usize, seen: u64, change: Change, key: u64, value: u64) -> bool {
        match change {
            Change::Fill => self.fill(at, key, value),
            Change::Assign => self.assign(at, value),
            // Relaxed or Release: by the multiplicity, see there.
            Change::Erase => self.keys.compare_exchange(at, seen, TOMBSTONE, M::CHANGE) == seen,
        }
    }
    #[inline(always)]
    fn publish(self, at: usize, slab: NodeIndex) -> Link {
        publish(self.keys, at, slab)
    }
    #[inline(always)]
    fn relocate(self, from: usize, to: usize, seen: u64) {
        // Relaxed, all three: a flush owns its bucket; `Warp::sync` orders its steps among the lanes.
        let value = self.values.load(from, ReadOrder::Relaxed);
        self.values.store(to, value, WriteOrder::Relaxed);
        self.keys.store(to, seen, WriteOrder::Relaxed);
    }
    #[inline(always)]
    fn reset(self, at: usize) {
        // Relaxed: as in `relocate`.
        self.keys.store(at, EMPTY, WriteOrder::Relaxed);
    }
}
