//! The scenarios of open addressing where keys have two buckets and move.
//!
//! Operations meet on keys whose buckets are full: of keys that cannot move, of one that can, of one that can when another one has,
//! and of deleted ones.

mod places;
mod sets;

pub use places::Structure;
pub use sets::{all, deep, default_set, family, quick};

use super::open::scheme::Moved;
use super::open::small;
use crate::check::{AnySubject, Scenario, ScenarioError};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// Lanes and slots per lane of the buckets that scenarios have.
pub const SHAPES: [(u32, u32); 3] = [(1, 1), (1, 2), (2, 1)];

/// The subject of a scenario of a table in which keys move.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "cuckoo_map32" | "cuckoo_tried32" => small::<Pair32, Moved>(scenario),
        "cuckoo_set32" => small::<Key32, Moved>(scenario),
        "cuckoo_map64" => small::<Pair64, Moved>(scenario),
        "cuckoo_set64" => small::<Key64, Moved>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, slots)| {
            let mut scenario = default_set().swap_remove(0);
            (scenario.config.lanes, scenario.config.slots) = (lanes, slots);
            subject(&scenario)
        };
        assert!(SHAPES.into_iter().all(|shape| scenario(shape).is_ok()));
        assert!(scenario((4, 1)).is_err());
    }
}
