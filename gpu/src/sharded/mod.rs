//! Tables in shards on several GPUs: a rank has a GPU, and its shard is a table on it.
//!
//! [`Sharded`] of `warpproof-model` is the table. Over any exchange it has the operations on host slices.
//! Over a [`DeviceExchange`] it has those on device slices too ([`OnRank`]): a batch is sorted by the owners
//! of its keys on the GPU, moved from GPU to GPU, run by the shards, and answered in the order of the batch.
//!
//! - [`Peers`]: ranks are threads of one process, and copy from each other's memory.
//! - `Nccl` (feature `nccl`): each rank is a process, on this host or another one.
//!
//! ```no_run
//! use warpproof_gpu::sharded::{OnRank, Peers};
//! use warpproof_gpu::{Device, OpenMap};
//! use warpproof_model::Seed;
//! use warpproof_model::sharded::{Exchange, Sharded};
//!
//! // `end` is this rank's end of an exchange between the threads of this process.
//! fn rank<X: Exchange>(end: Peers<X>, seed: Seed) -> Result<(), Box<dyn std::error::Error>> {
//!     let device = end.device().clone();
//!     let map = Sharded::new(OpenMap::<u64, u64>::with_capacity(&device, 1 << 20)?, end, seed)?;
//!     let stream = device.context().default_stream();
//!     let keys = stream.clone_htod(&[1u64, 2, 3])?;
//!     let mut outcomes = stream.alloc_zeros::<u8>(3)?;
//!     // All ranks make this call, each with a batch of its own.
//!     map.on_stream(&stream).insert_unique(&keys, &keys, &mut outcomes)?;
//!     Ok(())
//! }
//! ```

mod carrier;
mod memory;
#[cfg(feature = "nccl")]
mod nccl;
mod on_rank;
mod peers;

pub use memory::{DeviceExchange, RankMemory};
#[cfg(feature = "nccl")]
pub use nccl::{Nccl, NcclId, NcclLimits};
pub use on_rank::OnRank;
pub use peers::Peers;
pub use warpproof_model::sharded::Sharded;
