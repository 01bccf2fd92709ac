//! The slab map and multimap: u32 or u64 keys and values.

use super::on::SlabMapOn;
use super::table::{SlabParts, Slabs};
use super::through::SlabMapThrough;
use crate::arguments::Operation;
use crate::bulk::{MapBulk, map_by_bulk, table_by_bulk};
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Layout, Scalar};
use crate::staging::Staging;
use crate::table::{Table, Tuning};
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    Answer, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkTable, GeometryOf, Matches, Op, SlabGeometry,
    StatsOf, admit, left_out, same_length, structure,
};
use warpproof_model::outcome::{Assign, Delete, Insert};
use warpproof_model::slab::{Multi, Multiplicity, Unique};

/// A concurrent map in device memory; with `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>` or `SlabMap<u64, u64>`. On host slices, its operations are those of [`BulkMap`]: each call
/// copies its input to the device, and the answers back, in parts, and waits for all. The same without a `Vec` are those of
/// [`SlabMapThrough`], by [`SlabMap::through`]. On device slices, they are those of
/// [`SlabMapOn`], by [`SlabMap::on`].
///
/// Host-slice calls do not wait for device-slice calls that are still running on the caller's streams, except
/// [`flush`](BulkFlush::flush). Dropping a map waits for the device.
pub struct SlabMap<K, V, M = Unique> {
    slabs: Slabs,
    types: PhantomData<(K, V, M)>,
}

/// A concurrent map in device memory in which a key may have several pairs.
pub type SlabMultimap<K, V> = SlabMap<K, V, Multi>;

impl<K: Scalar, V: Scalar, M: Multiplicity> SlabMap<K, V, M>
where
    (K, V): Entry,
{
    /// An empty map in which `pairs` pairs fit whatever their keys are.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(device: &Device, pairs: u64) -> Result<Self, Error> {
        Self::with_geometry(device, SlabGeometry::for_pairs(pairs)?)
    }

    /// An empty map of a given size: slabs of 8 slots, or of 16 in a `SlabMap<u32, u32>`,
    /// which then has some of the operations only (see [`Tuning`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`SlabGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: SlabGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty map of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`SlabMap::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: SlabGeometry, tuning: Tuning) -> Result<Self, Error> {
        let layout = <(K, V)>::layout(device.wide() && !tuning.lock_bit, M::MULTI);
        Ok(Self { slabs: Slabs::empty(device, layout, geometry, tuning)?, types: PhantomData })
    }

    /// A map of these pairs, with room for as many. Of several pairs with one key, a map keeps any one, a multimap
    /// all.
    ///
    /// # Errors
    /// As [`SlabMap::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
    pub fn build(device: &Device, keys: &[K], values: &[V]) -> Result<Self, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        let map = Self::with_capacity(device, keys.len() as u64)?;
        let operation = if M::MULTI { Operation::Insert } else { Operation::InsertUnique };
        match left_out(&map.bulk().put(operation, keys, values, Insert::from_code)?) {
            0 => Ok(map),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> SlabMapOn<'a, K, V, M> {
        SlabMapOn::new(self.table(), stream)
    }

    /// The operations on host slices through staging buffers of the caller.
    pub fn through<'a>(&'a self, staging: &'a mut Staging) -> SlabMapThrough<'a, K, V, M> {
        SlabMapThrough::new(self.table(), staging)
    }

    /// Takes out everything, on `stream`: makes all slots empty and gives all slabs back.
    ///
    /// Does not wait if the map was used on no other stream since the last clear; otherwise the device is waited for
    /// first. The first call on another stream afterwards waits for `stream`. Kernels of your own on the map
    /// ([`parts`](Self::parts)) are not known here and have to be waited for.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.slabs.table_mut().clear(stream)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table().device()
    }

    /// How its slots lie in memory.
    pub fn layout(&self) -> Layout {
        self.slabs.layout()
    }

    /// Where it lies in device memory, for kernels of your own.
    pub fn parts(&self) -> SlabParts {
        self.slabs.parts()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.slabs.bytes()
    }

    /// What the tables of all structures share.
    pub(crate) fn table(&self) -> &Table {
        self.slabs.table()
    }

    /// The operations on host slices.
    fn bulk(&self) -> MapBulk<'_, K, V> {
        MapBulk::new(self.table())
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkTable for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    table_by_bulk! { structure::Slab, (K, V), slabs }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkMap<K, V> for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    map_by_bulk! { K, V }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.bulk().number(Operation::Count, keys)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkMatches<K, V> for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Matches { offsets: vec![0], values: Vec::new() });
        }
        let device = self.device();
        let first = self.count(keys)?;
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        let mut end = 0u64;
        offsets.push(end);
        for &count in &first {
            end += count as u64;
            offsets.push(end);
        }
        if end == 0 {
            return Ok(Matches { offsets, values: Vec::new() });
        }
        // Whole, not in parts: a part would have as many values as its keys have pairs.
        let on_keys = device.upload("keys", keys)?;
        let on_offsets = device.upload("offsets", &offsets)?;
        let mut counts = device.buffer::<u32>("counts", keys.len())?;
        let mut values = device.buffer("values", end as usize)?;
        // SAFETY: the offsets are sums, so they ascend, and the last is the number of values.
        unsafe { self.on(device.stream()).search_all(&on_keys, &on_offsets, &mut values, &mut counts)? };
        self.table().wait(Operation::SearchAll)?;
        let second = device.download(&counts)?;
        if let Some(at) = (0..keys.len()).find(|&at| first[at] != second[at]) {
            let (first, second) = (first[at] as u64, second[at] as u64);
            return Err(Error::Changed { what: "the number of pairs of a key", first, second });
        }
        Ok(Matches { offsets, values: device.download(&values)? })
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.bulk().number(Operation::DeleteAll, keys)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkFlush for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    fn flush(&mut self) -> Result<u64, Error> {
        self.slabs.flush()
    }
}

impl<K: Scalar, V: Scalar> BulkMultimap<K, V> for SlabMultimap<K, V>
where
    (K, V): Entry,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.bulk().put(Operation::Insert, keys, values, Insert::from_code)
    }
}

impl<K, V, M> fmt::Debug for SlabMap<K, V, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlabMap")
            .field("device", self.slabs.table().device())
            .field("layout", &self.slabs.layout())
            .field("geometry", &self.slabs.geometry())
            .finish_non_exhaustive()
    }
}
