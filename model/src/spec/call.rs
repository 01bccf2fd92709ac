//! Calls and returns, the vocabulary of histories.

use crate::outcome::{Add, Assign, Delete, Insert};
use alloc::vec::Vec;

/// An operation of a structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Op {
    /// Adds a pair, whether or not the key is there.
    Insert,
    /// Adds a pair if the key is absent.
    InsertUnique,
    /// Adds a pair, or replaces the value of one pair of the key.
    InsertOrAssign,
    /// Adds a pair, or adds its value to the value of one pair of the key. Sums do not wrap: programs have
    /// small values.
    InsertOrAdd,
    /// Some value of the key.
    Search,
    /// All values of the key.
    SearchAll,
    /// How many pairs the key has.
    Count,
    /// Deletes one pair of the key.
    Delete,
    /// Deletes pairs of the key until it is absent.
    DeleteAll,
    /// Takes a slab from a pool.
    Allocate,
    /// Gives slab `key` back to its pool.
    Free,
    /// Takes a slab from a pool and gives it back.
    Borrow,
    /// Makes the structure larger.
    Grow,
    /// An operation that only its subject knows.
    Other(u8),
}

/// The names of operations in texts.
pub(super) const NAMES: [(Op, &str); 13] = [
    (Op::Insert, "insert"),
    (Op::InsertUnique, "insert_unique"),
    (Op::InsertOrAssign, "insert_or_assign"),
    (Op::InsertOrAdd, "insert_or_add"),
    (Op::Search, "search"),
    (Op::SearchAll, "search_all"),
    (Op::Count, "count"),
    (Op::Delete, "delete"),
    (Op::DeleteAll, "delete_all"),
    (Op::Allocate, "allocate"),
    (Op::Free, "free"),
    (Op::Borrow, "borrow"),
    (Op::Grow, "grow"),
];

impl Op {
    /// Whether each call has a value.
    pub(super) const fn takes_value(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::InsertUnique | Self::InsertOrAssign | Self::InsertOrAdd | Self::Other(_)
        )
    }
}

/// One call of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The operation.
    pub op: Op,
    /// Its key.
    pub key: u64,
    /// Its value, 0 where the operation has none.
    pub value: u64,
}

impl Call {
    /// A call of `op` on `key`.
    pub const fn new(op: Op, key: u64, value: u64) -> Self {
        Self { op, key, value }
    }
}

/// What a call returned.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Ret {
    /// The call returns nothing.
    Done,
    /// The pair was stored.
    Inserted,
    /// The key was there.
    Present,
    /// The value of a pair was replaced.
    Replaced,
    /// The value was added to the value of a pair.
    Added,
    /// The pool had no slab; nothing changed.
    Full,
    /// A pair was deleted.
    Deleted,
    /// The key was absent.
    Absent,
    /// A value, or that there is none.
    Value(Option<u64>),
    /// A multiset of values, sorted.
    Values(Vec<u64>),
    /// A number.
    Count(u64),
    /// A slab of the pool, counted from 0, or that there is none.
    Slab(Option<u32>),
    /// The returns of the calls that one call stands for.
    Each(Vec<Ret>),
}

impl Ret {
    /// Whether a call found no room.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Full => true,
            Self::Each(rets) => rets.iter().any(Self::is_full),
            _ => false,
        }
    }
}

impl From<Insert> for Ret {
    fn from(outcome: Insert) -> Self {
        match outcome {
            Insert::Inserted => Self::Inserted,
            Insert::Present => Self::Present,
            Insert::Full => Self::Full,
        }
    }
}

impl From<Assign> for Ret {
    fn from(outcome: Assign) -> Self {
        match outcome {
            Assign::Inserted => Self::Inserted,
            Assign::Replaced => Self::Replaced,
            Assign::Full => Self::Full,
        }
    }
}

impl From<Add> for Ret {
    fn from(outcome: Add) -> Self {
        match outcome {
            Add::Inserted => Self::Inserted,
            Add::Added => Self::Added,
            Add::Full => Self::Full,
        }
    }
}

impl From<Delete> for Ret {
    fn from(outcome: Delete) -> Self {
        match outcome {
            Delete::Deleted => Self::Deleted,
            Delete::Absent => Self::Absent,
        }
    }
}
