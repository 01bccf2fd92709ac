//! The host's view of a structure, without its operations: its name, its sizes, its statistics.

use core::fmt::Debug;
use sizes::{
    HopscotchGeometry, HopscotchStats, OpenGeometry, OpenStats, PagedGeometry, PagedStats, SlabGeometry,
    SlabStats, WaitFreeGeometry, WaitFreeStats,
};

/// The sizes and statistics of each structure.
pub mod sizes {
    pub use crate::hopscotch::host::{HopscotchGeometry, HopscotchStats};
    pub use crate::open::host::{OpenGeometry, OpenStats, Tally};
    pub use crate::paged::host::{PagedGeometry, PagedStats};
    pub use crate::sharded::{ShardedGeometry, ShardedStats};
    pub use crate::slab::host::{SlabGeometry, SlabStats};
    pub use crate::waitfree::host::{WaitFreeGeometry, WaitFreeStats};
}

/// A structure, as a type without values by which tables are chosen.
///
/// A map and a set of one structure differ only in their entries; a set is a map with values of `()`.
pub trait Structure: Copy + Debug + Send + Sync + 'static {
    /// Its name on the command line and in reports.
    const NAME: &'static str;
    /// The size of a table.
    type Geometry: Copy + PartialEq + Debug + Send + Sync + 'static;
    /// The statistics of a table.
    type Stats: Clone + PartialEq + Default + Debug + Send + Sync + 'static;
}

/// The slab hash: chains of slabs.
#[derive(Clone, Copy, Debug)]
pub struct Slab;

/// The lock-flag hopscotch table.
#[derive(Clone, Copy, Debug)]
pub struct Hopscotch;

/// Open addressing with a filter.
#[derive(Clone, Copy, Debug)]
pub struct Open;

/// Two buckets for each key, between which keys move.
#[derive(Clone, Copy, Debug)]
pub struct Cuckoo;

/// Open addressing that grows.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic;

/// Chains of nodes that never change.
#[derive(Clone, Copy, Debug)]
pub struct WaitFree;

/// Child tables of open addressing, some of which are in the device's memory.
#[derive(Clone, Copy, Debug)]
pub struct Paged;

/// A structure with these types of sizes and statistics.
macro_rules! structure {
    ($structure:ident, $name:literal, $geometry:ident, $stats:ident) => {
        impl Structure for $structure {
            const NAME: &'static str = $name;
            type Geometry = $geometry;
            type Stats = $stats;
        }
    };
}
structure!(Slab, "slab", SlabGeometry, SlabStats);
structure!(Hopscotch, "hopscotch", HopscotchGeometry, HopscotchStats);
structure!(Open, "open", OpenGeometry, OpenStats);
structure!(Cuckoo, "cuckoo", OpenGeometry, OpenStats);
structure!(Dynamic, "dynamic", OpenGeometry, OpenStats);
structure!(Paged, "paged", PagedGeometry, PagedStats);
structure!(WaitFree, "waitfree", WaitFreeGeometry, WaitFreeStats);
