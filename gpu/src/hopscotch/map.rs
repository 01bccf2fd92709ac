//! The hopscotch map: u32 or u64 keys and values.

use super::table::{Groups, HopscotchParts};
use crate::bulk::{MapBulk, map_by_bulk, table_by_bulk};
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Layout, Scalar};
use crate::on::MapOn;
use crate::staging::Staging;
use crate::table::{Table, Tuning};
use crate::through::MapThrough;
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    Answer, BulkMap, BulkTable, GeometryOf, HopscotchGeometry, Op, StatsOf, admit, left_out, same_length,
    structure,
};
use warpproof_model::outcome::{Assign, Delete, Insert};

/// A concurrent hopscotch map in device memory: an array of groups, searched without waiting.
///
/// `HopscotchMap<u32, u32>`, or `HopscotchMap<u64, u64>` where the device has 128-bit words ([`Device::wide`]). On host
/// slices, its operations are those of [`BulkMap`], and those of [`MapThrough`], by [`HopscotchMap::through`]; on device slices,
/// those of [`MapOn`], by [`HopscotchMap::on`]. What
/// [`SlabMap`](crate::SlabMap) says of waiting holds here too.
///
/// A map does not grow: an insert for whose key there is no room in its neighbourhood, and cannot be made, is
/// [`Insert::Full`] and changes nothing.
///
/// ```no_run
/// use warpproof_gpu::{Device, HopscotchMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = HopscotchMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of 3 stand at home", map.stats()?.distances[0]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct HopscotchMap<K, V> {
    groups: Groups,
    types: PhantomData<(K, V)>,
}

impl<K: Scalar, V: Scalar> HopscotchMap<K, V>
where
    (K, V): Entry,
{
    /// An empty map for `pairs` pairs at the default load ([`HopscotchGeometry::for_pairs`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the table would be too large to index; [`Error::NoWideWords`] for
    /// u64 pairs on a device without 128-bit words.
    pub fn with_capacity(device: &Device, pairs: u64) -> Result<Self, Error> {
        Self::with_geometry(device, HopscotchGeometry::for_pairs(pairs)?)
    }

    /// An empty map of a given size, with groups of [`GROUP_WORDS`](warpproof_model::hopscotch::GROUP_WORDS) words and
    /// neighbourhoods of [`REACH`](warpproof_model::hopscotch::REACH) groups.
    ///
    /// # Errors
    /// As [`HopscotchMap::with_capacity`]; [`Error::Refused`] as [`HopscotchGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: HopscotchGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty map of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`HopscotchMap::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: HopscotchGeometry, tuning: Tuning) -> Result<Self, Error> {
        let layout = <(K, V)>::layout(device.wide(), false);
        Ok(Self { groups: Groups::empty(device, layout, geometry, tuning)?, types: PhantomData })
    }

    /// A map of these pairs, made for as many. Of several pairs with one key, it keeps any one.
    ///
    /// # Errors
    /// As [`HopscotchMap::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
    pub fn build(device: &Device, keys: &[K], values: &[V]) -> Result<Self, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        let map = Self::with_capacity(device, keys.len() as u64)?;
        match left_out(&map.insert_unique(keys, values)?) {
            0 => Ok(map),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> MapOn<'a, K, V> {
        MapOn::new(self.table(), stream)
    }

    /// The operations on host slices through staging buffers of the caller.
    pub fn through<'a>(&'a self, staging: &'a mut Staging) -> MapThrough<'a, K, V> {
        MapThrough::new(self.table(), staging)
    }

    /// Takes out everything, on `stream`. Waits as [`SlabMap::clear_on`](crate::SlabMap::clear_on) does.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.groups.table_mut().clear(stream)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table().device()
    }

    /// How its entries lie in memory.
    pub fn layout(&self) -> Layout {
        self.groups.layout()
    }

    /// Where it lies in device memory, for kernels of your own.
    pub fn parts(&self) -> HopscotchParts {
        self.groups.parts()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.groups.bytes()
    }

    /// What the tables of all structures share.
    pub(crate) fn table(&self) -> &Table {
        self.groups.table()
    }

    /// The operations on host slices.
    fn bulk(&self) -> MapBulk<'_, K, V> {
        MapBulk::new(self.table())
    }
}

impl<K: Scalar, V: Scalar> BulkTable for HopscotchMap<K, V>
where
    (K, V): Entry,
{
    table_by_bulk! { structure::Hopscotch, (K, V), groups }
}

impl<K: Scalar, V: Scalar> BulkMap<K, V> for HopscotchMap<K, V>
where
    (K, V): Entry,
{
    map_by_bulk! { K, V }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        Ok(self.contains(keys)?.into_iter().map(u32::from).collect())
    }
}

impl<K, V> fmt::Debug for HopscotchMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HopscotchMap")
            .field("device", self.groups.table().device())
            .field("layout", &self.groups.layout())
            .field("geometry", &self.groups.geometry())
            .finish_non_exhaustive()
    }
}
