//! The scenarios of the slots of the reserved keys.
//!
//! A slot belongs to one key for ever, so few situations exist: operations on one key, which is present,
//! absent, or was present before. Operations on different keys show that slots are independent.

mod sets;
mod subject;
mod tables;

pub use sets::{deep, default_set, quick};
pub use subject::ReservedSubject;
pub use tables::{LOCK64, MAP32, MAP64, SET32, SET64, TABLES};

use super::checked::{self, Checked};

/// What is checked of the reserved keys.
pub(super) const CHECKED: Checked = Checked {
    name: "reserved",
    what: "A slot for each key that a table cannot hold",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    // No warp reads more than one word.
    wide: Vec::new,
    others: checked::none,
    random: &[],
};
