//! The scenarios of the open-addressing table, and of a batch that is inserted into it bin by bin.
//!
//! Operations meet on the keys of one to three buckets: in an empty one, in a full one that no key has
//! passed, after it, on tombstones, and where no slot is empty.

mod filters;
mod layout;
mod places;
mod sets;
mod subject;
mod tables;
mod wide;

pub use filters::{Bits, FewWords, Filters};
pub use layout::{Applied, Board, Layout, Lock64, ReservedLayout, Summed};
pub(super) use places::OPS;
pub use sets::{applied, deep, default_set, quick};
pub use subject::OpenSubject;
pub(super) use subject::breach;
pub use tables::{
    APPLIED32, BOARD_SET32, BOARD64, FEW_WORDS32, LOCK64, MAP32, MAP64, SET32, SET64, SHAPES, SMALL,
    SUMMED32, TABLES, UNTESTED32,
};
pub use wide::wide;

use super::bulk;
use super::checked::Checked;

/// What is checked of open addressing.
pub(super) const CHECKED: Checked = Checked {
    name: "open",
    what: "Open addressing with a filter: one pair per key, a fixed size",
    tables: &TABLES,
    quick,
    default_set: || [default_set(), bulk::default_set(), applied()].concat(),
    deep: || [deep(), bulk::deep()].concat(),
    wide,
    others: bulk::subject,
    random: &[bulk::random],
};
