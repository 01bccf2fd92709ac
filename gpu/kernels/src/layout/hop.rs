//! Hopscotch tables with the neighbourhoods of the library. Lanes times slots are the words of a group.

use super::Store;
use warpproof_model::entry::{Key32, Key64, Pair32};
use warpproof_model::hopscotch::{HopscotchTable, REACH};

/// Numbers that the `stats` of a table adds up: entries, and how many of them stand so many groups behind their home.
pub(crate) const NUMBERS: usize = REACH as usize + 1;

/// u32 keys.
pub(crate) mod set32 {
    use super::*;
    pub(crate) type Word = u32;
    pub(crate) type Key = u32;
    pub(crate) type Table<const S: usize> = HopscotchTable<Key32, Store<u32>, S, REACH>;
}

/// u64 keys.
pub(crate) mod set64 {
    use super::*;
    pub(crate) type Word = u64;
    pub(crate) type Key = u64;
    pub(crate) type Table<const S: usize> = HopscotchTable<Key64, Store<u64>, S, REACH>;
}

/// u32 pairs in 64-bit words.
pub(crate) mod map32 {
    use super::*;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = HopscotchTable<Pair32, Store<u64>, S, REACH>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words.
pub(crate) mod map64 {
    use super::*;
    use warpproof_model::entry::Pair64;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = HopscotchTable<Pair64, Store<u128>, S, REACH>;
}
