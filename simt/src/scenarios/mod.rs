//! The scenarios of every structure that is checked: a row each in [`STRUCTURES`].

pub mod aggregate;
mod applied;
pub mod bulk;
mod checked;
pub mod coverage;
pub mod cuckoo;
pub(crate) mod dice;
pub mod dynamic;
pub mod entry;
pub mod family;
pub(crate) mod form;
pub mod growth;
mod home;
pub mod hopscotch;
mod listing;
mod member;
pub mod open;
pub mod paged;
mod part;
mod progress;
pub mod random;
pub mod reserved;
pub mod retrieve;
mod shape;
pub mod sharded;
mod shares;
pub mod slab;
mod structures;
mod table;
pub mod waitfree;
mod wide;

pub use checked::Checked;
pub use entry::Entries;
pub use progress::Progress;
pub use structures::{STRUCTURES, structure, subject};
pub use table::Table;
