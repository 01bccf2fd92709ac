//! Open-addressing tables with the filter of the library, double hashing. Lanes times slots are the slots of a bucket.

use super::Store;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::open::{CLASSES, DoubleHashing, LockBitSlots, OpenTable, Passed};

type Filtered = Passed<Store<u32>, CLASSES>;

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

/// u64 pairs in two 64-bit words by the lock-bit protocol.
pub(crate) mod map64l {
    use super::*;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> =
        OpenTable<Pair64, LockBitSlots<Store<u64>>, Filtered, DoubleHashing, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words.
pub(crate) mod map64 {
    use super::*;
    pub(crate) type Filter = Filtered;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Pair64, Store<u128>, Filter, DoubleHashing, S>;
}
