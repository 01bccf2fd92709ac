//! The layouts of a table: which slots over which words.

use warpproof_device::Global;
use warpproof_model::slab::{Key32, LockBitSlots, PackedSlots, Pair32, SlabTable};

/// Whether words guard against indices out of range. Always, except to measure what that costs.
pub(crate) const CHECKED: bool = !cfg!(feature = "unchecked");

/// Device words of our tables.
pub(crate) type Store<T> = Global<T, CHECKED>;

/// u32 pairs in 64-bit words.
pub(crate) mod map32 {
    use super::*;
    pub(crate) type Word = u64;
    pub(crate) type Key = u32;
    pub(crate) type Value = u32;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Pair32, Store<u64>>, Store<u32>, S>;
}

/// u32 keys.
pub(crate) mod set32 {
    use super::*;
    pub(crate) type Word = u32;
    pub(crate) type Key = u32;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Key32, Store<u32>>, Store<u32>, S>;
}

/// u64 pairs in two 64-bit words each, by the lock-bit protocol.
pub(crate) mod map64l {
    use super::*;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = SlabTable<LockBitSlots<Store<u64>>, Store<u32>, S>;
}

/// u64 pairs in 128-bit words.
#[cfg(feature = "b128")]
pub(crate) mod map64 {
    use super::*;
    use warpproof_model::slab::Pair64;
    pub(crate) type Word = u128;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = SlabTable<PackedSlots<Pair64, Store<u128>>, Store<u32>, S>;
}
