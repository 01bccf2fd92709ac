//! The scenarios of the wait-free table: chains that are replaced, and calls that others run.
//!
//! Operations meet in buckets that were never used, on chains of one node and of two, in full nodes and in
//! emptied ones. A call is announced at once, after it has lost one exchange, or never.

mod counted;
mod epochs;
mod narrow;
mod places;
mod sets;
mod spec;
mod subject;
mod tables;
mod together;
mod turns;

#[cfg(test)]
pub(super) use places::NEVER;
pub use sets::{deep, default_set, quick};
pub use subject::{AtEnd, ByEpochs, Reuse, WaitFreeSubject};
pub use tables::{
    EPOCHS64, MAP32, MAP64, NARROW_SHAPES, NARROW_SHAPES_BY_EPOCHS, SET32, SET64, SHAPES, SHAPES_BY_EPOCHS,
    SHAPES_OF_FOUR, TABLES,
};
pub use turns::{PASS, RETIRE, TAKE, TURNS, TurnsSubject};

use super::checked::Checked;

/// What is checked of wait-free tables.
pub(super) const CHECKED: Checked = Checked {
    name: "waitfree",
    what: "Chains of nodes that never change, whose updates end in a bounded number of rounds",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: turns::subject,
    random: &[],
};
