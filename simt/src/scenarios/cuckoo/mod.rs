//! The scenarios of the cuckoo table: keys have two buckets, and move.
//!
//! Operations meet on keys whose buckets are full: of keys that cannot move, of one that can, of one that can
//! when another one has, and of deleted ones.

mod places;
mod sets;
mod subject;
mod tables;

pub use sets::{deep, default_set, quick};
pub use subject::CuckooSubject;
pub use tables::{APPLIED32, MAP32, MAP64, SET32, SET64, SHAPES, TABLES, TRIED32};

use super::checked::{self, Checked};

/// What is checked of cuckoo tables.
pub(super) const CHECKED: Checked = Checked {
    name: "cuckoo",
    what: "Open addressing with two buckets to a key, where keys move to make room",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    // Of their own: those of open addressing are of the library's buckets.
    wide: Vec::new,
    others: checked::none,
    random: &[],
};
