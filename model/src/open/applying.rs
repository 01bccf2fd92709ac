//! Words of a table that give a key a value by a function, in place of a sum.

use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{Order, ReadOrder, Words, WriteOrder};
use core::marker::PhantomData;

/// Words of entries `E`, as an `insert_or_add` sees them that is to apply a function. Where it replaces the
/// entry of a key by one with the sum, this view puts `f` of the value that is there. All else stays: what is
/// read, where an entry is put, and in which order.
///
/// So `insert_or_add` of an [`OpenTable`](super::OpenTable), a
/// [`CuckooTable`](crate::cuckoo::CuckooTable) or of [reserved keys](crate::reserved::ReservedSlots) becomes
/// `insert_or_apply`, whose argument is the value for an absent key. `f` may run more than once; the result
/// of the last run is stored.
#[derive(Debug)]
pub struct Applying<E, H, F> {
    words: H,
    f: F,
    entry: PhantomData<E>,
}

impl<E: Packed, H, F: Fn(E::Value) -> E::Value> Applying<E, H, F> {
    /// These words, with a function.
    #[inline(always)]
    pub const fn new(words: H, f: F) -> Self {
        Self { words, f, entry: PhantomData }
    }

    /// What is put in place of `old`, where the table would put `new`.
    #[inline(always)]
    fn applied(&self, old: E::Word, new: E::Word) -> E::Word {
        let key = E::key(new);
        let replaces = E::key(old) == key && UserKey::new(key).is_some();
        if replaces { E::pack(key, (self.f)(E::value(old))) } else { new }
    }
}

impl<E, H: Copy, F: Copy> Clone for Applying<E, H, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, H: Copy, F: Copy> Copy for Applying<E, H, F> {}

impl<E, H, F> Words<E::Word> for Applying<E, H, F>
where
    E: Packed,
    H: Words<E::Word>,
    F: Fn(E::Value) -> E::Value + Copy,
{
    #[inline(always)]
    fn len(self) -> usize {
        self.words.len()
    }
    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> E::Word {
        self.words.load(index, order)
    }
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [E::Word; N] {
        self.words.load_row(row, order)
    }
    #[inline(always)]
    fn store(self, index: usize, value: E::Word, order: WriteOrder) {
        self.words.store(index, value, order);
    }
    #[inline(always)]
    fn compare_exchange(self, index: usize, current: E::Word, new: E::Word, order: Order) -> E::Word {
        self.words.compare_exchange(index, current, self.applied(current, new), order)
    }
    /// Only under a lock that keeps other writes of this word away: it is read first.
    #[inline(always)]
    fn swap(self, index: usize, value: E::Word, order: Order) -> E::Word {
        // Relaxed: ordered after the last write of this word by the lock.
        let old = self.words.load(index, ReadOrder::Relaxed);
        self.words.swap(index, self.applied(old, value), order)
    }
    #[inline(always)]
    fn prefetch(self, index: usize) {
        self.words.prefetch(index);
    }
}
