#![doc = include_str!("README.md")]

mod answer;
mod applying;
mod board;
pub mod bulk;
mod filter;
mod find;
#[cfg(feature = "host")]
pub(crate) mod host;
mod invariants;
mod lockword;
mod map;
mod probing;
mod slots;
mod summing;
mod table;
mod update;

pub(crate) use answer::End;
pub use applying::Applying;
pub use board::{BOARD_SLOTS, BoardSlots, Boarded, board_words, fingerprint, with_fingerprint, write_board};
pub(crate) use filter::BucketBits;
pub use filter::{Filter, OverflowFilter, classes, filter_place, filter_words};
pub use invariants::Broken;
pub use lockword::LockWordSlots;
pub use probing::{Bounded, BoundedStride, DoubleHashing, Linear, MOST_PROBES, Probing};
pub use slots::{Change, OnPresent, OpenSlots};
pub use summing::SummingSlots;
pub use table::OpenTable;
pub(crate) use table::{Held, Look};

/// Slots of a bucket in the tables of the library: a cache line of u32 pairs.
pub const BUCKET_SLOTS: usize = 8;

/// Slots of a bucket in tables of u64 pairs on a GPU: a cache line.
pub const WIDE_BUCKET_SLOTS: usize = 4;

/// The most classes of the filter in the tables of the library: two buckets to a word.
pub const CLASSES: u32 = 16;

/// The size, and a 64th of it more, up to which a filter in the tables of the library has as many classes as
/// that. The L2 cache of a large GPU has 40 to 60 MB, and keeps so much beside a stream of buckets
/// (`notes/open.md`, *The filter in the cache*).
pub const FILTER_BYTES: usize = 8 << 20;
