//! The map that grows.

use super::growth::{Growing, Rehash};
use super::on::DynamicMapOn;
use super::shared::{grows, inserted};
use crate::arguments::Operation;
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Layout, Scalar};
use crate::open::OpenMap;
use crate::table::Tuning;
use core::fmt;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    Answer, BulkCounter, BulkMap, BulkOrdered, BulkTable, Op, OpenGeometry, OpenStats, Refused, admit,
    same_length, structure,
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
/// On host slices, its operations are those of [`BulkMap`], through staging buffers that the device keeps, and without room for
/// the whole batch on the device. There is no call through the caller's own: between two parts of a batch that the table grows for,
/// memory is allocated anyway. On device slices, inserts wait for their stream, as the outcomes say
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
        BulkTable::stats(self)
    }
    fn geometry(&self) -> OpenGeometry {
        BulkTable::geometry(self)
    }
    fn size(entries: u64, load: f64) -> Result<OpenGeometry, Refused> {
        Self::size(entries, load)
    }
}

impl<K: Scalar, V: Scalar> DynamicMap<K, V>
where
    (K, V): Entry,
{
    grows! { OpenMap }

    /// The same, of whose slots at most `load` are taken before it grows.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`]; [`Error::Refused`] if the load is not above 0 and at most 1.
    pub fn at_load(device: &Device, pairs: u64, load: f64) -> Result<Self, Error> {
        Self::with_tuning(device, pairs, load, Tuning::default())
    }

    /// The same whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`DynamicMap::at_load`].
    pub fn with_tuning(device: &Device, pairs: u64, load: f64, tuning: Tuning) -> Result<Self, Error> {
        let map = OpenMap::with_tuning(device, OpenMap::<K, V>::size(pairs, load)?, tuning)?;
        Ok(Self { growing: Growing::new(map, load), device: device.clone() })
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> DynamicMapOn<'a, K, V> {
        DynamicMapOn::new(&self.growing, stream)
    }

    /// How its entries lie in memory.
    pub fn layout(&self) -> Layout {
        self.growing.table().layout()
    }

    /// Inserts of host slices.
    fn put<T: Copy + Send + Sync>(
        &self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        decode: impl Fn(u8) -> Option<T> + Sync,
        stored: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        inserted(&self.growing, &self.device, keys, stored, |map, staging, (from, to), outcomes| {
            map.through(staging).put(operation, &keys[from..to], &values[from..to], outcomes, &decode)
        })
    }
}

impl<K: Scalar, V: Scalar> BulkTable for DynamicMap<K, V>
where
    (K, V): Entry,
{
    type Error = Error;
    type Structure = structure::Dynamic;
    type Entry = (K, V);

    fn retrieve_all(&self) -> Result<Vec<(K, V)>, Error> {
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

impl<K: Scalar, V: Scalar> BulkMap<K, V> for DynamicMap<K, V>
where
    (K, V): Entry,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.put(Operation::InsertUnique, keys, values, Insert::from_code, |&o| o == Insert::Inserted)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        self.put(Operation::InsertOrAssign, keys, values, Assign::from_code, |&o| o == Assign::Inserted)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.growing.table().search(keys)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.growing.table().contains(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.growing.table().delete(keys)
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        admit(keys)?;
        self.device.staged(|staging| {
            let mut answers = Vec::with_capacity(keys.len());
            self.growing.mixed(keys.len(), |map, from, to| {
                let (ops, keys, values) = (&ops[from..to], &keys[from..to], &values[from..to]);
                map.through(staging).mixed(ops, keys, values, &mut answers)
            })?;
            Ok(answers)
        })
    }
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.growing.table().count(keys)
    }
}

impl<K: Scalar, V: Scalar> BulkCounter<K, V> for DynamicMap<K, V>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        self.put(Operation::InsertOrAdd, keys, values, Add::from_code, |&o| o == Add::Inserted)
    }
}

impl<K: Scalar, V: Scalar> BulkOrdered for DynamicMap<K, V>
where
    (K, V): Entry,
{
    fn retrieve_all_in_order(&self) -> Result<Vec<(K, V)>, Error> {
        self.growing.table().retrieve_all_in_order()
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
