//! The GPU.

use super::Backend;
use crate::failure::Failure;
use warpproof::gpu::{
    CuckooMap, CuckooSet, Device, DynamicMap, HopscotchMap, HopscotchSet, OpenMap, OpenSet, SlabMap,
    SlabMultimap, SlabSet,
};
use warpproof::{HopscotchGeometry, OpenGeometry, SlabGeometry};

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
    type HopscotchMap32 = HopscotchMap<u32, u32>;
    type HopscotchSet32 = HopscotchSet<u32>;
    type HopscotchSet64 = HopscotchSet<u64>;
    type HopscotchMap64 = HopscotchMap<u64, u64>;
    type OpenMap32 = OpenMap<u32, u32>;
    type OpenSet32 = OpenSet<u32>;
    type OpenSet64 = OpenSet<u64>;
    type OpenMap64 = OpenMap<u64, u64>;
    type CuckooMap32 = CuckooMap<u32, u32>;
    type CuckooSet32 = CuckooSet<u32>;
    type CuckooSet64 = CuckooSet<u64>;
    type CuckooMap64 = CuckooMap<u64, u64>;
    type DynamicMap32 = DynamicMap<u32, u32>;
    type DynamicMap64 = DynamicMap<u64, u64>;

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

    fn hopscotch_map32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap32, Failure> {
        HopscotchMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn hopscotch_set32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet32, Failure> {
        HopscotchSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn hopscotch_set64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet64, Failure> {
        HopscotchSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn hopscotch_map64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap64, Failure> {
        HopscotchMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn open_map32(&self, geometry: OpenGeometry) -> Result<Self::OpenMap32, Failure> {
        let geometry = Self::OpenMap32::size(geometry.slots() as u64, 1.0).map_err(Failure::backend)?;
        OpenMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn open_set32(&self, geometry: OpenGeometry) -> Result<Self::OpenSet32, Failure> {
        OpenSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn open_set64(&self, geometry: OpenGeometry) -> Result<Self::OpenSet64, Failure> {
        OpenSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn open_map64(&self, geometry: OpenGeometry) -> Result<Self::OpenMap64, Failure> {
        let geometry = Self::OpenMap64::size(geometry.slots() as u64, 1.0).map_err(Failure::backend)?;
        OpenMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn cuckoo_map32(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap32, Failure> {
        CuckooMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn cuckoo_set32(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet32, Failure> {
        CuckooSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn cuckoo_set64(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet64, Failure> {
        CuckooSet::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn cuckoo_map64(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap64, Failure> {
        CuckooMap::with_geometry(&self.device, geometry).map_err(Failure::backend)
    }

    fn dynamic_map32(&self, pairs: u64, load: f64) -> Result<Self::DynamicMap32, Failure> {
        DynamicMap::at_load(&self.device, pairs, load).map_err(Failure::backend)
    }

    fn dynamic_map64(&self, pairs: u64, load: f64) -> Result<Self::DynamicMap64, Failure> {
        DynamicMap::at_load(&self.device, pairs, load).map_err(Failure::backend)
    }
}
