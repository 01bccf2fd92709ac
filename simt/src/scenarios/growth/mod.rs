//! The scenarios of a table that a host replaces by a larger one between the chunks of a batch.
//!
//! A warp of one lane is a host thread. Batches meet at the limit; with another one that grows the table;
//! with calls that delete, search, resize and clear; and where there is no memory for a larger table.

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
pub use sets::{deep, default_set, quick};
pub use subject::GrowthSubject;
pub use table::{Held, Table};

use super::checked::{Checked, none};
use super::table::Made;
use crate::check::{OfLanes, Scenario, ScenarioError};
use std::sync::Arc;

/// What is checked of a table that a host grows. Its calls are batches: it is no table of calls of one key.
pub(super) const CHECKED: Checked = Checked {
    name: "growth",
    what: "A table that its host replaces by a larger one between the chunks of a batch, as on a GPU",
    tables: &[],
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random],
};

fn subject(scenario: &Scenario) -> Made {
    match scenario.structure.as_str() {
        Coarse::STRUCTURE => of::<Coarse>(scenario),
        Open::STRUCTURE => of::<Open>(scenario),
        _ => none(scenario),
    }
}

fn of<T: Table>(scenario: &Scenario) -> Made {
    match scenario.config.lanes {
        1 => Ok(Arc::new(OfLanes::<_, 1>(GrowthSubject::<T>::new(scenario)))),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    #[test]
    fn every_table_has_a_subject_and_no_other() {
        let scenario = |structure: &str, lanes| {
            let mut scenario = default_set().swap_remove(0);
            scenario.structure = structure.to_string();
            scenario.config.lanes = lanes;
            subject(&scenario)
        };
        assert!(scenario("growth_word", 1).is_ok() && scenario("growth_open", 1).is_ok());
        assert_eq!(scenario("growth_word", 2).err(), Some(ScenarioError::Lanes(2)));
        assert!(scenario("growth_other", 1).is_err());
    }

    #[test]
    fn every_table_holds_in_some_scenarios() {
        let real = |scenario: &Scenario| scenario.structure == Open::STRUCTURE;
        for scenario in quick().into_iter().chain(default_set().into_iter().filter(real).step_by(4)) {
            let report =
                Explore.explore_any(&subject(&scenario).expect("a subject"), &scenario, &Options::default());
            let report = report.expect("a scenario");
            assert!(report.is_clean(), "{}: {:?}", report.scenario, report.violation.map(|v| v.timeline()));
        }
    }
}
