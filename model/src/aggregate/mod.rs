#![doc = include_str!("README.md")]

mod block;
mod hot;

pub use block::{FULL, Group, Rows, TOTAL, TOTALS, Told, aggregate, aggregate_words};
pub use hot::{HOT_WORDS, HotKeys, MOST_HOT};
