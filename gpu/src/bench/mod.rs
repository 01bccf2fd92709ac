//! What benches and stress tests need besides tables: the time that a device takes, floors of random access,
//! other tables to compare with, and operations with stamps.

mod floors;
mod paper;
mod stress;
mod timer;

pub use floors::Floors;
pub use paper::{Baselines, ChainedMap, LockMap, LockSet, StarfishMap, StarfishSize, Static, StaticMap};
pub use stress::{Stamped, StressClock};
pub use timer::Timer;
