//! The hopscotch tables, and their subjects.

use super::places::{OPS, PLAN};
use super::subject::HopscotchSubject;
use crate::check::{AnySubject, OfLanes, Scenario};
use crate::scenarios::entry::Entry;
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Entries, Maker, Table};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// u32 pairs.
pub const MAP32: Table = table("hop_map32", Entries::Map32, shaped::<Pair32>);
/// u32 keys.
pub const SET32: Table = table("hop_set32", Entries::Set32, shaped::<Key32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("hop_map64", Entries::Map64, shaped::<Pair64>);
/// u64 keys.
pub const SET64: Table = table("hop_set64", Entries::Set64, shaped::<Key64>);
/// u32 pairs, with operations as kernels run them: tried first, then whole.
pub const TRIED32: Table = table("hop_tried32", Entries::Map32, shaped::<Pair32>);

/// All of them.
pub const TABLES: [Table; 5] = [MAP32, SET32, MAP64, SET64, TRIED32];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

shapes! {
    /// Lanes, words per lane and groups of a neighbourhood that scenarios have; the last four are those of
    /// the library's tables.
    pub const SHAPES: (lanes as LANES: usize, slots as S: usize, reach as N: u32) = [
        (1, 2, 2), (1, 2, 3), (1, 3, 2), (1, 4, 2), (2, 1, 2), (2, 1, 3), (2, 2, 2), (4, 1, 2),
        (1, 8, 8), (2, 4, 8), (4, 2, 8), (8, 1, 8),
    ];
    "a neighbourhood of {reach} groups of {lanes} lanes with {slots} words each: they are, lanes first, {:?}";
    fn shaped<E: Entry> = make::<E, LANES, S, N>;
}

fn make<E: Entry, const LANES: usize, const S: usize, const N: u32>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let make = match scenario.structure == TRIED32.name {
        true => HopscotchSubject::<E, S, N>::tried,
        false => HopscotchSubject::<E, S, N>::new,
    };
    Arc::new(OfLanes::<_, LANES>(make(scenario.config.clone(), scenario.allows.full)))
}
