//! The slab set of u32 keys.

use super::table::{SlabParts, Slabs};
use crate::bulk::{SetBulk, set_by_bulk, table_by_bulk};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::on::SetOn;
use crate::staging::Staging;
use crate::table::{Table, Tuning};
use crate::through::SetThrough;
use core::fmt;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::host::{
    BulkFlush, BulkSet, BulkTable, GeometryOf, SlabGeometry, StatsOf, admit, left_out, structure,
};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent set of u32 keys in device memory.
///
/// On host slices, its operations are those of [`BulkSet`]; on device slices, those of [`SetOn`], by
/// [`SlabSet::on`]. What [`SlabMap`](crate::SlabMap) says of waiting holds here too.
pub struct SlabSet {
    slabs: Slabs,
}

impl SlabSet {
    /// An empty set in which `keys` keys fit whatever they are.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(device: &Device, keys: u64) -> Result<Self, Error> {
        Self::with_geometry(device, SlabGeometry::for_pairs(keys)?)
    }

    /// An empty set of a given size: slabs of 8 slots.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`SlabGeometry::admit`] does.
    pub fn with_geometry(device: &Device, geometry: SlabGeometry) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty set of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`SlabSet::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: SlabGeometry, tuning: Tuning) -> Result<Self, Error> {
        Ok(Self { slabs: Slabs::empty(device, Layout::Set32, geometry, tuning)? })
    }

    /// A set of these keys, with room for as many.
    ///
    /// # Errors
    /// As [`SlabSet::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(device: &Device, keys: &[u32]) -> Result<Self, Error> {
        admit(keys)?;
        let set = Self::with_capacity(device, keys.len() as u64)?;
        match left_out(&set.insert(keys)?) {
            0 => Ok(set),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }

    /// The operations on device slices, on `stream`.
    pub fn on<'a>(&'a self, stream: &'a Arc<CudaStream>) -> SetOn<'a> {
        SetOn::new(self.table(), stream)
    }

    /// The operations on host slices through staging buffers of the caller.
    pub fn through<'a>(&'a self, staging: &'a mut Staging) -> SetThrough<'a> {
        SetThrough::new(self.table(), staging)
    }

    /// Takes out everything, on `stream`: makes all slots empty and gives all slabs back.
    ///
    /// Does not wait if the set was used on no other stream since the last clear; otherwise the device is waited for
    /// first. The first call on another stream afterwards waits for `stream`. Kernels of your own on the set
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
    fn bulk(&self) -> SetBulk<'_, u32> {
        SetBulk::new(self.table())
    }
}

impl BulkTable for SlabSet {
    table_by_bulk! { structure::Slab, u32, slabs }
}

impl BulkSet<u32> for SlabSet {
    set_by_bulk! { u32 }
}

impl BulkFlush for SlabSet {
    fn flush(&mut self) -> Result<u64, Error> {
        self.slabs.flush()
    }
}

impl fmt::Debug for SlabSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlabSet")
            .field("device", self.slabs.table().device())
            .field("geometry", &self.slabs.geometry())
            .finish_non_exhaustive()
    }
}
