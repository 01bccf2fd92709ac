#![doc = include_str!("README.md")]

mod find;
mod home;
#[cfg(feature = "host")]
pub(crate) mod host;
mod invariants;
mod map;
mod room;
mod table;
mod update;

pub use home::Home;
pub use invariants::Broken;
pub use table::HopscotchTable;

/// The numbers of the places of [`Warp::mark`](crate::Warp::mark).
mod mark {
    /// A delete, or an insert that makes room, looks at the group of its home next. Plus one: it has the lock
    /// of that home. The number is the home word.
    pub(super) const ENTER: u32 = 0;
    /// An insert that makes no room looks at the group of its home next. Plus one: it has the lock.
    pub(super) const TRY_ENTER: u32 = 2;
    /// An insert that has found no room looks next whether there is any.
    pub(super) const ROOM: u32 = 4;
    /// Plus the index of the slot that an insert has reserved: an entry is to be moved there next. The number
    /// is the home word of the insert, which it has locked.
    pub(super) const HOP: u32 = 5;
}

/// Words of a group in the tables of the library, the home word included: a cache line of u32 pairs.
pub const GROUP_WORDS: usize = 8;

/// Groups of a neighbourhood in the tables of the library.
pub const REACH: u32 = 8;
