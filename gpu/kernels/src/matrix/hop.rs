//! Hopscotch tables with the neighbourhoods of the library.

use crate::store::Store;
use warpproof_model::entry::Packed;
use warpproof_model::hopscotch::{HopscotchTable, REACH};
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: entries, and how many of them stand so many groups behind their home.
pub(crate) const NUMBERS: usize = REACH as usize + 1;

/// A table of entries in one word each.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    words: Store<E::Word>,
    homes: u32,
    seed: Seed,
) -> HopscotchTable<E, Store<E::Word>, S, REACH>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    HopscotchTable::new(words, homes, seed)
}
