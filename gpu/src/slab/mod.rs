//! Slab hash tables: chains of slabs, whose pool and phases no other structure has.

mod map;
mod on;
mod set;
mod table;
mod through;

pub use map::{SlabMap, SlabMultimap};
pub use on::SlabMapOn;
pub use set::SlabSet;
pub use table::SlabParts;
#[cfg(test)]
pub(crate) use table::family;
pub use through::SlabMapThrough;
