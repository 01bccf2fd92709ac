//! Answers of mixed batches, and the result of `search_all`.

use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use alloc::vec::Vec;

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

impl<V: Copy> Answer<V> {
    /// The answer to `op`, from the result of the table; `None` if the code is not one of that operation.
    #[inline(always)]
    pub fn new(op: Op, said: Mixed<V>) -> Option<Self> {
        Some(match op {
            Op::Insert | Op::InsertUnique => Self::Insert(Insert::from_code(said.code)?),
            Op::Assign => Self::Assign(Assign::from_code(said.code)?),
            Op::Delete => Self::Delete(Delete::from_code(said.code)?),
            Op::Search => Self::Search(match said.code {
                0 => None,
                1 => Some(said.value),
                _ => return None,
            }),
        })
    }
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

    /// Every match: the number of its key in the batch, and a value of that key. Keys without a value have
    /// none (an inner join).
    pub fn iter(&self) -> impl Iterator<Item = (usize, &V)> {
        (0..self.keys()).flat_map(|key| self.of(key).iter().map(move |value| (key, value)))
    }

    /// Every match, as [`iter`](Self::iter) does, and `None` once for a key without a value (an outer join).
    pub fn outer(&self) -> impl Iterator<Item = (usize, Option<&V>)> {
        (0..self.keys()).flat_map(|key| {
            let values = self.of(key);
            let none = values.is_empty().then_some((key, None));
            values.iter().map(move |value| (key, Some(value))).chain(none)
        })
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn matches_are_joined_inner_and_outer() {
        let found = Matches { offsets: vec![0, 2, 2, 3], values: vec!['a', 'b', 'c'] };
        assert!(found.iter().eq([(0, &'a'), (0, &'b'), (2, &'c')]));
        assert!(found.outer().eq([(0, Some(&'a')), (0, Some(&'b')), (1, None), (2, Some(&'c'))]));
    }
}
