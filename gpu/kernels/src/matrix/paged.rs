//! The child tables of a paged table. They are open-addressing tables, each in a frame of device memory or in
//! host memory.

use super::open::{self, Filter};
use crate::store::{Beside, Reserved, Store, lock_word_slots, slots, store};
use core::marker::PhantomData;
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::open::{BoundedStride, LockWordSlots, OpenTable};
use warpproof_model::paged::routed::{HEAD, Routed, Tables};
use warpproof_model::reserved::{AllKeys, ReservedSlots, WithSlots};
use warpproof_model::slab::Multiplicity;
use warpproof_model::{Key, Seed, Words};

type LockSlots = LockWordSlots<Store<u64>>;

/// The places of all child tables, and the size of each.
#[derive(Clone, Copy)]
pub(crate) struct Heads {
    pub(super) heads: *const u64,
    pub(super) children: u32,
    pub(super) seed: Seed,
    pub(super) len: usize,
    pub(super) filter_len: usize,
    pub(super) buckets: u32,
}

impl Heads {
    /// The child table of a key, and its words.
    #[inline(always)]
    pub(super) fn of<K: Key>(self, key: K) -> (usize, [u64; HEAD]) {
        let child = key.hash(self.seed).digit(self.children) as usize;
        // SAFETY: so many words for each child table, which nothing writes during the launch (contract of the
        // kernel).
        (child, core::array::from_fn(|word| unsafe { self.heads.add(HEAD * child + word).read() }))
    }
}

/// Child tables of entries in one word each.
#[derive(Clone, Copy)]
pub(crate) struct PackedTables<E, const S: usize>(Heads, PhantomData<E>);

impl<E: Packed, const S: usize> Tables for PackedTables<E, S>
where
    Store<E::Word>: Words<E::Word>,
    WithSlots<OpenTable<E, Store<E::Word>, Filter, BoundedStride, S>, Reserved<E>>:
        AllKeys<Key = E::Key, Value = E::Value>,
{
    type Key = E::Key;
    type Value = E::Value;
    type Table = WithSlots<OpenTable<E, Store<E::Word>, Filter, BoundedStride, S>, Reserved<E>>;

    #[inline(always)]
    fn of(self, key: E::Key) -> Self::Table {
        let Heads { len, filter_len, buckets, .. } = self.0;
        let (_, [words, _, filter, mask, factor]) = self.0.of(key);
        // SAFETY: the memory of a child table, as the contract of the kernel says.
        unsafe {
            open::packed::<E, warpproof_model::slab::Unique, S>(
                slots(words as *mut E::Word, len),
                Filter::new(Beside::new(store(filter as *mut u32, filter_len)), buckets),
                buckets,
                Seed::from_words([mask, factor]),
            )
        }
    }
}

/// Child tables of u64 pairs in two words each, by the lock-word protocol.
#[derive(Clone, Copy)]
pub(crate) struct LockTables<const S: usize>(Heads);

impl<const S: usize> Tables for LockTables<S> {
    type Key = u64;
    type Value = u64;
    type Table =
        WithSlots<OpenTable<Pair64, LockSlots, Filter, BoundedStride, S>, ReservedSlots<Pair64, LockSlots>>;

    #[inline(always)]
    fn of(self, key: u64) -> Self::Table {
        let Heads { len, filter_len, buckets, .. } = self.0;
        let (_, [keys, values, filter, mask, factor]) = self.0.of(key);
        // SAFETY: the memory of a child table, as the contract of the kernel says.
        unsafe {
            open::lock_word::<warpproof_model::slab::Unique, S>(
                lock_word_slots(keys as *mut u64, values as *mut u64, len),
                store(filter as *mut u32, filter_len),
                buckets,
                Seed::from_words([mask, factor]),
            )
        }
    }
}

/// Child tables of entries in one word each. `len` and `filter_len` are numbers of words of one child table.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    heads: *const u64,
    (children, seed): (u32, Seed),
    (len, filter_len, buckets): (usize, usize, u32),
) -> Routed<PackedTables<E, S>> {
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    Routed(PackedTables(Heads { heads, children, seed, len, filter_len, buckets }, PhantomData))
}

/// Child tables of u64 pairs in two words each.
#[inline(always)]
pub(crate) fn lock_word<M: Multiplicity, const S: usize>(
    heads: *const u64,
    (children, seed): (u32, Seed),
    (len, filter_len, buckets): (usize, usize, u32),
) -> Routed<LockTables<S>> {
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    Routed(LockTables(Heads { heads, children, seed, len, filter_len, buckets }))
}
