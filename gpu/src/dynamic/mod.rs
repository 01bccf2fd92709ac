//! Tables that grow: open addressing, in a table that is replaced by a larger one.

mod growth;
mod map;
mod on;
mod set;
mod shared;

pub use map::DynamicMap;
pub use on::{DynamicMapOn, DynamicSetOn};
pub use set::DynamicSet;
