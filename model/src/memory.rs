//! Shared memory: arrays of atomic words, by handle.
//!
//! Every access names its order; the scope is in the handle's type (global words are visible to the whole
//! device, block-shared words to one block). There is no plain access: a word that another warp may access is
//! always atomic.
//!
//! | Order | PTX | `std` and loom |
//! |---|---|---|
//! | `Relaxed` | `ld.relaxed` `st.relaxed` `atom.relaxed` | `Relaxed` |
//! | `Acquire` | `ld.acquire` `atom.acquire` | `Acquire` |
//! | `Release` | `st.release` `atom.release` | `Release` |
//! | `AcqRel` | `atom.acq_rel` | `AcqRel` |

use core::fmt::Debug;
use core::hash::Hash;

/// A plain word that fits one atomic access or one shuffle.
pub trait Word: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// All bits clear.
    const ZERO: Self;

    /// The bits, in the low end.
    fn to_bits(self) -> u128;

    /// A word from the low bits of `bits`; the others are dropped.
    fn from_bits(bits: u128) -> Self;
}

macro_rules! word {
    ($($t:ty)*) => {$(
        impl Word for $t {
            const ZERO: Self = 0;
            #[inline(always)]
            fn to_bits(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                bits as $t
            }
        }
    )*};
}
word!(u8 u32 u64 u128);

/// The value of a set's entry: no bits.
impl Word for () {
    const ZERO: Self = ();
    #[inline(always)]
    fn to_bits(self) -> u128 {
        0
    }
    #[inline(always)]
    fn from_bits(_: u128) -> Self {}
}

impl Word for bool {
    const ZERO: Self = false;
    #[inline(always)]
    fn to_bits(self) -> u128 {
        self as u128
    }
    #[inline(always)]
    fn from_bits(bits: u128) -> Self {
        bits & 1 != 0
    }
}

/// Order of a load. A separate type, so that a releasing load cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReadOrder {
    /// Orders nothing.
    Relaxed,
    /// After the load, this lane sees all that the writer of the value did before its release.
    Acquire,
}

/// Order of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WriteOrder {
    /// Orders nothing.
    Relaxed,
    /// A lane that acquires the stored value sees all that this lane did before.
    Release,
}

/// Order of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Orders nothing.
    Relaxed,
    /// The read acquires what the write of the value released.
    Acquire,
    /// The write, if there is one, releases what came before it.
    Release,
    /// Both.
    AcqRel,
}

/// A handle to an array of atomic words.
///
/// An index at or beyond [`Words::len`] touches no memory: the CPU backends panic, the checkers report *out
/// of bounds*, a GPU skips the access and reads zero (see the device crate).
pub trait Words<T: Word>: Copy {
    /// Number of words.
    fn len(self) -> usize;

    /// Whether there are no words.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Reads one word.
    fn load(self, index: usize, order: ReadOrder) -> T;

    /// Reads words `row * N` to `row * N + N - 1`. Each word is a separate access: the row may be torn.
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [T; N] {
        core::array::from_fn(|i| self.load(row * N + i, order))
    }

    /// Writes one word.
    fn store(self, index: usize, value: T, order: WriteOrder);

    /// Writes words `row * N` to `row * N + N - 1`, relaxed. Each word is a separate access.
    #[inline(always)]
    fn store_row<const N: usize>(self, row: usize, values: [T; N]) {
        for (i, value) in values.into_iter().enumerate() {
            self.store(row * N + i, value, WriteOrder::Relaxed);
        }
    }

    /// Writes `new` if the word holds `current`. Returns the old word: the exchange took place exactly if
    /// that equals `current`. A failed exchange reads relaxed unless `order` acquires.
    fn compare_exchange(self, index: usize, current: T, new: T, order: Order) -> T;

    /// Writes `value`, and returns the old word.
    fn swap(self, index: usize, value: T, order: Order) -> T;

    /// Prefetches the cache line of a word. A hint: it reads nothing and orders nothing.
    #[inline(always)]
    fn prefetch(self, _index: usize) {}
}

/// Words that change hands only at barriers and at the ends of launches: in between, no warp accesses a word
/// that another one writes. An access of a wide word may be several.
///
/// An index beyond the end has the effect that [`Words`] describes.
pub trait StagedWords<T: Word>: Copy {
    /// Reads one word.
    fn load(self, index: usize) -> T;

    /// Reads words `row * N` to `row * N + N - 1`.
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize) -> [T; N] {
        core::array::from_fn(|i| self.load(row * N + i))
    }

    /// Writes one word.
    fn store(self, index: usize, value: T);
}

/// Words that count: 32 and 64 bits.
pub trait IntegerWords<T: Word>: Words<T> {
    /// Adds with wrap-around, and returns the old word.
    fn fetch_add(self, index: usize, value: T, order: Order) -> T;

    /// Sets bits, and returns the old word.
    fn fetch_or(self, index: usize, value: T, order: Order) -> T;

    /// Keeps the bits of `value`, and returns the old word.
    fn fetch_and(self, index: usize, value: T, order: Order) -> T;
}

#[cfg(test)]
pub(crate) mod noted {
    use super::{IntegerWords, Order, ReadOrder, Word, Words, WriteOrder};
    use core::cell::Cell;

    /// Words of which nothing else knows. They count their writes, and note what was prefetched.
    pub(crate) type Noted<T, const N: usize> = NotedCells<[Cell<T>; N]>;

    /// So many words, or any number of them: `&NotedCells<[Cell<u32>]>` is a view of words of any number.
    pub(crate) struct NotedCells<A: ?Sized> {
        pub(crate) writes: Cell<u32>,
        pub(crate) prefetched: Cell<Option<usize>>,
        words: A,
    }

    impl<T: Word, const N: usize> Noted<T, N> {
        pub(crate) fn new() -> Self {
            Self::of([T::ZERO; N])
        }

        pub(crate) fn of(words: [T; N]) -> Self {
            Self { words: words.map(Cell::new), writes: Cell::new(0), prefetched: Cell::new(None) }
        }

        pub(crate) fn words(&self) -> [T; N] {
            core::array::from_fn(|at| self.words[at].get())
        }
    }

    impl<A: ?Sized> NotedCells<A> {
        fn change<T: Word>(&self, index: usize, new: impl FnOnce(u128) -> u128) -> T
        where
            A: AsRef<[Cell<T>]>,
        {
            self.writes.set(self.writes.get() + 1);
            let word = &self.words.as_ref()[index];
            word.replace(T::from_bits(new(word.get().to_bits())))
        }
    }

    impl<T: Word, A: AsRef<[Cell<T>]> + ?Sized> Words<T> for &NotedCells<A> {
        fn len(self) -> usize {
            self.words.as_ref().len()
        }
        fn load(self, index: usize, _: ReadOrder) -> T {
            self.words.as_ref()[index].get()
        }
        fn store(self, index: usize, value: T, _: WriteOrder) {
            self.change(index, |_| value.to_bits());
        }
        fn compare_exchange(self, index: usize, current: T, new: T, _: Order) -> T {
            let old = self.words.as_ref()[index].get();
            if old == current { self.change(index, |_| new.to_bits()) } else { old }
        }
        fn swap(self, index: usize, value: T, _: Order) -> T {
            self.change(index, |_| value.to_bits())
        }
        fn prefetch(self, index: usize) {
            self.prefetched.set(Some(index));
        }
    }

    impl<T: Word, A: AsRef<[Cell<T>]> + ?Sized> IntegerWords<T> for &NotedCells<A> {
        fn fetch_add(self, index: usize, value: T, _: Order) -> T {
            self.change(index, |old| old + value.to_bits())
        }
        fn fetch_or(self, index: usize, value: T, _: Order) -> T {
            self.change(index, |old| old | value.to_bits())
        }
        fn fetch_and(self, index: usize, value: T, _: Order) -> T {
            self.change(index, |old| old & value.to_bits())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_their_bits() {
        assert_eq!([false, true].map(Word::to_bits), [0, 1]);
        assert_eq!([0, 1, 2, 3].map(bool::from_bits), [false, true, false, true]);
        assert_eq!(().to_bits(), 0);
        assert_eq!(u32::from_bits(1 << 40 | 7), 7);
        assert_eq!(u128::from_bits(u64::MAX.to_bits()), u64::MAX as u128);
    }

    /// The given number of words, none of which may be accessed.
    #[derive(Clone, Copy)]
    struct Untouched(usize);

    impl Words<u32> for Untouched {
        fn len(self) -> usize {
            self.0
        }
        fn load(self, index: usize, _: ReadOrder) -> u32 {
            unreachable!("a load of word {index}")
        }
        fn store(self, index: usize, _: u32, _: WriteOrder) {
            unreachable!("a store to word {index}")
        }
        fn compare_exchange(self, index: usize, _: u32, _: u32, _: Order) -> u32 {
            unreachable!("an exchange of word {index}")
        }
        fn swap(self, index: usize, _: u32, _: Order) -> u32 {
            unreachable!("a swap of word {index}")
        }
    }

    /// Words each of which holds its index.
    #[derive(Clone, Copy)]
    struct Numbers;

    impl StagedWords<u32> for Numbers {
        fn load(self, index: usize) -> u32 {
            index as u32
        }
        fn store(self, index: usize, _: u32) {
            unreachable!("a store to word {index}")
        }
    }

    #[test]
    fn a_row_of_staged_words_is_of_neighbours() {
        assert_eq!(Numbers.load_row::<3>(5), [15, 16, 17]);
    }

    #[test]
    fn words_are_empty_without_a_word() {
        assert!(Untouched(0).is_empty());
        assert!(!Untouched(1).is_empty());
    }
}
