//! The open-addressing set: u32 or u64 keys.

use super::on::OpenSetOn;
use super::scheme::OpenScheme;
use super::table::{Buckets, OpenParts};
use crate::bulk::{SetBulk, set_by_bulk, table_by_bulk};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Scalar;
use crate::staging::Staging;
use crate::table::{Table, Tuning};
use crate::through::SetThrough;
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    BulkOrdered, BulkSet, BulkTable, GeometryOf, OpenGeometry, StatsOf, admit, left_out,
};
use warpproof_model::open::{Cuckoo, Near};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent set of u32 or u64 keys in an open-addressing table in device memory.
///
/// On host slices, its operations are those of [`BulkSet`]; on device slices, those of [`OpenSetOn`], by [`OpenSet::on`]. What
/// [`OpenMap`](crate::OpenMap) says of room, and [`SlabMap`](crate::SlabMap) of waiting, holds here too.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenSet};
/// use warpproof_model::host::BulkSet;
///
/// let device = Device::open(0)?;
/// let set = OpenSet::<u64>::build(&device, &[1, 2, 3])?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct OpenSet<K, P = Near> {
    buckets: Buckets,
    types: PhantomData<(K, P)>,
}

/// An [`OpenSet`] of high loads, as [`CuckooMap`](crate::CuckooMap) is of maps.
pub type CuckooSet<K> = OpenSet<K, Cuckoo>;

impl<K: Scalar, P: OpenScheme> OpenSet<K, P> {
    /// An empty set for `keys` keys at the default load ([`OpenGeometry::for_pairs`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(device: &Device, keys: u64) -> Result<Self, Error> {
        Self::with_geometry(device, OpenGeometry::for_pairs(keys)?)
    }

    /// An empty set of a given size, with buckets of [`BUCKET_SLOTS`](warpproof_model::open::BUCKET_SLOTS) slots.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`OpenGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: OpenGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty set of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`OpenSet::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: OpenGeometry, tuning: Tuning) -> Result<Self, Error> {
        let buckets = Buckets::empty(device, (K::SET, P::MOVES), geometry, tuning)?;
        Ok(Self { buckets, types: PhantomData })
    }

    /// A set of these keys, made for as many.
    ///
    /// # Errors
    /// As [`OpenSet::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(device: &Device, keys: &[K]) -> Result<Self, Error> {
        admit(keys)?;
        let set = Self::with_capacity(device, keys.len() as u64)?;
        match left_out(&set.insert(keys)?) {
            0 => Ok(set),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OpenSetOn<'a, K> {
        OpenSetOn::new(self.table(), stream)
    }

    /// The operations on host slices through staging buffers of the caller.
    pub fn through<'a>(&'a self, staging: &'a mut Staging) -> SetThrough<'a, K> {
        SetThrough::new(self.table(), staging)
    }

    /// Takes out everything, on `stream`. Waits as [`SlabMap::clear_on`](crate::SlabMap::clear_on) does.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.buckets.table_mut().clear(stream)
    }

    /// Moves all keys to a table of another size, or of the same one: slots of deleted keys are free again. Waits for what
    /// other streams still run on it, and until it is done. Takes memory for both tables meanwhile, and time proportional to
    /// the slots of the old one and the keys.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`OpenGeometry::admit`] does; [`Error::TableFull`] if the new table has
    /// no room for all keys. Nothing has changed then.
    pub fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.buckets.rehash(geometry)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table().device()
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
    fn bulk(&self) -> SetBulk<'_, K> {
        SetBulk::new(self.table())
    }
}

impl<K: Scalar, P: OpenScheme> BulkTable for OpenSet<K, P> {
    table_by_bulk! { P::Structure, K, buckets }
}

impl<K: Scalar, P: OpenScheme> BulkSet<K> for OpenSet<K, P> {
    set_by_bulk! { K }
}

impl<K: Scalar, P: OpenScheme> BulkOrdered for OpenSet<K, P> {
    fn retrieve_all_in_order(&self) -> Result<Vec<K>, Error> {
        self.bulk().retrieve_all_in_order()
    }
}

impl<K, P> fmt::Debug for OpenSet<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenSet")
            .field("device", self.buckets.table().device())
            .field("geometry", &self.buckets.geometry())
            .finish_non_exhaustive()
    }
}
