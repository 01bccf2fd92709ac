//! The CPU backend: atomics of std, and of portable-atomic for 128 bits (behind a lock where the processor
//! has none), a grid of warps over rayon's threads.
//!
//! Keys are `u32`, `i32`, `u64` or `i64`, every number of these. Values are integers or floating-point
//! numbers of as many bits, and of 32 bits beside keys of 64 ([`warpproof_model::bits`]); such a value takes
//! 64. The keys of a [`SlabSet`] are `u32` alone.
//!
//! The host interface is the one of the GPU ([`warpproof_model::host`]). No lock of its own but that of the
//! wait-free table, which a thread takes at both ends of a chunk of operations. A batch takes memory for its
//! answers before its first operation runs, or returns [`Error::OutOfMemory`]. One that is large beside a
//! table of 2 MiB or more also takes memory for a copy of its input; without that it runs in another order.
//! Tables that grow take memory between the parts of a batch, and calls that collect entries as they read
//! them. What every map and set does is written against [`WarpMap`](warpproof_model::WarpMap) ([`Map`],
//! [`Set`]); a structure adds its memory, and what it alone can do, in its module. [`warp`] and [`words`] run
//! code that is written against the model on this machine.

mod apart;
mod batch;
pub mod cuckoo;
pub mod dynamic;
mod error;
mod grid;
mod held;
pub mod hopscotch;
mod launch;
mod map;
pub mod open;
pub mod packed;
pub mod paged;
mod regions;
mod set;
pub mod slab;
pub mod waitfree;
pub mod warp;
pub mod words;

pub use cuckoo::{CuckooMap, CuckooSet};
pub use dynamic::{DynamicMap, DynamicSet};
pub use error::Error;
pub use grid::CpuTable;
pub use hopscotch::{HopscotchMap, HopscotchSet};
pub use map::Map;
pub use open::{OpenMap, OpenSet};
pub use paged::{PagedMap, PagedSet};
pub use set::Set;
pub use slab::{SlabMap, SlabMultimap, SlabSet};
pub use waitfree::{WaitFreeMap, WaitFreeSet};
