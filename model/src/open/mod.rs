#![doc = include_str!("README.md")]

mod filter;
mod find;
mod invariants;
mod probing;
mod table;
mod update;

pub use filter::{Filter, Passed};
pub use invariants::Broken;
pub use probing::{DoubleHashing, Linear, Probing};
pub use table::OpenTable;
