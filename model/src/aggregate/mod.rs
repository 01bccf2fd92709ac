#![doc = include_str!("README.md")]

mod block;
mod contended;
mod hot;
mod left;

pub use block::{FULL, Group, Rows, TOTAL, TOTALS, Told, aggregate, aggregate_words};
pub use contended::{CONTENDED_WORDS, Contended};
pub use hot::{HOT_WORDS, HotKeys, MOST_HOT};
pub use left::{LEFT_EACH, LEFT_SLOTS, Left, add_left, left_words};
