//! The scenarios of a pager: child tables of which only some are in frames of a device's memory.
//!
//! One warp, of one lane, is the host; each other warp is a stream of the device. The host gives the pager
//! several jobs without waiting for any; the streams delay and reorder whatever the events allow.
//!
//! There are also scenarios of a batch that blocks of a device partition by child tables.

mod device;
mod partition;
mod sets;
mod subject;

pub use partition::PartitionSubject;
pub use sets::{deep, default_set, quick};
pub use subject::PagedSubject;

use super::checked::{Checked, none};
use super::table::Made;
use crate::check::{OfLanes, Scenario, ScenarioError};
use std::sync::Arc;
use warpproof_model::paged::{JOBS, STREAM};
use warpproof_model::spec::Call;

/// What is checked of a pager. Its calls are rows of jobs: it is no table of calls of one key.
pub(super) const CHECKED: Checked = Checked {
    name: PagedSubject::STRUCTURE,
    what: "Tables larger than the memory of the device: which are in frames, and what waits for what",
    tables: &[],
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random, partition::random],
};

fn subject(scenario: &Scenario) -> Made {
    if scenario.structure == PartitionSubject::STRUCTURE {
        return partition::subject(scenario);
    }
    if scenario.structure != PagedSubject::STRUCTURE {
        return none(scenario);
    }
    let streams = (0..3).map(|stream| Call::new(STREAM, stream, 0));
    let (host, others) = scenario.programs.split_first().ok_or(ScenarioError::Programs)?;
    if !matches!(host.as_slice(), [Call { op: JOBS, .. }]) || !others.concat().into_iter().eq(streams) {
        return Err(ScenarioError::Programs);
    }
    match scenario.config.lanes {
        1 => Ok(Arc::new(OfLanes::<_, 1>(PagedSubject::new(scenario)))),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    #[test]
    fn a_scenario_is_a_host_and_three_streams() {
        let whole = quick().swap_remove(0);
        assert!(subject(&whole).is_ok());
        for warp in 0..4 {
            let mut scenario = whole.clone();
            scenario.programs.remove(warp);
            assert_eq!(subject(&scenario).err(), Some(ScenarioError::Programs), "without warp {warp}");
        }
        let none = Scenario { programs: Vec::new(), ..whole };
        assert_eq!(subject(&none).err(), Some(ScenarioError::Programs));
    }

    /// More of them would show that something is not ordered.
    #[test]
    fn events_order_everything_so_there_is_one_execution() {
        for scenario in quick().into_iter().filter(|s| s.structure == PagedSubject::STRUCTURE) {
            let subject = subject(&scenario).expect("a subject");
            let report = Explore.explore_any(&subject, &scenario, &Options::default()).expect("a scenario");
            assert!(report.is_clean() && report.executions == 1, "{}: {:?}", report.scenario, report.verdict);
        }
    }
}
