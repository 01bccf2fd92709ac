//! The scenarios of the hopscotch table.
//!
//! Operations meet on the keys of one to three homes: in an empty neighbourhood, in a full one, where a key has to be
//! moved, or two in turn, where two such inserts cross, and in the tail.

mod sets;
mod subject;

pub use sets::{Place, Structure, all, deep, default_set, family, quick};
pub use subject::{Entry, HopscotchSubject};

use super::ScenarioError;
use crate::check::{AnySubject, OfLanes, Scenario};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// Lanes, words per lane and groups of a neighbourhood that scenarios have.
pub const SHAPES: [(u32, u32, u32); 8] =
    [(1, 2, 2), (1, 2, 3), (1, 3, 2), (1, 4, 2), (2, 1, 2), (2, 1, 3), (2, 2, 2), (4, 1, 2)];

/// The subject of a scenario of the hopscotch table.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "hop_map32" => shaped::<Pair32>(scenario),
        "hop_set32" => shaped::<Key32>(scenario),
        "hop_map64" => shaped::<Pair64>(scenario),
        "hop_set64" => shaped::<Key64>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn shaped<E: Entry>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let config = &scenario.config;
    match (config.lanes, config.slots, config.reach) {
        (1, 2, 2) => Ok(table::<E, 1, 2, 2>(scenario)),
        (1, 2, 3) => Ok(table::<E, 1, 2, 3>(scenario)),
        (1, 3, 2) => Ok(table::<E, 1, 3, 2>(scenario)),
        (1, 4, 2) => Ok(table::<E, 1, 4, 2>(scenario)),
        (2, 1, 2) => Ok(table::<E, 2, 1, 2>(scenario)),
        (2, 1, 3) => Ok(table::<E, 2, 1, 3>(scenario)),
        (2, 2, 2) => Ok(table::<E, 2, 2, 2>(scenario)),
        (4, 1, 2) => Ok(table::<E, 4, 1, 2>(scenario)),
        (lanes, slots, _) => Err(ScenarioError::Shape { lanes, slots }),
    }
}

fn table<E: Entry, const LANES: usize, const S: usize, const N: u32>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, LANES>(HopscotchSubject::<E, S, N>::new(
        scenario.config.clone(),
        scenario.allows.full,
    )))
}
