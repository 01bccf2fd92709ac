#![doc = include_str!("README.md")]

mod block;
mod hot;
mod left;

pub use block::{FULL, Group, Rows, TOTAL, TOTALS, Told, aggregate, aggregate_words};
pub use hot::{HOT_WORDS, HotKeys, MOST_HOT};
pub use left::{LEFT_EACH, LEFT_SLOTS, Left, add_left, left_words};
