//! The suite on the first GPU, if there is one: 64-bit pairs in 128-bit words where it has them, and by the lock bit.
#![cfg(feature = "gpu")]

#[path = "support/device.rs"]
mod device;
mod suite;

use std::marker::PhantomData;

use device::device;
use suite::dynamic::DynamicMaps;
use suite::dynamic_set::DynamicSets;
use suite::{Maps, Sets};
use warpproof::gpu::{
    CuckooMap, CuckooSet, Device, DynamicMap, DynamicSet, Entry, Error, HopscotchMap, HopscotchSet, Layout,
    OpenMap, OpenSet, Scalar, SlabMap, SlabSet, Tuning,
};
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry};
use warpproof::model::slab::{Multi, Multiplicity, SLAB_SLOTS, Unique};

/// The GPU, with maps of multiplicity `M`.
struct Gpu<M> {
    device: &'static Device,
    tuning: Tuning,
    multiplicity: PhantomData<M>,
}

impl<M> Gpu<M> {
    fn new(tuning: Tuning) -> Option<Self> {
        Some(Self { device: device()?, tuning, multiplicity: PhantomData })
    }
}

impl<K: Scalar, M: Multiplicity> Maps<K> for Gpu<M>
where
    (K, K): Entry,
{
    type Map = SlabMap<K, K, M>;

    fn try_map(&self, geometry: SlabGeometry) -> Result<Self::Map, Error> {
        let map = SlabMap::with_tuning(self.device, geometry, self.tuning)?;
        if size_of::<K>() == 8 {
            let wide = matches!(map.layout(), Layout::Map64 | Layout::Multi64);
            assert_eq!(wide, self.device.wide() && !self.tuning.lock_bit, "{:?}", map.layout());
        }
        Ok(map)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        SlabMap::build(self.device, keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> SlabGeometry {
        SlabGeometry::new(pairs, load, SLAB_SLOTS as u32).expect("a small table")
    }
}

impl<M> Sets for Gpu<M> {
    type Set = SlabSet;

    fn try_set(&self, geometry: SlabGeometry) -> Result<Self::Set, Error> {
        SlabSet::with_geometry(self.device, geometry)
    }

    fn build_set(&self, keys: &[u32]) -> Result<Self::Set, Error> {
        SlabSet::build(self.device, keys)
    }

    fn set_geometry(&self, keys: u64) -> SlabGeometry {
        SlabGeometry::new(keys, 0.6, SLAB_SLOTS as u32).expect("a small table")
    }
}

fn unique() -> Option<Gpu<Unique>> {
    Gpu::new(Tuning::default())
}

fn multi() -> Option<Gpu<Multi>> {
    Gpu::new(Tuning::default())
}

crate::suite! { crate::unique, crate::multi }

/// 64-bit pairs by the lock-bit protocol, whatever the device.
mod lock_bit {
    use super::{Gpu, Multi, Tuning, Unique};

    pub(crate) fn unique() -> Option<Gpu<Unique>> {
        Gpu::new(Tuning { lock_bit: true, ..Tuning::default() })
    }

    pub(crate) fn multi() -> Option<Gpu<Multi>> {
        Gpu::new(Tuning { lock_bit: true, ..Tuning::default() })
    }

    mod map64 {
        crate::maps! { crate::lock_bit::unique, u64 }
    }
    mod multimap64 {
        crate::maps! { crate::lock_bit::multi, u64 }
        crate::multimaps! { crate::lock_bit::multi, u64 }
    }
}

/// Hopscotch tables on the GPU.
struct Hopscotch {
    device: &'static Device,
    tuning: Tuning,
}

impl Hopscotch {
    fn new(tuning: Tuning) -> Option<Self> {
        Some(Self { device: device()?, tuning })
    }

    fn size(pairs: u64, load: f64) -> HopscotchGeometry {
        HopscotchGeometry::at_load(pairs, load).expect("a small table")
    }
}

impl<K: Scalar> Maps<K, HopscotchGeometry> for Hopscotch
where
    (K, K): Entry,
{
    type Map = HopscotchMap<K, K>;

    fn try_map(&self, geometry: HopscotchGeometry) -> Result<Self::Map, Error> {
        HopscotchMap::with_tuning(self.device, geometry, self.tuning)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        HopscotchMap::build(self.device, keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> HopscotchGeometry {
        Self::size(pairs, load)
    }
}

impl<K: Scalar> Sets<K, HopscotchGeometry> for Hopscotch {
    type Set = HopscotchSet<K>;

    fn try_set(&self, geometry: HopscotchGeometry) -> Result<Self::Set, Error> {
        HopscotchSet::with_geometry(self.device, geometry)
    }

    fn build_set(&self, keys: &[K]) -> Result<Self::Set, Error> {
        HopscotchSet::build(self.device, keys)
    }

    fn set_geometry(&self, keys: u64) -> HopscotchGeometry {
        Self::size(keys, 0.6)
    }
}

mod hopscotch {
    pub(crate) fn make() -> Option<super::Hopscotch> {
        super::Hopscotch::new(super::Tuning::default())
    }
    crate::hopscotch_suite! { crate::hopscotch::make }
}

/// Open-addressing tables on the GPU.
struct Open {
    device: &'static Device,
    tuning: Tuning,
}

impl Open {
    fn new(tuning: Tuning) -> Option<Self> {
        Some(Self { device: device()?, tuning })
    }
}

impl<K: Scalar> Maps<K, OpenGeometry> for Open
where
    (K, K): Entry,
{
    type Map = OpenMap<K, K>;

    fn try_map(&self, geometry: OpenGeometry) -> Result<Self::Map, Error> {
        let map = OpenMap::with_tuning(self.device, geometry, self.tuning)?;
        if size_of::<K>() == 8 {
            let wide = map.layout() == Layout::Map64;
            assert_eq!(wide, self.device.wide() && !self.tuning.lock_bit, "{:?}", map.layout());
        }
        Ok(map)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        OpenMap::build(self.device, keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> OpenGeometry {
        // Widths have kernels for the buckets of large tables.
        let size = match self.tuning.lanes {
            Some(_) => OpenGeometry::new(pairs, load, OpenMap::<K, K>::BUCKET_SLOTS),
            None => OpenMap::<K, K>::size(pairs, load),
        };
        size.expect("a small table")
    }
}

impl<K: Scalar> Sets<K, OpenGeometry> for Open {
    type Set = OpenSet<K>;

    fn try_set(&self, geometry: OpenGeometry) -> Result<Self::Set, Error> {
        OpenSet::with_tuning(self.device, geometry, self.tuning)
    }

    fn build_set(&self, keys: &[K]) -> Result<Self::Set, Error> {
        OpenSet::build(self.device, keys)
    }

    fn set_geometry(&self, keys: u64) -> OpenGeometry {
        OpenGeometry::at_load(keys, 0.6).expect("a small table")
    }
}

/// Open-addressing tables on the GPU in which keys move.
struct Moving {
    device: &'static Device,
    tuning: Tuning,
}

impl Moving {
    fn new(tuning: Tuning) -> Option<Self> {
        Some(Self { device: device()?, tuning })
    }
}

impl<K: Scalar> Maps<K, OpenGeometry> for Moving
where
    (K, K): Entry,
{
    type Map = CuckooMap<K, K>;

    fn try_map(&self, geometry: OpenGeometry) -> Result<Self::Map, Error> {
        CuckooMap::with_tuning(self.device, geometry, self.tuning)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        CuckooMap::build(self.device, keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> OpenGeometry {
        // As above.
        let size = match self.tuning.lanes {
            Some(_) => OpenGeometry::new(pairs, load, CuckooMap::<K, K>::BUCKET_SLOTS),
            None => CuckooMap::<K, K>::size(pairs, load),
        };
        size.expect("a small table")
    }
}

impl<K: Scalar> Sets<K, OpenGeometry> for Moving {
    type Set = CuckooSet<K>;

    fn try_set(&self, geometry: OpenGeometry) -> Result<Self::Set, Error> {
        CuckooSet::with_geometry(self.device, geometry)
    }

    fn build_set(&self, keys: &[K]) -> Result<Self::Set, Error> {
        CuckooSet::build(self.device, keys)
    }

    fn set_geometry(&self, keys: u64) -> OpenGeometry {
        OpenGeometry::at_load(keys, 0.6).expect("a small table")
    }
}

mod cuckoo {
    pub(crate) fn make() -> Option<super::Moving> {
        super::Moving::new(super::Tuning::default())
    }
    crate::cuckoo_suite! { crate::cuckoo::make }
}

/// Buckets of eight slots, as in large tables and at high loads.
mod cuckoo_large {
    mod one_lane {
        fn make() -> Option<crate::Moving> {
            crate::Moving::new(crate::Tuning { lanes: Some(1), ..crate::Tuning::default() })
        }
        crate::cuckoo_maps! { make, u32 }
    }
    mod two_lanes {
        fn make() -> Option<crate::Moving> {
            crate::Moving::new(crate::Tuning { lanes: Some(2), ..crate::Tuning::default() })
        }
        crate::cuckoo_maps! { make, u32 }
    }
}

mod open {
    pub(crate) fn make() -> Option<super::Open> {
        super::Open::new(super::Tuning::default())
    }
    crate::open_suite! { crate::open::make }
}

/// The same of 64-bit pairs by the lock-bit protocol, whatever the device.
mod open_lock_bit {
    pub(crate) fn make() -> Option<super::Open> {
        super::Open::new(super::Tuning { lock_bit: true, ..super::Tuning::default() })
    }
    crate::open_maps! { crate::open_lock_bit::make, u64 }
}

/// Tiles of two lanes, as in large tables.
mod open_large {
    pub(crate) fn make() -> Option<super::Open> {
        super::Open::new(super::Tuning { lanes: Some(2), ..super::Tuning::default() })
    }
    mod map64 {
        crate::open_maps! { crate::open_large::make, u64 }
    }
    mod set64 {
        crate::open_sets! { crate::open_large::make, u64 }
    }
}

/// Maps and sets that grow, on the GPU.
struct Dynamic {
    device: &'static Device,
    tuning: Tuning,
}

impl<K: Scalar> DynamicMaps<K> for Dynamic
where
    (K, K): Entry,
{
    type Map = DynamicMap<K, K>;

    fn small(&self) -> Self::Map {
        DynamicMap::with_tuning(self.device, 100, OpenGeometry::DEFAULT_LOAD, self.tuning)
            .expect("memory for a small table")
    }
}

impl<K: Scalar> DynamicSets<K> for Dynamic {
    type Set = DynamicSet<K>;

    fn small_set(&self) -> Self::Set {
        DynamicSet::with_capacity(self.device, 100).expect("memory for a small table")
    }
}

mod dynamic {
    pub(crate) fn make() -> Option<super::Dynamic> {
        Some(super::Dynamic { device: super::device()?, tuning: super::Tuning::default() })
    }
    crate::dynamic_suite! { crate::dynamic::make }

    /// 64-bit pairs by the lock-bit protocol, whatever the device.
    mod lock_bit {
        fn make() -> Option<crate::Dynamic> {
            Some(crate::Dynamic {
                device: crate::device()?,
                tuning: crate::Tuning { lock_bit: true, ..crate::Tuning::default() },
            })
        }
        crate::dynamic_maps! { make, u64 }
    }
}

/// Tiles of other widths on the same tables, where there are kernels for them.
mod widths {
    use super::{Gpu, Tuning, Unique};

    macro_rules! width {
        ($name:ident, $lanes:literal) => {
            mod $name {
                fn unique() -> Option<super::Gpu<super::Unique>> {
                    super::Gpu::new(super::Tuning { lanes: Some($lanes), ..super::Tuning::default() })
                }
                crate::maps! { unique, u32 }

                mod hopscotch {
                    fn make() -> Option<crate::Hopscotch> {
                        crate::Hopscotch::new(crate::Tuning {
                            lanes: Some($lanes),
                            ..crate::Tuning::default()
                        })
                    }
                    crate::hopscotch_maps! { make, u32 }
                }

                mod open {
                    fn make() -> Option<crate::Open> {
                        crate::Open::new(crate::Tuning { lanes: Some($lanes), ..crate::Tuning::default() })
                    }
                    crate::open_maps! { make, u32 }
                }
            }
        };
    }
    width!(one_lane, 1);
    width!(two_lanes, 2);
    width!(four_lanes, 4);
    width!(eight_lanes, 8);
}
