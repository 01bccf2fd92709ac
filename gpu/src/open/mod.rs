//! Open-addressing tables: an array of buckets and a filter, as large as they were made.

mod bins;
mod levels;
mod map;
mod on;
mod partitioned;
mod set;
mod table;
mod through;

pub use bins::Bins;
pub use map::OpenMap;
pub use on::{OpenMapOn, OpenSetOn};

pub use set::OpenSet;
pub use table::OpenParts;
#[cfg(test)]
pub(crate) use table::family;
pub use through::OpenMapThrough;
