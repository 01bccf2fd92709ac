//! Some words of an array.

use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// The `len` words of an array from the first on. Another index is out of bounds of the array itself.
#[derive(Clone, Copy)]
pub(super) struct Part<H> {
    pub(super) words: H,
    pub(super) first: usize,
    pub(super) len: usize,
}

impl<H> Part<H> {
    fn at(&self, index: usize) -> usize {
        if index < self.len { self.first + index } else { usize::MAX }
    }
}

impl<H: IntegerWords<u32>> Words<u32> for Part<H> {
    fn len(self) -> usize {
        self.len
    }
    fn load(self, index: usize, order: ReadOrder) -> u32 {
        self.words.load(self.at(index), order)
    }
    fn store(self, index: usize, value: u32, order: WriteOrder) {
        self.words.store(self.at(index), value, order);
    }
    fn compare_exchange(self, index: usize, current: u32, new: u32, order: Order) -> u32 {
        self.words.compare_exchange(self.at(index), current, new, order)
    }
    fn swap(self, index: usize, value: u32, order: Order) -> u32 {
        self.words.swap(self.at(index), value, order)
    }
}

impl<H: IntegerWords<u32>> IntegerWords<u32> for Part<H> {
    fn fetch_add(self, index: usize, value: u32, order: Order) -> u32 {
        self.words.fetch_add(self.at(index), value, order)
    }
    fn fetch_or(self, index: usize, value: u32, order: Order) -> u32 {
        self.words.fetch_or(self.at(index), value, order)
    }
    fn fetch_and(self, index: usize, value: u32, order: Order) -> u32 {
        self.words.fetch_and(self.at(index), value, order)
    }
}
