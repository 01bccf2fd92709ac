//! Makes a table of a kind, a width and a place.

use crate::failure::Failure;
use std::path::Path;
use warpproof::any::{Map, Set};
use warpproof::gpu::{self, Device};
use warpproof::simt::cpu;
use warpproof::simt::cpu::sharded::{AllRanks, Limits};
use warpproof_model::Seed;

/// A kind of table, by the name of its Python class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A map that grows.
    Map,
    /// A set that grows.
    Set,
    /// A map with several values of a key.
    MultiMap,
    /// A map whose entries are in host memory, and use device memory within a budget.
    PagedMap,
    /// A map in shards that grow, each with a thread of its own.
    ShardedMap,
    /// A map of a fixed size, of the functions on columns in device memory.
    FixedMap,
    /// Likewise a set.
    FixedSet,
}

impl Kind {
    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "Map" => Ok(Self::Map),
            "Set" => Ok(Self::Set),
            "MultiMap" => Ok(Self::MultiMap),
            "PagedMap" => Ok(Self::PagedMap),
            "ShardedMap" => Ok(Self::ShardedMap),
            "FixedMap" => Ok(Self::FixedMap),
            "FixedSet" => Ok(Self::FixedSet),
            _ => Err(Failure::Value(format!("there is no table {name}"))),
        }
    }
}

/// A table of any kind whose keys and values have 32 or 64 bits.
pub(crate) enum Made {
    Map32(Map<u32, u32>),
    Map64(Map<u64, u64>),
    Set32(Set<u32>),
    Set64(Set<u64>),
}

/// What a new table is to be.
pub(crate) struct Recipe<'a> {
    pub(crate) kind: Kind,
    /// Bits of a key.
    pub(crate) width: u32,
    /// Entries that it has room for.
    pub(crate) capacity: u64,
    /// Bytes of device memory, of a paged map.
    pub(crate) budget: u64,
    /// The ranks of a map in shards.
    pub(crate) ranks: u32,
    /// The GPU; `None` for the CPU.
    pub(crate) device: Option<&'a Device>,
}

/// A map of a backend that adds to values.
macro_rules! adding {
    ($table:ty, $made:expr) => {
        Map::new::<$table>($made).with_counter::<$table>()
    };
}

/// One that also changes them in other ways.
macro_rules! updating {
    ($table:ty, $made:expr) => {
        adding!($table, $made).with_updates::<$table>()
    };
}

macro_rules! multimap {
    ($table:ty, $made:expr) => {
        Map::new::<$table>($made).with_multimap::<$table>().with_matches::<$table>()
    };
}

macro_rules! paged {
    ($table:ty, $made:expr) => {
        updating!($table, $made).with_save::<$table>().with_paged::<$table>()
    };
}

/// The functions that make tables of one width.
macro_rules! width {
    ($word:ty, $map:ident, $set:ident, $open:ident) => {
        fn $map(recipe: &Recipe<'_>) -> Result<Map<$word, $word>, Failure> {
            type Dynamic = cpu::DynamicMap<$word, $word>;
            type DynamicGpu = gpu::DynamicMap<$word, $word>;
            type Fixed = cpu::OpenMap<$word, $word>;
            type FixedGpu = gpu::OpenMap<$word, $word>;
            type Multi = cpu::SlabMultimap<$word, $word>;
            type MultiGpu = gpu::SlabMultimap<$word, $word>;
            type Paged = cpu::PagedMap<$word, $word>;
            type PagedGpu = gpu::PagedMap<$word, $word>;
            type Ranks = AllRanks<Dynamic>;
            let (n, budget) = (recipe.capacity, recipe.budget);
            Ok(match (recipe.kind, recipe.device) {
                (Kind::MultiMap, None) => multimap!(Multi, Multi::with_capacity(n)?),
                (Kind::MultiMap, Some(device)) => multimap!(MultiGpu, MultiGpu::with_capacity(device, n)?),
                (Kind::PagedMap, None) => paged!(Paged, Paged::with_budget(n, budget)?),
                (Kind::PagedMap, Some(device)) => paged!(PagedGpu, PagedGpu::with_budget(device, n, budget)?),
                (Kind::ShardedMap, None) => {
                    let part = n / u64::from(recipe.ranks.max(1)) + 1;
                    let shard = |_| Dynamic::with_capacity(part);
                    adding!(Ranks, Ranks::new(recipe.ranks, Limits::default(), Seed::random(), shard)?)
                }
                (Kind::ShardedMap, Some(_)) => {
                    return Err(Failure::Value("a map in shards is on the CPU: device=\"cpu\"".into()));
                }
                (Kind::FixedMap, None) => updating!(Fixed, Fixed::with_capacity(n)?),
                (Kind::FixedMap, Some(device)) => updating!(FixedGpu, FixedGpu::with_capacity(device, n)?),
                (_, None) => updating!(Dynamic, Dynamic::with_capacity(n)?),
                (_, Some(device)) => updating!(DynamicGpu, DynamicGpu::with_capacity(device, n)?),
            })
        }

        fn $set(recipe: &Recipe<'_>) -> Result<Set<$word>, Failure> {
            let n = recipe.capacity;
            Ok(match (recipe.kind, recipe.device) {
                (Kind::FixedSet, None) => Set::new(cpu::OpenSet::<$word>::with_capacity(n)?),
                (Kind::FixedSet, Some(device)) => Set::new(gpu::OpenSet::<$word>::with_capacity(device, n)?),
                (_, None) => Set::new(cpu::DynamicSet::<$word>::with_capacity(n)?),
                (_, Some(device)) => Set::new(gpu::DynamicSet::<$word>::with_capacity(device, n)?),
            })
        }

        fn $open(path: &Path, budget: u64, device: Option<&Device>) -> Result<Map<$word, $word>, Failure> {
            type Paged = cpu::PagedMap<$word, $word>;
            type PagedGpu = gpu::PagedMap<$word, $word>;
            Ok(match device {
                None => paged!(Paged, Paged::open(path, budget)?),
                Some(device) => paged!(PagedGpu, PagedGpu::open(device, path, budget)?),
            })
        }
    };
}
width!(u32, map32, set32, open32);
width!(u64, map64, set64, open64);

impl Made {
    /// A new table.
    pub(crate) fn new(recipe: &Recipe<'_>) -> Result<Self, Failure> {
        Ok(match (recipe.kind, recipe.width) {
            (Kind::Set | Kind::FixedSet, 32) => Self::Set32(set32(recipe)?),
            (Kind::Set | Kind::FixedSet, _) => Self::Set64(set64(recipe)?),
            (_, 32) => Self::Map32(map32(recipe)?),
            (_, _) => Self::Map64(map64(recipe)?),
        })
    }

    /// The paged map of a file.
    pub(crate) fn open(
        width: u32,
        path: &Path,
        budget: u64,
        device: Option<&Device>,
    ) -> Result<Self, Failure> {
        Ok(match width {
            32 => Self::Map32(open32(path, budget, device)?),
            _ => Self::Map64(open64(path, budget, device)?),
        })
    }
}
