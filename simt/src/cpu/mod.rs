//! The CPU backend: std atomics, a grid of warps over rayon's threads.
//!
//! The host interface is the one of the GPU ([`warpproof_model::host`]). No lock, and no allocation per
//! operation: a bulk call allocates its answers once.

mod launch;
mod map;
mod set;
mod store;
mod table;
mod warp;
mod words;

pub use launch::{LOOKAHEAD, launch};
pub use map::{SlabMap, SlabMultimap};
pub use set::SlabSet;
pub use store::{Entry, KeyStore, PairStore, Store, WidePairStore};
pub use table::{Error, LANE_SLOTS, LANES, Table};
pub use warp::{CpuBlock, CpuWarp};
pub use words::{Array, AtomicWord, CpuWords};
