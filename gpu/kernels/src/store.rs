//! Words of tables in device memory.

use warpproof_device::Global;

/// Whether words guard against indices out of range. Always, except to measure what that costs.
pub(crate) const CHECKED: bool = !cfg!(feature = "unchecked");

/// Device words of our tables.
pub(crate) type Store<T> = Global<T, CHECKED>;

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
