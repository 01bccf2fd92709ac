//! The list of the structures that are checked.

use super::checked::Checked;
use super::{
    aggregate, cuckoo, dynamic, growth, hopscotch, open, paged, reserved, retrieve, sharded, sketch, slab,
    waitfree,
};
use crate::check::{AnySubject, Scenario, ScenarioError};
use std::sync::Arc;

/// All of them. A new structure is one more row.
pub static STRUCTURES: [Checked; 13] = [
    slab::CHECKED,
    hopscotch::CHECKED,
    open::CHECKED,
    cuckoo::CHECKED,
    dynamic::CHECKED,
    waitfree::CHECKED,
    growth::CHECKED,
    retrieve::CHECKED,
    aggregate::CHECKED,
    sketch::CHECKED,
    reserved::CHECKED,
    paged::CHECKED,
    sharded::CHECKED,
];

/// The structure of that name.
pub fn structure(name: &str) -> Option<&'static Checked> {
    STRUCTURES.iter().find(|structure| structure.name == name)
}

/// The subject of `scenario`.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let made = STRUCTURES.iter().map(|structure| structure.subject(scenario));
    let mut known = made.filter(|made| !matches!(made, Err(ScenarioError::Structure(_))));
    known.next().unwrap_or_else(|| Err(ScenarioError::Structure(scenario.structure.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// No name occurs twice in a set, and each scenario is equal after a round trip through JSON.
    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        for structure in &STRUCTURES {
            let wide = (structure.wide)();
            assert!(wide.iter().all(|scenario| (3..=8).contains(&scenario.programs.len())));
            let scenarios = [structure.all(), wide].concat();
            let mut names = HashSet::new();
            for scenario in &scenarios {
                assert!(names.insert(&scenario.name), "{} stands twice", scenario.name);
            }
            for scenario in &scenarios {
                let text = serde_json::to_string(scenario).expect("JSON");
                assert_eq!(serde_json::from_str::<Scenario>(&text).expect("a scenario"), *scenario);
            }
        }
    }

    /// `cargo xtask mutants` uses the names of its files as names of structures.
    #[test]
    fn every_structure_has_mutants_and_no_file_of_mutants_is_of_another() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/mutants");
        let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
        let tables = files.filter(|path| path.extension().is_some_and(|end| end == "toml"));
        let of: HashSet<_> = tables.map(|path| path.file_stem().expect("a name").to_owned()).collect();
        assert_eq!(of, STRUCTURES.iter().map(|structure| structure.name.into()).collect());
    }

    #[test]
    fn every_scenario_has_a_subject() {
        for structure in &STRUCTURES {
            for scenario in structure.all() {
                assert!(subject(&scenario).is_ok(), "{}", scenario.name);
            }
        }
        assert!(subject(&Scenario { structure: "none".into(), ..(slab::quick)().swap_remove(0) }).is_err());
    }
}
