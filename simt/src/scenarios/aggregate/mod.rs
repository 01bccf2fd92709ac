//! The scenarios of the groups of a column: the blocks of a launch make them, one block after the other, as
//! in [`crate::scenarios::bulk`]. And those of the sums that lost an exchange, which a block adds up. A call
//! of `search_all` is one warp's share of the whole.

mod left;
mod sets;
mod subject;

pub use left::LeftSubject;
pub use sets::{deep, default_set};
pub use subject::AggregateSubject;

use super::checked::{Checked, none};
use super::shares::one_each;
use super::table::Made;
use crate::check::{AnySubject, OfLanes, Scenario};
use std::sync::Arc;

/// What is checked of the groups of a column.
pub(super) const CHECKED: Checked = Checked {
    name: AggregateSubject::STRUCTURE,
    what: "The groups of a column, and sums of a batch that are added up before they go to a table",
    tables: &[],
    quick: default_set,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random, sets::random_left],
};

fn subject(scenario: &Scenario) -> Made {
    let made: Arc<dyn AnySubject> = match scenario.structure.as_str() {
        AggregateSubject::STRUCTURE => Arc::new(OfLanes::<_, 1>(AggregateSubject::new(scenario))),
        LeftSubject::STRUCTURE => Arc::new(OfLanes::<_, 1>(LeftSubject::new(scenario))),
        _ => return none(scenario),
    };
    one_each(scenario)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::ScenarioError;

    #[test]
    fn a_warp_has_one_share() {
        let mut scenario = default_set().swap_remove(0);
        let share = scenario.programs[0][0].clone();
        scenario.programs[0].push(share);
        assert_eq!(subject(&scenario).err(), Some(ScenarioError::Programs));
    }
}
