//! Open-addressing tables in which keys move, with locks.

use super::Store;
use warpproof_model::Words;
use warpproof_model::entry::Packed;
use warpproof_model::open::{CLASSES, Cuckoo, Locks, OpenTable};
use warpproof_model::slab::Multiplicity;

pub(crate) use super::open::NUMBERS;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    words: Store<E::Word>,
    locks: Store<u32>,
    buckets: u32,
) -> OpenTable<E, Store<E::Word>, Locks<Store<u32>, CLASSES>, Cuckoo, S>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    OpenTable::new(words, Locks::new(locks), buckets)
}
