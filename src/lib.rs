//! Warp-cooperative concurrent hash tables for GPUs and CPUs, checked before they run.
//!
//! Every structure is written once, against the [`model::Warp`] trait. The same source is explored
//! exhaustively by the checkers of [`simt`], runs on the CPU over rayon ([`simt::cpu`]) and compiles to PTX
//! for NVIDIA devices (`gpu`, feature `gpu`). This crate re-exports the three and holds the command line.
//!
//! A map is used in bulk: a call takes slices, runs one operation per element, all of them concurrently, and
//! returns an answer per element. The interface on every backend is [`BulkMap`]; [`BulkMultimap`] keeps
//! several pairs of one key, [`BulkSet`] only keys.
//!
//! ```
//! use warpproof::simt::cpu::SlabMap;
//! use warpproof::{BulkMap, Insert};
//!
//! let map = SlabMap::<u32, u32>::with_capacity(1000)?;
//! let done = map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
//! assert_eq!(done, [Insert::Inserted; 3]);
//! assert_eq!(map.search(&[3, 4])?, [Some(30), None]);
//! # Ok::<(), warpproof::simt::cpu::Error>(())
//! ```
//!
//! Code that is generic over the backend takes the trait:
//!
//! ```
//! use warpproof::BulkMap;
//!
//! fn known<M: BulkMap<u32, u32>>(map: &M, keys: &[u32]) -> Result<usize, M::Error> {
//!     Ok(map.search(keys)?.iter().flatten().count())
//! }
//! # let map = warpproof::simt::cpu::SlabMap::<u32, u32>::with_capacity(10)?;
//! # map.insert_unique(&[7, 9], &[1, 2])?.all_stored()?;
//! # assert_eq!(known(&map, &[7, 8])?, 1);
//! # Ok::<(), warpproof::simt::cpu::Error>(())
//! ```

pub mod any;
#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "files")]
pub mod files;
pub mod prelude;

#[cfg(feature = "gpu")]
pub use warpproof_gpu as gpu;
pub use warpproof_model as model;
pub use warpproof_simt as simt;
pub use warpproof_simt::cpu::{BloomFilter, HyperLogLog};

pub use warpproof_model::host::structure::sizes::*;
pub use warpproof_model::host::{
    Answer, BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged, BulkSave,
    BulkSet, BulkTable, BulkUpdate, Matches, NotStored, Op, Outcome, Outcomes, Refused, Structure, structure,
};
pub use warpproof_model::{Add, Assign, Delete, Insert, Update};

/// What the README shows compiles, and runs if it needs no GPU.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The code of the book, in the same way.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../docs/tour-rust.md")]
pub struct Tour;

/// The code of the page about ranks, in the same way.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../docs/ranks.md")]
pub struct Ranks;
