//! Which scenarios belong to which set.

use super::generate::{OPS, Place, Structure, meet};
use crate::check::Scenario;

/// At most 5 s on one core.
pub fn quick() -> Vec<Scenario> {
    pairs().into_iter().filter(|scenario| scenario.structure == "map32").collect()
}

/// Under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    pairs()
}

/// Everything else.
pub fn deep() -> Vec<Scenario> {
    Vec::new()
}

/// All scenarios.
pub fn all() -> Vec<Scenario> {
    let mut all = default_set();
    all.extend(deep());
    all
}

/// Every pair of operations, in every place.
fn pairs() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        for place in Place::ALL {
            for (i, a) in OPS.iter().enumerate() {
                for b in &OPS[i..] {
                    scenarios.push(meet(structure, place, &[&[*a], &[*b]]));
                }
            }
        }
    }
    scenarios
}
