//! Sizes and numbers of tables of any structure.

use warpproof_model::host::{
    HopscotchGeometry, HopscotchStats, OpenGeometry, OpenStats, PagedGeometry, PagedStats, SlabGeometry,
    SlabStats, Structure, WaitFreeGeometry, WaitFreeStats,
};
use warpproof_model::sharded::{ShardedGeometry, ShardedStats};

/// Any structure: that of a table chosen at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyStructure;

impl Structure for AnyStructure {
    const NAME: &'static str = "any";
    type Geometry = Geometry;
    type Stats = Stats;
}

/// How large a table is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Geometry {
    /// Chains of slabs.
    Slab(SlabGeometry),
    /// Groups of a hopscotch table.
    Hopscotch(HopscotchGeometry),
    /// Buckets of open addressing, also where keys move or the table grows.
    Open(OpenGeometry),
    /// Chains of nodes that never change.
    WaitFree(WaitFreeGeometry),
    /// Child tables of open addressing.
    Paged(PagedGeometry),
    /// Shards of open addressing, also where they grow: all are about as large as this one.
    Sharded(ShardedGeometry<OpenGeometry>),
}

/// Statistics of a table.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "one at a time is made, for people to read")]
pub enum Stats {
    /// Chains of slabs.
    Slab(SlabStats),
    /// Groups of a hopscotch table.
    Hopscotch(HopscotchStats),
    /// Buckets of open addressing, also where keys move or the table grows.
    Open(OpenStats),
    /// Chains of nodes that never change.
    WaitFree(WaitFreeStats),
    /// Child tables of open addressing.
    Paged(PagedStats),
    /// Shards of open addressing, also where they grow.
    Sharded(ShardedStats<OpenStats>),
}

impl Geometry {
    /// Number of slots, those included that cannot hold an entry.
    pub fn slots(self) -> u64 {
        match self {
            Self::Slab(size) => size.slots() as u64,
            Self::Hopscotch(size) => size.slots(),
            Self::Open(size) => size.slots() as u64,
            Self::WaitFree(size) => size.places(),
            Self::Paged(size) => size.slots(),
            Self::Sharded(size) => u64::from(size.ranks) * size.shard.slots() as u64,
        }
    }
}

impl Stats {
    /// Live entries.
    pub fn live(&self) -> u64 {
        match self {
            Self::Slab(stats) => stats.live,
            Self::Hopscotch(stats) => stats.live,
            Self::Open(stats) => stats.live,
            Self::WaitFree(stats) => stats.live,
            Self::Paged(stats) => stats.slots.live,
            Self::Sharded(stats) => stats.entries.iter().sum(),
        }
    }

    /// Slots of deleted entries that are not used again before a flush, a rehash or a clear; in a table in
    /// shards, those of the first shard.
    pub fn tombstones(&self) -> u64 {
        match self {
            Self::Slab(stats) => stats.tombstones,
            Self::Hopscotch(_) | Self::WaitFree(_) => 0,
            Self::Open(stats) => stats.tombstones,
            Self::Paged(stats) => stats.slots.tombstones,
            Self::Sharded(stats) => stats.shard.tombstones,
        }
    }
}

impl Default for Stats {
    fn default() -> Self {
        Self::Open(OpenStats::default())
    }
}

/// Conversions between a variant and the sizes or statistics of one structure; another variant is returned as
/// the error.
macro_rules! of {
    ($($of:ident::$variant:ident($from:ty);)*) => {
        $(impl From<$from> for $of {
            fn from(numbers: $from) -> Self {
                Self::$variant(numbers)
            }
        }

        impl TryFrom<$of> for $from {
            type Error = $of;

            fn try_from(numbers: $of) -> Result<Self, $of> {
                match numbers {
                    $of::$variant(numbers) => Ok(numbers),
                    other => Err(other),
                }
            }
        })*
    };
}
of! {
    Geometry::Slab(SlabGeometry);
    Geometry::Hopscotch(HopscotchGeometry);
    Geometry::Open(OpenGeometry);
    Geometry::WaitFree(WaitFreeGeometry);
    Geometry::Paged(PagedGeometry);
    Geometry::Sharded(ShardedGeometry<OpenGeometry>);
    Stats::Slab(SlabStats);
    Stats::Hopscotch(HopscotchStats);
    Stats::Open(OpenStats);
    Stats::WaitFree(WaitFreeStats);
    Stats::Paged(PagedStats);
    Stats::Sharded(ShardedStats<OpenStats>);
}
