#![doc = include_str!("README.md")]

#[cfg(feature = "host")]
mod choice;
#[cfg(feature = "host")]
mod device;
#[cfg(feature = "file")]
pub mod file;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
mod pager;
pub mod partition;
pub mod routed;
#[cfg(feature = "host")]
mod spec;

#[cfg(feature = "host")]
pub use choice::{Choice, Choices, Choose, Prices, Reason, Tally};
#[cfg(feature = "host")]
pub use device::{DeviceMemory, Place, Stream};
#[cfg(feature = "host")]
pub use pager::{Access, Pager, Traffic, Way};
#[cfg(feature = "host")]
pub use spec::{ADD_ALL, Children, JOBS, STREAM, Step};
