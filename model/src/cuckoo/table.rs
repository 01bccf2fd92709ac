//! The table: buckets of open addressing, and their locks.

use super::locks::Locks;
use crate::entry::Packed;
use crate::hash::Seed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Words};
use crate::open::{Bounded, DoubleHashing, OpenTable};
use crate::retrieve::SlotArray;
use crate::row::{Found, Place};
use crate::warp::Warp;

/// The most keys that an insert moves, each into the place of the next.
pub const CHAIN: u32 = 3;

/// The two buckets of a key.
type Two = Bounded<DoubleHashing, 2>;
/// The slots, as a table in which a key probes two buckets.
pub(super) type Slots<E, H, const S: usize> = OpenTable<E, H, (), Two, S>;
/// A slot that was found in a row.
pub(super) type Slot<W, E> = Found<W, <E as Packed>::Word>;

/// A handle to a cuckoo table: a Copy view that every warp carries.
///
/// A bucket is what a warp reads at once: `W::LANES * S` slots, a word each. A key is in its first bucket or
/// its second one. Warps of different widths may use one table if `W::LANES * S` is equal.
#[derive(Clone, Copy, Debug)]
pub struct CuckooTable<E, H, B, const S: usize> {
    pub(super) slots: Slots<E, H, S>,
    pub(super) locks: Locks<B>,
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CuckooTable<E, H, B, S> {
    /// A table of `buckets` buckets, at least one, in `slots`, all of which are all ones at first. Its locks
    /// are in [`lock_words`](super::lock_words) words, which are zero at first. `seed` decides the buckets of
    /// keys. In a table of one bucket a key has only one.
    #[inline(always)]
    pub const fn new(slots: H, locks: B, buckets: u32, seed: Seed) -> Self {
        Self { slots: OpenTable::new(slots, (), buckets, seed), locks: Locks::new(locks, buckets) }
    }

    /// This table, with its slots seen through the view that `view` makes of their words.
    #[inline(always)]
    pub fn with_words<G>(self, view: impl FnOnce(H) -> G) -> CuckooTable<E, G, B, S> {
        CuckooTable { slots: self.slots.with_slots(view), locks: self.locks }
    }

    /// The slots, numbered through.
    #[inline(always)]
    pub const fn array(self) -> SlotArray<E, H> {
        self.slots.array()
    }

    /// Number of buckets.
    #[inline(always)]
    pub const fn buckets(self) -> u32 {
        self.slots.buckets()
    }

    /// Prefetches the first bucket of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<E::Key>) {
        self.slots.prefetch::<W>(key);
    }

    /// Passes every entry of a bucket to `sink` as (warp, number, key, value), numbered from 0. Changes by
    /// other warps meanwhile may be missed, and an entry that moves may be seen twice.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        sink: impl FnMut(&mut W, u32, E::Key, E::Value),
    ) -> u32 {
        self.slots.visit(w, bucket, sink)
    }

    /// How many entries a bucket holds.
    #[inline(always)]
    pub fn bucket_entries<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.slots.bucket_entries(w, bucket)
    }

    /// How many tombstones a bucket holds.
    #[inline(always)]
    pub fn bucket_tombstones<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.slots.bucket_tombstones(w, bucket)
    }

    /// The index of the first slot of a bucket.
    #[inline(always)]
    pub(super) fn slot(lanes: u32, bucket: u32) -> usize {
        Slots::<E, H, S>::slot(lanes, bucket)
    }

    /// Whether a slot decides about a key, if no lower slot does.
    #[inline(always)]
    pub(super) fn decides(word: E::Word, key: E::Key) -> bool {
        Slots::<E, H, S>::decides(word, key)
    }

    /// Whether a slot holds this key.
    #[inline(always)]
    pub(super) fn holds(word: E::Word, key: E::Key) -> bool {
        Slots::<E, H, S>::holds(word, key)
    }

    /// Whether a slot is empty and always was.
    #[inline(always)]
    pub(super) fn is_empty(word: E::Word) -> bool {
        Slots::<E, H, S>::is_empty(word)
    }

    /// Whether the holder of a lock may take a slot: it is empty, or holds a tombstone.
    #[inline(always)]
    pub(super) fn is_free(word: E::Word) -> bool {
        !Slots::<E, H, S>::is_entry(word)
    }

    /// The content of a slot when it was found.
    #[inline(always)]
    pub(super) fn seen<W: Warp>(w: &mut W, slot: &Slot<W, E>) -> E::Word {
        let seen = w.map(slot.places, |_, Place { seen, .. }| seen);
        w.shfl(seen, slot.lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Probing;

    /// A key that moves has another bucket to move to.
    #[test]
    fn the_two_buckets_of_a_key_differ() {
        assert_eq!([1, 2, 1000].map(Two::most), [1, 2, 2]);
        for buckets in [2, 3, 7, 65_537] {
            assert!((0..1000).all(|key| Two::stride(Seed::new(1).hash(key).low(), buckets) % buckets != 0));
        }
    }
}
