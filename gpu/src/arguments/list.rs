//! A list of arguments on the stack, so that a launch allocates nothing.

use super::Argument;
use core::ops::Deref;

/// Arguments in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    array: [Argument; Self::MOST],
    len: usize,
}

impl List {
    /// The room of a list. No kernel takes as many: tests make the arguments of all.
    pub(crate) const MOST: usize = 32;

    /// The arguments of `first`, then those of `rest`.
    pub(crate) fn new(first: &[Argument], rest: &[Argument]) -> Self {
        let mut list = Self { array: [Argument::Count; Self::MOST], len: 0 };
        list.extend(first);
        list.extend(rest);
        list
    }

    /// Adds some after the last.
    pub(crate) fn extend(&mut self, more: &[Argument]) {
        self.insert(self.len, more);
    }

    /// Inserts some before number `at`, or after the last.
    pub(crate) fn insert(&mut self, at: usize, more: &[Argument]) {
        self.array.copy_within(at..self.len, at + more.len());
        self.array[at..at + more.len()].copy_from_slice(more);
        self.len += more.len();
    }

    /// Removes number `at`.
    pub(crate) fn remove(&mut self, at: usize) {
        self.array.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }
}

impl Deref for List {
    type Target = [Argument];

    fn deref(&self) -> &[Argument] {
        &self.array[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_put_in_and_taken_out_in_order() {
        let [a, b, c, d] = [1, 2, 3, 4].map(Argument::U32);
        let mut list = List::new(&[a], &[d]);
        list.insert(1, &[b, c]);
        assert_eq!(list[..], [a, b, c, d]);
        list.remove(1);
        assert_eq!(list[..], [a, c, d]);
        list.extend(&[b]);
        assert_eq!((list[..].last(), list.len()), (Some(&b), 4));
    }
}
