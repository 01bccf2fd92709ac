//! The structures: for each its memory, its sizes, its kernels, and its own operations.

pub(crate) mod cuckoo;
pub(crate) mod hopscotch;
mod kernels;
pub(crate) mod open;
pub(crate) mod slab;
pub(crate) mod waitfree;

pub use crate::row::Row;
pub use cuckoo::CuckooParts;
pub use hopscotch::HopscotchParts;
pub use kernels::{Buckets, Counter, Geometry, Holds, Kernels, Ordered, Stats};
pub use open::{OpenParts, Partitions};
pub use slab::{Slab, SlabParts};
pub use waitfree::WaitFreeParts;

/// The maps and sets of each structure. The crate exports them under these names.
pub(crate) mod handles {
    pub use super::cuckoo::{CuckooMap, CuckooSet};
    pub use super::hopscotch::{HopscotchMap, HopscotchSet};
    pub use super::open::{OpenMap, OpenSet};
    pub use super::slab::{SlabMap, SlabMultimap, SlabSet};
    pub use super::waitfree::{WaitFreeMap, WaitFreeSet};
    pub use crate::dynamic::{DynamicMap, DynamicSet};
    pub use crate::paged::{PagedMap, PagedSet};
}
