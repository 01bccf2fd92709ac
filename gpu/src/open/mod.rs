//! Open-addressing tables: an array of buckets and a filter, as large as they were made.

mod map;
mod on;
mod scheme;
mod set;
mod table;

pub use map::{CuckooMap, OpenMap};
pub use on::{OpenMapOn, OpenSetOn};
pub use scheme::OpenScheme;
#[cfg(test)]
pub(crate) use scheme::family;
pub use set::OpenSet;
pub use table::OpenParts;
