//! The set that grows.

use super::growth::{Growing, Rehash};
use super::on::DynamicSetOn;
use super::shared::{grows, inserted};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Scalar;
use crate::open::OpenSet;
use core::fmt;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{BulkOrdered, BulkSet, BulkTable, OpenGeometry, OpenStats, Refused, structure};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent set of u32 or u64 keys in device memory that grows: an [`OpenSet`], and when that would be too full a larger one,
/// to which all keys are moved. What [`DynamicMap`](crate::DynamicMap) says of growth and of waiting holds here too.
///
/// On host slices, its operations are those of [`BulkSet`]. On device slices, inserts wait for their stream, as the outcomes say
/// whether there is room; searches and deletes do not.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicSet};
/// use warpproof_model::host::BulkSet;
///
/// let set = DynamicSet::<u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// set.insert(&keys)?;
/// assert_eq!(set.contains(&[2, 10_000_000])?, [true, false]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct DynamicSet<K> {
    growing: Growing<OpenSet<K>>,
    device: Device,
}

impl<K: Scalar> Rehash for OpenSet<K> {
    fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.rehash(geometry)
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkTable::stats(self)
    }
    fn geometry(&self) -> OpenGeometry {
        BulkTable::geometry(self)
    }
    fn size(entries: u64, load: f64) -> Result<OpenGeometry, Refused> {
        OpenGeometry::at_load(entries, load)
    }
}

impl<K: Scalar> DynamicSet<K> {
    grows! { OpenSet }

    /// The same, of whose slots at most `load` are taken before it grows.
    ///
    /// # Errors
    /// As [`OpenSet::with_capacity`]; [`Error::Refused`] if the load is not above 0 and at most 1.
    pub fn at_load(device: &Device, keys: u64, load: f64) -> Result<Self, Error> {
        let set = OpenSet::with_geometry(device, OpenGeometry::at_load(keys, load)?)?;
        Ok(Self { growing: Growing::new(set, load), device: device.clone() })
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> DynamicSetOn<'a, K> {
        DynamicSetOn::new(&self.growing, stream)
    }
}

impl<K: Scalar> BulkTable for DynamicSet<K> {
    type Error = Error;
    type Structure = structure::Dynamic;
    type Entry = K;

    fn retrieve_all(&self) -> Result<Vec<K>, Error> {
        self.growing.table().retrieve_all()
    }
    fn len(&self) -> Result<u64, Error> {
        self.growing.table().len()
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkTable::stats(&*self.growing.table())
    }
    fn geometry(&self) -> OpenGeometry {
        BulkTable::geometry(&*self.growing.table())
    }
    fn clear(&mut self) -> Result<(), Error> {
        self.growing.clear(BulkTable::clear)
    }
}

impl<K: Scalar> BulkSet<K> for DynamicSet<K> {
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        let stored = |&outcome: &Insert| outcome == Insert::Inserted;
        inserted(&self.growing, &self.device, keys, stored, |set, staging, (from, to), outcomes| {
            set.through(staging).insert(&keys[from..to], outcomes)
        })
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.growing.table().contains(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.growing.table().delete(keys)
    }
}

impl<K: Scalar> BulkOrdered for DynamicSet<K> {
    fn retrieve_all_in_order(&self) -> Result<Vec<K>, Error> {
        self.growing.table().retrieve_all_in_order()
    }
}

impl<K: Scalar> fmt::Debug for DynamicSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicSet").field("set", &*self.growing.table()).finish_non_exhaustive()
    }
}
