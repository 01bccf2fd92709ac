//! Words in device memory, at device scope.

mod kept;
mod nearby;
#[cfg(feature = "b128")]
mod wide;

pub use kept::Kept;
pub use nearby::Nearby;

use crate::access::{instruction, integer_words};
use core::arch::asm;
use core::fmt::{Debug, Formatter};
use core::marker::PhantomData;
use core::mem::size_of;
use warpproof_model::{ReadOrder, WriteOrder};

/// A handle to an array of atomic words in device memory, visible to the whole device.
///
/// # Out of range
///
/// [`Words`] is a safe interface, so an index at or beyond the length must touch no memory. With `CHECKED`
/// (the default) one comparison guards every access: an access out of range is skipped, and reads as zero. A
/// row that is not wholly in range is skipped as a whole. Without `CHECKED` there is no guard; the maker of
/// such a handle vouches for every index that will be used with it. `warpproof-kernels` has a feature for
/// that, to measure the guard.
pub struct Global<T, const CHECKED: bool = true> {
    /// Address in the global state space.
    address: u64,
    len: usize,
    word: PhantomData<*mut T>,
}

impl<T, const CHECKED: bool> Clone for Global<T, CHECKED> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const CHECKED: bool> Copy for Global<T, CHECKED> {}

impl<T, const CHECKED: bool> Debug for Global<T, CHECKED> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("Global")
    }
}

impl<T> Global<T> {
    /// A handle to the `len` words at `words`.
    ///
    /// # Safety
    ///
    /// While any copy of the handle is in use: `words` points to `len` words of device memory, aligned to 16
    /// bytes (allocations of the driver are aligned to 256), which everybody accesses by atomic instructions
    /// only.
    #[inline(always)]
    pub unsafe fn new(words: *mut T, len: usize) -> Self {
        Self::at(words, len)
    }
}

impl<T> Global<T, false> {
    /// A handle without a guard against indices out of range.
    ///
    /// # Safety
    ///
    /// As [`Global::new`], and no copy of the handle is ever used with an index at or beyond `len`, nor with
    /// a row that ends there.
    #[inline(always)]
    pub unsafe fn new_unchecked(words: *mut T, len: usize) -> Self {
        Self::at(words, len)
    }
}

impl<T, const CHECKED: bool> Global<T, CHECKED> {
    #[inline(always)]
    fn at(words: *mut T, len: usize) -> Self {
        let address: u64;
        // SAFETY: a conversion of an address; nothing is accessed.
        unsafe {
            asm!("cvta.to.global.u64 {0}, {1};", out(reg64) address, in(reg64) words,
                options(pure, nomem, nostack));
        }
        Self { address, len, word: PhantomData }
    }

    #[inline(always)]
    fn words(self) -> usize {
        self.len
    }

    /// The address of a word, if it may be accessed.
    #[inline(always)]
    pub(crate) fn address(self, index: usize) -> Option<u64> {
        if !CHECKED || index < self.len { Some(self.address + (index * size_of::<T>()) as u64) } else { None }
    }

    /// The address of row `row` of `N` words, if it may be accessed.
    ///
    /// It is aligned to the row or to 16 bytes, whichever is less: the base is aligned to 16 bytes, and the
    /// offset is a multiple of the row. That is what a vector load of up to 16 bytes needs.
    #[inline(always)]
    pub(crate) fn row_address<const N: usize>(self, row: usize) -> Option<u64> {
        // Not `row < len / N`, which would keep the quotient in a register.
        let first = row.checked_mul(N)?;
        if !CHECKED || first.checked_add(N - 1)? < self.len {
            Some(self.address + (first * size_of::<T>()) as u64)
        } else {
            None
        }
    }

    #[inline(always)]
    fn fetch_line(self, index: usize) {
        if let Some(p) = self.address(index) {
            instruction!(["prefetch.global.L2 [{0}];"], in(reg64) p)
        }
    }
}

/// Loads words `$i` and `$i + 1` of a row at `$start`, if it has them. Spelled out for each `$i`, because a
/// loop would make the row an array in memory.
macro_rules! load_two {
    ($row:ident[$($i:literal)*] of $n:ident, $text:literal, $register:ident, $bytes:literal, $start:ident) => {{$(
        if $i < $n {
            let p = $start + $i * $bytes;
            instruction!([$text], out($register) $row[$i], out($register) $row[$i + 1], in(reg64) p);
        }
    )*}};
}

pub(crate) use load_two;

/// As [`load_two!`] for four words.
macro_rules! load_four {
    ($row:ident[$($i:literal)*] of $n:ident, $text:literal, $register:ident, $bytes:literal, $start:ident) => {{$(
        if $i < $n {
            let p = $start + $i * $bytes;
            instruction!([$text], out($register) $row[$i], out($register) $row[$i + 1],
                out($register) $row[$i + 2], out($register) $row[$i + 3], in(reg64) p);
        }
    )*}};
}

/// Stores words `$i` and `$i + 1` of a row at `$start`, if it has them; as [`load_two!`].
macro_rules! store_two {
    ($row:ident[$($i:literal)*] of $n:ident, $text:literal, $register:ident, $bytes:literal, $start:ident) => {{$(
        if $i < $n {
            let p = $start + $i * $bytes;
            instruction!([$text], in(reg64) p, in($register) $row[$i], in($register) $row[$i + 1]);
        }
    )*}};
}

/// As [`store_two!`] for four words.
macro_rules! store_four {
    ($row:ident[$($i:literal)*] of $n:ident, $text:literal, $register:ident, $bytes:literal, $start:ident) => {{$(
        if $i < $n {
            let p = $start + $i * $bytes;
            instruction!([$text], in(reg64) p, in($register) $row[$i], in($register) $row[$i + 1],
                in($register) $row[$i + 2], in($register) $row[$i + 3]);
        }
    )*}};
}

/// Words of the longest row that is read by vector loads.
const LONGEST_ROW: usize = 16;

/// Whether rows of `n` words are read by vector loads. A longer or odd one is read word by word.
#[inline(always)]
pub(crate) const fn by_vectors(n: usize) -> bool {
    n.is_multiple_of(2) && n <= LONGEST_ROW
}

integer_words! {
    [const CHECKED: bool] Global<u32, CHECKED>, u32, "32", reg32, ".gpu.global",
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [u32; N] {
        if !by_vectors(N) {
            return core::array::from_fn(|i| self.load(row * N + i, order));
        }
        let mut words = [0; N];
        let Some(start) = self.row_address::<N>(row) else { return words };
        match (N.is_multiple_of(4), order) {
            (true, ReadOrder::Relaxed) => load_four!(words[0 4 8 12] of N,
                "ld.relaxed.gpu.global.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];", reg32, 4, start),
            (true, ReadOrder::Acquire) => load_four!(words[0 4 8 12] of N,
                "ld.acquire.gpu.global.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];", reg32, 4, start),
            (false, ReadOrder::Relaxed) => load_two!(words[0 2 4 6 8 10 12 14] of N,
                "ld.relaxed.gpu.global.v2.b32 {{{0}, {1}}}, [{2}];", reg32, 4, start),
            (false, ReadOrder::Acquire) => load_two!(words[0 2 4 6 8 10 12 14] of N,
                "ld.acquire.gpu.global.v2.b32 {{{0}, {1}}}, [{2}];", reg32, 4, start),
        }
        words
    }
    #[inline(always)]
    fn store_row<const N: usize>(self, row: usize, words: [u32; N]) {
        if !by_vectors(N) {
            return (0..N).for_each(|i| self.store(row * N + i, words[i], WriteOrder::Relaxed));
        }
        let Some(start) = self.row_address::<N>(row) else { return };
        if N.is_multiple_of(4) {
            store_four!(words[0 4 8 12] of N,
                "st.relaxed.gpu.global.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};", reg32, 4, start);
        } else {
            store_two!(words[0 2 4 6 8 10 12 14] of N,
                "st.relaxed.gpu.global.v2.b32 [{0}], {{{1}, {2}}};", reg32, 4, start);
        }
    }
}

integer_words! {
    [const CHECKED: bool] Global<u64, CHECKED>, u64, "64", reg64, ".gpu.global",
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [u64; N] {
        if !by_vectors(N) {
            return core::array::from_fn(|i| self.load(row * N + i, order));
        }
        let mut words = [0; N];
        let Some(start) = self.row_address::<N>(row) else { return words };
        match order {
            ReadOrder::Relaxed => load_two!(words[0 2 4 6 8 10 12 14] of N,
                "ld.relaxed.gpu.global.v2.b64 {{{0}, {1}}}, [{2}];", reg64, 8, start),
            ReadOrder::Acquire => load_two!(words[0 2 4 6 8 10 12 14] of N,
                "ld.acquire.gpu.global.v2.b64 {{{0}, {1}}}, [{2}];", reg64, 8, start),
        }
        words
    }
    #[inline(always)]
    fn store_row<const N: usize>(self, row: usize, words: [u64; N]) {
        if !by_vectors(N) {
            return (0..N).for_each(|i| self.store(row * N + i, words[i], WriteOrder::Relaxed));
        }
        let Some(start) = self.row_address::<N>(row) else { return };
        store_two!(words[0 2 4 6 8 10 12 14] of N,
            "st.relaxed.gpu.global.v2.b64 [{0}], {{{1}, {2}}};", reg64, 8, start);
    }
}
