//! Which scenarios there are.

use super::places::{self, OPS, Structure};
use crate::check::Scenario;
use crate::scenarios::family::{programs, shapes};
use crate::scenarios::form;
use crate::scenarios::home::{Homed, Place};
use std::collections::HashSet;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = pairs(Structure::Map32, &[places::EMPTY, places::BEHIND]);
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        scenarios.extend(pairs(structure, &[places::EMPTY]));
    }
    scenarios
}

/// Every pair of operations and every two of one warp, in every place, by one lane and by several; the other entry types
/// in some places; one warp that stops; a key that goes and comes back, or comes behind another; u64 keys that differ in
/// one half; entries of two words; a filter as a GPU writes it.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = family(Structure::Map32, 2, 2);
    scenarios.extend(by_lanes(&scenarios));
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        scenarios.extend(pairs(structure, &[places::EMPTY, places::PASSES, places::FAR]));
    }
    scenarios.extend(stalls(&scenarios));
    let again: Vec<_> =
        Structure::ONE_WORD.into_iter().flat_map(again).chain(behind_another(Structure::Map32)).collect();
    scenarios.extend(by_lanes(&again));
    scenarios.extend(again);
    scenarios.extend([Structure::Set64, Structure::Map64].into_iter().flat_map(halves));
    scenarios.extend(by_lock(Structure::Lock64));
    scenarios.extend(untested(Structure::Untested32));
    scenarios
}

/// Everything else: two operations of one warp against one of another, three warps, on two keys.
pub fn deep() -> Vec<Scenario> {
    let of =
        |structure, shape: &[usize]| places::ALL.map(|place| of_shape(structure, place, shape, 2)).concat();
    let in_all = |structure| [of(structure, &[2, 1]), of(structure, &[1, 1, 1])].concat();
    let mut scenarios = in_all(Structure::Map32);
    scenarios.extend(by_lanes(&scenarios));
    let known: HashSet<String> = default_set().into_iter().map(|scenario| scenario.name).collect();
    let by_lock = in_all(Structure::Lock64).into_iter().filter(|scenario| !known.contains(&scenario.name));
    scenarios.extend(by_lock);
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
    let in_place = |place: Place| {
        let of = move |shape: Vec<usize>| of_shape(structure, place, &shape, keys);
        shapes(calls, WARPS).into_iter().flat_map(of)
    };
    places::ALL.into_iter().flat_map(in_place).collect()
}

fn pairs(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    places.iter().flat_map(|&place| of_shape(structure, place, &[1, 1], 2)).collect()
}

fn of_shape(structure: Structure, place: Place, shape: &[usize], most: usize) -> Vec<Scenario> {
    let all = programs(shape, &OPS, &place.keys(structure, most));
    all.iter().map(|programs| place.scenario(structure, programs)).collect()
}

/// The same by lanes of one slot each, if there are several.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    scenarios.iter().filter(|s| s.config.slots > 1).cloned().map(form::lanes).collect()
}

/// A key goes and comes back in another slot, or another bucket, beside two operations of another warp: the second one reads no
/// slot as it was before what the first one saw.
fn again(structure: Structure) -> Vec<Scenario> {
    let (same, next) = (places::EMPTY, places::TWO);
    let [key, other] = [0, 1].map(|number| structure.key(next.homes, (0, number)));
    let twos = OPS.iter().flat_map(|&a| OPS.map(|b| vec![(a, key), (b, key)]));
    let by = |place: Place, steps: &[(Op, u64)], two| place.scenario(structure, &vec![steps.to_vec(), two]);
    let moved = [(InsertUnique, key), (InsertUnique, other), (Delete, key), (InsertUnique, key)];
    let stays = [(InsertUnique, key), (Delete, key), (InsertUnique, key)];
    twos.flat_map(|two| [by(same, &stays, two.clone()), by(next, &moved, two)]).collect()
}

/// A key comes behind another one, beside two operations of another warp: who was told that it is there is not told later
/// that it is not, as it does where it saw the slot of the other one empty.
fn behind_another(structure: Structure) -> Vec<Scenario> {
    let place = places::EMPTY;
    let [key, other] = [0, 1].map(|number| structure.key(place.homes, (0, number)));
    let first = vec![(InsertUnique, other), (InsertUnique, key)];
    let of = |a, b| place.scenario(structure, &vec![first.clone(), vec![(a, key), (b, key)]]);
    OPS.iter().flat_map(|&a| OPS.map(|b| of(a, b))).collect()
}

/// Two u64 keys that differ in their high bits alone. Every key has its home in the one bucket there is.
fn halves(structure: Structure) -> Vec<Scenario> {
    let [low, other] = [0, 1].map(|number| structure.key(1, (0, number)));
    let mut scenarios = pairs(structure, &[places::EMPTY]);
    scenarios.retain(|s| s.programs.iter().flatten().any(|call| call.key == other));
    for scenario in &mut scenarios {
        scenario.name += "_halves";
        let calls = scenario.programs.iter_mut().flatten().chain(&mut scenario.finally);
        for call in calls.filter(|call| call.key == other) {
            call.key = low | 1 << 32;
        }
    }
    scenarios
}

/// Entries of two words, which are not there at once: what the others have in all places, a key that goes and comes back, and
/// two operations of one warp beside one of another where its key is absent, is there, or has gone.
fn by_lock(structure: Structure) -> Vec<Scenario> {
    let mut scenarios = family(structure, 2, 2);
    scenarios.extend(stalls(&scenarios));
    for place in [places::EMPTY, places::PRESENT, places::GONE] {
        scenarios.extend(of_shape(structure, place, &[2, 1], 1));
    }
    scenarios.extend(again(structure));
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(halves(structure));
    for scenario in scenarios.iter_mut().filter(|scenario| scenario.stall.is_some()) {
        // An insert waits for the one that has locked a slot for its key, and for no other.
        let stored = |program: &[Call]| -> HashSet<u64> {
            program.iter().filter(|call| form::stores(call.op)).map(|call| call.key).collect()
        };
        scenario.allows.blocking = !stored(&scenario.programs[0]).is_disjoint(&stored(&scenario.programs[1]));
    }
    scenarios
}

/// What the others have in all places, and a key that goes and comes back, where bits of the filter are not tested before they are set.
fn untested(structure: Structure) -> Vec<Scenario> {
    let mut scenarios = family(structure, 2, 2);
    scenarios.extend(again(structure));
    scenarios.extend(by_lanes(&scenarios));
    scenarios
}

/// The first of two warps stops for ever, wherever it can: the other finishes.
fn stalls(scenarios: &[Scenario]) -> Vec<Scenario> {
    scenarios.iter().filter(|s| s.programs.len() == 2).cloned().map(form::stalled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&all());
    }
}
