//! Which scenarios there are.

use super::places::{self, Grown};
use super::subject::OLD_KEY;
use crate::check::Scenario;
use crate::scenarios::family::{Programs, programs, shapes};
use crate::scenarios::form;
use crate::scenarios::open::{OPS, Structure};
use warpproof_model::spec::Op::{Count, Grow, InsertOrAdd, InsertOrAssign, InsertUnique};

/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    [places::FULL, places::BEHIND]
        .into_iter()
        .flat_map(|place| adding(Structure::Map32, place, &[1, 1], 1))
        .collect()
}

/// Every pair of operations and every two of one warp, in every place, where inserts add submaps, and the same beside a call that
/// grows; by one lane and by several; the other entry types in some places; one warp that stops.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = family(Structure::Map32, 2, 2);
    scenarios.extend(places::ALL.into_iter().flat_map(|place| beside_growth(Structure::Map32, place)));
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(places::ALL.into_iter().map(|place| visited(Structure::Map32, place)));
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        let places = [places::FULL, places::BEHIND].into_iter();
        scenarios.extend(places.flat_map(|place| adding(structure, place, &[1, 1], 2)));
    }
    scenarios.extend(stalls(&scenarios));
    scenarios
}

/// Everything else: two operations of one warp against one of another, three warps.
pub fn deep() -> Vec<Scenario> {
    let of = |shape: &[usize]| places::ALL.map(|place| adding(Structure::Map32, place, shape, 2)).concat();
    [of(&[2, 1]), of(&[1, 1, 1])].concat()
}

/// All scenarios, none twice.
pub fn all() -> Vec<Scenario> {
    let mut all = default_set();
    all.extend(deep());
    all
}

/// All programs of so many calls, on at most `keys` different keys, by at most four warps, in every place, where inserts add
/// submaps.
pub fn family(structure: Structure, calls: usize, keys: usize) -> Vec<Scenario> {
    let shapes = shapes(calls, WARPS);
    let in_place = |place| shapes.iter().flat_map(move |shape| adding(structure, place, shape, keys));
    places::ALL.into_iter().flat_map(in_place).collect()
}

/// Programs where inserts add submaps.
fn adding(structure: Structure, place: Grown, shape: &[usize], most: usize) -> Vec<Scenario> {
    let all = programs(shape, &OPS, &place.place.keys(structure, most));
    all.iter().map(|programs| place.scenario(structure, programs, false)).collect()
}

/// One or two operations of one warp, or of two, on one key, beside a warp that grows the table, and is the only one that does; and
/// one operation beside a warp that grows the table and then does another one: who sees what that did knows of the growth.
fn beside_growth(structure: Structure, place: Grown) -> Vec<Scenario> {
    let keys = |most| place.place.keys(structure, most);
    let shapes: [&[usize]; 3] = [&[1], &[2], &[1, 1]];
    let beside = |mut programs: Programs| {
        programs.push(vec![(Grow, 0)]);
        programs
    };
    let before = |mut programs: Programs| {
        programs[1].insert(0, (Grow, 0));
        programs
    };
    let alone = shapes.into_iter().flat_map(|shape| programs(shape, &OPS, &keys(1))).map(beside);
    // Either of the two may be the one that grows it.
    let pairs = programs(&[1, 1], &OPS, &keys(2));
    let turned =
        pairs.iter().filter(|pair| pair[0] != pair[1]).map(|pair| vec![pair[1].clone(), pair[0].clone()]);
    let first = pairs.iter().cloned().chain(turned).map(before);
    alone.chain(first).map(|programs| place.scenario(structure, &programs, true)).collect()
}

/// A visit of all buckets beside a warp that grows the table: it counts no key of what the submap's memory held before.
fn visited(structure: Structure, place: Grown) -> Scenario {
    place.scenario(structure, &vec![vec![(Count, OLD_KEY)], vec![(Grow, 0)]], true)
}

/// The same by lanes of one slot each, if there are several.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    scenarios.iter().filter(|s| s.config.slots > 1).cloned().map(form::lanes).collect()
}

/// The first of two warps stops for ever, wherever it can: the other finishes, unless the first one was making a submap.
fn stalls(scenarios: &[Scenario]) -> Vec<Scenario> {
    let makes = |op| matches!(op, Grow | InsertUnique | InsertOrAssign | InsertOrAdd);
    let stalled = |scenario: &Scenario| {
        let mut stalled = form::stalled(scenario.clone());
        stalled.allows.blocking = scenario.programs[0].iter().any(|call| makes(call.op));
        stalled
    };
    scenarios.iter().filter(|s| s.programs.len() == 2).map(stalled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&all());
    }
}
