//! Tables that grow: open addressing, in a table that is replaced by a larger one.

mod growth;
mod map;
mod on;

pub use map::DynamicMap;
pub use on::DynamicMapOn;
