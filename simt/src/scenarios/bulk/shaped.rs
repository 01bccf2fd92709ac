//! The subjects of scenarios of a batch.

use super::subject::{BulkSubject, STRUCTURE, TOLD};
use crate::check::{AnySubject, OfLanes, Scenario};
use crate::scenarios::shape::shapes;
use crate::scenarios::table::Made;
use crate::scenarios::{checked, shares};
use std::sync::Arc;

/// The subject of a scenario of a batch.
///
/// # Errors
/// If the configuration is not known, or the programs are not one share for each warp.
pub(in crate::scenarios) fn subject(scenario: &Scenario) -> Made {
    if ![STRUCTURE, TOLD].contains(&scenario.structure.as_str()) {
        return checked::none(scenario);
    }
    shares::one_each(scenario)?;
    shaped(scenario)
}

shapes! {
    /// Lanes and slots per lane of the buckets that scenarios have.
    const SHAPES: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (1, 3)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn shaped<> = make::<LANES, S>;
}

fn make<const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    Arc::new(OfLanes::<_, LANES>(BulkSubject::<S>::new(scenario)))
}
