//! Hopscotch tables: an array of groups, as large as it was made.

mod map;
mod set;
mod table;

pub use map::HopscotchMap;
pub use set::HopscotchSet;
pub use table::HopscotchParts;
#[cfg(test)]
pub(crate) use table::family;
