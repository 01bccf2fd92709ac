//! The CPU backend: atomics of std, and of portable-atomic for 128 bits (with a lock if the processor has
//! none), and a grid of warps over rayon's threads.
//!
//! Keys are `u32`, `i32`, `u64` or `i64`, and may be any number of their type. Values are integers or
//! floating-point numbers of as many bits; beside 64-bit keys also of 32 bits, stored in 64
//! ([`warpproof_model::bits`]). The keys of a [`SlabSet`] are always `u32`.
//!
//! The host interface is that of the GPU ([`warpproof_model::host`]). It adds no lock to fixed tables, except
//! the wait-free table, which a thread locks at both ends of a chunk of operations. A batch allocates memory
//! for its answers before its first operation runs, or returns [`Error::OutOfMemory`]. A batch that is large
//! beside a table of 2 MiB or more also allocates a copy of its input; without that memory it runs in another
//! order. Tables that grow allocate memory between the parts of a batch, and calls that collect entries
//! allocate as they read them. The code of all maps and sets is written against
//! [`WarpMap`](warpproof_model::WarpMap) ([`Map`], [`Set`]); a structure's module adds its memory, and its
//! own operations. [`warp`] and [`words`] run code that is written against the model on this machine.

mod apart;
mod batch;
mod by_key;
pub mod columns;
pub mod cuckoo;
pub mod dynamic;
mod error;
mod grid;
mod held;
pub mod hopscotch;
mod iterate;
pub mod large_pages;
mod launch;
mod map;
pub mod open;
pub mod packed;
pub mod paged;
mod regions;
#[cfg(feature = "serde")]
mod serde;
mod set;
pub mod sharded;
pub mod sketch;
pub mod slab;
pub mod waitfree;
pub mod warp;
pub mod words;

pub use by_key::{ByKey, OneKey};
pub use cuckoo::{CuckooMap, CuckooSet};
pub use dynamic::{DynamicMap, DynamicSet};
pub use error::Error;
pub use grid::CpuTable;
pub use hopscotch::{HopscotchMap, HopscotchSet};
pub use iterate::Iter;
pub use map::Map;
pub use open::{OpenMap, OpenSet};
pub use paged::{PagedMap, PagedSet};
pub use set::Set;
pub use sketch::{BloomFilter, HyperLogLog};
pub use slab::{SlabMap, SlabMultimap, SlabSet};
pub use waitfree::{WaitFreeMap, WaitFreeSet};
