//! The hopscotch set: u32 or u64 keys.

use super::table::{Groups, HopscotchParts};
use crate::bulk::{SetBulk, set_by_bulk, table_by_bulk};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Scalar;
use crate::on::SetOn;
use crate::staging::Staging;
use crate::table::{Table, Tuning};
use crate::through::SetThrough;
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    BulkSet, BulkTable, GeometryOf, HopscotchGeometry, StatsOf, admit, left_out, structure,
};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent hopscotch set of u32 or u64 keys in device memory.
///
/// On host slices, its operations are those of [`BulkSet`]; on device slices, those of [`SetOn`], by
/// [`HopscotchSet::on`]. What [`HopscotchMap`](crate::HopscotchMap) says of room, and [`SlabMap`](crate::SlabMap) of
/// waiting, holds here too.
pub struct HopscotchSet<K> {
    groups: Groups,
    keys: PhantomData<K>,
}

impl<K: Scalar> HopscotchSet<K> {
    /// An empty set for `keys` keys at the default load ([`HopscotchGeometry::for_pairs`]).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(device: &Device, keys: u64) -> Result<Self, Error> {
        Self::with_geometry(device, HopscotchGeometry::for_pairs(keys)?)
    }

    /// An empty set of a given size, with groups of [`GROUP_WORDS`](warpproof_model::hopscotch::GROUP_WORDS) words and
    /// neighbourhoods of [`REACH`](warpproof_model::hopscotch::REACH) groups.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`HopscotchGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: HopscotchGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty set of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`HopscotchSet::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: HopscotchGeometry, tuning: Tuning) -> Result<Self, Error> {
        Ok(Self { groups: Groups::empty(device, K::SET, geometry, tuning)?, keys: PhantomData })
    }

    /// A set of these keys, made for as many.
    ///
    /// # Errors
    /// As [`HopscotchSet::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(device: &Device, keys: &[K]) -> Result<Self, Error> {
        admit(keys)?;
        let set = Self::with_capacity(device, keys.len() as u64)?;
        match left_out(&set.insert(keys)?) {
            0 => Ok(set),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> SetOn<'a, K> {
        SetOn::new(self.table(), stream)
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
        self.groups.table_mut().clear(stream)
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.table().device()
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
    fn bulk(&self) -> SetBulk<'_, K> {
        SetBulk::new(self.table())
    }
}

impl<K: Scalar> BulkTable for HopscotchSet<K> {
    table_by_bulk! { structure::Hopscotch, K, groups }
}

impl<K: Scalar> BulkSet<K> for HopscotchSet<K> {
    set_by_bulk! { K }
}

impl<K> fmt::Debug for HopscotchSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HopscotchSet")
            .field("device", self.groups.table().device())
            .field("geometry", &self.groups.geometry())
            .finish_non_exhaustive()
    }
}
