//! The map that grows.

use super::growth::{Growing, Rehash};
use crate::arguments::Operation;
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Layout, Scalar};
use crate::open::OpenMap;
use crate::outcomes::count_stored;
use crate::slices::{Input, Output};
use core::fmt;
use cudarc::driver::{CudaStream, CudaViewMut};
use std::sync::Arc;
use warpproof_model::host::{
    Answer, BulkMap, BulkOpenMap, Op, OpenGeometry, OpenStats, Refused, admit, same_length,
};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};

/// A concurrent map in device memory that grows.
///
/// `DynamicMap<u32, u32>` or `DynamicMap<u64, u64>`: an [`OpenMap`], and when that would be too full a larger one, to which all
/// pairs are moved. A kernel cannot take memory, so the table grows between the parts of a batch, never in one; what other
/// threads run on the map waits until it has grown. Nothing is [`Insert::Full`].
///
/// A table is made for as many pairs as the rest of the batch is expected to store, judged by the part before, and for twice as
/// many as the last one had room for at least. So a batch seldom moves pairs more than once, and of many batches each pair is
/// moved less than twice on average. Both tables take memory meanwhile. Tombstones are lost then.
///
/// On host slices, its operations are those of [`BulkMap`]. On device slices, inserts wait for their stream, as the outcomes say
/// whether there is room; searches and deletes do not.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicMap};
/// use warpproof_model::host::BulkMap;
///
/// let map = DynamicMap::<u64, u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// map.insert_unique(&keys, &keys)?;
/// assert_eq!(map.search(&[2, 10_000_000])?, [Some(2), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct DynamicMap<K, V> {
    growing: Growing<OpenMap<K, V>>,
    device: Device,
}

impl<K: Scalar, V: Scalar> Rehash for OpenMap<K, V>
where
    (K, V): Entry,
{
    fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.rehash(geometry)
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkOpenMap::stats(self)
    }
    fn geometry(&self) -> OpenGeometry {
        BulkOpenMap::geometry(self)
    }
}

impl<K: Scalar, V: Scalar> DynamicMap<K, V>
where
    (K, V): Entry,
{
    /// Pairs that an empty map has room for.
    const FIRST: u64 = 1 << 16;

    /// An empty map of no particular size.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        Self::with_capacity(device, Self::FIRST)
    }

    /// An empty map that has room for `pairs` pairs before it grows.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`].
    pub fn with_capacity(device: &Device, pairs: u64) -> Result<Self, Error> {
        Self::at_load(device, pairs, OpenGeometry::DEFAULT_LOAD)
    }

    /// The same, of whose slots at most `load` are taken before it grows.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`]; [`Error::Refused`] if the load is not above 0 and at most 1.
    pub fn at_load(device: &Device, pairs: u64, load: f64) -> Result<Self, Error> {
        let map = OpenMap::with_geometry(device, OpenMap::<K, V>::size(pairs, load)?)?;
        Ok(Self { growing: Growing::new(map, load), device: device.clone() })
    }

    /// Makes room for `more` pairs besides those that are there, and takes tombstones away.
    ///
    /// # Errors
    /// As [`OpenMap::rehash`]; nothing has changed then.
    pub fn reserve(&self, more: u64) -> Result<(), Error> {
        self.growing.resize_for(more)
    }

    /// Gives back the memory that the pairs do not need, and takes tombstones away.
    ///
    /// # Errors
    /// As [`OpenMap::rehash`]; nothing has changed then.
    pub fn shrink(&self) -> Result<(), Error> {
        self.growing.resize_for(0)
    }

    /// Takes out everything, on `stream`; the size stays. Waits as [`SlabMap::clear_on`](crate::SlabMap::clear_on) does.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.growing.clear(|map| map.clear_on(stream))
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> DynamicMapOn<'a, K, V> {
        DynamicMapOn { map: self, stream }
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How its entries lie in memory.
    pub fn layout(&self) -> Layout {
        self.growing.table().layout()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.growing.table().bytes()
    }

    /// Inserts of host slices.
    fn put<T>(
        &self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        decode: impl Fn(u8) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let on_keys = self.device.upload("keys", keys)?;
        let on_values = self.device.upload("values", values)?;
        let mut outcomes = self.device.buffer::<u8>("outcomes", keys.len())?;
        self.on(self.device.stream()).put(operation, &on_keys, &on_values, &mut outcomes)?;
        let codes = self.device.download(&outcomes)?;
        self.growing.table().table().decode(operation, &codes, |_, code| decode(code))
    }
}

/// The operations of a [`DynamicMap`] on device slices. Made by [`DynamicMap::on`].
///
/// # Errors
/// As [`MapOn`](crate::MapOn). [`Error::OutOfMemory`] from inserts if there is no memory to grow: what the batch has stored by
/// then is in the map, the outcomes of the others mean nothing, and the map is usable.
pub struct DynamicMapOn<'a, K, V> {
    map: &'a DynamicMap<K, V>,
    stream: &'a Arc<CudaStream>,
}

impl<K: Scalar, V: Scalar> DynamicMapOn<'_, K, V>
where
    (K, V): Entry,
{
    /// As [`MapOn::insert_unique`](crate::MapOn::insert_unique), and waits for the stream.
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes)
    }

    /// As [`MapOn::insert_or_assign`](crate::MapOn::insert_or_assign), and waits for the stream.
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes)
    }

    /// As [`OpenMapOn::insert_or_add`](crate::OpenMapOn::insert_or_add), and waits for the stream.
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAdd, keys, values, outcomes)
    }

    fn put(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let (keys, values, mut outcomes) = (keys.view(), values.view(), outcomes.view_mut());
        let n = keys.len();
        for (what, found) in [("values", values.len()), ("outcomes", outcomes.len())] {
            if found != n {
                return Err(Refused::Length { keys: n, what, found }.into());
            }
        }
        self.map.growing.insert(n, |map, from, to| {
            let mut part = outcomes.slice_mut(from..to);
            map.on(self.stream).put(operation, &keys.slice(from..to), &values.slice(from..to), &mut part)?;
            count_stored(&self.map.device, self.stream, &part)
        })
    }

    /// As [`MapOn::search_or`](crate::MapOn::search_or).
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.map.growing.table().on(self.stream).search_or(keys, values, missing, found)
    }

    /// As [`MapOn::search`](crate::MapOn::search).
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// As [`MapOn::contains`](crate::MapOn::contains).
    pub fn contains(&self, keys: &impl Input<K>, found: &mut impl Output<u8>) -> Result<(), Error> {
        self.map.growing.table().on(self.stream).contains(keys, found)
    }

    /// As [`OpenMapOn::retrieve_all`](crate::OpenMapOn::retrieve_all).
    pub fn retrieve_all(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        self.map.growing.table().on(self.stream).retrieve_all(keys, values, count)
    }

    /// As [`MapOn::delete`](crate::MapOn::delete).
    pub fn delete(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.map.growing.table().on(self.stream).delete(keys, outcomes)
    }
}

impl<K: Scalar, V: Scalar> BulkMap<K, V> for DynamicMap<K, V>
where
    (K, V): Entry,
{
    type Error = Error;

    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.put(Operation::InsertUnique, keys, values, Insert::from_code)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        self.put(Operation::InsertOrAssign, keys, values, Assign::from_code)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.growing.table().search(keys)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.growing.table().contains(keys)
    }
    fn clear(&mut self) -> Result<(), Error> {
        self.growing.clear(BulkMap::clear)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.growing.table().delete(keys)
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        admit(keys)?;
        let mut answers = Vec::with_capacity(keys.len());
        self.growing.mixed(keys.len(), |map, from, to| {
            answers.extend(map.mixed(&ops[from..to], &keys[from..to], &values[from..to])?);
            Ok(())
        })?;
        Ok(answers)
    }
    fn pairs(&self) -> Result<Vec<(K, V)>, Error> {
        self.growing.table().pairs()
    }
    fn len(&self) -> Result<u64, Error> {
        self.growing.table().len()
    }
}

impl<K: Scalar, V: Scalar> BulkOpenMap<K, V> for DynamicMap<K, V>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        self.put(Operation::InsertOrAdd, keys, values, Add::from_code)
    }
    fn pairs_in_order(&self) -> Result<Vec<(K, V)>, Error> {
        self.growing.table().pairs_in_order()
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkOpenMap::stats(&*self.growing.table())
    }
    fn geometry(&self) -> OpenGeometry {
        BulkOpenMap::geometry(&*self.growing.table())
    }
}

impl<K: Scalar, V: Scalar> fmt::Debug for DynamicMap<K, V>
where
    (K, V): Entry,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicMap").field("map", &*self.growing.table()).finish_non_exhaustive()
    }
}
