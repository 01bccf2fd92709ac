//! The scenarios of `retrieve_all`.
//!
//! All warps of a scenario are one block, or each is one (`apart`). A call of `search_all` is one warp's
//! share of the whole.

mod sets;
mod shaped;
mod subject;

pub use sets::{deep, default_set};
pub use shaped::SHAPES;
pub use subject::{Placing, RetrieveSubject};

use super::checked::Checked;

/// What is checked of copying all entries.
pub(super) const CHECKED: Checked = Checked {
    name: "retrieve",
    what: "Copying all entries of a table to an output, in five variants",
    tables: &[],
    quick: default_set,
    default_set,
    deep,
    wide: Vec::new,
    others: shaped::subject,
    random: &[sets::random],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::ScenarioError;
    use shaped::subject;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, rows, slots)| {
            let mut scenario = default_set().swap_remove(0);
            (scenario.config.lanes, scenario.config.reach, scenario.config.slots) = (lanes, rows, slots);
            scenario
        };
        assert!(SHAPES.iter().all(|&shape| subject(&scenario(shape)).is_ok()));
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
