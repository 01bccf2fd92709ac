#![doc = include_str!("README.md")]

mod room;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use room::{Overdrawn, Room};
pub use spec::{Batches, CLEAR, FAIL, MIXED, outcome_digits, value_of};
pub use table::{Growing, Monitor, Rehash};
