#![doc = include_str!("README.md")]

mod find;
mod home;
mod invariants;
mod room;
mod table;
mod update;

pub use home::Home;
pub use invariants::Broken;
pub use table::HopscotchTable;
