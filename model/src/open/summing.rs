//! Slots of u32 pairs to which sums are added without an exchange.

use super::slots::{Change, OnPresent, OpenSlots};
use crate::entry::{Packed, Pair32};
use crate::memory::{IntegerWords, Order};
use crate::update::Update;

/// The bits of a word that are not the key.
const VALUE: u64 = !(u32::MAX as u64);

/// Slots of u32 pairs in 64-bit words, where an addition to a key that is there is one atomic addition to its
/// word. All else is as in the words themselves.
///
/// An exchange fails if another warp was faster, and where many add to one key nearly all exchanges fail. An
/// addition never fails. The value is the high half of the word: what a sum cannot hold is lost, and the key
/// stays as it is. The README of this module says why a delete may come between.
#[derive(Clone, Copy, Debug)]
pub struct SummingSlots<H>(H);

impl<H: IntegerWords<u64>> SummingSlots<H> {
    /// Slots in these words, which are all ones at first.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self(words)
    }
}

impl<H: IntegerWords<u64>> OpenSlots<Pair32> for SummingSlots<H> {
    type Word = u64;

    const TOMBSTONE: u64 = Pair32::MARK;
    const PENDING: bool = false;
    const VALUE_IN_WORD: bool = true;

    #[inline(always)]
    fn slots(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn probe<const S: usize>(self, row: usize) -> [u64; S] {
        OpenSlots::<Pair32>::probe(self.0, row)
    }
    #[inline(always)]
    fn ask_for(self, at: usize) {
        self.0.prefetch(at);
    }
    #[inline(always)]
    fn key(word: u64) -> u32 {
        Pair32::key(word)
    }
    #[inline(always)]
    fn is_vacant(word: u64) -> bool {
        Pair32::key(word) == Pair32::key(Pair32::EMPTY)
    }
    #[inline(always)]
    fn is_pending(_: u64) -> bool {
        false
    }
    #[inline(always)]
    fn value_in(word: u64) -> u32 {
        Pair32::value(word)
    }
    #[inline(always)]
    fn value(self, at: usize) -> u32 {
        OpenSlots::<Pair32>::value(self.0, at)
    }
    #[inline(always)]
    fn updated(update: Update, seen: u64, entry: u64) -> Option<u64> {
        match update {
            // The word has the value to which it is added.
            Update::Add => Some(entry),
            _ => <H as OpenSlots<Pair32>>::updated(update, seen, entry),
        }
    }
    #[inline(always)]
    fn change(self, at: usize, seen: u64, change: Change<u64>) -> u64 {
        match change {
            Change::Put(entry, OnPresent::Update(Update::Add)) if !Self::is_vacant(seen) => {
                // Relaxed: the word depends on no other memory. If the entry was deleted since it was probed,
                // the sum takes effect just before that delete, and a tombstone's value means nothing.
                self.0.fetch_add(at, entry & VALUE, Order::Relaxed);
                seen
            }
            change => OpenSlots::<Pair32>::change(self.0, at, seen, change),
        }
    }
    #[inline(always)]
    fn entry(self, at: usize) -> u64 {
        OpenSlots::<Pair32>::entry(self.0, at)
    }
    #[inline(always)]
    fn entries<const S: usize>(self, row: usize) -> [u64; S] {
        OpenSlots::<Pair32>::entries(self.0, row)
    }
}
