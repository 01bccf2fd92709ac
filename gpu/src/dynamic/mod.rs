//! Tables that grow: open addressing, in a table that is replaced by a larger one.

mod growth;
mod map;

pub use map::{DynamicMap, DynamicMapOn};
