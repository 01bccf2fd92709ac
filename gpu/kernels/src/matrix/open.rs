//! Open-addressing tables with the filter of the library, and buckets of a key near its home.

use crate::store::Store;
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::open::{BoundedStride, CLASSES, LockWordSlots, OpenTable, OverflowFilter};
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: live entries, tombstones.
pub(crate) const NUMBERS: usize = 2;

/// Bits that are set and not tested before: who inserts waits for no answer.
type Filter = OverflowFilter<Store<u32>, CLASSES, false>;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    words: Store<E::Word>,
    filter: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> OpenTable<E, Store<E::Word>, Filter, BoundedStride, S>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    OpenTable::new(words, Filter::new(filter), buckets, seed)
}

/// A table of u64 pairs in two words each, by the lock-word protocol.
#[inline(always)]
pub(crate) fn lock_word<M: Multiplicity, const S: usize>(
    [keys, values]: [Store<u64>; 2],
    filter: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> OpenTable<Pair64, LockWordSlots<Store<u64>>, Filter, BoundedStride, S> {
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    OpenTable::new(LockWordSlots::new(keys, values), Filter::new(filter), buckets, seed)
}
