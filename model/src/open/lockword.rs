//! A u64 key and a u64 value in two 64-bit words, for targets without 128-bit atomics.
//!
//! While an insert writes the value, the word [`LOCKED`] takes the place of the key. The README of this
//! module has the steps and the argument.

use super::slots::{Change, OnPresent, OpenSlots};
use crate::entry::{LOCKED, Packed, Pair64};
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, ReadOrder, WriteOrder};
use crate::update::Update;

/// A slot that was never taken.
const EMPTY: u64 = Pair64::EMPTY as u64;
/// A slot whose entry was deleted: a reserved key.
const TOMBSTONE: u64 = Pair64::MARK as u64;

/// Slots with a key word and a value word, in two arrays of equal length.
///
/// Inserts, assigns and adds wait while a slot is being filled that would decide about their key. All else is
/// as in the table.
#[derive(Clone, Copy, Debug)]
pub struct LockWordSlots<H> {
    keys: H,
    values: H,
}

impl<H: IntegerWords<u64>> LockWordSlots<H> {
    /// Slots over `keys`, which are all ones at first, and `values`, which may be anything.
    #[inline(always)]
    pub const fn new(keys: H, values: H) -> Self {
        Self { keys, values }
    }

    /// The words of the keys.
    #[inline(always)]
    pub(crate) const fn keys(self) -> H {
        self.keys
    }

    /// The words of the values.
    #[inline(always)]
    pub(crate) const fn values(self) -> H {
        self.values
    }

    /// Takes an empty slot, writes the value, publishes the key. Returns what the slot held: it stays if that
    /// is not empty.
    #[inline(always)]
    fn fill(self, at: usize, key: u64, value: u64) -> u64 {
        // Relaxed: the lock keeps other inserts away by its value alone; nothing is read under it.
        let held = self.keys.compare_exchange(at, EMPTY, LOCKED, Order::Relaxed);
        if held != EMPTY {
            return held;
        }
        // Relaxed: published by the store below.
        self.values.store(at, value, WriteOrder::Relaxed);
        // Release: pairs with the Acquire in `own`.
        self.keys.store(at, key, WriteOrder::Release);
        held
    }

    /// The values, after this lane has synchronized with the insert of the entry that it has read in slot
    /// `at`: the value there belongs to that entry.
    #[inline(always)]
    fn own(self, at: usize) -> H {
        // Acquire: pairs with the Release in `fill`. The lane that goes on to the value reads it again, so no
        // `sync` is needed. If it is a tombstone by now, the entry was there when it was probed, and its last
        // value is still in place.
        self.keys.load(at, ReadOrder::Acquire);
        self.values
    }
}

/// Changes the value at `at`. Others may change it meanwhile: an exchange that was lost is tried again.
#[inline(always)]
fn update_value<H: IntegerWords<u64>>(values: H, at: usize, update: Update, given: u64) {
    // Relaxed, all: one word.
    let mut old = values.load(at, ReadOrder::Relaxed);
    loop {
        let new = update.apply(old, given);
        if new == old {
            return;
        }
        let now = values.compare_exchange(at, old, new, Order::Relaxed);
        if now == old {
            return;
        }
        old = now;
    }
}

impl<H: IntegerWords<u64>> OpenSlots<Pair64> for LockWordSlots<H> {
    type Word = u64;

    const TOMBSTONE: u64 = TOMBSTONE;
    const PENDING: bool = true;
    const VALUE_IN_WORD: bool = false;

    #[inline(always)]
    fn slots(self) -> usize {
        self.keys.len()
    }
    #[inline(always)]
    fn probe<const S: usize>(self, row: usize) -> [u64; S] {
        // Relaxed: a taken slot never gets another key, and the lowest slot decides. About the value see
        // `own`.
        self.keys.load_row::<S>(row, ReadOrder::Relaxed)
    }
    #[inline(always)]
    fn ask_for(self, at: usize) {
        self.keys.prefetch(at);
    }
    #[inline(always)]
    fn key(word: u64) -> u64 {
        word
    }
    #[inline(always)]
    fn is_vacant(word: u64) -> bool {
        // The word of an empty slot is the next one, and the highest.
        word >= LOCKED
    }
    #[inline(always)]
    fn is_pending(word: u64) -> bool {
        word == LOCKED
    }
    #[inline(always)]
    fn value_in(_: u64) -> u64 {
        0
    }
    #[inline(always)]
    fn value(self, at: usize) -> u64 {
        // Relaxed: one word, ordered after the key by `own`.
        self.own(at).load(at, ReadOrder::Relaxed)
    }
    #[inline(always)]
    fn updated(_: Update, _: u64, entry: u128) -> Option<u128> {
        // The value is another word.
        Some(entry)
    }
    #[inline(always)]
    fn change(self, at: usize, seen: u64, change: Change<u128>) -> u64 {
        // Relaxed, all: one word. If the entry was deleted since it was probed, the change of its value takes
        // effect just before that delete.
        match change {
            Change::Erase => return self.keys.compare_exchange(at, seen, TOMBSTONE, Order::Relaxed),
            Change::Put(entry, _) if seen == EMPTY => {
                return self.fill(at, Pair64::key(entry), Pair64::value(entry));
            }
            Change::Put(entry, OnPresent::Assign) => {
                self.own(at).store(at, Pair64::value(entry), WriteOrder::Relaxed);
            }
            Change::Put(entry, OnPresent::Update(Update::Add)) => {
                self.own(at).fetch_add(at, Pair64::value(entry), Order::Relaxed);
            }
            Change::Put(entry, OnPresent::Update(update)) => {
                update_value(self.own(at), at, update, Pair64::value(entry));
            }
            Change::Put(_, OnPresent::Keep) => {}
        }
        seen
    }
    #[inline(always)]
    fn entry(self, at: usize) -> u128 {
        self.entries::<1>(at)[0]
    }
    #[inline(always)]
    fn entries<const S: usize>(self, row: usize) -> [u128; S] {
        let keys = self.probe::<S>(row);
        core::array::from_fn(|i| {
            let value = if UserKey::new(keys[i]).is_some() { self.value(row * S + i) } else { 0 };
            Pair64::pack(keys[i], value)
        })
    }
}
