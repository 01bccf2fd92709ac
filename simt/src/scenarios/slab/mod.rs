//! The scenarios of the slab hash.
//!
//! Every pair of operations meets on one key of one bucket, in each of the places that the chain protocol
//! tells apart: an empty bucket, a full base slab, a chain of two, a tombstone before the key, the last free
//! slab. Tables are tiny: one to three pairs in a slab, at most three slabs in the pool. [`wide`] has warps of real
//! width, which only an engine that samples can try.

mod generate;
mod pool;
mod sets;
mod subject;
mod wide;

pub use generate::{Place, Structure};
pub use pool::PoolSubject;
pub use sets::{DEEP_SECONDS, all, deep, default_set, family, quick};
pub use subject::{Layout, Lock64, Map32, Map64, Set32, SlabSubject};
pub use wide::wide;

use super::ScenarioError;
use crate::check::{AnySubject, Scenario, WIDE_LANES, Wide};
use std::sync::Arc;
use warpproof_model::slab::{Multi, Multiplicity, Unique};
use warpproof_model::spec::Op;

/// The subject of a scenario of the slab hash.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "map32" => with_slots::<Map32, Unique>(scenario),
        "set32" => with_slots::<Set32, Unique>(scenario),
        "map64" => with_slots::<Map64, Unique>(scenario),
        "lock64" => with_slots::<Lock64, Unique>(scenario),
        "multimap32" => with_slots::<Map32, Multi>(scenario),
        "multiset32" => with_slots::<Set32, Multi>(scenario),
        "multimap64" => with_slots::<Map64, Multi>(scenario),
        "multilock64" => with_slots::<Lock64, Multi>(scenario),
        "pool" => {
            Ok(Arc::new(PoolSubject::new(scenario.config.bitmap.clone(), scenario.programs.len() == 1)))
        }
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn with_slots<L: Layout, U: Multiplicity>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let config = scenario.config.clone();
    let mut calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
    let unique = !U::MULTI || !calls.any(|call| call.op == Op::Insert);
    let full = scenario.allows.full;
    let wide = WIDE_LANES.contains(&config.lanes);
    match config.slots {
        1 if wide => Ok(Arc::new(Wide(SlabSubject::<L, U, 1>::new(config, unique, full)))),
        2 if wide => Ok(Arc::new(Wide(SlabSubject::<L, U, 2>::new(config, unique, full)))),
        2 => Ok(Arc::new(SlabSubject::<L, U, 2>::new(config, unique, full))),
        3 if !wide => Ok(Arc::new(SlabSubject::<L, U, 3>::new(config, unique, full))),
        4 if !wide => Ok(Arc::new(SlabSubject::<L, U, 4>::new(config, unique, full))),
        slots => Err(ScenarioError::Slots(slots)),
    }
}
