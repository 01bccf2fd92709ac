//! Tables in shards on one machine: each rank is a thread, and messages go through memory that all share.
//!
//! The ranks of several GPUs or hosts run the same code with another exchange ([`warpproof_model::sharded`]).
//! Here it can be tried, and tested with ranks that are slow, take their peers in any order, or vanish
//! ([`Faults`]).
//!
//! ```
//! use std::thread;
//! use warpproof_model::Seed;
//! use warpproof_model::host::{BulkMap, BulkTable};
//! use warpproof_simt::cpu::OpenMap;
//! use warpproof_simt::cpu::sharded::{InProcess, Limits, ShardedMap};
//!
//! let ends = InProcess::ranks(3, Limits::default())?;
//! thread::scope(|scope| {
//!     for (rank, end) in (0u64..).zip(ends) {
//!         scope.spawn(move || {
//!             // Every rank makes the same calls, each with a batch of its own.
//!             let shard = OpenMap::<u64, u64>::with_capacity(1000).unwrap();
//!             let map = ShardedMap::new(shard, end, Seed::new(7)).unwrap();
//!             let keys: Vec<u64> = (0..500).map(|key| 500 * rank + key).collect();
//!             map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
//!             assert_eq!(map.len().unwrap(), 1500);
//!             // Any rank finds any key.
//!             assert_eq!(map.search(&[3, 1400, 1500]).unwrap(), [Some(3), Some(1400), None]);
//!         });
//!     }
//! });
//! # Ok::<(), warpproof_model::host::Refused>(())
//! ```

mod all_ranks;
mod faults;
mod in_process;

pub use all_ranks::{AllRanks, InShards};
pub use faults::Faults;
pub use in_process::{InProcess, Limits};

use super::{OpenMap, OpenSet};
use warpproof_model::sharded::Sharded;

/// One rank's end of a map in shards that are [`OpenMap`]s. A [`Sharded`] may have any other table as its
/// shard.
pub type ShardedMap<K, V, X = InProcess> = Sharded<OpenMap<K, V>, X>;

/// One rank's end of a set in shards that are [`OpenSet`]s. A [`Sharded`] may have any other table as its
/// shard.
pub type ShardedSet<K, X = InProcess> = Sharded<OpenSet<K>, X>;
