//! Open-addressing tables: an array of buckets and a filter, as large as they were made.

mod map;
mod table;

pub use map::OpenMap;
pub use table::OpenParts;
#[cfg(test)]
pub(crate) use table::family;
