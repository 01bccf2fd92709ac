//! The Warp contract and the structures written against it.
//!
//! One source is for every backend: the checkers and the CPU backend of `warpproof-simt`, and PTX through
//! `warpproof-device`. The crate forbids unsafe code. It has no dependencies, except for files of tables
//! (feature `file`). Without the feature `host` it has no `std`.
//!
//! - [`warp`], [`block`], [`memory`]: the interface that a backend implements.
//! - [`aggregate`](mod@aggregate): the groups of a column, in the blocks of a launch.
//! - [`at_lane`]: answers that are at one lane.
//! - [`entry`]: the entry in a slot of one word.
//! - [`map`]: the operations of every map, for code that works with several structures.
//! - [`bits`]: signed and floating-point numbers, which tables hold by their bits.
//! - [`cuckoo`]: two buckets for each key, and keys that move to make room.
//! - [`dynamic`]: open addressing that grows while it is used.
//! - [`hash`]: hashes of keys, and seeds.
//! - [`hopscotch`]: the lock-flag hopscotch table.
//! - [`open`]: open addressing with a filter.
//! - [`partition`]: ranges of homes, for bulk inserts and batches on the CPU.
//! - [`reclaim`]: allocation of nodes by warps.
//! - [`reserved`]: the keys that no slot can hold, kept beside a table; so every word is a key.
//! - [`retrieve`]: all entries of a table, copied to an output.
//! - [`sketch`]: a Bloom filter, and the registers of a HyperLogLog.
//! - [`slab`]: the slab hash, a dynamic chained table.
//! - [`waitfree`]: chains of nodes that never change; an update ends in a bounded number of rounds.
//! - `growth` (feature `host`): a table that a host replaces by a larger one between the parts of a batch.
//! - `paged` (feature `host`): tables that are only partly in the memory of a device.
//! - `sharded` (feature `host`): a table in shards of several ranks, which exchange batches.
//! - `spec`, `host` (feature `host`): sequential specifications and the bulk interface of the backends.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "host")]
extern crate alloc;
#[cfg(feature = "host")]
extern crate std;

pub mod aggregate;
pub mod at_lane;
pub mod bits;
pub mod block;
pub mod cuckoo;
pub mod dynamic;
pub mod entry;
#[cfg(feature = "host")]
pub mod growth;
pub mod hash;
pub mod hopscotch;
#[cfg(feature = "host")]
pub mod host;
pub mod key;
pub mod map;
pub mod memory;
pub mod open;
pub mod outcome;
pub mod paged;
pub mod partition;
pub mod reclaim;
pub mod reserved;
pub mod retrieve;
mod row;
#[cfg(feature = "host")]
pub mod sharded;
pub mod sketch;
pub mod slab;
#[cfg(feature = "host")]
pub mod spec;
pub mod update;
pub mod waitfree;
pub mod warp;

pub use at_lane::AtLane;
pub use block::{Block, InBlock, Scratch};
pub use hash::{Hash64, Seed};
pub use key::{Key, UserKey};
pub use map::WarpMap;
pub use memory::{IntegerWords, Order, ReadOrder, StagedWords, Word, Words, WriteOrder};
pub use outcome::{Add, Assign, Delete, Insert};
pub use reserved::AllKeys;
pub use update::Update;
pub use warp::{Ballot, Warp};
