#![doc = include_str!("README.md")]

mod alone;
mod announce;
mod draft;
mod fast;
mod find;
#[cfg(feature = "host")]
pub(crate) mod host;
mod invariants;
mod lanes;
mod table;
mod update;
mod words;

pub use invariants::Broken;
pub use lanes::{Company, NoCompany};
pub use table::{EMPTY_HEAD, WaitFreeTable, WaitFreeWords};
pub use words::{MOST_NODES, MOST_WARPS, Update, rounds};
#[cfg(feature = "host")]
pub use words::{show_announcement, show_head};
