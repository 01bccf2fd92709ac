//! Hopscotch tables with the neighbourhoods of the library.

use crate::store::{Reserved, Store};
use warpproof_model::entry::Packed;
use warpproof_model::hopscotch::{HopscotchTable, REACH};
use warpproof_model::reserved::WithSlots;
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: entries, and how many of them are 0, 1, ... groups after their home.
pub(crate) const NUMBERS: usize = REACH as usize + 1;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    (words, reserved): (Store<E::Word>, Reserved<E>),
    homes: u32,
    seed: Seed,
) -> WithSlots<HopscotchTable<E, Store<E::Word>, S, REACH>, Reserved<E>>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    WithSlots::new(HopscotchTable::new(words, homes, seed), reserved)
}
