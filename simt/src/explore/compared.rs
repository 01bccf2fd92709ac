//! Compares the engine with loom: the outcomes must be equal.

use super::Explore;
use crate::engine::{Engine, Options};
use crate::loom::Loom;
use crate::scenarios::slab;

/// Every eighth pair of calls of the default set; `warpproof check slab --both` compares all scenarios.
#[test]
fn both_engines_see_the_same_outcomes() {
    let mut scenarios = slab::default_set();
    // Longer programs take loom minutes.
    scenarios.retain(|scenario| scenario.programs.iter().map(Vec::len).eq([1, 1]));
    for scenario in scenarios.iter().step_by(8) {
        let [explore, loom] = [&Explore as &dyn Engine, &Loom]
            .map(|engine| engine.explore(scenario, &Options::default()).expect("a scenario"));
        assert!(explore.passed() && loom.passed(), "{}: {} {}", scenario.name, explore.verdict, loom.verdict);
        assert_eq!(explore.outcomes, loom.outcomes, "{}", scenario.name);
        assert!(explore.executions <= loom.executions, "{}", scenario.name);
    }
}
