//! The sets of scenarios.

use super::tables::{ALL, LOCK64, MAP32, TABLES};
use crate::check::{Config, Scenario};
use crate::scenarios::applied::updates;
use crate::scenarios::table::{Place, Table, stalls_of_second};

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    MAP32.pairs(&ALL)
}

/// Every pair of operations and every two of one warp, of all entries; one warp that stops; two operations of
/// a warp beside one or two of another, and three warps, on one key; each update beside an operation. By one
/// lane and by two.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for table in TABLES {
        let two = table.family(2, 2);
        scenarios.extend(table.stalls(&two));
        scenarios.extend(two);
        scenarios.extend(on_one_key(&table, &[2, 1]));
    }
    for table in [MAP32, LOCK64] {
        scenarios.extend(on_one_key(&table, &[1, 1, 1]));
    }
    scenarios.extend(on_one_key(&LOCK64, &[2, 2]));
    for table in [MAP32, LOCK64] {
        scenarios.extend(updates(&on_one_key(&table, &[1, 1])));
    }
    let by_lanes: Vec<_> = scenarios.iter().map(by_two_lanes).collect();
    scenarios.extend(by_lanes);
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    scenarios
}

/// Everything else: three warps, of which one has two operations.
pub fn deep() -> Vec<Scenario> {
    [MAP32, LOCK64].iter().flat_map(|table| on_one_key(table, &[2, 1, 1])).collect()
}

/// All programs of a shape on the first key, in every place.
fn on_one_key(table: &Table, shape: &[usize]) -> Vec<Scenario> {
    let places = ALL.map(|place| Place { keys: &place.keys[..1], ..place });
    places.into_iter().flat_map(|place| table.of_shape(place, shape, 1)).collect()
}

/// A scenario run by warps of two lanes.
fn by_two_lanes(scenario: &Scenario) -> Scenario {
    let name = format!("{}_lanes", scenario.name);
    Scenario { name, config: Config { lanes: 2, ..scenario.config.clone() }, ..scenario.clone() }
}
