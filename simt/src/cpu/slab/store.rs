//! The memory of slots in chains, by key and value type.

use crate::cpu::packed::{KeyStore, PackedStore, PackedWords, PairStore};
use crate::cpu::words::{Array, AtomicWord, CpuWords};
use core::sync::atomic::AtomicU64;
use std::collections::TryReserveError;
use warpproof_model::Key;
use warpproof_model::entry::Packed;
use warpproof_model::slab::{LockWordSlots, Multiplicity, PackedSlots, Slots};

/// The memory of a table's slots.
pub trait SlabStore: Send + Sync + Sized {
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

    /// Makes all slots empty, with all threads.
    fn clear(&mut self);

    /// Size in memory.
    fn bytes(&self) -> usize;
}

impl<E, A, const N: usize> SlabStore for PackedStore<E, A, N>
where
    E: Packed + Send + Sync,
    A: AtomicWord<Word = E::Word>,
{
    type Key = E::Key;
    type Value = E::Value;
    type Slots<'a, M: Multiplicity>
        = PackedSlots<E, CpuWords<'a, A, N>, M>
    where
        Self: 'a;

    fn new(slots: usize) -> Result<Self, TryReserveError> {
        PackedWords::new(slots)
    }

    #[inline(always)]
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M> {
        PackedSlots::new(self.words())
    }

    fn clear(&mut self) {
        PackedWords::clear(self);
    }

    fn bytes(&self) -> usize {
        PackedWords::bytes(self)
    }
}

/// u64 pairs in two words each, under the lock-word protocol: std has no 128-bit atomics.
pub struct WidePairStore {
    keys: Array<AtomicU64, 8>,
    values: Array<AtomicU64, 8>,
}

impl SlabStore for WidePairStore {
    type Key = u64;
    type Value = u64;
    type Slots<'a, M: Multiplicity> = LockWordSlots<CpuWords<'a, AtomicU64, 8>, M>;

    fn new(slots: usize) -> Result<Self, TryReserveError> {
        Ok(Self { keys: Array::new(slots, |_| u64::MAX)?, values: Array::new(slots, |_| 0)? })
    }

    #[inline(always)]
    fn slots<M: Multiplicity>(&self) -> Self::Slots<'_, M> {
        LockWordSlots::new(self.keys.words(), self.values.words())
    }

    fn clear(&mut self) {
        self.keys.fill(|_| u64::MAX);
        self.values.fill(|_| 0);
    }

    fn bytes(&self) -> usize {
        self.keys.bytes() + self.values.bytes()
    }
}

/// The store for a key and value type: keys of 32 bits with values of as many, keys of 64 bits with values of
/// as many or of 32, and keys of 32 bits without values.
#[diagnostic::on_unimplemented(
    message = "no table of this kind holds `{Self}`, a key and its value",
    label = "not an entry of this table",
    note = "keys are `u32`, `i32`, `u64` and `i64`; those of a `SlabSet` are `u32`",
    note = "values are numbers of as many bits as the key: `u32`, `i32`, `f32`; `u64`, `i64`, `f64`; beside keys of 64 bits also the first three",
    note = "for other keys, number them or hash them to a `u64`; for larger values, keep them in a `Vec` and store their index"
)]
pub trait SlabEntry {
    /// The store.
    type Store: SlabStore;
}

macro_rules! stored {
    ($($store:ident: $(($key:ty, $($value:ty)|+))*;)*) => {
        $($($(impl SlabEntry for ($key, $value) {
            type Store = $store;
        })+)*)*
    };
}
stored! {
    PairStore: (u32, u32 | i32 | f32) (i32, u32 | i32 | f32);
    WidePairStore: (u64, u64 | i64 | f64 | u32 | i32 | f32) (i64, u64 | i64 | f64 | u32 | i32 | f32);
    KeyStore: (u32, ());
}
