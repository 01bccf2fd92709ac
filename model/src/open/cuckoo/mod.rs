#![doc = include_str!("README.md")]

mod find;
mod locks;
mod room;
mod update;

pub use locks::Locks;

/// Keys that an insert moves at most in the tables of the library.
pub const CHAIN: u32 = 3;
