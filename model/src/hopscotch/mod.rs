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

/// Words of a group in the tables of the library, the home word included: a cache line of u32 pairs.
pub const GROUP_WORDS: usize = 8;

/// Groups of a neighbourhood in the tables of the library.
pub const REACH: u32 = 8;
