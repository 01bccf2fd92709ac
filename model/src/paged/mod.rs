#![doc = include_str!("README.md")]

mod device;
mod pager;
mod spec;

pub use device::{DeviceMemory, Place, Stream};
pub use pager::{Access, Pager, Traffic, Way};
pub use spec::{Children, JOBS, STREAM, Step};
