//! The set of u32 keys.

use crate::arguments::Operation;
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::on::SetOn;
use crate::table::{Parts, Table, Tuning};
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::{BulkSet, BulkSlabSet, SlabGeometry, SlabStats, admit, left_out};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent set of u32 keys in device memory.
///
/// On host slices, its operations are those of [`BulkSet`]; on device slices, those of [`SetOn`], by
/// [`SlabSet::on`]. What [`SlabMap`](crate::SlabMap) says of waiting holds here too.
pub struct SlabSet {
    table: Table,
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
        Ok(Self { table: Table::new(device, Layout::Set32, geometry, tuning)? })
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
        SetOn::new(&self.table, stream)
    }

    /// Takes out everything, on `stream`: makes all slots empty and gives all slabs back.
    ///
    /// Does not wait if the set was used on no other stream since the last clear; otherwise the device is waited for
    /// first. The first call on another stream afterwards waits for `stream`. Kernels of your own on the set
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

    /// Where it lies in device memory, for kernels of your own.
    pub fn parts(&self) -> Parts {
        self.table.parts()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// Checks keys and copies them to the device; runs `launch` on them and decodes what it wrote.
    fn per_key<T>(
        &self,
        operation: Operation,
        keys: &[u32],
        decode: impl Fn(u8) -> Option<T>,
        launch: impl FnOnce(SetOn<'_>, &CudaSlice<u32>, &mut CudaSlice<u8>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.device();
        let on_keys = device.upload("keys", keys)?;
        let mut outcomes = device.buffer("outcomes", keys.len())?;
        launch(self.on(device.stream()), &on_keys, &mut outcomes)?;
        self.table.wait(operation)?;
        self.table.decode(operation, &device.download(&outcomes)?, |_, code| decode(code))
    }
}

impl BulkSet<u32> for SlabSet {
    type Error = Error;

    fn insert(&self, keys: &[u32]) -> Result<Vec<Insert>, Error> {
        self.per_key(Operation::InsertUnique, keys, Insert::from_code, |on, k, o| on.insert(k, o))
    }

    fn contains(&self, keys: &[u32]) -> Result<Vec<bool>, Error> {
        let found = |code| match code {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        self.per_key(Operation::Search, keys, found, |on, k, o| on.contains(k, o))
    }

    fn delete(&self, keys: &[u32]) -> Result<Vec<Delete>, Error> {
        self.per_key(Operation::Delete, keys, Delete::from_code, |on, k, o| on.delete(k, o))
    }

    fn keys(&self) -> Result<Vec<u32>, Error> {
        let live = self.table.stats()?.live;
        if live == 0 {
            return Ok(Vec::new());
        }
        let keys = self.device().buffer::<u32>("keys", live as usize)?;
        self.table.collect::<u32, ()>(live, &keys, None)?;
        self.device().download(&keys)
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(self.table.stats()?.live)
    }
}

impl BulkSlabSet<u32> for SlabSet {
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

impl fmt::Debug for SlabSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlabSet")
            .field("device", self.table.device())
            .field("geometry", &self.table.geometry())
            .finish_non_exhaustive()
    }
}
