//! Which scenarios there are.

use super::places::{self, Structure};
use crate::check::Scenario;
use crate::scenarios::family::{programs, shapes};
use crate::scenarios::form;
use crate::scenarios::home::{Homed, Name, Place};
use crate::scenarios::open::OPS;
use warpproof_model::spec::Op::{self, *};

/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    pairs(Structure::Map32, &[places::TOMB])
}

/// Every pair of operations in nearly every place and every two of one warp in all, by one lane and by several; the other entry types
/// in some places; one warp that stops; searches beside a key that moves, goes and comes back.
pub fn default_set() -> Vec<Scenario> {
    let most: Vec<Place> = places::ALL.into_iter().filter(|place| !places::MANY.contains(place)).collect();
    let alone = |place| of_shape(Structure::Map32, place, &[2], 2);
    let mut scenarios: Vec<Scenario> = places::ALL.into_iter().flat_map(alone).collect();
    scenarios.extend(pairs(Structure::Map32, &most));
    scenarios.extend(places::MANY.into_iter().flat_map(one_insert));
    scenarios.extend(again(Structure::Map32));
    scenarios.push(taken_by_another(Structure::Map32));
    scenarios.extend(by_lanes(&scenarios));
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        scenarios.extend(pairs(structure, &[places::TOMB, places::ROOM, places::ROOM_SECOND]));
    }
    let tried = [places::SECOND, places::FULL, places::TOMB, places::ROOM];
    scenarios.extend(tried.into_iter().flat_map(|place| of_shape(Structure::Tried32, place, &[2], 2)));
    scenarios.extend(pairs(Structure::Tried32, &tried));
    scenarios.extend(stalls(&scenarios));
    scenarios
}

/// Everything else: two inserts that move several keys each, two operations of one warp against one of another, three warps, and four
/// where what one of them knows goes from slot to slot.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = pairs(Structure::Map32, &places::MANY);
    scenarios.retain(|scenario| inserts(scenario) == 2);
    for place in places::ALL.into_iter().filter(|place| place.preload.len() < 3) {
        scenarios.extend(of_shape(Structure::Map32, place, &[2, 1], 2));
        scenarios.extend(of_shape(Structure::Map32, place, &[1, 1, 1], 1));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.push(left_by_another(Structure::Map32));
    scenarios
}

/// All scenarios, none twice.
pub fn all() -> Vec<Scenario> {
    let mut all = default_set();
    all.extend(deep());
    all
}

/// All programs of so many calls, on at most `keys` different keys, by at most four warps, in every place.
pub fn family(structure: Structure, calls: usize, keys: usize) -> Vec<Scenario> {
    let shapes = shapes(calls, WARPS);
    let in_place = |place| shapes.iter().flat_map(move |shape| of_shape(structure, place, shape, keys));
    places::ALL.into_iter().flat_map(in_place).collect()
}

fn pairs(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    places.iter().flat_map(|&place| of_shape(structure, place, &[1, 1], 2)).collect()
}

fn of_shape(structure: Structure, place: Place, shape: &[usize], most: usize) -> Vec<Scenario> {
    let all = programs(shape, &OPS, &place.keys(structure, most));
    all.iter().map(|programs| place.scenario(structure, programs)).collect()
}

/// Every pair of operations of which one at most inserts a key that is absent.
fn one_insert(place: Place) -> Vec<Scenario> {
    let mut scenarios = pairs(Structure::Map32, &[place]);
    scenarios.retain(|scenario| inserts(scenario) < 2);
    scenarios
}

/// How many calls of the programs insert a key that is absent at first.
fn inserts(scenario: &Scenario) -> usize {
    let may = |op| matches!(op, InsertUnique | InsertOrAssign | InsertOrAdd);
    let absent = |key| scenario.preload.iter().all(|call| call.key != key);
    scenario.programs.iter().flatten().filter(|call| may(call.op) && absent(call.key)).count()
}

/// Two operations of a warp on a key, beside another warp that makes it move, or takes it out and puts it back in another place:
/// the second one reads no slot as it was before what the first one saw.
fn again(structure: Structure) -> Vec<Scenario> {
    let of = |place: Place, first: &[(Op, Name)], name: Name| {
        let key = |name| structure.key(place.homes, name);
        let first: Vec<_> = first.iter().map(|&(op, name)| (op, key(name))).collect();
        let twos = OPS.iter().flat_map(|&a| OPS.map(|b| vec![(a, key(name)), (b, key(name))]));
        twos.map(|two| place.scenario(structure, &vec![first.clone(), two])).collect::<Vec<_>>()
    };
    let back = |name| [(Delete, name), (InsertUnique, name)];
    let (moved, comes) = ((0, 20), (0, 10));
    [
        // The key moves.
        of(places::ROOM, &[(InsertUnique, comes)], moved),
        of(places::PAIR, &[(InsertUnique, comes)], moved),
        // It moves and is taken out, or comes back.
        of(places::ROOM, &[(InsertUnique, comes), (Delete, moved)], moved),
        of(
            places::ROOM,
            &[(InsertUnique, comes), (Delete, comes), (Delete, moved), (InsertUnique, moved)],
            moved,
        ),
        // It comes, moves, and gets another value.
        of(places::COMES, &[(InsertUnique, moved), (InsertUnique, comes), (InsertOrAssign, moved)], moved),
        // It goes and comes back, from the second bucket to the first, or within one.
        of(places::SECOND, &[(Delete, (0, 11)), (Delete, comes), (InsertUnique, comes)], comes),
        of(places::PAIR_TOMB, &back(comes), comes),
        of(places::PAIR_TOMB, &[back(comes), [(Delete, comes), (InsertUnique, (0, 12))]].concat(), comes),
    ]
    .concat()
}

/// A key that one warp takes out and another one puts into a lower slot of the same bucket, beside two searches: what the second warp
/// knows by the lock it tells by the slot.
fn taken_by_another(structure: Structure) -> Scenario {
    let place = places::PAIR_SECOND;
    let key = structure.key(place.homes, (0, 10));
    let programs: [&[Op]; 3] = [&[Delete], &[InsertUnique, Delete], &[Search, Search]];
    let steps = |ops: &[Op]| ops.iter().map(|&op| (op, key)).collect();
    place.scenario(structure, &programs.map(steps).to_vec())
}

/// A key that is always there moves out of a slot; a warp that does not know of it puts another key there, and one that knows no
/// more takes that out: who sees the slot then has to see where the first key went.
fn left_by_another(structure: Structure) -> Scenario {
    let place = places::LEFT;
    let key = |name| structure.key(place.homes, name);
    let calls = [(Delete, (1, 1)), (InsertUnique, (1, 1)), (InsertUnique, (0, 10)), (Search, (0, 20))];
    place.scenario(structure, &calls.map(|(op, name)| vec![(op, key(name))]).to_vec())
}

/// The first of two warps stops for ever, wherever it can: the other finishes, if it waits for no lock. Not with two inserts that make
/// room, which are many executions.
fn stalls(scenarios: &[Scenario]) -> Vec<Scenario> {
    let stalled = |scenario: &Scenario| {
        let mut stalled = form::stalled(scenario.clone());
        stalled.allows.blocking = scenario.programs[1].iter().any(|call| call.op != Search);
        stalled
    };
    scenarios.iter().filter(|s| s.programs.len() == 2 && inserts(s) < 2).map(stalled).collect()
}

/// The same by lanes of one slot each, if there are several.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    scenarios.iter().filter(|s| s.config.slots > 1).cloned().map(form::lanes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&all());
    }
}
