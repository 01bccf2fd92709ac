//! The GPU side of Warpproof: hash maps and sets in device memory.
//!
//! The structures are those of `warpproof-model`, compiled to PTX, which is part of this crate: a user needs an
//! NVIDIA driver and nothing else. Without a driver [`Device::open`] returns [`Error::NoDriver`]; no call panics.
//!
//! - [`Device`]: opens a GPU and loads the kernels that fit it.
//! - [`SlabMap`], [`SlabMultimap`], [`SlabSet`]: chains of slabs. [`HopscotchMap`], [`HopscotchSet`]: an array of groups,
//!   of a fixed size. [`OpenMap`], [`OpenSet`]: an array of buckets, of a fixed size; [`CuckooMap`], [`CuckooSet`]: the same for
//!   high loads. All have the interface of [`warpproof_model::host`] on host slices, as on the CPU.
//! - [`Staging`]: staging buffers through which batches on host slices go to the device and back, in parts. [`MapThrough`],
//!   [`SetThrough`]: the operations on host slices through those of the caller, whose answers go to a [`Sink`]: a slice or a
//!   closure. They allocate nothing. [`SlabMapThrough`], [`OpenMapThrough`]: what chains and open addressing do besides.
//! - [`MapOn`], [`SetOn`]: the same operations on device slices, on a stream of the caller, asynchronous. [`SlabMapOn`],
//!   [`OpenMapOn`], [`OpenSetOn`]: what chains and open addressing do besides.
//! - [`Tuning`], [`RetrieveMethod`]: how kernels are run; a matter of speed.
//! - [`Timer`], [`Floors`], [`Baselines`]: what benches need. [`StressClock`]: what stress tests need.
//!
//! ```no_run
//! use warpproof_gpu::{Device, SlabMap, Staging};
//! use warpproof_model::host::BulkMap;
//!
//! let device = Device::open(0)?;
//! let map = SlabMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
//! map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
//! assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
//!
//! // On host slices, without a `Vec`.
//! let mut staging = Staging::new(&device, 1 << 16)?;
//! let mut values = [None; 2];
//! map.through(&mut staging).search(&[2, 4], &mut values)?;
//! assert_eq!(values, [Some(20), None]);
//!
//! // On device slices, without waiting.
//! let stream = device.context().default_stream();
//! let keys = stream.clone_htod(&[1u32, 2, 3])?;
//! let mut values = stream.alloc_zeros::<u32>(3)?;
//! map.on(&stream).search(&keys, &mut values, None)?;
//! assert_eq!(stream.clone_dtoh(&values)?, [10, 20, 30]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod bulk;
mod device;
mod driver;
mod dynamic;
mod error;
mod floors;
mod hopscotch;
mod layout;
mod module;
mod on;
mod open;
mod outcomes;
mod paper;
mod retrieve;
mod sink;
mod slab;
mod slices;
mod staging;
mod stress;
mod table;
mod through;
mod timer;

pub use cudarc;
pub use device::Device;
pub use dynamic::{DynamicMap, DynamicMapOn, DynamicSet, DynamicSetOn};
pub use error::{CudaError, Error};
pub use floors::Floors;
pub use hopscotch::{HopscotchMap, HopscotchParts, HopscotchSet};
pub use layout::{Entry, Layout, Scalar};
pub use on::{MapOn, SetOn};
pub use open::{
    Bins, CuckooMap, CuckooSet, OpenMap, OpenMapOn, OpenMapThrough, OpenParts, OpenScheme, OpenSet, OpenSetOn,
};
pub use paper::{Baselines, ChainedMap, Static, StaticMap};
pub use retrieve::RetrieveMethod;
pub use sink::Sink;
pub use slab::{SlabMap, SlabMapOn, SlabMapThrough, SlabMultimap, SlabParts, SlabSet};
pub use slices::{Input, Output};
pub use staging::Staging;
pub use stress::{Stamped, StressClock, StressMap, StressSet};
pub use table::Tuning;
pub use through::{MapThrough, SetThrough};
pub use timer::Timer;

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
        shared::<crate::Floors>();
        shared::<crate::Baselines>();
        shared::<crate::ChainedMap>();
        shared::<crate::StaticMap>();
        shared::<crate::Error>();
    };
}
