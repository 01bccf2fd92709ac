//! Slab hash tables.

use super::Store;
use warpproof_model::entry::{Key32, Pair32};
use warpproof_model::slab::{LockBitSlots, Multi, PackedSlots, SlabTable, Unique};

/// u32 keys, each once.
pub(crate) mod set32 {
    use super::*;
    pub(crate) type Word = u32;
    pub(crate) type Key = u32;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Key32, Store<u32>, Unique>, Store<u32>, S>;
}

/// u32 pairs in 64-bit words, each key once.
pub(crate) mod map32 {
    use super::*;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Pair32, Store<u64>, Unique>, Store<u32>, S>;
}

/// u32 pairs in 64-bit words, keys as often as they come.
pub(crate) mod multi32 {
    use super::*;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Pair32, Store<u64>, Multi>, Store<u32>, S>;
}

/// u64 pairs in two 64-bit words by the lock-bit protocol, each key once.
pub(crate) mod map64l {
    use super::*;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = SlabTable<LockBitSlots<Store<u64>, Unique>, Store<u32>, S>;
}

/// u64 pairs in two 64-bit words by the lock-bit protocol, keys as often as they come.
pub(crate) mod multi64l {
    use super::*;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = SlabTable<LockBitSlots<Store<u64>, Multi>, Store<u32>, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words, each key once.
pub(crate) mod map64 {
    use super::*;
    use warpproof_model::entry::Pair64;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> =
        SlabTable<PackedSlots<Pair64, Store<u128>, Unique>, Store<u32>, S>;
}

#[cfg(feature = "b128")]
/// u64 pairs in 128-bit words, keys as often as they come.
pub(crate) mod multi64 {
    use super::*;
    use warpproof_model::entry::Pair64;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Pair64, Store<u128>, Multi>, Store<u32>, S>;
}
