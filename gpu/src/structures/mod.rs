//! The structures: for each its memory, its sizes, its kernels, and what it alone can do.

pub(crate) mod cuckoo;
pub(crate) mod hopscotch;
mod kernels;
pub(crate) mod open;
pub(crate) mod slab;

pub use crate::row::Row;
pub use cuckoo::CuckooParts;
pub use hopscotch::HopscotchParts;
pub use kernels::{Buckets, Counter, Geometry, Holds, Kernels, Ordered, Stats};
pub use open::{OpenParts, Partitions};
pub use slab::{Slab, SlabParts};
