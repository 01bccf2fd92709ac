#![doc = include_str!("README.md")]

mod distinct;
mod locks;
mod room;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use distinct::Distinct;
pub use locks::Locks;
pub use room::{MOST_LOAD, Overdrawn, Room, kept_load};
pub use spec::{AHEAD, Batches, CLEAR, FAIL, MIXED, outcome_digits, value_of};
pub use table::{Growing, Monitor, Rehash, STEP};
