#![doc = include_str!("README.md")]

mod invariants;
mod map;
mod table;

pub use table::{Added, DynamicTable, Submaps, submap_buckets};
