//! The scenarios of `retrieve_all`.
//!
//! All warps of a scenario are one block, or each is one (`apart`). A call of `search_all` is one warp's share of the whole.

mod sets;
mod subject;

pub use sets::{all, deep, default_set};
pub use subject::{Placing, RetrieveSubject};

use super::shares;
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use std::sync::Arc;

/// Lanes, rows of a lane, slots of a row: what a warp reads in a round.
pub const SHAPES: [(u32, u32, u32); 6] = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 2, 2)];

/// The subject of a scenario of `retrieve_all`.
///
/// # Errors
/// If the variant or its configuration is not known, or the programs are not one share for each warp.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let Some(placing) = Placing::ALL.into_iter().find(|placing| placing.structure() == scenario.structure)
    else {
        return Err(ScenarioError::Structure(scenario.structure.clone()));
    };
    shares::one_each(scenario)?;
    let config = &scenario.config;
    match (config.lanes, config.reach, config.slots) {
        (1, 1, 1) => Ok(shaped::<1, 1, 1>(scenario, placing)),
        (1, 1, 2) => Ok(shaped::<1, 1, 2>(scenario, placing)),
        (1, 2, 1) => Ok(shaped::<1, 2, 1>(scenario, placing)),
        (1, 2, 2) => Ok(shaped::<1, 2, 2>(scenario, placing)),
        (2, 1, 1) => Ok(shaped::<2, 1, 1>(scenario, placing)),
        (2, 2, 2) => Ok(shaped::<2, 2, 2>(scenario, placing)),
        (lanes, rows, slots) => Err(ScenarioError::Shape(format!(
            "warps of {lanes} lanes that read {rows} rows of {slots} slots each: they are, lanes first, slots last, {SHAPES:?}"
        ))),
    }
}

fn shaped<const LANES: usize, const R: usize, const S: usize>(
    scenario: &Scenario,
    placing: Placing,
) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, LANES>(RetrieveSubject::<R, S>::new(scenario, placing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, rows, slots)| {
            let mut scenario = default_set().swap_remove(0);
            (scenario.config.lanes, scenario.config.reach, scenario.config.slots) = (lanes, rows, slots);
            scenario
        };
        assert!(SHAPES.into_iter().all(|shape| subject(&scenario(shape)).is_ok()));
        let refused = subject(&scenario((3, 1, 1))).err().expect("no such shape");
        assert!(refused.to_string().contains("warps of 3 lanes that read 1 rows of 1 slots"), "{refused}");
    }

    #[test]
    fn a_warp_has_one_share() {
        let mut scenario = default_set().swap_remove(0);
        let share = scenario.programs[0][0].clone();
        scenario.programs[0].push(share);
        assert_eq!(subject(&scenario).err(), Some(ScenarioError::Programs));
    }
}
