//! The scenarios of the slab hash.
//!
//! Every pair of operations meets on one key of one bucket, in each situation that the chain protocol
//! distinguishes: an empty bucket, a full base slab, a chain of two, a tombstone before the key, the last
//! free slab. Tables are tiny: one to three pairs in a slab, at most three slabs in the pool. [`wide`] has
//! warps of real width, which only an engine that samples can try.

mod flush;
mod generate;
mod mixed;
mod places;
mod pool;
mod sets;
mod stale;
mod subject;
mod tables;
mod wide;

pub use flush::{FlushSubject, Told};
pub use mixed::MixedSubject;
pub use pool::PoolSubject;
pub use sets::{deep, default_set, quick};
pub use subject::{Layout, Lock64, Map32, Map64, Set32, SlabSubject};
pub use tables::{
    LOCK64, MAP32, MAP64, MULTILOCK64, MULTIMAP32, MULTIMAP64, MULTISET32, SET32, SHAPES, TABLES,
};
pub use wide::wide;

use super::checked::Checked;

/// What is checked of the slab hash.
pub(super) const CHECKED: Checked = Checked {
    name: "slab",
    what: "The slab hash: a dynamic chained table (Ashkiani, Farach-Colton, Owens, IPDPS 2018)",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    wide,
    others: tables::others,
    random: &[pool::random],
};
