//! Operations and answers of mixed batches, and the result of `search_all`.

use crate::outcome::{Assign, Delete, Insert};
use alloc::vec::Vec;

/// An operation of a mixed batch. The numbers are the codes that a kernel reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Op {
    /// Add a pair.
    Insert = 0,
    /// Add a pair if the key is absent.
    InsertUnique = 1,
    /// Add a pair or replace the value.
    Assign = 2,
    /// Take out one pair.
    Delete = 3,
    /// Look for a value.
    Search = 4,
}

/// The answer to an [`Op`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer<V> {
    /// To an insert or a unique insert.
    Insert(Insert),
    /// To an assign.
    Assign(Assign),
    /// To a delete.
    Delete(Delete),
    /// To a search.
    Search(Option<V>),
}

/// The values found for many keys: those of key `i` are `values[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matches<V> {
    /// Where the values of each key begin; one more entry than keys.
    pub offsets: Vec<u64>,
    /// The values, key after key.
    pub values: Vec<V>,
}

impl<V> Matches<V> {
    /// The values of key `index`; empty if there is no such key.
    pub fn of(&self, index: usize) -> &[V] {
        match (self.offsets.get(index), self.offsets.get(index + 1)) {
            (Some(&from), Some(&to)) => self.values.get(from as usize..to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
}
