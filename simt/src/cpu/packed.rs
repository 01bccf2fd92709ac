//! Memory for entries of one word each, for every structure that packs them.

use super::warp::CpuWarp;
use super::words::{Array, AtomicWord, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicU64};
use portable_atomic::AtomicU128;
use std::collections::TryReserveError;
use warpproof_model::entry::{Key32, Key64, Packed, Pair32, Pair64};
use warpproof_model::reserved::{ReservedSlots, reserved_keys};
use warpproof_model::{WarpMap, Words};

/// Words that hold entries `E`, one each, in atomics `A`, of which `N` are a cache line.
pub struct PackedStore<E, A: AtomicWord, const N: usize> {
    words: Array<A, N>,
    entry: PhantomData<fn() -> E>,
}

/// u32 pairs, each in one 64-bit word.
pub type PairStore = PackedStore<Pair32, AtomicU64, 8>;
/// u32 keys.
pub type KeyStore = PackedStore<Key32, AtomicU32, 16>;
/// u64 pairs, each in one 128-bit word.
pub type Pair64Store = PackedStore<Pair64, AtomicU128, 4>;
/// u64 keys.
pub type Key64Store = PackedStore<Key64, AtomicU64, 8>;

/// A [`PackedStore`] of any entries and words.
pub trait PackedWords: Send + Sync + Sized {
    /// The entry in a word.
    type Entry: Packed + Send + Sync;
    /// The view that operations work on.
    type Words<'a>: Words<<Self::Entry as Packed>::Word> + Send + Sync
    where
        Self: 'a;

    /// `len` words, all empty.
    ///
    /// # Errors
    /// When the memory cannot be had.
    fn new(len: usize) -> Result<Self, TryReserveError>;

    /// `len` empty words, made by this thread alone: for a caller that holds a lock for which other threads
    /// may wait.
    ///
    /// # Errors
    /// When the memory cannot be had.
    fn new_alone(len: usize) -> Result<Self, TryReserveError>;

    /// The view.
    fn words(&self) -> Self::Words<'_>;

    /// Makes all words empty, with all threads.
    fn clear(&mut self);

    /// Copies the words of a store of the same length, with all threads.
    fn copy_from(&mut self, from: &Self);

    /// Size in memory.
    fn bytes(&self) -> usize;
}

impl<E, A, const N: usize> PackedWords for PackedStore<E, A, N>
where
    E: Packed + Send + Sync,
    A: AtomicWord<Word = E::Word>,
{
    type Entry = E;
    type Words<'a>
        = CpuWords<'a, A, N>
    where
        Self: 'a;

    fn new(len: usize) -> Result<Self, TryReserveError> {
        Ok(Self { words: Array::new(len, |_| E::EMPTY)?, entry: PhantomData })
    }

    fn new_alone(len: usize) -> Result<Self, TryReserveError> {
        Ok(Self { words: Array::new_alone(len, |_| E::EMPTY)?, entry: PhantomData })
    }

    #[inline(always)]
    fn words(&self) -> CpuWords<'_, A, N> {
        self.words.words()
    }

    fn clear(&mut self) {
        self.words.fill(|_| E::EMPTY);
    }

    fn copy_from(&mut self, from: &Self) {
        self.words.copy_from(&from.words);
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

/// The keys that a table of words `St` cannot hold, seen by warps.
pub type Reserved<'a, St> = ReservedSlots<<St as PackedWords>::Entry, <St as PackedWords>::Words<'a>>;

/// Memory for the keys that a table of words `St` cannot hold.
pub(super) struct ReservedWords<St>(St);

impl<St: PackedWords> ReservedWords<St> {
    /// Memory for the reserved keys, all absent.
    ///
    /// # Errors
    /// When it cannot be had.
    pub(super) fn new() -> Result<Self, TryReserveError> {
        // A few words: this thread writes them alone.
        St::new_alone(reserved_keys::<St::Entry>() as usize).map(Self)
    }

    /// The view.
    #[inline(always)]
    pub(super) fn map(&self) -> Reserved<'_, St> {
        ReservedSlots::new(self.0.words())
    }

    /// How many reserved keys are there.
    pub(super) fn live(&self) -> u32 {
        self.map().live(&mut CpuWarp::<1>::new(0), 0)
    }

    /// Deletes all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces them by those of another table.
    pub(super) fn copy_from(&mut self, from: &Self) {
        self.0.copy_from(&from.0);
    }

    /// Size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// The words for a key and value type: keys of 32 bits with values of as many, keys of 64 bits with values of
/// as many or of 32, and keys without values.
///
/// For other types there is no table:
///
/// ```compile_fail,E0277
/// // no table of this kind holds `(&str, u32)`, a key and its value
/// warpproof_simt::cpu::OpenMap::<&str, u32>::with_capacity(10);
/// ```
#[diagnostic::on_unimplemented(
    message = "no table of this kind holds `{Self}`, a key and its value",
    label = "not an entry of this table",
    note = "keys are `u32`, `i32`, `u64` and `i64`",
    note = "values are numbers of as many bits as the key: `u32`, `i32`, `f32`; `u64`, `i64`, `f64`; beside keys of 64 bits also the first three",
    note = "for other keys, number them or hash them to a `u64`; for larger values, keep them in a `Vec` and store their index"
)]
pub trait PackedEntry {
    /// The words.
    type Store: PackedWords;
}

macro_rules! packed {
    ($($store:ident: $(($key:ty, $($value:ty)|+))*;)*) => {
        $($($(impl PackedEntry for ($key, $value) {
            type Store = $store;
        })+)*)*
    };
}
packed! {
    PairStore: (u32, u32 | i32 | f32) (i32, u32 | i32 | f32);
    Pair64Store: (u64, u64 | i64 | f64 | u32 | i32 | f32) (i64, u64 | i64 | f64 | u32 | i32 | f32);
    KeyStore: (u32, ()) (i32, ());
    Key64Store: (u64, ()) (i64, ());
}

impl<E, A: AtomicWord, const N: usize> fmt::Debug for PackedStore<E, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedStore").field("bytes", &self.words.bytes()).finish_non_exhaustive()
    }
}
