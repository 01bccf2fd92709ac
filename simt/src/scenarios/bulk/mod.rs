//! The scenarios of a batch that is inserted bin by bin.
//!
//! All warps, of one lane each, are one block, which plays every block of every launch, one after the other: a barrier of the block
//! stands for the end of a launch. Blocks that run at once differ from that in the counters of bins alone, each of which is
//! one word. A call of `search_all` is one warp's share of the whole.

mod sets;
mod subject;

pub use sets::{all, deep, default_set};
pub use subject::BulkSubject;

use super::shares;
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use std::sync::Arc;

/// The name of the structure in scenarios.
pub const STRUCTURE: &str = "bulk_map32";
/// The same where each operation is told its outcome.
pub const TOLD: &str = "bulk_told32";

/// The subject of a scenario of a batch.
///
/// # Errors
/// If the configuration is not known, or the programs are not one share for each warp.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    if ![STRUCTURE, TOLD].contains(&scenario.structure.as_str()) {
        return Err(ScenarioError::Structure(scenario.structure.clone()));
    }
    shares::one_each(scenario)?;
    let config = &scenario.config;
    match (config.lanes, config.slots) {
        (1, 1) => Ok(Arc::new(OfLanes::<_, 1>(BulkSubject::<1>::new(scenario)))),
        (1, 2) => Ok(Arc::new(OfLanes::<_, 1>(BulkSubject::<2>::new(scenario)))),
        (1, 3) => Ok(Arc::new(OfLanes::<_, 1>(BulkSubject::<3>::new(scenario)))),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a bucket of {lanes} lanes with {slots} slots each: buckets have one to three slots of one lane"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_has_one_share() {
        let mut scenario = default_set().swap_remove(0);
        let share = scenario.programs[0][0].clone();
        scenario.programs[0].push(share);
        assert_eq!(subject(&scenario).err(), Some(ScenarioError::Programs));
    }
}
