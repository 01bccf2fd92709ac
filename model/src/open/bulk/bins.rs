//! Bins: parts of an array that blocks fill at once, each with a counter.

use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, ReadOrder, StagedWords, Word};
use crate::retrieve::Source;
use core::marker::PhantomData;

/// A handle to bins of `room` words each, and how many of each are taken: a Copy view.
#[derive(Clone, Copy, Debug)]
pub struct Bins<H, N> {
    words: H,
    taken: N,
    room: u32,
}

impl<H: Copy, N: IntegerWords<u32>> Bins<H, N> {
    /// The bins in `words`, one for each word of `taken`, which are zero at first.
    #[inline(always)]
    pub const fn new(words: H, taken: N, room: u32) -> Self {
        Self { words, taken, room }
    }

    /// How many words of a bin are taken. Those that asked for more have got none.
    #[inline(always)]
    pub(super) fn len(self, bin: u32) -> u32 {
        // Relaxed: written by an earlier launch.
        self.taken.load(bin as usize, ReadOrder::Relaxed).min(self.room)
    }

    /// Takes the next `n` words of a bin, as far as it has them: the number of the first.
    #[inline(always)]
    pub(super) fn take(self, bin: u32, n: u32) -> u32 {
        // Relaxed: the number is right by itself.
        self.taken.fetch_add(bin as usize, n, Order::Relaxed)
    }

    /// Whether a bin has word number `at`.
    #[inline(always)]
    pub(super) fn has(self, at: u32) -> bool {
        at < self.room
    }

    #[inline(always)]
    fn index(self, bin: u32, at: u32) -> usize {
        bin as usize * self.room as usize + at as usize
    }

    /// Reads word number `at` of a bin, which it has and an earlier launch wrote.
    #[inline(always)]
    pub(super) fn load<T: Word>(self, bin: u32, at: u32) -> T
    where
        H: StagedWords<T>,
    {
        self.words.load(self.index(bin, at))
    }

    /// Writes a word that was taken, for a later launch.
    #[inline(always)]
    pub(super) fn store<T: Word>(self, bin: u32, at: u32, word: T)
    where
        H: StagedWords<T>,
    {
        self.words.store(self.index(bin, at), word);
    }
}

/// The words of one bin, as a source of entries.
#[derive(Clone, Copy, Debug)]
pub struct Bin<E, H, N> {
    bins: Bins<H, N>,
    bin: u32,
    len: u32,
    entry: PhantomData<E>,
}

impl<E: Packed, H: StagedWords<E::Word>, N: IntegerWords<u32>> Bin<E, H, N> {
    /// Those of bin number `bin` of `bins`, which an earlier launch has filled.
    #[inline(always)]
    pub fn new(bins: Bins<H, N>, bin: u32) -> Self {
        Self { bins, bin, len: bins.len(bin), entry: PhantomData }
    }
}

impl<E: Packed, H: StagedWords<E::Word>, N: IntegerWords<u32>> Source for Bin<E, H, N> {
    type Entry = E;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.len as u64
    }

    #[inline(always)]
    fn load(self, slot: u64) -> E::Word {
        self.bins.load(self.bin, slot as u32)
    }
}
