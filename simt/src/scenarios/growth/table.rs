//! A table that can be replaced by another one: two places for tables, and a word that holds the place and
//! the size of the current one.

use super::monitor::Thread;
use crate::check::{Array, Breach, Config, Memory, SimWarp};
use std::fmt::Debug;
use std::ops::Range;
use warpproof_model::growth::Rehash;
use warpproof_model::host::OpenStats;
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// The array that identifies the current table. Word 0 has twice its size, plus the number of its place. Word
/// 1 counts attempts to replace a table, word 2 how often there was no memory for the smallest sufficient
/// one.
pub(super) const WHICH: usize = 2;
const CURRENT: usize = 0;
const TRIES: usize = 1;
const FAILURES: usize = 2;
/// Arrays before those of a table.
pub(super) const BEFORE: usize = 3;

/// The current table: its place, 0 or 1, and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which of the two places.
    pub place: usize,
    /// Its size: slots, or buckets.
    pub size: u32,
}

impl Place {
    /// The word that encodes it.
    pub(super) const fn word(self) -> u32 {
        2 * self.size + self.place as u32
    }

    /// Decodes a word.
    pub(super) const fn of(word: u32) -> Self {
        Self { place: (word % 2) as usize, size: word / 2 }
    }

    /// The table as a memory has it now.
    pub(super) fn now<M: Memory>(m: M) -> Self {
        // Relaxed: the lock of the table orders it.
        Self::of(m.w32(WHICH).load(CURRENT, ReadOrder::Relaxed))
    }
}

/// A table in one of two places. Its arrays follow those of the locks and the room; those of a place are its
/// own to name.
pub trait Table: Clone + Debug + Send + Sync + 'static {
    /// Its name in scenarios.
    const STRUCTURE: &'static str;

    /// One for a configuration.
    fn new(config: &Config) -> Self;

    /// The arrays of both places.
    fn arrays(&self) -> Vec<Array>;

    /// Slots of a table of this size.
    fn slots(&self, size: u32) -> u64;

    /// The size of a table of at least so many slots.
    fn size(&self, slots: u64) -> u32;

    /// Inserts keys, for which there is room. Returns for each whether it was stored.
    fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, keys: Range<u64>) -> Vec<bool>;

    /// Deletes a key. Returns whether it was present.
    fn delete<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, key: u64) -> bool;

    /// The value of a key.
    fn search<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, key: u64) -> Option<u64>;

    /// The statistics of the table.
    fn stats<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place) -> OpenStats;

    /// Makes a table without entries.
    fn empty<M: Memory>(&self, m: M, at: Place);

    /// Copies the entries from one place to another one, all or, `half` of them, those of the first half of
    /// the slots.
    fn absorb<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, from: Place, to: Place, half: bool);

    /// Checks what holds of it in every state, and if `quiescent` what holds when no call runs.
    ///
    /// # Errors
    /// The invariant that is violated.
    fn check<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, quiescent: bool)
    -> Result<(), Breach>;

    /// A word in words: of array `array` of its own.
    fn show(&self, array: usize, value: u128) -> String;

    /// What it is, in a sentence.
    fn about(&self) -> String;
}

/// What a scenario says about memory, and about which call may replace a table.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Bit `i` is set if attempt number `i` to replace a table runs out of memory when half of the entries
    /// are copied.
    pub(super) fails: u32,
    /// Slots of the largest table that there is memory for, or 0 if there is for all.
    pub(super) most: u64,
    /// The call replaces a table only if there is too little room in it.
    pub(super) only_if_full: bool,
}

/// Why a call of a scenario fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failed {
    /// There is no memory.
    Memory,
    /// A chunk of a batch failed when it had run.
    Chunk,
}

impl<W: SimWarp, M: Memory, T: Table> Thread<'_, W, M, T> {
    /// Asks the table.
    pub(super) fn ask<R>(&self, f: impl FnOnce(&T, &mut W, M, Place) -> R) -> R {
        f(self.table, &mut self.warp.borrow_mut(), self.m, Place::now(self.m))
    }

    /// Whether a table that has room is to be replaced by a call that may not.
    fn no_need(&self, stats: OpenStats) -> bool {
        let (slots, used) = (Rehash::slots(&self), stats.live + stats.tombstones);
        self.held.only_if_full && slots - used >= (slots / 8).max(1)
    }
}

/// How often there was no memory for the smallest table that would do.
pub(super) fn failures<M: Memory>(m: M) -> u32 {
    // Relaxed: no other memory depends on this word.
    m.w32(WHICH).load(FAILURES, ReadOrder::Relaxed)
}

impl<W: SimWarp, M: Memory, T: Table> Rehash for &Thread<'_, W, M, T> {
    type Error = Failed;

    fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Failed> {
        let stats = self.stats()?;
        assert!(!self.no_need(stats), "a table that has room was to be replaced");
        // Relaxed, here and below: the lock of the table orders them.
        let number = self.m.w32(WHICH).fetch_add(TRIES, 1, Order::Relaxed);
        let Held { fails, most, .. } = self.held;
        let size = self.table.size((entries as f64 / load) as u64);
        let too_large = most > 0 && self.table.slots(size) > most;
        let in_the_middle = fails.checked_shr(number).unwrap_or(0) & 1 != 0;
        if !too_large {
            self.ask(|table, w, m, from| {
                let to = Place { place: 1 - from.place, size };
                table.empty(m, to);
                table.absorb(w, m, from, to, in_the_middle);
                if !in_the_middle {
                    m.w32(WHICH).store(CURRENT, to.word(), WriteOrder::Relaxed);
                }
            });
        }
        if !too_large && !in_the_middle {
            return Ok(());
        }
        // What a batch needs is room for one more: where memory is short, tables hold fewer than eight keys.
        if !self.held.only_if_full || entries <= stats.live + 1 {
            self.m.w32(WHICH).fetch_add(FAILURES, 1, Order::Relaxed);
        }
        Err(Failed::Memory)
    }
    fn stats(&self) -> Result<OpenStats, Failed> {
        Ok(self.ask(T::stats))
    }
    fn slots(&self) -> u64 {
        self.table.slots(Place::now(self.m).size)
    }
    fn is_out_of_memory(error: &Failed) -> bool {
        *error == Failed::Memory
    }
}
