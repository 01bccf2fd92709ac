//! The scenarios of the open-addressing table.

mod places;
mod sets;
mod subject;

pub use places::Structure;
pub use sets::{all, deep, default_set, family, quick};
pub use subject::OpenSubject;

use super::ScenarioError;
use super::entry::Entry;
use crate::check::{AnySubject, OfLanes, Scenario};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// The subject of a scenario of the open-addressing table.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "open_map32" => shaped::<Pair32>(scenario),
        "open_set32" => shaped::<Key32>(scenario),
        "open_map64" => shaped::<Pair64>(scenario),
        "open_set64" => shaped::<Key64>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn shaped<E: Entry>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 1) => Ok(table::<E, 1, 1>(scenario)),
        (1, 2) => Ok(table::<E, 1, 2>(scenario)),
        (1, 4) => Ok(table::<E, 1, 4>(scenario)),
        (2, 1) => Ok(table::<E, 2, 1>(scenario)),
        (2, 2) => Ok(table::<E, 2, 2>(scenario)),
        (4, 1) => Ok(table::<E, 4, 1>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape { lanes, slots }),
    }
}

fn table<E: Entry, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, LANES>(OpenSubject::<E, S>::new(scenario.config.clone(), scenario.allows.full)))
}
