//! Open-addressing tables in which keys move, with locks. Lanes times slots are the slots of a bucket.

use super::Store;
#[cfg(feature = "b128")]
use warpproof_model::entry::Pair64;
use warpproof_model::entry::{Key32, Key64, Pair32};
use warpproof_model::open::{CLASSES, Cuckoo, Locks, OpenTable};

type Locked = Locks<Store<u32>, CLASSES>;

/// u32 keys.
pub(crate) mod set32 {
    use super::*;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u32;
    pub(crate) type Key = u32;
    pub(crate) type Table<const S: usize> = OpenTable<Key32, Store<u32>, Filter, Cuckoo, S>;
}

/// u64 keys.
pub(crate) mod set64 {
    use super::*;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u64;
    pub(crate) type Key = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Key64, Store<u64>, Filter, Cuckoo, S>;
}

/// u32 pairs in 64-bit words.
pub(crate) mod map32 {
    use super::*;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = OpenTable<Pair32, Store<u64>, Filter, Cuckoo, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words.
pub(crate) mod map64 {
    use super::*;
    pub(crate) type Filter = Locked;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Pair64, Store<u128>, Filter, Cuckoo, S>;
}
