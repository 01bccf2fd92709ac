//! The map and the multimap: u32 or u64 keys and values.

use crate::arguments::Operation;
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Layout, Scalar};
use crate::on::MapOn;
use crate::table::{Parts, Table, Tuning};
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use std::sync::Arc;
use warpproof_model::host::{
    Answer, BulkMap, BulkMultimap, BulkSlabMap, Matches, Op, SlabGeometry, SlabStats, admit, left_out,
    same_length,
};
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed};
use warpproof_model::slab::{Multi, Multiplicity, Unique};

/// A concurrent map in device memory; with `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>` or `SlabMap<u64, u64>`. On host slices, its operations are those of [`BulkMap`]: each call
/// copies its input to the device, waits, and copies the answers back. On device slices, they are those of
/// [`MapOn`], by [`SlabMap::on`].
///
/// Host-slice calls do not wait for device-slice calls that are still running on the caller's streams, except
/// [`flush`](BulkSlabMap::flush). Dropping a map waits for the device.
pub struct SlabMap<K, V, M = Unique> {
    table: Table,
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
        Ok(Self { table: Table::new(device, layout, geometry, tuning)?, types: PhantomData })
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
        let put = |on: MapOn<'_, K, V, M>, k: &_, v: &_, o: &mut _| on.put(operation, k, v, o);
        match left_out(&map.put(operation, keys, values, Insert::from_code, put)?) {
            0 => Ok(map),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> MapOn<'a, K, V, M> {
        MapOn::new(&self.table, stream)
    }

    /// Takes out everything, on `stream`: makes all slots empty and gives all slabs back.
    ///
    /// Does not wait if the map was used on no other stream since the last clear; otherwise the device is waited for
    /// first. The first call on another stream afterwards waits for `stream`. Kernels of your own on the map
    /// ([`parts`](Self::parts)) are not known here and have to be waited for.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.table.clear(stream)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table.device()
    }

    /// How its slots lie in memory.
    pub fn layout(&self) -> Layout {
        self.table.layout()
    }

    /// Where it lies in device memory, for kernels of your own.
    pub fn parts(&self) -> Parts {
        self.table.parts()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// The operations on the stream of host-slice calls.
    fn here(&self) -> MapOn<'_, K, V, M> {
        self.on(self.device().stream())
    }

    /// Waits for `operation` and takes what it wrote.
    fn take<T: DeviceRepr + Clone + Default>(
        &self,
        operation: Operation,
        buffer: &CudaSlice<T>,
    ) -> Result<Vec<T>, Error> {
        self.table.wait(operation)?;
        self.device().download(buffer)
    }

    /// Checks a batch of pairs and copies it to the device; runs `launch` on it and decodes the outcomes.
    fn put<T>(
        &self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        decode: impl Fn(u8) -> Option<T>,
        launch: impl FnOnce(
            MapOn<'_, K, V, M>,
            &CudaSlice<K>,
            &CudaSlice<V>,
            &mut CudaSlice<u8>,
        ) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.device();
        let (on_keys, on_values) = (device.upload("keys", keys)?, device.upload("values", values)?);
        let mut outcomes = device.buffer("outcomes", keys.len())?;
        launch(self.here(), &on_keys, &on_values, &mut outcomes)?;
        let codes = self.take(operation, &outcomes)?;
        self.table.decode(operation, &codes, |_, code| decode(code))
    }

    /// Checks keys and copies them to the device; runs `launch` on them and returns what it wrote.
    fn per_key<T: DeviceRepr + Clone + Default>(
        &self,
        operation: Operation,
        keys: &[K],
        launch: impl FnOnce(MapOn<'_, K, V, M>, &CudaSlice<K>, &mut CudaSlice<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let on_keys = self.device().upload("keys", keys)?;
        let mut answers = self.device().buffer("answers", keys.len())?;
        launch(self.here(), &on_keys, &mut answers)?;
        self.take(operation, &answers)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkMap<K, V> for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    type Error = Error;

    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        let operation = Operation::InsertUnique;
        self.put(operation, keys, values, Insert::from_code, |on, k, v, o| on.insert_unique(k, v, o))
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        let operation = Operation::InsertOrAssign;
        self.put(operation, keys, values, Assign::from_code, |on, k, v, o| on.insert_or_assign(k, v, o))
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.device().buffer("found", keys.len())?;
        let search = |on: MapOn<'_, K, V, M>, k: &_, v: &mut _| on.search(k, v, Some(found.as_view_mut()));
        let values = self.per_key(Operation::Search, keys, search)?;
        let found = self.device().download(&found)?;
        Ok(values.into_iter().zip(found).map(|(value, found)| (found == 1).then_some(value)).collect())
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        let codes = self.per_key(Operation::Delete, keys, |on, k, o| on.delete(k, o))?;
        self.table.decode(Operation::Delete, &codes, |_, code| Delete::from_code(code))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let codes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
        let device = self.device();
        let on_ops = device.upload("operations", &codes)?;
        let on_values = device.upload("values", values)?;
        let mut found = device.buffer::<V>("found values", keys.len())?;
        // Only searches write theirs, and all are copied back.
        device.fill(&mut found, 0)?;
        let outcomes = self.per_key(Operation::Mixed, keys, |on, k, outcomes| {
            on.mixed(&on_ops, k, &on_values, outcomes, &mut found)
        })?;
        let found = device.download(&found)?;
        let answer = |at: usize, code: u8| Answer::new(ops[at], Mixed { code, value: found[at] });
        self.table.decode(Operation::Mixed, &outcomes, answer)
    }

    fn pairs(&self) -> Result<Vec<(K, V)>, Error> {
        let live = self.table.stats()?.live;
        if live == 0 {
            return Ok(Vec::new());
        }
        let device = self.device();
        let keys = device.buffer::<K>("keys", live as usize)?;
        let values = device.buffer::<V>("values", live as usize)?;
        self.table.collect(live, &keys, Some(&values))?;
        Ok(device.download(&keys)?.into_iter().zip(device.download(&values)?).collect())
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(self.table.stats()?.live)
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> BulkSlabMap<K, V> for SlabMap<K, V, M>
where
    (K, V): Entry,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Matches { offsets: vec![0], values: Vec::new() });
        }
        let device = self.device();
        let on_keys = device.upload("keys", keys)?;
        let mut counts = device.buffer::<u32>("counts", keys.len())?;
        self.here().count(&on_keys, &mut counts)?;
        let first = self.take(Operation::Count, &counts)?;
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
        let on_offsets = device.upload("offsets", &offsets)?;
        let mut values = device.buffer("values", end as usize)?;
        // SAFETY: the offsets are sums, so they ascend, and the last is the number of values.
        unsafe { self.here().search_all(&on_keys, &on_offsets, &mut values, &mut counts)? };
        let second = self.take(Operation::SearchAll, &counts)?;
        if let Some(at) = (0..keys.len()).find(|&at| first[at] != second[at]) {
            let (first, second) = (first[at] as u64, second[at] as u64);
            return Err(Error::Changed { what: "the number of pairs of a key", first, second });
        }
        Ok(Matches { offsets, values: device.download(&values)? })
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.per_key(Operation::Count, keys, |on, k, counts| on.count(k, counts))
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.per_key(Operation::DeleteAll, keys, |on, k, counts| on.delete_all(k, counts))
    }

    fn flush(&mut self) -> Result<u64, Error> {
        self.table.flush()
    }

    fn stats(&self) -> Result<SlabStats, Error> {
        self.table.stats()
    }

    fn geometry(&self) -> SlabGeometry {
        self.table.geometry()
    }
}

impl<K: Scalar, V: Scalar> BulkMultimap<K, V> for SlabMultimap<K, V>
where
    (K, V): Entry,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.put(Operation::Insert, keys, values, Insert::from_code, |on, k, v, o| on.insert(k, v, o))
    }
}

impl<K, V, M> fmt::Debug for SlabMap<K, V, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlabMap")
            .field("device", self.table.device())
            .field("layout", &self.table.layout())
            .field("geometry", &self.table.geometry())
            .finish_non_exhaustive()
    }
}
