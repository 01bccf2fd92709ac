//! The scenarios of every structure.

pub mod bulk;
pub mod cuckoo;
mod dice;
pub mod dynamic;
pub mod entry;
pub mod family;
mod form;
mod home;
pub mod hopscotch;
mod member;
pub mod open;
mod part;
pub mod random;
pub mod retrieve;
mod shares;
pub mod slab;

use crate::check::{AnySubject, Scenario, ScenarioError};
use std::sync::Arc;

/// The subject of `scenario`.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.split_once('_') {
        Some(("bulk", _)) => bulk::subject(scenario),
        Some(("hop", _)) => hopscotch::subject(scenario),
        Some(("cuckoo", _)) => cuckoo::subject(scenario),
        Some(("dyn", _)) => dynamic::subject(scenario),
        Some(("open", _)) => open::subject(scenario),
        Some(("retrieve", _)) => retrieve::subject(scenario),
        _ => slab::subject(scenario),
    }
}

/// What every set of scenarios is: no name stands twice, and each is the same behind JSON.
#[cfg(test)]
fn assert_a_set(scenarios: &[Scenario]) {
    let names: std::collections::HashSet<_> = scenarios.iter().map(|scenario| &scenario.name).collect();
    assert_eq!(names.len(), scenarios.len());
    for scenario in scenarios {
        let text = serde_json::to_string(scenario).expect("JSON");
        assert_eq!(serde_json::from_str::<Scenario>(&text).expect("a scenario"), *scenario);
    }
}
