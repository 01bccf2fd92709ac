//! The scenarios of the slab hash.
//!
//! Every pair of operations meets on one key of one bucket, in each of the places that the chain protocol
//! tells apart: an empty bucket, a full base slab, a chain of two, a tombstone before the key, the last free
//! slab. Tables are tiny: one to three pairs in a slab, at most three slabs in the pool. [`wide`] has warps of real
//! width, which only an engine that samples can try.

mod flush;
mod generate;
mod mixed;
mod pool;
mod sets;
mod stale;
mod subject;
mod wide;

pub use flush::{FlushSubject, Told};
pub use generate::{Place, Structure};
pub use mixed::MixedSubject;
pub use pool::PoolSubject;
pub use sets::{all, deep, default_set, family, quick};
pub use subject::{Layout, Lock64, Map32, Map64, Set32, SlabSubject};
pub use wide::wide;

use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError, of_lanes};
use std::sync::Arc;
use warpproof_model::slab::{Multi, Multiplicity, Unique};
use warpproof_model::spec::Op;

/// The subject of a scenario of the slab hash.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "flush_map32" => flushed::<Map32>(scenario),
        "flush_lock64" => flushed::<Lock64>(scenario),
        "mixed_map32" if (scenario.config.lanes, scenario.config.slots) == (1, 3) => {
            let table =
                SlabSubject::<Map32, Unique, 3>::new(scenario.config.clone(), true, scenario.allows.full);
            Ok(Arc::new(OfLanes::<_, 1>(MixedSubject::new(table))))
        }
        // Of this width for one table alone.
        "multimap32" if (scenario.config.lanes, scenario.config.slots) == (1, 5) => {
            Ok(table::<Map32, Multi, 1, 5>(scenario))
        }
        "map32" => shaped::<Map32, Unique>(scenario),
        "set32" => shaped::<Set32, Unique>(scenario),
        "map64" => shaped::<Map64, Unique>(scenario),
        "lock64" => shaped::<Lock64, Unique>(scenario),
        "multimap32" => shaped::<Map32, Multi>(scenario),
        "multiset32" => shaped::<Set32, Multi>(scenario),
        "multimap64" => shaped::<Map64, Multi>(scenario),
        "multilock64" => shaped::<Lock64, Multi>(scenario),
        "pool" => {
            let lanes = scenario.config.lanes;
            let pool = PoolSubject::new(scenario.config.bitmap.clone(), scenario.programs.len() == 1);
            of_lanes(pool, lanes).ok_or(ScenarioError::Lanes(lanes))
        }
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

/// Lanes, and words per lane, of the slabs that scenarios have. Each is compiled for every table; those of 8
/// lanes and more only with the feature `shuttle`, whose engine alone takes so many accesses.
pub const SHAPES: [(u32, u32); 12] =
    [(1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (4, 1), (8, 1), (8, 2), (16, 1), (16, 2), (32, 1), (32, 2)];

/// The subject of a table with slabs of the scenario's shape.
fn shaped<L: Layout, U: Multiplicity>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 2) => Ok(table::<L, U, 1, 2>(scenario)),
        (1, 3) => Ok(table::<L, U, 1, 3>(scenario)),
        (1, 4) => Ok(table::<L, U, 1, 4>(scenario)),
        (2, 1) => Ok(table::<L, U, 2, 1>(scenario)),
        (2, 2) => Ok(table::<L, U, 2, 2>(scenario)),
        (4, 1) => Ok(table::<L, U, 4, 1>(scenario)),
        #[cfg(feature = "shuttle")]
        (8, 1) => Ok(table::<L, U, 8, 1>(scenario)),
        #[cfg(feature = "shuttle")]
        (8, 2) => Ok(table::<L, U, 8, 2>(scenario)),
        #[cfg(feature = "shuttle")]
        (16, 1) => Ok(table::<L, U, 16, 1>(scenario)),
        #[cfg(feature = "shuttle")]
        (16, 2) => Ok(table::<L, U, 16, 2>(scenario)),
        #[cfg(feature = "shuttle")]
        (32, 1) => Ok(table::<L, U, 32, 1>(scenario)),
        #[cfg(feature = "shuttle")]
        (32, 2) => Ok(table::<L, U, 32, 2>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a slab of {lanes} lanes with {slots} words each: slabs have {SHAPES:?}"
        ))),
    }
}

/// The subject of a table of unique keys with phases of their own for its buckets.
fn flushed<L: Layout>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 2) => Ok(flush::<L, 1, 2>(scenario)),
        (1, 3) => Ok(flush::<L, 1, 3>(scenario)),
        (2, 1) => Ok(flush::<L, 2, 1>(scenario)),
        (2, 2) => Ok(flush::<L, 2, 2>(scenario)),
        (4, 1) => Ok(flush::<L, 4, 1>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a slab of {lanes} lanes with {slots} words each: slabs have {SHAPES:?}"
        ))),
    }
}

fn flush<L: Layout, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let table = SlabSubject::<L, Unique, S>::new(scenario.config.clone(), true, scenario.allows.full);
    Arc::new(OfLanes::<_, LANES>(FlushSubject::new(table)))
}

fn table<L: Layout, U: Multiplicity, const LANES: usize, const S: usize>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let mut calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
    let unique = !U::MULTI || !calls.any(|call| call.op == Op::Insert);
    let subject = SlabSubject::<L, U, S>::new(scenario.config.clone(), unique, scenario.allows.full);
    Arc::new(OfLanes::<_, LANES>(subject))
}
