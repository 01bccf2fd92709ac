#![doc = include_str!("README.md")]

mod all_keys;
mod map;
mod slots;

pub use all_keys::{AllKeys, AllKeysCounter, WithChain, WithSlots, visit_reserved};
pub use map::{ReservedSlots, reserved_keys};
pub use slots::{Action, KeySlots};
