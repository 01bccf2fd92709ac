//! Words over atomics: those of std, and 128 bits.

mod wide;

use super::large_pages::with_room;
use core::slice;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use portable_atomic::AtomicU128;
use rayon::prelude::*;
use std::collections::TryReserveError;
use warpproof_model::{IntegerWords, Order, ReadOrder, Word, Words, WriteOrder};

/// Bytes that one memory access fetches: arrays start at a multiple of it.
const LINE: usize = 64;

/// Words that a warp reads at once in the tables of the library: a slab of pairs, a group.
const READ_AT_ONCE: usize = 8;

/// The atomic type of a word.
pub trait AtomicWord: Send + Sync {
    /// The word.
    type Word: Word;
    /// An atomic that holds `word`.
    fn new(word: Self::Word) -> Self;
    /// See [`Words::load`].
    fn load(&self, order: Ordering) -> Self::Word;
    /// See [`Words::load_row`]. `row` has `S` words.
    #[inline(always)]
    fn load_row<const S: usize>(row: &[Self; S], order: Ordering) -> [Self::Word; S]
    where
        Self: Sized,
    {
        core::array::from_fn(|i| row[i].load(order))
    }
    /// See [`Words::store`].
    fn store(&self, word: Self::Word, order: Ordering);
    /// See [`Words::compare_exchange`].
    fn exchange(
        &self,
        current: Self::Word,
        new: Self::Word,
        order: Ordering,
        failure: Ordering,
    ) -> Self::Word;
    /// See [`Words::swap`].
    fn swap(&self, word: Self::Word, order: Ordering) -> Self::Word;
    /// See [`IntegerWords::fetch_add`].
    fn fetch_add(&self, word: Self::Word, order: Ordering) -> Self::Word;
    /// See [`IntegerWords::fetch_or`].
    fn fetch_or(&self, word: Self::Word, order: Ordering) -> Self::Word;
    /// See [`IntegerWords::fetch_and`].
    fn fetch_and(&self, word: Self::Word, order: Ordering) -> Self::Word;
}

macro_rules! atomic_word {
    ($($atomic:ty: $word:ty $(, $load_row:item)?;)*) => {$(
        impl AtomicWord for $atomic {
            type Word = $word;
            #[inline(always)]
            fn new(word: $word) -> Self {
                Self::new(word)
            }
            #[inline(always)]
            fn load(&self, order: Ordering) -> $word {
                self.load(order)
            }
            $($load_row)?
            #[inline(always)]
            fn store(&self, word: $word, order: Ordering) {
                self.store(word, order);
            }
            #[inline(always)]
            fn exchange(&self, current: $word, new: $word, order: Ordering, failure: Ordering) -> $word {
                match self.compare_exchange(current, new, order, failure) {
                    Ok(old) | Err(old) => old,
                }
            }
            #[inline(always)]
            fn swap(&self, word: $word, order: Ordering) -> $word {
                self.swap(word, order)
            }
            #[inline(always)]
            fn fetch_add(&self, word: $word, order: Ordering) -> $word {
                self.fetch_add(word, order)
            }
            #[inline(always)]
            fn fetch_or(&self, word: $word, order: Ordering) -> $word {
                self.fetch_or(word, order)
            }
            #[inline(always)]
            fn fetch_and(&self, word: $word, order: Ordering) -> $word {
                self.fetch_and(word, order)
            }
        }
    )*};
}
atomic_word! {
    AtomicU32: u32;
    AtomicU64: u64;
    AtomicU128: u128,
    #[inline(always)]
    fn load_row<const S: usize>(row: &[Self; S], order: Ordering) -> [u128; S] {
        wide::load_row(row, order)
    };
}

/// One cache line of words. A slab of eight u64 words is exactly one line.
#[repr(align(64))]
struct Line<A, const N: usize>([A; N]);

/// An owned array of atomic words that starts on a cache line.
pub struct Array<A: AtomicWord, const N: usize> {
    lines: Vec<Line<A, N>>,
    len: usize,
}

impl<A: AtomicWord, const N: usize> Array<A, N> {
    /// `len` words, word `i` holding `initial(i)`, written with all threads.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(len: usize, initial: impl Fn(usize) -> A::Word + Sync) -> Result<Self, TryReserveError> {
        Self::made(len, |lines, count| {
            lines.par_extend((0..count).into_par_iter().map(|l| line(l, &initial)));
        })
    }

    /// An array of `len` words, made by this thread alone: for a caller that holds a lock for which other
    /// threads may wait.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new_alone(len: usize, initial: impl Fn(usize) -> A::Word) -> Result<Self, TryReserveError> {
        Self::made(len, |lines, count| lines.extend((0..count).map(|l| line(l, &initial))))
    }

    fn made(len: usize, fill: impl FnOnce(&mut Vec<Line<A, N>>, usize)) -> Result<Self, TryReserveError> {
        const { assert!(N * size_of::<A>() == LINE) };
        let count = len.div_ceil(N);
        let mut lines = with_room(count)?;
        fill(&mut lines, count);
        Ok(Self { lines, len })
    }

    /// Makes word `i` hold `initial(i)`, for all words, with all threads.
    pub fn fill(&mut self, initial: impl Fn(usize) -> A::Word + Sync) {
        self.lines.par_iter_mut().enumerate().for_each(|(l, old)| *old = line(l, &initial));
    }

    /// Copies the words of an array of the same length, with all threads.
    pub fn copy_from(&mut self, from: &Self) {
        let from = from.words();
        self.fill(|i| from.words[i].load(Ordering::Relaxed));
    }

    /// A handle to the words.
    #[inline(always)]
    pub fn words(&self) -> CpuWords<'_, A, N> {
        // SAFETY: a line is `N` words and nothing else, as `made` asserts: the lines are so many words in a
        // row.
        let words = unsafe { slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * N) };
        CpuWords { words, len: self.len }
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.lines.len() * LINE
    }
}

/// Line `l` of an array whose word `i` holds `initial(i)`.
fn line<A: AtomicWord, const N: usize>(l: usize, initial: impl Fn(usize) -> A::Word) -> Line<A, N> {
    Line(core::array::from_fn(|i| A::new(initial(l * N + i))))
}

/// A handle to an [`Array`]. An index beyond the end panics.
pub struct CpuWords<'a, A, const N: usize> {
    /// The words of whole lines: `len` words, and those after them in the last line.
    words: &'a [A],
    len: usize,
}

impl<A, const N: usize> Clone for CpuWords<'_, A, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, const N: usize> Copy for CpuWords<'_, A, N> {}

impl<A, const N: usize> CpuWords<'_, A, N> {
    #[inline(always)]
    fn at(&self, index: usize) -> &A {
        &self.words[index]
    }
}

#[inline(always)]
fn read(order: ReadOrder) -> Ordering {
    match order {
        ReadOrder::Relaxed => Ordering::Relaxed,
        ReadOrder::Acquire => Ordering::Acquire,
    }
}

/// The success and failure order of a read-modify-write.
#[inline(always)]
fn rmw(order: Order) -> (Ordering, Ordering) {
    match order {
        Order::Relaxed => (Ordering::Relaxed, Ordering::Relaxed),
        Order::Acquire => (Ordering::Acquire, Ordering::Acquire),
        Order::Release => (Ordering::Release, Ordering::Relaxed),
        Order::AcqRel => (Ordering::AcqRel, Ordering::Acquire),
    }
}

impl<A: AtomicWord, const N: usize> Words<A::Word> for CpuWords<'_, A, N> {
    #[inline(always)]
    fn len(self) -> usize {
        self.len
    }

    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> A::Word {
        self.at(index).load(read(order))
    }

    #[inline(always)]
    fn load_row<const S: usize>(self, row: usize, order: ReadOrder) -> [A::Word; S] {
        match self.words[row * S..].first_chunk::<S>() {
            Some(row) => A::load_row(row, read(order)),
            // A row that reaches beyond the end: its words one by one, up to the panic.
            None => core::array::from_fn(|i| self.load(row * S + i, order)),
        }
    }

    #[inline(always)]
    fn store(self, index: usize, value: A::Word, order: WriteOrder) {
        self.at(index).store(
            value,
            match order {
                WriteOrder::Relaxed => Ordering::Relaxed,
                WriteOrder::Release => Ordering::Release,
            },
        );
    }

    #[inline(always)]
    fn compare_exchange(self, index: usize, current: A::Word, new: A::Word, order: Order) -> A::Word {
        let (order, failure) = rmw(order);
        self.at(index).exchange(current, new, order, failure)
    }

    #[inline(always)]
    fn swap(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.at(index).swap(value, rmw(order).0)
    }

    /// Prefetches the line of a word; if a line has fewer words than a warp reads at once, the next one too.
    #[inline(always)]
    fn prefetch(self, index: usize) {
        for line in 0..READ_AT_ONCE.div_ceil(N) {
            ask_for(self.words, index + line * N);
        }
    }
}

impl<A: AtomicWord, const N: usize> IntegerWords<A::Word> for CpuWords<'_, A, N> {
    #[inline(always)]
    fn fetch_add(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.at(index).fetch_add(value, rmw(order).0)
    }

    #[inline(always)]
    fn fetch_or(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.at(index).fetch_or(value, rmw(order).0)
    }

    #[inline(always)]
    fn fetch_and(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.at(index).fetch_and(value, rmw(order).0)
    }
}
/// Prefetches the line of an element, if there is such an element.
#[inline(always)]
pub(super) fn ask_for<T>(elements: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(index) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch may be given any address; this one is that of a live element.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, index);
}
