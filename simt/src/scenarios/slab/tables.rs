//! The slab hash's tables, and their subjects.

use super::flush::flushed_of;
use super::mixed::MixedSubject;
use super::places::{OPS, PLAN};
use super::pool::PoolSubject;
use super::subject::{Layout, Lock64, Map32, Map64, Set32, SlabSubject};
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError, of_lanes};
use crate::scenarios::checked;
use crate::scenarios::entry::Entries;
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Made, Maker, Table};
use std::sync::Arc;
use warpproof_model::slab::{Multi, Multiplicity, Unique};
use warpproof_model::spec::Op;

/// u32 pairs, keys unique.
pub const MAP32: Table = unique("map32", Entries::Map32, shaped::<Map32, Unique>);
/// u32 keys, unique.
pub const SET32: Table = unique("set32", Entries::Set32, shaped::<Set32, Unique>);
/// u64 pairs in 128-bit words, keys unique.
pub const MAP64: Table = unique("map64", Entries::Map64, shaped::<Map64, Unique>);
/// u64 pairs by the lock word, keys unique.
pub const LOCK64: Table = unique("lock64", Entries::Map64, shaped::<Lock64, Unique>);
/// u32 pairs.
pub const MULTIMAP32: Table = multi("multimap32", Entries::Map32, of_five);
/// u32 keys.
pub const MULTISET32: Table = multi("multiset32", Entries::Set32, shaped::<Set32, Multi>);
/// u64 pairs in 128-bit words.
pub const MULTIMAP64: Table = multi("multimap64", Entries::Map64, shaped::<Map64, Multi>);
/// u64 pairs by the lock word.
pub const MULTILOCK64: Table = multi("multilock64", Entries::Map64, shaped::<Lock64, Multi>);

/// [`MAP32`] by operations whose kind is a value.
pub(super) const MIXED_MAP32: Table = unique("mixed_map32", Entries::Map32, mixed);

/// [`MULTIMAP32`] with a chain of the reserved keys.
pub(super) const ALL_KEYS32: Table = multi("all_keys32", Entries::Map32, all_keys);

/// All tables of which there are all programs of a size.
pub const TABLES: [Table; 8] = [MAP32, SET32, MAP64, LOCK64, MULTIMAP32, MULTISET32, MULTIMAP64, MULTILOCK64];

/// A table of unique keys: `count` and `search_all` are a search there, and `delete_all` is a delete.
const fn unique(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: OPS.split_at(4).0, subject, plan: &PLAN }
}

const fn multi(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: true, ops: OPS, subject, plan: &PLAN }
}

shapes! {
    /// Lanes, and words per lane, of the slabs that scenarios have. Each is compiled for every table; those
    /// of 8 lanes and more only with the feature `shuttle`, whose engine alone takes so many accesses.
    pub const SHAPES: (lanes as LANES, slots as S) = [
        (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (4, 1),
        #[cfg(feature = "shuttle")] (8, 1), #[cfg(feature = "shuttle")] (8, 2),
        #[cfg(feature = "shuttle")] (16, 1), #[cfg(feature = "shuttle")] (16, 2),
        #[cfg(feature = "shuttle")] (32, 1), #[cfg(feature = "shuttle")] (32, 2),
    ];
    "a slab of {lanes} lanes with {slots} words each: slabs have {:?}";
    fn shaped<L: Layout, U: Multiplicity> = make::<L, U, LANES, S>;
}

/// The subject of a scenario of the slab hash that is of none of [`TABLES`].
pub(super) fn others(scenario: &Scenario) -> Made {
    match scenario.structure.as_str() {
        "flush_map32" => flushed_of::<Map32>(scenario),
        "flush_lock64" => flushed_of::<Lock64>(scenario),
        "mixed_map32" => mixed(scenario),
        "all_keys32" => all_keys(scenario),
        "pool" => {
            let lanes = scenario.config.lanes;
            let frees =
                scenario.programs.iter().flatten().any(|call| matches!(call.op, Op::Free | Op::Borrow));
            let exact = scenario.programs.len() == 1 || !frees;
            let pool = PoolSubject::new(scenario.config.bitmap.clone(), exact);
            of_lanes(pool, lanes).ok_or(ScenarioError::Lanes(lanes))
        }
        _ => checked::none(scenario),
    }
}

fn mixed(scenario: &Scenario) -> Made {
    if (scenario.config.lanes, scenario.config.slots) != (1, 3) {
        return checked::none(scenario);
    }
    let table = SlabSubject::<Map32, Unique, 3>::new(scenario.config.clone(), true, scenario.allows.full);
    Ok(Arc::new(OfLanes::<_, 1>(MixedSubject::new(table))))
}

fn all_keys(scenario: &Scenario) -> Made {
    fn made<const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
        let subject =
            SlabSubject::<Map32, Multi, S>::new(scenario.config.clone(), false, scenario.allows.full);
        Arc::new(OfLanes::<_, LANES>(subject.with_reserved()))
    }
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 2) => Ok(made::<1, 2>(scenario)),
        (2, 1) => Ok(made::<2, 1>(scenario)),
        _ => checked::none(scenario),
    }
}

/// A slab of five words, which one table has alone, or of another shape.
fn of_five(scenario: &Scenario) -> Made {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 5) => Ok(make::<Map32, Multi, 1, 5>(scenario)),
        _ => shaped::<Map32, Multi>(scenario),
    }
}

fn make<L: Layout, U: Multiplicity, const LANES: usize, const S: usize>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let mut calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
    let unique = !U::MULTI || !calls.any(|call| call.op == Op::Insert);
    let subject = SlabSubject::<L, U, S>::new(scenario.config.clone(), unique, scenario.allows.full);
    Arc::new(OfLanes::<_, LANES>(subject))
}
