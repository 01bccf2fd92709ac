//! Cuckoo tables, with their locks.

use crate::store::{Beside, Reserved, Store};
use warpproof_model::cuckoo::CuckooTable;
use warpproof_model::entry::Packed;
use warpproof_model::reserved::WithSlots;
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, Words};

pub(crate) use super::open::NUMBERS;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    (words, reserved): (Store<E::Word>, Reserved<E>),
    locks: Store<u32>,
    buckets: u32,
    seed: Seed,
) -> WithSlots<CuckooTable<E, Store<E::Word>, Beside, S>, Reserved<E>>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    WithSlots::new(CuckooTable::new(words, Beside::new(locks), buckets, seed), reserved)
}
