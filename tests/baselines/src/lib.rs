//! Plain tables that the library's tables are compared with.
//!
//! They do only what a benchmark needs, on the same words and with the same hash as the library's tables, so
//! that a difference in speed comes from the algorithms. The checker does not explore them, and no claim of
//! the library depends on them. The benchmarks check all their answers.
//!
//! - [`Chained`]: chaining with a pool of nodes; unique insert, delete, search.
//! - [`Probing`]: linear and quadratic probing; unique insert, search.
//! - [`Cuckoo`]: four places per key; insert of distinct keys, search.
//! - [`LockList`]: chains of nodes that a warp reads at once, with a lock for each bucket; unique insert,
//!   delete, search. It is what the wait-free table is compared with.
//! - [`ChildTable`]: cuckoo hashing with a stash, of which the published Starfish has many and pages them.
//!
//! The first three hold u32 pairs whose keys are below 2^31, and each operation is run by one lane. A
//! [`LockList`] holds u64 keys or u32 pairs, and an operation is run by a warp.
#![no_std]
#![forbid(unsafe_code)]

mod chained;
mod cuckoo;
mod lock_list;
mod probing;
mod starfish;

pub use chained::Chained;
pub use cuckoo::{Cuckoo, PLACES};
pub use lock_list::LockList;
pub use probing::Probing;
pub use starfish::{ANSWERED, ChildTable, STASH};

/// What an empty slot holds: no pair, as its key is reserved. Its bytes are all ones.
pub const EMPTY: u64 = u64::MAX;

/// A pair in one word.
#[inline(always)]
const fn pair(key: u32, value: u32) -> u64 {
    (key as u64) << 32 | value as u64
}

/// The key of a pair.
#[inline(always)]
const fn key_of(pair: u64) -> u32 {
    (pair >> 32) as u32
}

/// The value of a pair.
#[inline(always)]
const fn value_of(pair: u64) -> u32 {
    pair as u32
}
