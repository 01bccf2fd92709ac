//! Bins: the memory of partitions while blocks fill them concurrently. A bin has the entries of one partition
//! of the homes ([`crate::partition`]) and its number; it is a part of an array, with a counter.

use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, ReadOrder, StagedWords, Word};
use crate::retrieve::{self, Source};
use core::marker::PhantomData;

/// A handle to bins of `room` words each, the number of each word's operation, and how many words of each are
/// taken: a Copy view.
#[derive(Clone, Copy, Debug)]
pub struct Bins<H, G, N> {
    words: H,
    numbers: G,
    taken: N,
    room: u32,
}

impl<H: Copy, G: StagedWords<u32>, N: IntegerWords<u32>> Bins<H, G, N> {
    /// The bins in `words`, one for each word of `taken`, which are zero at first. There are as many
    /// `numbers` as words, or none if no [`Outcomes`](super::Outcomes) are told.
    #[inline(always)]
    pub const fn new((words, numbers): (H, G), taken: N, room: u32) -> Self {
        Self { words, numbers, taken, room }
    }

    /// How many words of a bin are taken. A block that asked for more got none.
    #[inline(always)]
    pub(super) fn len(self, bin: u32) -> u32 {
        // Relaxed: written by an earlier launch.
        self.taken.load(bin as usize, ReadOrder::Relaxed).min(self.room)
    }

    /// Takes the next `n` words of a bin, as far as it has them. Returns the number of the first.
    #[inline(always)]
    pub(super) fn take(self, bin: u32, n: u32) -> u32 {
        // Relaxed: the number depends on no other memory.
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

    /// Reads the number of the operation of word number `at`, as [`load`](Self::load) reads the word.
    #[inline(always)]
    pub(super) fn number(self, bin: u32, at: u32) -> u32 {
        self.numbers.load(self.index(bin, at))
    }

    /// Writes the number of the operation of a word that was taken.
    #[inline(always)]
    pub(super) fn store_number(self, bin: u32, at: u32, number: u32) {
        self.numbers.store(self.index(bin, at), number);
    }
}

/// A source of entries that knows the operation of each.
pub trait Numbered: Source {
    /// Whether it is the batch itself.
    const IS_BATCH: bool;

    /// The number of the operation of a slot below [`slots`](Source::slots), in the batch.
    fn number(self, slot: u64) -> u32;
}

/// A batch: slot `i` of the source is operation `i`, of fewer than 2^32.
#[derive(Clone, Copy, Debug)]
pub struct Batch<A>(pub A);

impl<A: Source> Source for Batch<A> {
    type Entry = A::Entry;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.0.slots()
    }

    #[inline(always)]
    fn load(self, slot: u64) -> <A::Entry as Packed>::Word {
        self.0.load(slot)
    }

    #[inline(always)]
    fn reserved(self, slot: u64) -> Option<retrieve::ReservedEntry<Self>> {
        self.0.reserved(slot)
    }
}

impl<A: Source> Numbered for Batch<A> {
    const IS_BATCH: bool = true;

    #[inline(always)]
    fn number(self, slot: u64) -> u32 {
        slot as u32
    }
}

/// The words of one bin, as a source of entries.
#[derive(Clone, Copy, Debug)]
pub struct Bin<E, H, G, N> {
    bins: Bins<H, G, N>,
    bin: u32,
    len: u32,
    entry: PhantomData<E>,
}

impl<E: Packed, H: StagedWords<E::Word>, G: StagedWords<u32>, N: IntegerWords<u32>> Bin<E, H, G, N> {
    /// The words of bin number `bin` of `bins`, which an earlier launch has filled.
    #[inline(always)]
    pub fn new(bins: Bins<H, G, N>, bin: u32) -> Self {
        Self { bins, bin, len: bins.len(bin), entry: PhantomData }
    }
}

impl<E: Packed, H: StagedWords<E::Word>, G: StagedWords<u32>, N: IntegerWords<u32>> Numbered
    for Bin<E, H, G, N>
{
    const IS_BATCH: bool = false;

    #[inline(always)]
    fn number(self, slot: u64) -> u32 {
        self.bins.number(self.bin, slot as u32)
    }
}

impl<E: Packed, H: StagedWords<E::Word>, G: StagedWords<u32>, N: IntegerWords<u32>> Source
    for Bin<E, H, G, N>
{
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
