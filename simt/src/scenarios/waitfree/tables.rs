//! The wait-free tables, and their subjects.

use super::counted::Narrow;
use super::places::{OPS, PLAN};
use super::subject::{AtEnd, ByEpochs, Reuse, WaitFreeSubject};
use crate::check::{AnySubject, Config, OfLanes, Scenario, ScenarioError};
use crate::scenarios::entry::{Entries, Entry};
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Made, Maker, Table};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::reclaim::{Counters as _, Wide};
use warpproof_model::spec::Op::{self, Delete, InsertUnique, Search};

/// u64 keys.
pub const SET64: Table = table("waitfree_set64", Entries::Set64, &SET_OPS, set64);
/// u32 keys.
pub const SET32: Table = table("waitfree_set32", Entries::Set32, &SET_OPS, shaped_in_four::<Key32>);
/// u32 pairs.
pub const MAP32: Table = table("waitfree_map32", Entries::Map32, &OPS, shaped::<Pair32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("waitfree_map64", Entries::Map64, &OPS, shaped::<Pair64>);

/// u64 keys, where nodes are used again while calls run.
pub const EPOCHS64: Table = table("waitfree_epochs64", Entries::Set64, &SET_OPS, epochs64);

/// All of them.
pub const TABLES: [Table; 5] = [SET64, SET32, MAP32, MAP64, EPOCHS64];

/// The operations of a set.
const SET_OPS: [Op; 3] = [InsertUnique, Delete, Search];

const fn table(name: &'static str, entries: Entries, ops: &'static [Op], subject: Maker) -> Table {
    Table { name, entries, multi: false, ops, subject, plan: &PLAN }
}

shapes! {
    /// Lanes and words per lane of the nodes that scenarios have: of two words and of four.
    pub const SHAPES: (lanes as LANES, slots as S) = [(1, 2), (1, 4), (2, 1), (2, 2), (4, 1)];
    "a node of {lanes} lanes with {slots} words each: nodes have {:?}";
    fn shaped<E: Entry> = made::<E, AtEnd, LANES, S>;
}

shapes! {
    /// Those of tables whose nodes are used again while calls run.
    pub const SHAPES_BY_EPOCHS: (lanes as LANES, slots as S) = [(1, 2), (2, 1), (2, 2)];
    "a node of {lanes} lanes with {slots} words each: nodes have {:?}";
    fn shaped_by_epochs<E: Entry> = made::<E, ByEpochs, LANES, S>;
}

shapes! {
    /// Those of nodes of four words: with u32 keys a receipt takes two.
    pub const SHAPES_OF_FOUR: (lanes as LANES, slots as S) = [(2, 2), (4, 1)];
    "a node of {lanes} lanes with {slots} words each: nodes of u32 keys have {:?}";
    fn shaped_in_four<E: Entry> = made::<E, AtEnd, LANES, S>;
}

shapes! {
    /// Those of tables with narrow counters.
    pub const NARROW_SHAPES: (lanes as LANES, slots as S) = [(2, 1), (2, 2)];
    "a node of {lanes} lanes with {slots} words each: with narrow counters nodes have {:?}";
    fn shaped_narrow<R: Reuse> = made::<Key64, R, LANES, S>;
}

shapes! {
    /// Those of tables whose turns know few bits of their epochs.
    pub const NARROW_SHAPES_BY_EPOCHS: (lanes as LANES, slots as S) = [(2, 2)];
    "a node of {lanes} lanes with {slots} words each: with narrow epochs nodes have {:?}";
    fn shaped_by_narrow_epochs<R: Reuse> = made::<Key64, R, LANES, S>;
}

/// A set whose counters may be narrow: the announcements of a head, the number of a call.
fn set64(scenario: &Scenario) -> Made {
    let Config { counters, .. } = &scenario.config;
    match counters[..] {
        [] => shaped::<Key64>(scenario),
        [2, 0] => shaped_narrow::<Narrow<2, { Wide::CALLS }>>(scenario),
        [3, 0] => shaped_narrow::<Narrow<3, { Wide::CALLS }>>(scenario),
        [0, 1] => shaped_narrow::<Narrow<{ Wide::ANNOUNCEMENTS }, 1>>(scenario),
        [0, 2] => shaped_narrow::<Narrow<{ Wide::ANNOUNCEMENTS }, 2>>(scenario),
        _ => Err(narrowed(counters)),
    }
}

/// A set whose epochs may be narrow.
fn epochs64(scenario: &Scenario) -> Made {
    let Config { counters, .. } = &scenario.config;
    match counters[..] {
        [] => shaped_by_epochs::<Key64>(scenario),
        [2] => shaped_by_narrow_epochs::<ByEpochs<2>>(scenario),
        [3] => shaped_by_narrow_epochs::<ByEpochs<3>>(scenario),
        _ => Err(narrowed(counters)),
    }
}

fn narrowed(counters: &[u32]) -> ScenarioError {
    ScenarioError::Shape(format!(
        "counters of {counters:?} bits: two or three are narrow, of call numbers one or two"
    ))
}

/// The subject of a table.
fn made<E: Entry, R: Reuse, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, LANES>(WaitFreeSubject::<E, R, S>::new(scenario)))
}
