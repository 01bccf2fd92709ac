//! Ranks that are processes, on one host or several, and exchange over NCCL.

mod end;
mod id;
mod library;

pub use end::{Nccl, NcclLimits};
pub use id::NcclId;
