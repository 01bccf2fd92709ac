//! Which scenarios there are.

use super::places::{self, OPS, Structure, place};
use super::room;
use crate::check::Scenario;
use crate::scenarios::family::{Step, programs, shapes};
use crate::scenarios::form;
use crate::scenarios::home::{Homed, Place};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// Without the assignments.
const THREE: [Op; 3] = [InsertUnique, Search, Delete];
/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = pairs(Structure::Map32, &[places::EMPTY, places::HOP, places::WIDE]);
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        scenarios.extend(pairs(structure, &[places::EMPTY]));
    }
    scenarios
}

/// Every pair of operations in nearly every place, by one lane and by several; the other entry types in some places; stalled
/// warps: under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    // Two inserts that cross are many executions each; by several lanes, two that move two keys each as well.
    let most = places::ALL.into_iter().filter(|place| *place != places::CROSS && *place != places::HOPS);
    let mut scenarios = pairs(Structure::Map32, &most.collect::<Vec<_>>());
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(pairs(Structure::Map32, &[places::HOPS]));
    for structure in Structure::ALL.into_iter().filter(|structure| *structure != Structure::Map32) {
        scenarios.extend(pairs(structure, &[places::EMPTY, places::BEHIND, places::FULL, places::HOP]));
    }
    // In 32-bit words all members of a home are of one class.
    scenarios.extend(pairs(Structure::Set32, &[places::PAIR]));
    scenarios.extend(stalls(Structure::Map32, &places::STALLS));
    scenarios.extend(unblocked(Structure::Map32));
    scenarios.extend(half_full(Structure::Map32));
    let twice = |structure| [found_twice(structure), again(structure)].concat();
    let found: Vec<_> = Structure::ALL.into_iter().flat_map(twice).collect();
    scenarios.extend(by_lanes(&found));
    scenarios.extend(found);
    let back = [brought_back(Structure::Map32), led_past(Structure::Map32)];
    scenarios.extend(by_lanes(&back));
    scenarios.extend(back);
    scenarios.push(room::reserved(Structure::Map32));
    scenarios.extend(Structure::ALL.map(room::again));
    scenarios.extend(by_lanes(&room::gaps(Structure::Map32)));
    scenarios.extend(Structure::ALL.into_iter().flat_map(room::gaps));
    scenarios
}

/// Everything else: inserts that cross, two operations of one warp against one of another, stalls in the middle of two
/// moves.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = stalls(Structure::Map32, &[places::HOPS]);
    scenarios.extend(pairs(Structure::Map32, &[places::CROSS]));
    for place in places::ALL {
        scenarios.extend(of_shape(Structure::Map32, place, &[2, 1], &THREE, 2));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(by_lanes(&pairs(Structure::Map32, &[places::HOPS])));
    scenarios.extend(room::deep(Structure::Map32));
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
        let of = move |shape: Vec<usize>| of_shape(structure, place, &shape, &OPS, keys);
        shapes(calls, WARPS).into_iter().flat_map(of)
    };
    places::ALL.into_iter().flat_map(in_place).collect()
}

fn pairs(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    places.iter().flat_map(|&place| of_shape(structure, place, &[1, 1], &OPS, 2)).collect()
}

fn of_shape(structure: Structure, place: Place, shape: &[usize], ops: &[Op], most: usize) -> Vec<Scenario> {
    let all = programs(shape, ops, &place.keys(structure, most));
    all.iter().map(|programs| place.scenario(structure, programs)).collect()
}

/// The same by lanes of one word each, if there are so many.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    let some = scenarios.iter().filter(|s| s.config.slots.is_power_of_two() && s.stall.is_none());
    some.cloned().map(form::lanes).collect()
}

/// One warp stops for ever with a lock of the home, and the other changes nothing: it waits for nobody.
fn unblocked(structure: Structure) -> Vec<Scenario> {
    let (place, [present, absent]) = (places::PRESENT, [(0, 0), (0, 1)]);
    let key = |name| structure.key(place.homes, name);
    let programs = [
        [(InsertUnique, key(absent)), (InsertUnique, key(present))],
        [(Delete, key(present)), (Delete, key(absent))],
    ];
    let stalled = |programs: [Step; 2]| {
        form::stalled(place.scenario(structure, &programs.map(|step| vec![step]).to_vec()))
    };
    programs.map(stalled).to_vec()
}

/// A warp searches a key twice that others take out of a group behind its home and add there again: if it is found by way of
/// the old member's hop bit, it is not missed afterwards.
fn found_twice(structure: Structure) -> Vec<Scenario> {
    let key = structure.key(places::BEHIND.homes, (0, 0));
    let programs: [&[&[Op]]; 3] = [
        &[&[Search, Search], &[Delete, InsertUnique]],
        &[&[Search, Search], &[Delete, InsertOrAssign]],
        &[&[Search], &[Search], &[Delete, InsertUnique]],
    ];
    let steps = |ops: &&[Op]| ops.iter().map(|&op| (op, key)).collect::<Vec<_>>();
    programs
        .map(|programs| places::BEHIND.scenario(structure, &programs.iter().map(steps).collect::<Vec<_>>()))
        .to_vec()
}

/// A displacement brings a key back to the group from which it was deleted: a search that the older hop bit led there finds it,
/// and so does the next one.
fn brought_back(structure: Structure) -> Scenario {
    let [key, moved] = [(0, 0), (1, 1)].map(|name| structure.key(places::BACK.homes, name));
    let back = vec![(Delete, key), (InsertUnique, moved), (InsertUnique, key)];
    places::BACK.scenario(structure, &vec![vec![(Search, key), (Search, key)], back])
}

/// A key goes from the group behind its home's, comes to that of its home, and goes back: a search that its first hop bit
/// led past the group of the home finds it, and the next one does not see it in front as it was in between.
fn led_past(structure: Structure) -> Scenario {
    let [key, other] = [(0, 0), (0, 1)].map(|name| structure.key(places::PAST.homes, name));
    let in_front = [(Delete, key), (InsertUnique, key), (Delete, key)];
    let moved = [&in_front[..], &[(InsertUnique, other), (InsertUnique, key)]].concat();
    places::PAST.scenario(structure, &vec![vec![(Search, key), (Search, key)], moved])
}

/// A key goes and comes back in another slot of its home's group, beside two operations of another warp: the second one reads
/// no slot as it was before what the first one saw.
fn again(structure: Structure) -> Vec<Scenario> {
    let key = structure.key(places::FRONT.homes, (0, 0));
    let steps = |ops: &[Op]| ops.iter().map(|&op| (op, key)).collect::<Vec<_>>();
    let first = steps(&[Delete, InsertUnique, Delete]);
    let of = |two: [Op; 2]| places::FRONT.scenario(structure, &vec![first.clone(), steps(&two)]);
    OPS.iter().flat_map(|&a| OPS.map(|b| of([a, b]))).collect()
}

/// The last group that a displacement ends in is not empty: what stands there stays.
fn half_full(structure: Structure) -> Vec<Scenario> {
    const HALF: Place =
        place("half", (1, 3, 2), 2, &[(0, 1), (0, 2), (1, 1), (0, 3), (1, 2)], &[(0, 0), (1, 1), (1, 2)]);
    let step = |op, name| vec![(op, structure.key(HALF.homes, name))];
    let of = |name| HALF.scenario(structure, &vec![step(InsertUnique, (0, 0)), step(Search, name)]);
    vec![of((1, 1)), of((1, 2))]
}

/// One warp stops for ever, wherever it can. A search of the other finishes; what changes something may wait.
fn stalls(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    let stalled = |scenario: Scenario| {
        let mut scenario = form::stalled(scenario);
        let changes = |calls: &Vec<Call>| calls.iter().any(|call| call.op != Search);
        scenario.allows.blocking = scenario.programs[1..].iter().any(changes);
        scenario
    };
    let both = |place: &Place| {
        let keys = place.keys(structure, 2).fixed;
        let steps: Vec<Step> = OPS.iter().flat_map(|&op| keys.iter().map(move |&key| (op, key))).collect();
        let pairs = steps.iter().flat_map(|&a| steps.iter().map(move |&b| vec![vec![a], vec![b]]));
        pairs.map(|programs| place.scenario(structure, &programs)).map(stalled).collect::<Vec<_>>()
    };
    places.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&all());
    }
}
