//! Open-addressing tables: an array of buckets and a filter, as large as they were made.

mod map;
mod on;
mod set;
mod table;

pub use map::OpenMap;
pub use on::{OpenMapOn, OpenSetOn};
pub use set::OpenSet;
pub use table::OpenParts;
#[cfg(test)]
pub(crate) use table::family;
