//! The CPU backend: atomics of std, and of portable-atomic for 128 bits (behind a lock where the processor
//! has none), a grid of warps over rayon's threads.
//!
//! The host interface is the one of the GPU ([`warpproof_model::host`]). No lock of its own, and no
//! allocation per operation: a bulk call allocates its answers once, and where its batch is large beside a
//! table of 2 MiB or more, memory for a copy of its input. What every map and set does is written against
//! [`WarpMap`](warpproof_model::WarpMap) ([`Map`], [`Set`]); a structure adds its memory, and what it alone
//! can do.

mod batch;
mod cuckoo;
mod dynamic;
mod error;
mod grid;
mod hopscotch;
mod launch;
mod map;
mod open;
mod packed;
mod regions;
mod set;
mod slab;
mod warp;
mod words;

pub use cuckoo::{CuckooMap, CuckooSet, CuckooWords};
pub use dynamic::{DynamicMap, DynamicSet, DynamicWords};
pub use error::Error;
pub use grid::CpuTable;
pub use hopscotch::{HOPSCOTCH_LANES, HopscotchMap, HopscotchSet, HopscotchWords};
pub use map::Map;
pub use open::{Buckets, FixedBuckets, OPEN_LANES, OPEN_MAP_SLOTS, OpenFilter, OpenMap, OpenSet, OpenWords};
pub use packed::{Key64Store, KeyStore, PackedEntry, PackedStore, PackedWords, Pair64Store, PairStore};
pub use set::Set;
pub use slab::{SLAB_LANES, SlabEntry, SlabMap, SlabMultimap, SlabSet, SlabStore, SlabWords, WidePairStore};
pub use warp::{CpuBlock, CpuWarp, GridWarp};
pub use words::{Array, AtomicWord, CpuWords};
