//! Slab hash tables, each with the bitmap of its pool.

use crate::store::Store;
use warpproof_model::entry::Packed;
use warpproof_model::reserved::WithChain;
use warpproof_model::slab::{LockWordSlots, Multiplicity, PackedSlots, SlabTable};
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: live pairs, tombstones, slabs, slabs of the longest chain, then how many
/// chains have 1 .. 15 and 16 or more slabs.
pub(crate) const NUMBERS: usize = 20;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    words: Store<E::Word>,
    bitmap: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> WithChain<SlabTable<PackedSlots<E, Store<E::Word>, M>, Store<u32>, S>>
where
    Store<E::Word>: Words<E::Word>,
{
    SlabTable::of_all_keys(PackedSlots::new(words), bitmap, buckets, seed)
}

/// A table of u64 pairs in two words each, by the lock-word protocol.
#[inline(always)]
pub(crate) fn lock_word<M: Multiplicity, const S: usize>(
    [keys, values]: [Store<u64>; 2],
    bitmap: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> WithChain<SlabTable<LockWordSlots<Store<u64>, M>, Store<u32>, S>> {
    SlabTable::of_all_keys(LockWordSlots::new(keys, values), bitmap, buckets, seed)
}
