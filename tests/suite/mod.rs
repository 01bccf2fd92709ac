//! The suite: generic bodies that every backend must pass. `suite_cpu.rs` and `suite_gpu.rs` instantiate them.

mod bodies;
pub(crate) mod chains;
pub(crate) mod cuckoo;
pub(crate) mod dynamic;
pub(crate) mod dynamic_set;
pub(crate) mod fixed;
pub(crate) mod hopscotch;
pub(crate) mod hopscotch_set;
pub(crate) mod map;
pub(crate) mod multimap;
pub(crate) mod number;
pub(crate) mod open;
pub(crate) mod open_set;
pub(crate) mod set;
pub(crate) mod sizes;

use warpproof::model::Key;
use warpproof::model::host::{
    BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkSet, BulkTable,
    HopscotchGeometry, OpenGeometry, OpenStats, SlabGeometry, Structure, structure,
};

/// What goes wrong with a backend's maps.
pub(crate) type MapError<B, K, G = SlabGeometry> = <<B as Maps<K, G>>::Map as BulkTable>::Error;
/// What goes wrong with a backend's sets.
pub(crate) type SetError<B, K = u32, G = SlabGeometry> = <<B as Sets<K, G>>::Set as BulkTable>::Error;

/// A map in chains of slabs.
pub(crate) trait SlabMap<K: Key>: BulkMatches<K, K, Structure = structure::Slab> + BulkFlush {}

impl<K: Key, M: BulkMatches<K, K, Structure = structure::Slab> + BulkFlush> SlabMap<K> for M {}

/// A set in chains of slabs.
pub(crate) trait SlabSet: BulkSet<u32, Structure = structure::Slab> + BulkFlush {}

impl<S: BulkSet<u32, Structure = structure::Slab> + BulkFlush> SlabSet for S {}

/// A structure of buckets.
pub(crate) trait Buckets: Structure<Geometry = OpenGeometry, Stats = OpenStats> {}

impl<S: Structure<Geometry = OpenGeometry, Stats = OpenStats>> Buckets for S {}

/// A map in buckets.
pub(crate) trait OpenMap<K: Key>: BulkCounter<K, K, Structure: Buckets> + BulkOrdered {}

impl<K: Key, M: BulkCounter<K, K, Structure: Buckets> + BulkOrdered> OpenMap<K> for M {}

/// A set in buckets.
pub(crate) trait OpenSet<K: Key>: BulkSet<K, Structure: Buckets> + BulkOrdered {}

impl<K: Key, S: BulkSet<K, Structure: Buckets> + BulkOrdered> OpenSet<K> for S {}

/// A backend that can make maps of `K` to `K`, of the structure whose sizes are `G`.
pub(crate) trait Maps<K: Key, G = SlabGeometry> {
    /// The map.
    type Map: BulkMap<K, K>;

    /// An empty map.
    fn try_map(&self, geometry: G) -> Result<Self::Map, MapError<Self, K, G>>;

    /// A map of these pairs.
    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, MapError<Self, K, G>>;

    /// An empty map of a size that is right.
    fn map(&self, geometry: G) -> Self::Map {
        self.try_map(geometry).expect("memory for a test table")
    }

    /// The size for `pairs` pairs at a load.
    fn geometry(&self, pairs: u64, load: f64) -> G;
}

/// A backend that can make maps in chains of slabs.
pub(crate) trait SlabMaps<K: Key>: Maps<K, SlabGeometry, Map: SlabMap<K>> {}

impl<K: Key, B: Maps<K, SlabGeometry, Map: SlabMap<K>>> SlabMaps<K> for B {}

/// A backend whose maps may hold a key several times.
pub(crate) trait Multimaps<K: Key>: Maps<K, SlabGeometry, Map: BulkMultimap<K, K>> {}

impl<K: Key, B: Maps<K, SlabGeometry, Map: BulkMultimap<K, K>>> Multimaps<K> for B {}

/// A backend that can make maps in hopscotch tables.
pub(crate) trait HopscotchMaps<K: Key>:
    Maps<K, HopscotchGeometry, Map: BulkMap<K, K, Structure = structure::Hopscotch>>
{
}

impl<K: Key, B: Maps<K, HopscotchGeometry, Map: BulkMap<K, K, Structure = structure::Hopscotch>>>
    HopscotchMaps<K> for B
{
}

/// A backend that can make maps in open-addressing tables.
pub(crate) trait OpenMaps<K: Key>: Maps<K, OpenGeometry, Map: OpenMap<K>> {}

impl<K: Key, B: Maps<K, OpenGeometry, Map: OpenMap<K>>> OpenMaps<K> for B {}

/// A backend that can make sets of `K`, of the structure whose sizes are `G`.
pub(crate) trait Sets<K: Key = u32, G = SlabGeometry> {
    /// The set.
    type Set: BulkSet<K>;

    /// An empty set.
    fn try_set(&self, geometry: G) -> Result<Self::Set, SetError<Self, K, G>>;

    /// A set of these keys.
    fn build_set(&self, keys: &[K]) -> Result<Self::Set, SetError<Self, K, G>>;

    /// The size for `keys` keys.
    fn set_geometry(&self, keys: u64) -> G;
}

/// A backend that can make sets in chains of slabs.
pub(crate) trait SlabSets: Sets<u32, SlabGeometry, Set: SlabSet> {}

impl<B: Sets<u32, SlabGeometry, Set: SlabSet>> SlabSets for B {}

/// A backend that can make sets in hopscotch tables.
pub(crate) trait HopscotchSets<K: Key>:
    Sets<K, HopscotchGeometry, Set: BulkSet<K, Structure = structure::Hopscotch>>
{
}

impl<K: Key, B: Sets<K, HopscotchGeometry, Set: BulkSet<K, Structure = structure::Hopscotch>>>
    HopscotchSets<K> for B
{
}

/// A backend that can make sets in open-addressing tables.
pub(crate) trait OpenSets<K: Key>: Sets<K, OpenGeometry, Set: OpenSet<K>> {}

impl<K: Key, B: Sets<K, OpenGeometry, Set: OpenSet<K>>> OpenSets<K> for B {}
