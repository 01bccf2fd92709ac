//! Sketches: what was inserted, in less memory than the keys take, with answers that may be off.
//!
//! [`Bloom`] says that a key surely was not inserted, or that it may have been. [`Registers`] keep what a
//! HyperLogLog needs to estimate how many different keys were inserted. The words of both only grow: a bit of
//! the one is never cleared, a register of the other never falls. So every access is relaxed, and no
//! operation waits for another one.
//!
//! Both are written against [`Warp`](crate::Warp) and [`Words`](crate::Words); tables have no part in them.
#![doc = include_str!("README.md")]

mod bloom;
#[cfg(feature = "host")]
mod estimate;
#[cfg(feature = "host")]
mod rate;
mod registers;

pub use bloom::{BLOCK_WORDS, Bloom};
#[cfg(feature = "host")]
pub use estimate::estimate;
#[cfg(feature = "host")]
pub use rate::{blocks_for, rate_of};
pub use registers::{PRECISIONS, Registers, place, register_words};
