#![doc = include_str!("README.md")]

mod find;
mod invariants;
mod locks;
mod map;
mod room;
mod table;
mod update;

pub use invariants::Broken;
pub use locks::lock_words;
pub use table::{CHAIN, CuckooTable};

/// The numbers of the places of [`Warp::mark`](crate::Warp::mark).
mod mark {
    /// An insert begins, or begins again.
    pub(super) const BEGIN: u32 = 0;
    /// The lock of the key's first bucket comes next.
    pub(super) const LOCK: u32 = 1;
    /// The warp has that lock.
    pub(super) const LOCKED: u32 = 2;
    /// That lock comes next, for an insert that leaves if there is no empty slot.
    pub(super) const TRY_LOCK: u32 = 3;
    /// The warp has it.
    pub(super) const TRY_LOCKED: u32 = 4;
    /// The lock of the first bucket of a key that is to move comes next. The number is the key, whose buckets
    /// are those that it moves between.
    pub(super) const SHIFT: u32 = 5;
    /// The warp has that lock.
    pub(super) const SHIFT_LOCKED: u32 = 6;
    /// Plus the length of the chains, up to [`CHAIN`](super::CHAIN): one of them comes next. The numbers are
    /// its first bucket and its path.
    pub(super) const ROOM: u32 = 7;
}
