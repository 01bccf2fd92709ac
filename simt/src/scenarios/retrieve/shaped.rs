//! The subjects of scenarios of `retrieve_all`.

use super::subject::{Placing, RetrieveSubject};
use crate::check::{AnySubject, OfLanes, Scenario};
use crate::scenarios::shape::shapes;
use crate::scenarios::table::Made;
use crate::scenarios::{checked, shares};
use std::sync::Arc;

/// The subject of a scenario of `retrieve_all`.
///
/// # Errors
/// If the variant or its configuration is not known, or the programs are not one share for each warp.
pub(super) fn subject(scenario: &Scenario) -> Made {
    if Placing::of(scenario).is_none() {
        return checked::none(scenario);
    }
    shares::one_each(scenario)?;
    shaped(scenario)
}

shapes! {
    /// Lanes, rows of a lane, slots of a row: what a warp reads in a round.
    pub const SHAPES: (lanes as LANES: usize, reach as R: usize, slots as S: usize) =
        [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 2, 2), (1, 1, 3)];
    "warps of {lanes} lanes that read {reach} rows of {slots} slots each: they are, lanes first, slots last, {:?}";
    fn shaped<> = make::<LANES, R, S>;
}

fn make<const LANES: usize, const R: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let placing = Placing::of(scenario).unwrap_or(Placing::PerSlot);
    Arc::new(OfLanes::<_, LANES>(RetrieveSubject::<R, S>::new(scenario, placing)))
}
