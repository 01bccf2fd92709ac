//! The scenarios of ranks that exchange batches. A warp of one lane is a rank.

mod carried;
mod sets;
mod subject;

pub use sets::{deep, default_set, quick};
pub use subject::ShardedSubject;

use super::checked::{Checked, none};
use super::table::Made;
use crate::check::{OfLanes, Scenario, ScenarioError};
use std::sync::Arc;
use warpproof_model::sharded::BATCH;

/// What is checked of an exchange. Its calls are batches: it is no table of calls of one key.
pub(super) const CHECKED: Checked = Checked {
    name: ShardedSubject::STRUCTURE,
    what: "Shards of several ranks: items go to their owners, answers come back, nothing hangs",
    tables: &[],
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random],
};

fn subject(scenario: &Scenario) -> Made {
    if scenario.structure != ShardedSubject::STRUCTURE {
        return none(scenario);
    }
    let ranks = 0..scenario.programs.len() as u64;
    let own = |(rank, program): (u64, &Vec<_>)| {
        program.iter().all(|call: &warpproof_model::spec::Call| call.op == BATCH && call.key == rank)
    };
    let right =
        ranks.zip(&scenario.programs).all(own) && scenario.config.buckets >= scenario.programs.len() as u32;
    match scenario.config.lanes {
        _ if !right || scenario.programs.is_empty() => Err(ScenarioError::Programs),
        1 => Ok(Arc::new(OfLanes::<_, 1>(ShardedSubject::new(scenario)))),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    #[test]
    fn a_program_is_of_the_rank_of_its_warp() {
        let whole = quick().swap_remove(0);
        assert!(subject(&whole).is_ok());
        let mut swapped = whole.clone();
        swapped.programs.reverse();
        assert_eq!(subject(&swapped).err(), Some(ScenarioError::Programs));
        let none = Scenario { programs: Vec::new(), ..whole };
        assert_eq!(subject(&none).err(), Some(ScenarioError::Programs));
    }

    /// More of them would show that something is not ordered.
    #[test]
    fn flags_order_everything_so_there_is_one_execution() {
        for scenario in quick().into_iter().filter(|scenario| !scenario.name.contains("gives_up")) {
            let subject = subject(&scenario).expect("a subject");
            let report = Explore.explore_any(&subject, &scenario, &Options::default()).expect("a scenario");
            assert!(
                report.is_clean() && report.executions == 1,
                "{}: {:?}",
                report.scenario,
                report.executions
            );
        }
    }
}
