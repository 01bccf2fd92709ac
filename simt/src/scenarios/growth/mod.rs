//! The scenarios of a table that a host replaces by a larger one between the chunks of a batch.
//!
//! A warp of one lane is a host thread. Batches meet at the limit, beside one that grows the table, beside
//! calls that delete, look, resize and clear, and where there is no memory for a larger table.

mod coarse;
mod monitor;
mod open;
mod places;
mod sets;
mod subject;
mod table;

pub use coarse::Coarse;
pub use monitor::{Locks, Thread};
pub use open::Open;
pub use sets::{all, deep, default_set, quick};
pub use subject::GrowthSubject;
pub use table::{Held, Table};

use super::ScenarioError;
use crate::check::{AnySubject, OfLanes, Scenario};
use std::sync::Arc;

/// The subject of a scenario of a table that a host grows.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    if scenario.config.lanes != 1 {
        return Err(ScenarioError::Lanes(scenario.config.lanes));
    }
    match (scenario.structure.as_str(), scenario.config.slots) {
        ("growth_word", _) => Ok(table::<Coarse>(scenario)),
        ("growth_open", 1) => Ok(table::<Open<1>>(scenario)),
        ("growth_open", 2) => Ok(table::<Open<2>>(scenario)),
        ("growth_open", slots) => Err(ScenarioError::Bucket { lanes: 1, slots }),
        (other, _) => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn table<T: Table>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, 1>(GrowthSubject::<T>::new(scenario)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_subject_and_no_other() {
        let scenario = |structure: &str, lanes, slots| {
            let mut scenario = default_set().swap_remove(0);
            scenario.structure = structure.to_string();
            (scenario.config.lanes, scenario.config.slots) = (lanes, slots);
            subject(&scenario)
        };
        assert!(scenario("growth_word", 1, 1).is_ok());
        assert!(scenario("growth_open", 1, 1).is_ok() && scenario("growth_open", 1, 2).is_ok());
        assert!(scenario("growth_open", 1, 3).is_err() && scenario("growth_word", 2, 1).is_err());
        assert!(scenario("growth_other", 1, 1).is_err());
    }
}
