//! Which backend runs a command.

use crate::failure::Failure;
use clap::ValueEnum;
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::simt::cpu;
use warpproof::{
    BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkSet, HopscotchGeometry,
    OpenGeometry, OpenStats, SlabGeometry, Structure, structure,
};

/// What `--backend` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Choice {
    /// The GPU if one can be opened, else the CPU
    #[default]
    Auto,
    /// All cores of this machine
    Cpu,
    /// The first NVIDIA GPU
    Gpu,
}

/// Makes tables.
pub(crate) trait Backend {
    /// Map of u32 pairs.
    type Map32: BulkMatches<u32, u32, Structure = structure::Slab> + BulkFlush;
    /// Multimap of u32 pairs.
    type Multi32: BulkMultimap<u32, u32, Structure = structure::Slab>;
    /// Set of u32 keys.
    type Set32: BulkSet<u32, Structure = structure::Slab> + BulkFlush;
    /// Map of u64 pairs.
    type Map64: BulkMatches<u64, u64, Structure = structure::Slab> + BulkFlush;
    /// Map of u32 pairs in a hopscotch table.
    type HopscotchMap32: BulkMap<u32, u32, Structure = structure::Hopscotch>;
    /// Set of u32 keys in a hopscotch table.
    type HopscotchSet32: BulkSet<u32, Structure = structure::Hopscotch>;
    /// Set of u64 keys in a hopscotch table.
    type HopscotchSet64: BulkSet<u64, Structure = structure::Hopscotch>;
    /// Map of u64 pairs in a hopscotch table.
    type HopscotchMap64: BulkMap<u64, u64, Structure = structure::Hopscotch>;
    /// Map of u32 pairs in an open-addressing table.
    type OpenMap32: BulkCounter<u32, u32, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Set of u32 keys in an open-addressing table.
    type OpenSet32: BulkSet<u32, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Set of u64 keys in an open-addressing table.
    type OpenSet64: BulkSet<u64, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Map of u64 pairs in an open-addressing table.
    type OpenMap64: BulkCounter<u64, u64, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Map of u32 pairs in an open-addressing table in which keys move.
    type CuckooMap32: BulkCounter<u32, u32, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Set of u32 keys in such a table.
    type CuckooSet32: BulkSet<u32, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Set of u64 keys in such a table.
    type CuckooSet64: BulkSet<u64, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Map of u64 pairs in such a table.
    type CuckooMap64: BulkCounter<u64, u64, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Map of u32 pairs that grows.
    type DynamicMap32: BulkCounter<u32, u32, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;
    /// Map of u64 pairs that grows.
    type DynamicMap64: BulkCounter<u64, u64, Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>>
        + BulkOrdered;

    /// `cpu` or `gpu`.
    fn name(&self) -> &'static str;
    /// The device in words.
    fn device(&self) -> String;
    /// The GPU whose kernels can be timed apart from copies, if this is one.
    #[cfg(feature = "gpu")]
    fn kernels(&self) -> Option<&warpproof::gpu::Device> {
        None
    }
    /// An empty map.
    fn map32(&self, geometry: SlabGeometry) -> Result<Self::Map32, Failure>;
    /// An empty multimap.
    fn multi32(&self, geometry: SlabGeometry) -> Result<Self::Multi32, Failure>;
    /// An empty set.
    fn set32(&self, geometry: SlabGeometry) -> Result<Self::Set32, Failure>;
    /// An empty map.
    fn map64(&self, geometry: SlabGeometry) -> Result<Self::Map64, Failure>;
    /// An empty map.
    fn hopscotch_map32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap32, Failure>;
    /// An empty set.
    fn hopscotch_set32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet32, Failure>;
    /// An empty set.
    fn hopscotch_set64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet64, Failure>;
    /// An empty map.
    fn hopscotch_map64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap64, Failure>;
    /// An empty map.
    fn open_map32(&self, geometry: OpenGeometry) -> Result<Self::OpenMap32, Failure>;
    /// An empty set.
    fn open_set32(&self, geometry: OpenGeometry) -> Result<Self::OpenSet32, Failure>;
    /// An empty set.
    fn open_set64(&self, geometry: OpenGeometry) -> Result<Self::OpenSet64, Failure>;
    /// An empty map.
    fn open_map64(&self, geometry: OpenGeometry) -> Result<Self::OpenMap64, Failure>;
    /// An empty map.
    fn cuckoo_map32(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap32, Failure>;
    /// An empty set.
    fn cuckoo_set32(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet32, Failure>;
    /// An empty set.
    fn cuckoo_set64(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet64, Failure>;
    /// An empty map.
    fn cuckoo_map64(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap64, Failure>;
    /// An empty map with room for so many pairs at first; on a GPU, where at most `load` of the slots are taken before it grows.
    fn dynamic_map32(&self, pairs: u64, load: f64) -> Result<Self::DynamicMap32, Failure>;
    /// The same.
    fn dynamic_map64(&self, pairs: u64, load: f64) -> Result<Self::DynamicMap64, Failure>;
}

/// A backend that was opened.
pub(crate) enum Opened {
    /// The CPU.
    Cpu(Cpu),
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(gpu::Gpu),
}

/// Runs an expression with the backend that an [`Opened`] holds.
macro_rules! with_backend {
    ($opened:expr, $backend:ident => $body:expr) => {
        match $opened {
            $crate::backend::Opened::Cpu($backend) => $body,
            #[cfg(feature = "gpu")]
            $crate::backend::Opened::Gpu($backend) => $body,
        }
    };
}
pub(crate) use with_backend;

/// Opens a backend.
pub(crate) fn open(choice: Choice) -> Result<Opened, Failure> {
    match choice {
        Choice::Cpu => Ok(Opened::Cpu(Cpu)),
        Choice::Gpu => open_gpu(),
        Choice::Auto => Ok(open_gpu().unwrap_or(Opened::Cpu(Cpu))),
    }
}

/// Why there is no GPU, or its name.
pub(crate) fn probe_gpu() -> Result<String, String> {
    match open_gpu() {
        Ok(opened) => Ok(with_backend!(&opened, b => b.device())),
        Err(Failure::Input(why) | Failure::Violation(why)) => Err(why),
        Err(Failure::Closed) => Err(String::new()),
    }
}

#[cfg(feature = "gpu")]
fn open_gpu() -> Result<Opened, Failure> {
    gpu::Gpu::open().map(Opened::Gpu)
}

#[cfg(not(feature = "gpu"))]
fn open_gpu() -> Result<Opened, Failure> {
    Err(Failure::input("this program was built without the feature `gpu`"))
}

/// The size of a table whose base slabs have `load` of `expected` pairs per slot, and which `total` pairs fit,
/// deleted ones counted, whatever their keys are.
pub(crate) fn geometry(expected: u64, total: u64, load: f64) -> Result<SlabGeometry, Failure> {
    let slots = SLAB_SLOTS as u32;
    let buckets = SlabGeometry::new(expected, load, slots).map_err(Failure::backend)?;
    let pool = SlabGeometry::new(total, load, slots).map_err(Failure::backend)?;
    Ok(SlabGeometry { pool: pool.pool, ..buckets })
}

/// The CPU.
pub(crate) struct Cpu;

impl Backend for Cpu {
    type Map32 = cpu::SlabMap<u32, u32>;
    type Multi32 = cpu::SlabMultimap<u32, u32>;
    type Set32 = cpu::SlabSet;
    type Map64 = cpu::SlabMap<u64, u64>;
    type HopscotchMap32 = cpu::HopscotchMap<u32, u32>;
    type HopscotchSet32 = cpu::HopscotchSet<u32>;
    type HopscotchSet64 = cpu::HopscotchSet<u64>;
    type HopscotchMap64 = cpu::HopscotchMap<u64, u64>;
    type OpenMap32 = cpu::OpenMap<u32, u32>;
    type OpenSet32 = cpu::OpenSet<u32>;
    type OpenSet64 = cpu::OpenSet<u64>;
    type OpenMap64 = cpu::OpenMap<u64, u64>;
    type CuckooMap32 = cpu::CuckooMap<u32, u32>;
    type CuckooSet32 = cpu::CuckooSet<u32>;
    type CuckooSet64 = cpu::CuckooSet<u64>;
    type CuckooMap64 = cpu::CuckooMap<u64, u64>;
    type DynamicMap32 = cpu::DynamicMap<u32, u32>;
    type DynamicMap64 = cpu::DynamicMap<u64, u64>;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn device(&self) -> String {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        format!("{threads} threads")
    }

    fn map32(&self, geometry: SlabGeometry) -> Result<Self::Map32, Failure> {
        cpu::SlabMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn multi32(&self, geometry: SlabGeometry) -> Result<Self::Multi32, Failure> {
        cpu::SlabMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn set32(&self, geometry: SlabGeometry) -> Result<Self::Set32, Failure> {
        cpu::SlabSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn map64(&self, geometry: SlabGeometry) -> Result<Self::Map64, Failure> {
        cpu::SlabMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn hopscotch_map32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap32, Failure> {
        cpu::HopscotchMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn hopscotch_set32(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet32, Failure> {
        cpu::HopscotchSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn hopscotch_set64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchSet64, Failure> {
        cpu::HopscotchSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn hopscotch_map64(&self, geometry: HopscotchGeometry) -> Result<Self::HopscotchMap64, Failure> {
        cpu::HopscotchMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn open_map32(&self, geometry: OpenGeometry) -> Result<Self::OpenMap32, Failure> {
        let geometry = Self::OpenMap32::size(geometry.slots() as u64, 1.0).map_err(Failure::backend)?;
        cpu::OpenMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn open_set32(&self, geometry: OpenGeometry) -> Result<Self::OpenSet32, Failure> {
        cpu::OpenSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn open_set64(&self, geometry: OpenGeometry) -> Result<Self::OpenSet64, Failure> {
        cpu::OpenSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn open_map64(&self, geometry: OpenGeometry) -> Result<Self::OpenMap64, Failure> {
        let geometry = Self::OpenMap64::size(geometry.slots() as u64, 1.0).map_err(Failure::backend)?;
        cpu::OpenMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn cuckoo_map32(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap32, Failure> {
        cpu::CuckooMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn cuckoo_set32(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet32, Failure> {
        cpu::CuckooSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn cuckoo_set64(&self, geometry: OpenGeometry) -> Result<Self::CuckooSet64, Failure> {
        cpu::CuckooSet::with_geometry(geometry).map_err(Failure::backend)
    }

    fn cuckoo_map64(&self, geometry: OpenGeometry) -> Result<Self::CuckooMap64, Failure> {
        cpu::CuckooMap::with_geometry(geometry).map_err(Failure::backend)
    }

    fn dynamic_map32(&self, pairs: u64, _: f64) -> Result<Self::DynamicMap32, Failure> {
        cpu::DynamicMap::with_capacity(pairs).map_err(Failure::backend)
    }

    fn dynamic_map64(&self, pairs: u64, _: f64) -> Result<Self::DynamicMap64, Failure> {
        cpu::DynamicMap::with_capacity(pairs).map_err(Failure::backend)
    }
}

#[cfg(feature = "gpu")]
mod gpu;
