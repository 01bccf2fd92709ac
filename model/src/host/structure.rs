//! What a host knows of a structure besides its operations: its name, its sizes, what its tables hold.

use core::fmt::Debug;
use sizes::{
    HopscotchGeometry, HopscotchStats, OpenGeometry, OpenStats, PagedGeometry, PagedStats, SlabGeometry,
    SlabStats, WaitFreeGeometry, WaitFreeStats,
};

/// The sizes and numbers of each structure.
pub mod sizes {
    pub use crate::hopscotch::host::{HopscotchGeometry, HopscotchStats};
    pub use crate::open::host::{OpenGeometry, OpenStats, Tally};
    pub use crate::paged::host::{PagedGeometry, PagedStats};
    pub use crate::slab::host::{SlabGeometry, SlabStats};
    pub use crate::waitfree::host::{WaitFreeGeometry, WaitFreeStats};
}

/// A structure, as a type without values to choose tables by.
///
/// A map and a set of one structure differ in their entries alone; a set is a map with values of `()`.
pub trait Structure: Copy + Debug + Send + Sync + 'static {
    /// Its name on the command line and in reports.
    const NAME: &'static str;
    /// How large a table is.
    type Geometry: Copy + PartialEq + Debug + Send + Sync + 'static;
    /// What a table holds.
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

/// A structure whose sizes and numbers are these types.
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
