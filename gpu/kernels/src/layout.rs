//! The layouts of tables: which entries over which words. One module per structure.

use warpproof_device::Global;

/// The layouts of buckets whose entries are one word each, with what stands beside the slots and the scheme of probing.
macro_rules! packed_buckets {
    ($filter:ty, $scheme:ty) => {
        $crate::layout::packed_buckets! { @ set32 Key32, u32, u32, (): $filter, $scheme }
        $crate::layout::packed_buckets! { @ set64 Key64, u64, u64, (): $filter, $scheme }
        $crate::layout::packed_buckets! { @ map32 Pair32, u64, u32, u32: $filter, $scheme }
        #[cfg(feature = "b128")]
        $crate::layout::packed_buckets! { @ map64 Pair64, u128, u64, u64: $filter, $scheme }
    };
    (@ $layout:ident $entry:ident, $word:ty, $key:ty, $value:ty: $filter:ty, $scheme:ty) => {
        #[doc = concat!("`", stringify!($entry), "` in words of `", stringify!($word), "`.")]
        pub(crate) mod $layout {
            use super::*;
            pub(crate) type Filter = $filter;
            pub(crate) type Word = $word;
            pub(crate) type Key = $key;
            #[allow(dead_code, reason = "kernels of sets take no values")]
            pub(crate) type Value = $value;
            pub(crate) type Table<const S: usize> = warpproof_model::open::OpenTable<
                warpproof_model::entry::$entry,
                $crate::layout::Store<$word>,
                Filter,
                $scheme,
                S,
            >;
        }
    };
}
pub(crate) use packed_buckets;

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
