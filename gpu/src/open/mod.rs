//! Open-addressing tables: an array of buckets and a filter, as large as they were made.

mod bins;
mod levels;
mod map;
mod on;
mod partitioned;
mod scheme;
mod set;
mod table;
mod through;

pub use bins::Bins;
pub use map::{CuckooMap, OpenMap};
pub use on::{OpenMapOn, OpenSetOn};
pub use scheme::OpenScheme;
#[cfg(test)]
pub(crate) use scheme::family;
pub use set::{CuckooSet, OpenSet};
pub use table::OpenParts;
pub use through::OpenMapThrough;
