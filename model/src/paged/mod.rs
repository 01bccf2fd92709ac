#![doc = include_str!("README.md")]

mod choice;
mod device;
pub mod host;
mod pager;
mod spec;

pub use choice::{Choice, Choose, Prices};
pub use device::{DeviceMemory, Place, Stream};
pub use pager::{Access, Pager, Traffic, Way};
pub use spec::{Children, JOBS, STREAM, Step};
