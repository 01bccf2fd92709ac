//! The scenarios of the table that grows by submaps.
//!
//! Operations meet on the keys of one home: before the first submap is full, when it is, across the moment at which another one
//! is published, and behind it. Inserts add submaps, or a call of a warp does.

mod places;
mod sets;
mod subject;

pub use sets::{all, deep, default_set, family, quick};
pub use subject::{DynamicSubject, Parts};

use super::entry::Entry;
pub use super::open::Structure;
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use std::sync::Arc;
use subject::PROBES;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::Op;

/// Lanes and slots per lane of the buckets that scenarios have.
pub const SHAPES: [(u32, u32); 3] = [(1, 1), (1, 2), (2, 1)];

/// The subject of a scenario of the table that grows.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "dyn_map32" => shaped::<Pair32>(scenario),
        "dyn_set32" => shaped::<Key32>(scenario),
        "dyn_map64" => shaped::<Pair64>(scenario),
        "dyn_set64" => shaped::<Key64>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn shaped<E: Entry>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let (submaps, buckets) = (scenario.config.reach, scenario.config.buckets);
    // What is exhausted is asked of all slots: of the last submap too a key must probe all buckets.
    if submaps == 0 || warpproof_model::dynamic::submap_buckets(buckets, submaps - 1) > PROBES.into() {
        return Err(ScenarioError::Shape(format!(
            "{submaps} submaps, the first of {buckets} buckets: there is one at least, and the last has two buckets at most"
        )));
    }
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 1) => Ok(table::<E, 1, 1>(scenario)),
        (1, 2) => Ok(table::<E, 1, 2>(scenario)),
        (2, 1) => Ok(table::<E, 2, 1>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a bucket of {lanes} lanes with {slots} slots each: buckets have {SHAPES:?}"
        ))),
    }
}

fn table<E: Entry, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let subject = DynamicSubject::<E, S>::new(scenario.config.clone(), scenario.allows.full);
    let adds = scenario.programs.iter().flatten().any(|call| call.op == Op::InsertOrAdd);
    Arc::new(OfLanes::<_, LANES>(if adds { subject.with_adds() } else { subject }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, slots), submaps| {
            let mut scenario = default_set().swap_remove(0);
            (scenario.config.lanes, scenario.config.slots, scenario.config.reach) = (lanes, slots, submaps);
            subject(&scenario)
        };
        assert!(SHAPES.into_iter().all(|shape| scenario(shape, 2).is_ok()));
        assert!(scenario((3, 1), 2).is_err() && scenario((1, 1), 0).is_err());
        let refused = scenario((1, 1), 4).err().expect("too many buckets");
        assert!(refused.to_string().contains("4 submaps"), "{refused}");
    }
}
