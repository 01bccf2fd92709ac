//! The scenarios of the table that grows by submaps.
//!
//! Operations meet on the keys of one home: before the first submap is full, when it is full, while another
//! one is published, and after that. Inserts add submaps, or a call of a warp does.

mod places;
mod sets;
mod subject;
mod tables;

pub use sets::{deep, default_set, quick};
pub use subject::{DynamicSubject, Parts};
pub use tables::{MAP32, MAP64, SET32, SET64, SHAPES, TABLES};

use super::checked::{self, Checked};

/// What is checked of the table that grows.
pub(super) const CHECKED: Checked = Checked {
    name: "dynamic",
    what: "Open addressing that grows by submaps while it is used",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: checked::none,
    random: &[],
};
