//! Words that nothing changes for a while.

use crate::access::instruction;
use crate::global::{Global, by_vectors, load_two};
use warpproof_model::{Order, ReadOrder, Word, Words, WriteOrder};

/// Words that nobody writes while this handle is in use.
///
/// A relaxed load may be answered by the cache of the multiprocessor (`ld.global.nc`), which a [`Global`]
/// passes by: many threads that read the same few words get them faster. Everything else is as of a
/// [`Global`], indices out of range too.
#[derive(Clone, Copy, Debug)]
pub struct Frozen<T, const CHECKED: bool = true>(Global<T, CHECKED>);

impl<T, const CHECKED: bool> Frozen<T, CHECKED> {
    /// A handle to these words.
    ///
    /// # Safety
    ///
    /// Nobody writes the words from the beginning of the launch to its end.
    #[inline(always)]
    pub unsafe fn new(words: Global<T, CHECKED>) -> Self {
        Self(words)
    }
}

impl<T: Read, const CHECKED: bool> Words<T> for Frozen<T, CHECKED>
where
    Global<T, CHECKED>: Words<T>,
{
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> T {
        match (order, self.0.address(index)) {
            (ReadOrder::Acquire, _) => self.0.load(index, order),
            // SAFETY: `address` gave it, and nobody writes the word (`new`).
            (ReadOrder::Relaxed, Some(p)) => unsafe { T::read(p) },
            (ReadOrder::Relaxed, None) => T::ZERO,
        }
    }

    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [T; N] {
        match (order, self.0.row_address::<N>(row)) {
            (ReadOrder::Acquire, _) => self.0.load_row(row, order),
            // SAFETY: `row_address` gave it, and nobody writes the words (`new`).
            (ReadOrder::Relaxed, Some(start)) => unsafe { T::read_row(start) },
            (ReadOrder::Relaxed, None) => [T::ZERO; N],
        }
    }

    #[inline(always)]
    fn store(self, index: usize, value: T, order: WriteOrder) {
        self.0.store(index, value, order);
    }

    #[inline(always)]
    fn compare_exchange(self, index: usize, current: T, new: T, order: Order) -> T {
        self.0.compare_exchange(index, current, new, order)
    }

    #[inline(always)]
    fn swap(self, index: usize, value: T, order: Order) -> T {
        self.0.swap(index, value, order)
    }
}

/// How words are read that nobody writes.
pub trait Read: Word {
    /// The word at this address of the global state space.
    ///
    /// # Safety
    ///
    /// There is such a word, which nobody writes during the launch.
    unsafe fn read(address: u64) -> Self;

    /// The `N` words from this address on.
    ///
    /// # Safety
    ///
    /// There are such words, which nobody writes during the launch. The address is aligned to all of them
    /// together or to 16 bytes, whichever is less.
    #[inline(always)]
    unsafe fn read_row<const N: usize>(address: u64) -> [Self; N] {
        // SAFETY: a part of what the contract of this function names.
        core::array::from_fn(|i| unsafe { Self::read(address + (i * size_of::<Self>()) as u64) })
    }
}

/// Reads the words of a row two at a time.
macro_rules! in_twos {
    ($address:ident, $text:literal, $register:ident, $bytes:literal) => {{
        if !by_vectors(N) {
            // SAFETY: a part of what the contract of `read_row` names.
            return core::array::from_fn(|i| unsafe { Self::read($address + i as u64 * $bytes) });
        }
        let mut words = [0; N];
        load_two!(words[0 2 4 6 8 10 12 14] of N, $text, $register, $bytes, $address);
        words
    }};
}

impl Read for u32 {
    // SAFETY: its contract is that of the trait.
    #[inline(always)]
    unsafe fn read(address: u64) -> Self {
        let word: u32;
        instruction!(["ld.global.nc.b32 {0}, [{1}];"], out(reg32) word, in(reg64) address);
        word
    }

    // SAFETY: its contract is that of the trait.
    #[inline(always)]
    unsafe fn read_row<const N: usize>(address: u64) -> [Self; N] {
        in_twos!(address, "ld.global.nc.v2.b32 {{{0}, {1}}}, [{2}];", reg32, 4)
    }
}

impl Read for u64 {
    // SAFETY: its contract is that of the trait.
    #[inline(always)]
    unsafe fn read(address: u64) -> Self {
        let word: u64;
        instruction!(["ld.global.nc.b64 {0}, [{1}];"], out(reg64) word, in(reg64) address);
        word
    }

    // SAFETY: its contract is that of the trait.
    #[inline(always)]
    unsafe fn read_row<const N: usize>(address: u64) -> [Self; N] {
        in_twos!(address, "ld.global.nc.v2.b64 {{{0}, {1}}}, [{2}];", reg64, 8)
    }
}

impl Read for u128 {
    // SAFETY: its contract is that of the trait.
    #[inline(always)]
    unsafe fn read(address: u64) -> Self {
        let (low, high): (u64, u64);
        instruction!(["ld.global.nc.v2.b64 {{{0}, {1}}}, [{2}];"],
            out(reg64) low, out(reg64) high, in(reg64) address);
        low as u128 | (high as u128) << 64
    }
}
