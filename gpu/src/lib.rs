//! The GPU side of Warpproof: hash maps and sets in device memory.
//!
//! The structures are those of `warpproof-model`, compiled to PTX, which is part of this crate: a user needs
//! an NVIDIA driver and nothing else. Without a driver [`Device::open`] returns [`Error::NoDriver`]; no call
//! panics.
//!
//! Keys are `u32`, `i32`, `u64` or `i64`, and may be any number of their type. Values are integers or
//! floating-point numbers of as many bits ([`Scalar`]). The keys of a [`SlabSet`] are always `u32`.
//!
//! - [`Device`]: opens a GPU and loads the kernels for it.
//! - [`Map`] and [`Set`], by their structure: [`SlabMap`], [`SlabMultimap`], [`SlabSet`] are chains of slabs.
//!   [`HopscotchMap`], [`HopscotchSet`]: an array of groups, of a fixed size. [`OpenMap`], [`OpenSet`]: an
//!   array of buckets, of a fixed size; [`CuckooMap`], [`CuckooSet`]: two buckets for each key, for high
//!   loads. [`DynamicMap`], [`DynamicSet`]: open addressing that grows. All have the interface of
//!   [`warpproof_model::host`] on host slices, as on the CPU. [`Table`] has what all of them share,
//!   [`structures`] what each adds.
//! - [`OnStream`]: the operations on device slices ([`slices`]), on a stream of the caller, asynchronous.
//!   [`Frozen`]: searches while nothing changes the table.
//! - [`Grouping`]: distinct keys of columns in device memory, with counts of rows and sums of values.
//! - [`Staging`]: staging buffers through which batches on host slices go to the device and back, in chunks.
//!   [`Staged`]: the operations through staging buffers of the caller, with answers to a [`Sink`]: a slice, a
//!   `Vec` or a closure. They allocate nothing.
//! - [`Tuning`], [`RetrieveMethod`]: how kernels are run; they only change the speed.
//! - [`mod@bench`]: what benches and stress tests need.
//!
//! ```no_run
//! use warpproof_gpu::{Device, SlabMap, Staging};
//! use warpproof_model::host::BulkMap;
//!
//! let device = Device::open(0)?;
//! let map = SlabMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
//! map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
//! assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
//!
//! // On host slices, without a `Vec`.
//! let mut staging = Staging::new(&device, 1 << 16)?;
//! let mut values = [None; 2];
//! map.staged(&mut staging).search(&[2, 4], &mut values)?;
//! assert_eq!(values, [Some(20), None]);
//!
//! // On device slices, without waiting.
//! let stream = device.context().default_stream();
//! let keys = stream.clone_htod(&[1u32, 2, 3])?;
//! let mut values = stream.alloc_zeros::<u32>(3)?;
//! map.on_stream(&stream).search(&keys, &mut values, None)?;
//! assert_eq!(stream.clone_dtoh(&values)?, [10, 20, 30]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod arguments;
pub mod bench;
mod columns;
mod device;
mod driver;
pub mod dynamic;
pub mod error;
mod faults;
mod handle;
mod host;
mod layout;
mod map;
mod module;
mod operations;
pub mod paged;
mod retrieve;
mod row;
mod set;
pub mod sharded;
mod sink;
pub mod slices;
mod sorter;
mod staging;
pub mod structures;
mod table;

pub use access::{OnStream, Staged};
pub use columns::Grouping;
pub use cudarc;
pub use device::{Device, PageLocked};
pub use error::Error;
pub use handle::{Map, Set, Table};
pub use layout::{Entry, KeyScalar, Layout, Scalar};
pub use operations::frozen::Frozen;
pub use retrieve::RetrieveMethod;
pub use sink::Sink;
pub use staging::Staging;
pub use structures::handles::*;
pub use table::Tuning;

#[cfg(test)]
mod tests {
    /// Handles may be shared by threads.
    const _: () = {
        const fn shared<T: Send + Sync>() {}
        shared::<crate::Device>();
        shared::<crate::Staging>();
        shared::<crate::SlabMap<u32, u32>>();
        shared::<crate::SlabMultimap<u64, u64>>();
        shared::<crate::SlabSet>();
        shared::<crate::HopscotchMap<u64, u64>>();
        shared::<crate::HopscotchSet<u64>>();
        shared::<crate::OpenMap<u32, u32>>();
        shared::<crate::OpenSet<u32>>();
        shared::<crate::CuckooMap<u64, u64>>();
        shared::<crate::DynamicSet<u32>>();
        shared::<crate::WaitFreeSet<u64>>();
        shared::<crate::Grouping<u64>>();
        shared::<crate::bench::Floors>();
        shared::<crate::bench::Baselines>();
        shared::<crate::bench::ChainedMap>();
        shared::<crate::bench::StaticMap>();
        shared::<crate::Error>();
    };
}
