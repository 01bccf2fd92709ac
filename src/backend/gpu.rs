//! The GPU.

use super::Backend;
use crate::failure::Failure;
use warpproof::gpu::{Device, SlabMap, SlabMultimap, SlabSet};
use warpproof::simt::cpu;
use warpproof::{HopscotchGeometry, SlabGeometry};

/// The first GPU.
pub(crate) struct Gpu {
    device: Device,
}

impl Gpu {
    /// Opens it.
    pub(crate) fn open() -> Result<Self, Failure> {
        Ok(Self { device: Device::open(0).map_err(Failure::backend)? })
    }
}

impl Backend for Gpu {
    type Map32 = SlabMap<u32, u32>;
    type Multi32 = SlabMultimap<u32, u32>;
    type Set32 = SlabSet;
    type Map64 = SlabMap<u64, u64>;
    // Never made: see `not_yet`.
    type HopscotchMap32 = cpu::HopscotchMap<u32, u32>;
    type HopscotchSet32 = cpu::HopscotchSet<u32>;
    type HopscotchMap64 = cpu::HopscotchMap<u64, u64>;

    fn name(&self) -> &'static str {
        "gpu"
    }

    fn device(&self) -> String {
        let (major, minor) = self.device.capability();
        format!("{}, sm_{major}{minor}", self.device.name())
    }

    fn kernels(&self) -> Option<&Device> {
        Some(&self.device)
    }

    fn map32(&self, geometry: SlabGeometry) -> Result<Self::Map32, Failure> {
        SlabMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn multi32(&self, geometry: SlabGeometry) -> Result<Self::Multi32, Failure> {
        SlabMultimap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn set32(&self, geometry: SlabGeometry) -> Result<Self::Set32, Failure> {
        SlabSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn map64(&self, geometry: SlabGeometry) -> Result<Self::Map64, Failure> {
        SlabMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn hopscotch_map32(&self, _: HopscotchGeometry) -> Result<Self::HopscotchMap32, Failure> {
        Err(not_yet())
    }

    fn hopscotch_set32(&self, _: HopscotchGeometry) -> Result<Self::HopscotchSet32, Failure> {
        Err(not_yet())
    }

    fn hopscotch_map64(&self, _: HopscotchGeometry) -> Result<Self::HopscotchMap64, Failure> {
        Err(not_yet())
    }
}

fn not_yet() -> Failure {
    Failure::input("hopscotch tables do not run on the GPU yet: --backend cpu")
}
