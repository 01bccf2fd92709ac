//! Words of tables in device memory.

use warpproof_device::{Global, Kept};
use warpproof_model::Words;
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::open::LockWordSlots;
use warpproof_model::reserved::{ReservedSlots, reserved_keys};

/// Whether words guard against indices out of range: always, except to measure the cost of the guard.
pub(crate) const CHECKED: bool = !cfg!(feature = "unchecked");

/// Device words of our tables.
pub(crate) type Store<T> = Global<T, CHECKED>;

/// The words of a filter, or of the locks of a cuckoo table.
pub(crate) type Beside = Kept<CHECKED>;

/// A handle to the words of a table.
///
/// # Safety
///
/// As [`Global::new`]; with the feature `unchecked` as [`Global::new_unchecked`].
#[inline(always)]
pub(crate) unsafe fn store<T>(words: *mut T, len: usize) -> Store<T> {
    #[cfg(not(feature = "unchecked"))]
    // SAFETY: the contract of this function.
    unsafe {
        Global::new(words, len)
    }
    #[cfg(feature = "unchecked")]
    // SAFETY: the contract of this function.
    unsafe {
        Global::new_unchecked(words, len)
    }
}

/// The reserved keys of a table of entries `E`, in one word each.
pub(crate) type Reserved<E> = ReservedSlots<E, Store<<E as Packed>::Word>>;

/// A handle to the `len` words of a table, and one to those of its reserved keys, which follow them.
///
/// # Safety
///
/// As [`store`], of all these words.
#[inline(always)]
pub(crate) unsafe fn slots<E: Packed>(words: *mut E::Word, len: usize) -> (Store<E::Word>, Reserved<E>)
where
    Store<E::Word>: Words<E::Word>,
{
    // SAFETY: the contract of this function.
    unsafe {
        let reserved = store(words.add(len), reserved_keys::<E>() as usize);
        (store(words, len), ReservedSlots::new(reserved))
    }
}

/// Handles to two arrays of `len` words.
///
/// # Safety
///
/// As [`store`], of both.
#[inline(always)]
pub(crate) unsafe fn stores(keys: *mut u64, values: *mut u64, len: usize) -> [Store<u64>; 2] {
    // SAFETY: the contract of this function.
    unsafe { [store(keys, len), store(values, len)] }
}

/// Handles to entries of two words each, in two arrays of `len` words. The first handle is to the slots, the
/// second to the words of the reserved keys, which follow them (as in [`slots`]).
///
/// # Safety
///
/// As [`store`], of all words of both arrays.
#[inline(always)]
pub(crate) unsafe fn lock_word_slots(
    keys: *mut u64,
    values: *mut u64,
    len: usize,
) -> (LockWordSlots<Store<u64>>, ReservedSlots<Pair64, LockWordSlots<Store<u64>>>) {
    // SAFETY: the contract of this function.
    unsafe {
        let (slots, more) = (stores(keys, values, len), reserved_keys::<Pair64>() as usize);
        let reserved = [keys, values].map(|words| store(words.add(len), more));
        let [slots, reserved] = [slots, reserved].map(|[keys, values]| LockWordSlots::new(keys, values));
        (slots, ReservedSlots::new(reserved))
    }
}
