//! The hopscotch tables, and their subjects.

use super::places::{OPS, PLAN};
use super::subject::HopscotchSubject;
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use crate::scenarios::entry::{Entries, Entry};
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Made, Maker, Table};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// u32 pairs.
pub const MAP32: Table = table("hop_map32", Entries::Map32, map32);
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

shapes! {
    /// Those of tables whose versions are narrowed, to one bit up to three.
    pub const NARROW_SHAPES: (lanes as LANES: usize, slots as S: usize, reach as N: u32) =
        [(1, 2, 2), (1, 4, 2), (2, 1, 2)];
    "a neighbourhood of {reach} groups of {lanes} lanes with {slots} words each: with narrow versions they are, \
     lanes first, {:?}";
    fn shaped_narrow<E: Entry> = make_narrow::<E, LANES, S, N>;
}

fn map32(scenario: &Scenario) -> Made {
    match scenario.config.counters[..] {
        [] => shaped::<Pair32>(scenario),
        [1..=3] => shaped_narrow::<Pair32>(scenario),
        ref bits => Err(ScenarioError::Shape(format!(
            "versions of {bits:?} bits: they have 1 to 3, or all there are"
        ))),
    }
}

fn make_narrow<E: Entry, const LANES: usize, const S: usize, const N: u32>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let whole = HopscotchSubject::<E, S, N>::new(scenario.config.clone(), scenario.allows.full);
    match scenario.config.counters[..] {
        [1] => Arc::new(OfLanes::<_, LANES>(whole.with_version_bits::<1>())),
        [2] => Arc::new(OfLanes::<_, LANES>(whole.with_version_bits::<2>())),
        _ => Arc::new(OfLanes::<_, LANES>(whole.with_version_bits::<3>())),
    }
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
