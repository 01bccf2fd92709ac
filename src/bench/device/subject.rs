//! Tables on device slices, as far as they are measured.

use crate::bench::entry::Number;
use std::sync::Arc;
use warpproof::SlabGeometry;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use warpproof::gpu::{Device, Error, Scalar, SlabMap, SlabMultimap, SlabSet, Tuning};
use warpproof::model::host::SlabStats;
use warpproof::{BulkSlabMap, BulkSlabSet};

/// A table on device slices.
pub(super) trait Subject: Sized {
    /// Its keys and values.
    type Key: Scalar + Number;
    /// What a search writes.
    type Found: DeviceRepr + Copy + PartialEq;

    fn new(device: &Device, geometry: SlabGeometry, tuning: Tuning) -> Result<Self, Error>;
    fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error>;
    fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        values: &CudaSlice<Self::Key>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error>;
    fn search(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        found: &mut CudaSlice<Self::Found>,
    ) -> Result<(), Error>;
    fn delete(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error>;
    fn stats(&self) -> Result<SlabStats, Error>;
    /// What a search writes for a key with this value, or without one.
    fn found(value: Option<Self::Key>) -> Self::Found;
    /// What an output holds before a search writes it: no answer of a search.
    fn poison() -> Self::Found;
}

macro_rules! of_pairs {
    ($table:ident<$key:ty>, $insert:ident) => {
        impl Subject for $table<$key, $key> {
            type Key = $key;
            type Found = $key;

            fn new(device: &Device, geometry: SlabGeometry, tuning: Tuning) -> Result<Self, Error> {
                Self::with_tuning(device, geometry, tuning)
            }
            fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
                self.clear(stream)
            }
            fn insert(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                values: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on(stream).$insert(keys, values, outcomes)
            }
            fn search(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                found: &mut CudaSlice<$key>,
            ) -> Result<(), Error> {
                self.on(stream).search_or(keys, found, MISSING as $key, None)
            }
            fn delete(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on(stream).delete(keys, outcomes)
            }
            fn stats(&self) -> Result<SlabStats, Error> {
                BulkSlabMap::stats(self)
            }
            fn found(value: Option<$key>) -> $key {
                value.unwrap_or(MISSING as $key)
            }
            fn poison() -> $key {
                <$key>::from_ne_bytes([super::POISON; size_of::<$key>()])
            }
        }
    };
}
of_pairs!(SlabMap<u32>, insert_unique);
of_pairs!(SlabMap<u64>, insert_unique);
of_pairs!(SlabMultimap<u32>, insert);

/// What a search writes where there is no pair: no value, as those have their top bit set.
const MISSING: u8 = 1;

impl Subject for SlabSet {
    type Key = u32;
    type Found = u8;

    fn new(device: &Device, geometry: SlabGeometry, tuning: Tuning) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, tuning)
    }
    fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.clear(stream)
    }
    fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<u32>,
        _: &CudaSlice<u32>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error> {
        self.on(stream).insert(keys, outcomes)
    }
    fn search(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<u32>,
        found: &mut CudaSlice<u8>,
    ) -> Result<(), Error> {
        self.on(stream).contains(keys, found)
    }
    fn delete(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<u32>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error> {
        self.on(stream).delete(keys, outcomes)
    }
    fn stats(&self) -> Result<SlabStats, Error> {
        BulkSlabSet::stats(self)
    }
    fn found(value: Option<u32>) -> u8 {
        value.is_some().into()
    }
    fn poison() -> u8 {
        super::POISON
    }
}
