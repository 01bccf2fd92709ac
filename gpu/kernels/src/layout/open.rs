//! Open-addressing tables with the filter of the library, double hashing, or with locks, where keys move. Lanes times slots are the
//! slots of a bucket.

use super::Store;
use warpproof_model::entry::{Key32, Key64, Pair32};
use warpproof_model::open::{CLASSES, Cuckoo, DoubleHashing, Locks, OpenTable, Passed};

/// What stands beside the slots.
type Filtered = Passed<Store<u32>, CLASSES>;
type Locked = Locks<Store<u32>, CLASSES>;

/// u32 keys.
pub(crate) mod set32 {
    use super::*;
    pub(crate) type Filter = Filtered;
    pub(crate) type Word = u32;
    pub(crate) type Key = u32;
    pub(crate) type Table<const S: usize> = OpenTable<Key32, Store<u32>, Filter, DoubleHashing, S>;
}

/// u64 keys.
pub(crate) mod set64 {
    use super::*;
    pub(crate) type Filter = Filtered;
    pub(crate) type Word = u64;
    pub(crate) type Key = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Key64, Store<u64>, Filter, DoubleHashing, S>;
}

/// u32 pairs in 64-bit words.
pub(crate) mod map32 {
    use super::*;
    pub(crate) type Filter = Filtered;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = OpenTable<Pair32, Store<u64>, Filter, DoubleHashing, S>;
}

/// u32 pairs in 64-bit words; keys move.
pub(crate) mod cuckoo_map32 {
    use super::*;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = OpenTable<Pair32, Store<u64>, Filter, Cuckoo, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words; keys move.
pub(crate) mod cuckoo_map64 {
    use super::*;
    use warpproof_model::entry::Pair64;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Pair64, Store<u128>, Filter, Cuckoo, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words.
pub(crate) mod map64 {
    use super::*;
    use warpproof_model::entry::Pair64;
    pub(crate) type Filter = Filtered;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Pair64, Store<u128>, Filter, DoubleHashing, S>;
}
