//! What a table's slots are stored in, per key and value type.

use super::words::{Array, CpuWords};
use core::sync::atomic::{AtomicU32, AtomicU64};
use std::collections::TryReserveError;
use warpproof_model::Key;
use warpproof_model::entry::{Key32, Pair32};
use warpproof_model::slab::{LockBitSlots, Multiplicity, PackedSlots, Slots};

/// The memory of a table's slots.
pub trait Store: Send + Sync + Sized {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: warpproof_model::Word;
    /// The view that operations work on.
    type Slots<'a, M: Multiplicity>: Slots<Key = Self::Key, Value = Self::Value, Multiplicity = M>
        + Send
        + Sync
    where
        Self: 'a;

    /// Memory for `slots` slots, all empty.
    ///
    /// # Errors
    /// When the memory cannot be had.
    fn new(slots: usize) -> Result<Self, TryReserveError>;

    /// The view.
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M>;

    /// Size in memory.
    fn bytes(&self) -> usize;
}

/// u32 pairs, each in one 64-bit word.
pub struct PairStore {
    words: Array<AtomicU64, 8>,
}

impl Store for PairStore {
    type Key = u32;
    type Value = u32;
    type Slots<'a, M: Multiplicity> = PackedSlots<Pair32, CpuWords<'a, AtomicU64, 8>, M>;

    fn new(slots: usize) -> Result<Self, TryReserveError> {
        Ok(Self { words: Array::new(slots, |_| u64::MAX)? })
    }

    #[inline(always)]
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M> {
        PackedSlots::new(self.words.words())
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

/// u32 keys.
pub struct KeyStore {
    words: Array<AtomicU32, 16>,
}

impl Store for KeyStore {
    type Key = u32;
    type Value = ();
    type Slots<'a, M: Multiplicity> = PackedSlots<Key32, CpuWords<'a, AtomicU32, 16>, M>;

    fn new(slots: usize) -> Result<Self, TryReserveError> {
        Ok(Self { words: Array::new(slots, |_| u32::MAX)? })
    }

    #[inline(always)]
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M> {
        PackedSlots::new(self.words.words())
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

/// u64 pairs in two words each, under the lock-bit protocol: std has no 128-bit atomics.
pub struct WidePairStore {
    keys: Array<AtomicU64, 8>,
    values: Array<AtomicU64, 8>,
}

impl Store for WidePairStore {
    type Key = u64;
    type Value = u64;
    type Slots<'a, M: Multiplicity> = LockBitSlots<CpuWords<'a, AtomicU64, 8>, M>;

    fn new(slots: usize) -> Result<Self, TryReserveError> {
        Ok(Self { keys: Array::new(slots, |_| u64::MAX)?, values: Array::new(slots, |_| 0)? })
    }

    #[inline(always)]
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M> {
        LockBitSlots::new(self.keys.words(), self.values.words())
    }

    fn bytes(&self) -> usize {
        self.keys.bytes() + self.values.bytes()
    }
}

/// Which store a key and value type is kept in: `(u32, u32)`, `(u64, u64)`, `(u32, ())`.
pub trait Entry {
    /// The store.
    type Store: Store;
}

impl Entry for (u32, u32) {
    type Store = PairStore;
}

impl Entry for (u64, u64) {
    type Store = WidePairStore;
}

impl Entry for (u32, ()) {
    type Store = KeyStore;
}
