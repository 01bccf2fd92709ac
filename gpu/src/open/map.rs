//! The open-addressing map.

use super::on::OpenMapOn;
use super::scheme::{OpenScheme, bucket_slots, size};
use super::table::{Buckets, OpenParts};
use super::through::OpenMapThrough;
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
    Answer, BulkCounter, BulkMap, BulkOrdered, BulkTable, GeometryOf, Op, OpenGeometry, Refused, StatsOf,
    admit, left_out, same_length,
};
use warpproof_model::open::{Cuckoo, Near};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};

/// A concurrent map in an open-addressing table in device memory: an array of buckets, and a filter that says which keys
/// may stand behind a full one.
///
/// `OpenMap<u32, u32>` or `OpenMap<u64, u64>`, whose pairs are 128-bit words where the device has them (sm_90), and else two
/// words by the lock-bit protocol ([`Layout::Map64Lock`]). On host slices, its operations are those of [`BulkMap`], and those
/// of [`OpenMapThrough`], by [`OpenMap::through`]; on device slices, those of [`OpenMapOn`], by [`OpenMap::on`]. What [`SlabMap`](crate::SlabMap) says of waiting holds here too.
///
/// A map does not grow, and the slot of a deleted pair is not used again before
/// [`BulkTable::clear`]: an insert is
/// [`Insert::Full`], and changes nothing, when no slot is empty any more.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = OpenMap::<u32, u32>::with_geometry(&device, OpenMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of {} slots are taken", map.stats()?.live, map.geometry().slots());
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct OpenMap<K, V, P = Near> {
    buckets: Buckets,
    types: PhantomData<(K, V, P)>,
}

/// An [`OpenMap`] of high loads: a search reads two buckets at most, whatever the load is, and the slots of deleted pairs are used
/// again.
///
/// An insert whose two buckets are full moves up to three pairs, each from its first bucket to its second, and says
/// [`Insert::Full`] when that makes no room. Deletes, and inserts that change a value, wait for others that work on keys of the same
/// bucket; searches wait for nobody. A map of u64 pairs needs 128-bit words: below sm_90 it is [`Error::NoWideWords`].
///
/// ```no_run
/// use warpproof_gpu::{CuckooMap, Device};
/// use warpproof_model::host::BulkMap;
///
/// let device = Device::open(0)?;
/// let map = CuckooMap::<u32, u32>::with_geometry(&device, CuckooMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type CuckooMap<K, V> = OpenMap<K, V, Cuckoo>;

impl<K: Scalar, V: Scalar, P: OpenScheme> OpenMap<K, V, P>
where
    (K, V): Entry,
{
    /// Slots of a bucket of a large map: 8 of u32 pairs, 4 of u64 pairs, which are 64 bytes; 8 where keys move.
    pub const BUCKET_SLOTS: u32 = bucket_slots(<(K, V)>::PACKED, P::MOVES);

    /// The size of such a map for `pairs` pairs at a load; as [`OpenGeometry::new`]. A bucket has [`OpenMap::BUCKET_SLOTS`] slots, or 4
    /// of u32 pairs, up to 96 MiB, where keys move up to a load of 0.85 (at more, some would find no room): much of it is in the L2 cache of
    /// a large GPU then, which reads buckets of 32 bytes faster.
    ///
    /// # Errors
    /// As [`OpenGeometry::new`].
    pub fn size(pairs: u64, load: f64) -> Result<OpenGeometry, Refused> {
        size((<(K, V)>::PACKED, P::MOVES), pairs, load)
    }

    /// An empty map for `pairs` pairs at the default load ([`OpenGeometry::DEFAULT_LOAD`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(device: &Device, pairs: u64) -> Result<Self, Error> {
        Self::with_geometry(device, Self::size(pairs, OpenGeometry::DEFAULT_LOAD)?)
    }

    /// An empty map of a given size, with buckets of [`OpenMap::BUCKET_SLOTS`], or of 4 slots of u32 pairs.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`]; [`Error::Refused`] as [`OpenGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: OpenGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty map of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`OpenMap::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: OpenGeometry, tuning: Tuning) -> Result<Self, Error> {
        let layout = <(K, V)>::layout(device.wide() && !tuning.lock_bit, false);
        let buckets = Buckets::empty(device, (layout, P::MOVES), geometry, tuning)?;
        Ok(Self { buckets, types: PhantomData })
    }

    /// A map of these pairs, made for as many. Of several pairs with one key, it keeps any one.
    ///
    /// # Errors
    /// As [`OpenMap::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
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
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OpenMapOn<'a, K, V> {
        OpenMapOn::new(self.table(), stream)
    }

    /// The operations on host slices through staging buffers of the caller.
    pub fn through<'a>(&'a self, staging: &'a mut Staging) -> OpenMapThrough<'a, K, V> {
        OpenMapThrough::new(self.table(), staging)
    }

    /// Takes out everything, on `stream`. Waits as [`SlabMap::clear_on`](crate::SlabMap::clear_on) does.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.buckets.table_mut().clear(stream)
    }

    /// Moves all pairs to a table of another size, or of the same one: slots of deleted pairs are free again. Waits for what
    /// other streams still run on it, and until it is done. Takes memory for both tables meanwhile, and time proportional to
    /// the slots of the old one and the pairs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`OpenGeometry::admit`] does; [`Error::TableFull`] if the new table has
    /// no room for all pairs. Nothing has changed then.
    pub fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.buckets.rehash(geometry)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table().device()
    }

    /// How its entries lie in memory.
    pub fn layout(&self) -> Layout {
        self.buckets.layout()
    }

    /// Where it lies in device memory, for kernels of your own.
    pub fn parts(&self) -> OpenParts {
        self.buckets.parts()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.buckets.bytes()
    }

    /// Its buckets.
    pub(super) fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// The same, to be changed.
    pub(super) fn buckets_mut(&mut self) -> &mut Buckets {
        &mut self.buckets
    }

    /// What the tables of all structures share.
    pub(crate) fn table(&self) -> &Table {
        self.buckets.table()
    }

    /// The operations on host slices.
    fn bulk(&self) -> MapBulk<'_, K, V> {
        MapBulk::new(self.table())
    }
}

impl<K: Scalar, V: Scalar, P: OpenScheme> BulkTable for OpenMap<K, V, P>
where
    (K, V): Entry,
{
    table_by_bulk! { P::Structure, (K, V), buckets }
}

impl<K: Scalar, V: Scalar, P: OpenScheme> BulkMap<K, V> for OpenMap<K, V, P>
where
    (K, V): Entry,
{
    map_by_bulk! { K, V }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        Ok(self.contains(keys)?.into_iter().map(u32::from).collect())
    }
}

impl<K: Scalar, V: Scalar, P: OpenScheme> BulkCounter<K, V> for OpenMap<K, V, P>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        self.bulk().put(Operation::InsertOrAdd, keys, values, Add::from_code)
    }
}

impl<K: Scalar, V: Scalar, P: OpenScheme> BulkOrdered for OpenMap<K, V, P>
where
    (K, V): Entry,
{
    fn retrieve_all_in_order(&self) -> Result<Vec<(K, V)>, Error> {
        self.bulk().retrieve_all_in_order()
    }
}

impl<K, V, P> fmt::Debug for OpenMap<K, V, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenMap")
            .field("device", self.buckets.table().device())
            .field("layout", &self.buckets.layout())
            .field("geometry", &self.buckets.geometry())
            .finish_non_exhaustive()
    }
}
