//! The scenarios of the open-addressing table.
//!
//! Operations meet on the keys of one to three buckets: in an empty one, in a full one that nothing has passed, behind it,
//! on tombstones, and where no slot is empty.

mod layout;
mod places;
pub mod scheme;
mod sets;
mod subject;
mod wide;

pub use layout::{Layout, Lock64};
pub(super) use places::OPS;
pub use places::Structure;
pub use sets::{all, deep, default_set, family, quick};
pub use subject::OpenSubject;
pub use wide::wide;

use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use scheme::{DoubleHashed, Scheme};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::{Call, Op};

/// Lanes and slots per lane of the buckets that scenarios have.
pub const SHAPES: [(u32, u32); 10] = [
    (1, 1),
    (1, 2),
    (1, 4),
    (2, 1),
    (2, 2),
    (4, 1),
    // Those of the library's tables.
    (1, 8),
    (2, 4),
    (4, 2),
    (8, 1),
];

/// The subject of a scenario of the open-addressing table.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "open_map32" => shaped::<Pair32>(scenario),
        "open_set32" => shaped::<Key32>(scenario),
        "open_map64" => shaped::<Pair64>(scenario),
        "open_set64" => shaped::<Key64>(scenario),
        "open_lock64" => shaped::<Lock64>(scenario),
        "open_untested32" => small::<Pair32, DoubleHashed<false>>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn shaped<L: Layout>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 1) => Ok(table::<L, 1, 1>(scenario)),
        (1, 2) => Ok(table::<L, 1, 2>(scenario)),
        (1, 4) => Ok(table::<L, 1, 4>(scenario)),
        (2, 1) => Ok(table::<L, 2, 1>(scenario)),
        (2, 2) => Ok(table::<L, 2, 2>(scenario)),
        (4, 1) => Ok(table::<L, 4, 1>(scenario)),
        (1, 8) => Ok(table::<L, 1, 8>(scenario)),
        (2, 4) => Ok(table::<L, 2, 4>(scenario)),
        (4, 2) => Ok(table::<L, 4, 2>(scenario)),
        (8, 1) => Ok(table::<L, 8, 1>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a bucket of {lanes} lanes with {slots} slots each: buckets have {SHAPES:?}"
        ))),
    }
}

/// A table whose buckets have one slot or two.
pub(super) fn small<L: Layout, C: Scheme>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match (scenario.config.lanes, scenario.config.slots) {
        (1, 1) => Ok(probing::<L, C, 1, 1>(scenario)),
        (1, 2) => Ok(probing::<L, C, 1, 2>(scenario)),
        (2, 1) => Ok(probing::<L, C, 2, 1>(scenario)),
        (lanes, slots) => Err(ScenarioError::Shape(format!(
            "a bucket of {lanes} lanes with {slots} slots each: buckets have {SHAPES:?}"
        ))),
    }
}

fn table<L: Layout, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    probing::<L, DoubleHashed, LANES, S>(scenario)
}

/// The subject of a table whose keys probe as a scheme says.
fn probing<L: Layout, C: Scheme, const LANES: usize, const S: usize>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let subject = OpenSubject::<L, S, C>::new(scenario.config.clone(), scenario.allows.full);
    let adds = scenario.programs.iter().flatten().any(|call| call.op == Op::InsertOrAdd);
    let subject = if adds { subject.with_adds() } else { subject };
    let subject = if scenario.structure.contains("tried") { subject.tried() } else { subject };
    let deletes = |program: &Vec<Call>| program.len() > 1 && program.iter().any(|call| call.op == Op::Delete);
    let moves = scenario.programs.len() > 1 && scenario.programs.iter().any(deletes);
    Arc::new(OfLanes::<_, LANES>(if moves { subject.with_moving_room() } else { subject }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, slots)| {
            let mut scenario = default_set().swap_remove(0);
            (scenario.config.lanes, scenario.config.slots) = (lanes, slots);
            scenario
        };
        assert!(SHAPES.into_iter().all(|shape| subject(&scenario(shape)).is_ok()));
        let refused = subject(&scenario((3, 1))).err().expect("no such shape");
        assert!(refused.to_string().contains("a bucket of 3 lanes with 1 slots"), "{refused}");
    }
}
