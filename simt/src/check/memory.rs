//! Memory as an engine sees it: named arrays of words, and one function for every access.

use super::panics::engine;
use core::marker::PhantomData;
use warpproof_model::{IntegerWords, Order, ReadOrder, Word, Words, WriteOrder};

/// The effect of an access on its word. Values are the word's bits, in the low end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Reads.
    Load(ReadOrder),
    /// Writes a value.
    Store(u128, WriteOrder),
    /// Writes `new` if the word holds `current`.
    Exchange {
        /// What the word must hold.
        current: u128,
        /// What is written.
        new: u128,
        /// The order if the exchange succeeds.
        order: Order,
    },
    /// Writes a value and returns the old one.
    Swap(u128, Order),
    /// Adds.
    Add(u128, Order),
    /// Sets bits.
    Or(u128, Order),
    /// Keeps bits.
    And(u128, Order),
}

impl Access {
    /// Returns the new value of a word that held `old`, or `None` if nothing is written.
    pub fn apply(self, old: u128, width: u32) -> Option<u128> {
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        match self {
            Self::Load(_) => None,
            Self::Store(value, _) | Self::Swap(value, _) => Some(value),
            Self::Exchange { current, new, .. } => (old == current).then_some(new),
            Self::Add(value, _) => Some(old.wrapping_add(value) & mask),
            Self::Or(value, _) => Some(old | value),
            Self::And(value, _) => Some(old & value),
        }
    }

    /// The name of the access in one word, including its order.
    pub fn name(self) -> String {
        match self {
            Self::Load(order) => format!("load {order:?}"),
            Self::Store(_, order) => format!("store {order:?}"),
            Self::Exchange { order, .. } => format!("cas {order:?}"),
            Self::Swap(_, order) => format!("swap {order:?}"),
            Self::Add(_, order) => format!("add {order:?}"),
            Self::Or(_, order) => format!("or {order:?}"),
            Self::And(_, order) => format!("and {order:?}"),
        }
    }
}

/// The words of an engine, for one warp.
pub trait Cells {
    /// Number of words of an array.
    fn len(&self, array: usize) -> usize;

    /// Accesses one word and returns its old value. An index beyond the array does not return: the engine
    /// unwinds and reports it.
    fn access(&self, array: usize, index: usize, access: Access) -> u128;
}

/// The memory of a structure under check, which has handles to its arrays, by number.
pub trait Memory: Copy {
    /// Handle to an array of 32-bit words.
    type W32: IntegerWords<u32>;
    /// Handle to an array of 64-bit words.
    type W64: IntegerWords<u64>;
    /// Handle to an array of 128-bit words.
    type W128: Words<u128>;

    /// Array `array`, of 32-bit words.
    fn w32(self, array: usize) -> Self::W32;
    /// Array `array`, of 64-bit words.
    fn w64(self, array: usize) -> Self::W64;
    /// Array `array`, of 128-bit words.
    fn w128(self, array: usize) -> Self::W128;
}

/// A view of some [`Cells`]. All engines use this one type, so that a structure is compiled once for all.
#[derive(Clone, Copy)]
pub struct View<'a>(pub &'a dyn Cells);

impl<'a> Memory for View<'a> {
    type W32 = Handle<'a, u32>;
    type W64 = Handle<'a, u64>;
    type W128 = Handle<'a, u128>;

    fn w32(self, array: usize) -> Self::W32 {
        Handle { cells: self.0, array, word: PhantomData }
    }
    fn w64(self, array: usize) -> Self::W64 {
        Handle { cells: self.0, array, word: PhantomData }
    }
    fn w128(self, array: usize) -> Self::W128 {
        Handle { cells: self.0, array, word: PhantomData }
    }
}

/// A handle to one array of some [`Cells`].
pub struct Handle<'a, T> {
    cells: &'a dyn Cells,
    array: usize,
    word: PhantomData<T>,
}

impl<T> Clone for Handle<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<'_, T> {}

impl<T: Word> Handle<'_, T> {
    fn access(self, index: usize, access: Access) -> T {
        T::from_bits(engine(|| self.cells.access(self.array, index, access)))
    }
}

impl<T: Word> Words<T> for Handle<'_, T> {
    fn len(self) -> usize {
        engine(|| self.cells.len(self.array))
    }
    fn load(self, index: usize, order: ReadOrder) -> T {
        self.access(index, Access::Load(order))
    }
    fn store(self, index: usize, value: T, order: WriteOrder) {
        self.access(index, Access::Store(value.to_bits(), order));
    }
    fn compare_exchange(self, index: usize, current: T, new: T, order: Order) -> T {
        let (current, new) = (current.to_bits(), new.to_bits());
        self.access(index, Access::Exchange { current, new, order })
    }
    fn swap(self, index: usize, value: T, order: Order) -> T {
        self.access(index, Access::Swap(value.to_bits(), order))
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl IntegerWords<$t> for Handle<'_, $t> {
            fn fetch_add(self, index: usize, value: $t, order: Order) -> $t {
                self.access(index, Access::Add(value.to_bits(), order))
            }
            fn fetch_or(self, index: usize, value: $t, order: Order) -> $t {
                self.access(index, Access::Or(value.to_bits(), order))
            }
            fn fetch_and(self, index: usize, value: $t, order: Order) -> $t {
                self.access(index, Access::And(value.to_bits(), order))
            }
        }
    )*};
}
integers!(u32 u64);
