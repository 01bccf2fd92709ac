//! What benches and stress tests need besides tables: timers of the device, floors of random access, other
//! tables to compare with, and operations with time stamps.

mod floors;
mod output;
mod paper;
mod stress;
mod timer;

pub use crate::device::Extra;
pub use floors::Floors;
pub use output::output;
pub use paper::{Baselines, ChainedMap, LockMap, LockSet, StarfishMap, StarfishSize, Static, StaticMap};
pub use stress::{Stamped, StressClock};
pub use timer::Timer;
