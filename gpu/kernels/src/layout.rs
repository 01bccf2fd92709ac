//! The layouts of tables: which entries over which words. One module per structure.

use warpproof_device::Global;

pub(crate) mod cuckoo;
pub(crate) mod hop;
pub(crate) mod open;
pub(crate) mod slab;

/// Whether words guard against indices out of range. Always, except to measure what that costs.
pub(crate) const CHECKED: bool = !cfg!(feature = "unchecked");

/// Device words of our tables.
pub(crate) type Store<T> = Global<T, CHECKED>;

/// A handle to the words of a table.
///
/// # Safety
///
/// As [`Global::new`].
#[cfg(not(feature = "unchecked"))]
#[inline(always)]
pub(crate) unsafe fn store<T>(words: *mut T, len: usize) -> Store<T> {
    // SAFETY: the contract of this function.
    unsafe { Global::new(words, len) }
}

/// A handle to the words of a table.
///
/// # Safety
///
/// As [`Global::new_unchecked`].
#[cfg(feature = "unchecked")]
#[inline(always)]
pub(crate) unsafe fn store<T>(words: *mut T, len: usize) -> Store<T> {
    // SAFETY: the contract of this function.
    unsafe { Global::new_unchecked(words, len) }
}
