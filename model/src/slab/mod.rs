#![doc = include_str!("README.md")]

mod chain;
mod exclusive;
#[cfg(feature = "host")]
pub(crate) mod host;
mod invariants;
mod lockword;
mod map;
mod multiplicity;
mod operations;
mod packed;
mod settle;
mod slots;
mod walk;

#[cfg(feature = "host")]
use chain::RESERVED_BUCKETS;
pub use chain::SlabTable;
pub use exclusive::BucketStats;
pub use invariants::Broken;
pub use lockword::LockWordSlots;
pub use multiplicity::{Multi, Multiplicity, Unique};
pub use packed::PackedSlots;
pub use slots::{Change, Link, Slots};

/// Slots per slab of the default layout, the link included: 64 bytes for u32 pairs, two memory sectors.
///
/// Seven pairs in 64 bytes take 7 % more per pair than fifteen in 128, and a probe fetches half as much.
pub const SLAB_SLOTS: usize = 8;
