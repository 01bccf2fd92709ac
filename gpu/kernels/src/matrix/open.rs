//! Open-addressing tables with the filter of the library. A key probes buckets near its home.

use crate::store::{Beside, Reserved, Store};
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::open::{BoundedStride, CLASSES, LockWordSlots, OpenTable, OverflowFilter};
use warpproof_model::reserved::{ReservedSlots, WithSlots};
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: live entries, tombstones.
pub(crate) const NUMBERS: usize = 2;

/// Inserts set filter bits without a test before, so they wait for no answer.
pub(crate) type Filter = OverflowFilter<Beside, CLASSES, false>;

/// Slots of two words each.
type LockSlots = LockWordSlots<Store<u64>>;

/// The filter of a table in these words.
#[inline(always)]
pub(crate) fn filter<E: Packed>(bucket: usize, words: Store<u32>, buckets: u32) -> Filter {
    // Buckets of 32 bytes. They are mostly of tables in the L2 cache, and all of them have filters of all
    // classes.
    let small = bucket * size_of::<E::Word>() == 32;
    let words = Beside::new(words);
    if small { Filter::of_all_classes(words) } else { Filter::new(words, buckets) }
}

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    (words, reserved): (Store<E::Word>, Reserved<E>),
    filter: Filter,
    buckets: u32,
    seed: Seed,
) -> WithSlots<OpenTable<E, Store<E::Word>, Filter, BoundedStride, S>, Reserved<E>>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    WithSlots::new(OpenTable::new(words, filter, buckets, seed), reserved)
}

/// A table of u64 pairs in two words each, by the lock-word protocol.
#[inline(always)]
pub(crate) fn lock_word<M: Multiplicity, const S: usize>(
    (slots, reserved): (LockSlots, ReservedSlots<Pair64, LockSlots>),
    filter: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> WithSlots<OpenTable<Pair64, LockSlots, Filter, BoundedStride, S>, ReservedSlots<Pair64, LockSlots>> {
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    WithSlots::new(OpenTable::new(slots, Filter::new(Beside::new(filter), buckets), buckets, seed), reserved)
}
