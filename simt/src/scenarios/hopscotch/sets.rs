//! The sets of scenarios.

use super::places::{self, place};
use super::tables::{MAP32, MAP64, SET32, SET64, TABLES};
use super::{narrow, room};
use crate::check::Scenario;
use crate::scenarios::family::Step;
use crate::scenarios::form;
use crate::scenarios::table::{Place, Table, stalls_of_second};
use warpproof_model::spec::Op::{self, *};

/// Without the assignments.
const THREE: [Op; 3] = [InsertUnique, Search, Delete];

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = MAP32.pairs(&[places::EMPTY, places::HOP, places::WIDE]);
    for table in [SET32, SET64, MAP64] {
        scenarios.extend(table.pairs(&[places::EMPTY]));
    }
    scenarios
}

/// Every pair of operations in nearly every place, by one lane and by several; the other entry types in some
/// places; stalled warps: under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    // Two inserts that cross are many executions each; by several lanes, two that move two keys each as well.
    let most = places::ALL.into_iter().filter(|place| *place != places::CROSS && *place != places::HOPS);
    let mut scenarios = MAP32.pairs(&most.collect::<Vec<_>>());
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(MAP32.pairs(&[places::HOPS]));
    for table in &TABLES[1..] {
        scenarios.extend(table.pairs(&[places::EMPTY, places::BEHIND, places::FULL, places::HOP]));
    }
    // In 32-bit words all members of a home are of one class.
    scenarios.extend(SET32.pairs(&[places::PAIR]));
    scenarios.extend(stalls(&MAP32, &places::STALLS));
    scenarios.extend(unblocked(&MAP32));
    scenarios.extend(half_full(&MAP32));
    scenarios.push(full_beside(&MAP32));
    let twice = |table| [found_twice(table), again(table)].concat();
    let found: Vec<_> = TABLES.iter().flat_map(twice).collect();
    scenarios.extend(by_lanes(&found));
    scenarios.extend(found);
    let back = [brought_back(&MAP32), led_past(&MAP32)];
    scenarios.extend(by_lanes(&back));
    scenarios.extend(back);
    scenarios.push(room::reserved(&MAP32));
    scenarios.extend(TABLES.iter().map(room::again));
    scenarios.extend(by_lanes(&room::gaps(&MAP32)));
    scenarios.extend(TABLES.iter().flat_map(room::gaps));
    let wide = [places::WIDE, places::FRONT];
    let doubles = MAP32.doubles(MAP32.running(&scenarios));
    scenarios.extend(doubles);
    for table in &TABLES[1..] {
        scenarios.extend(table.doubles(&table.pairs(&wide)));
        scenarios.extend(table.rows_and_stalls(places::PRESENT));
    }
    scenarios.extend(rounds());
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    scenarios
}

/// Everything else: inserts that cross, two operations of one warp against one of another, stalls in the
/// middle of two moves.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = stalls(&MAP32, &[places::HOPS]);
    scenarios.extend(MAP32.pairs(&[places::CROSS]));
    let three = Table { ops: &THREE, ..MAP32 };
    for place in places::ALL {
        scenarios.extend(three.of_shape(place, &[2, 1], 2));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(by_lanes(&MAP32.pairs(&[places::HOPS])));
    scenarios.extend(room::deep(&MAP32));
    scenarios.extend(narrow::deep());
    scenarios
}

/// Versions that wrap while members leave slots and come back, also together with inserts that look for room.
fn rounds() -> Vec<Scenario> {
    let mut scenarios = vec![led_past(&MAP32), brought_back(&MAP32)];
    scenarios.extend(again(&MAP32));
    scenarios.extend(found_twice(&MAP32).into_iter().map(narrow::after_one));
    let mut scenarios: Vec<_> = scenarios.into_iter().map(|scenario| narrow::narrow(scenario, 1)).collect();
    let seen = narrow::seen();
    scenarios.extend(by_lanes(&seen));
    scenarios.extend(seen);
    scenarios
}

/// Those scenarios whose groups allow it, run by lanes of one word each.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    let some = scenarios.iter().filter(|s| s.config.slots.is_power_of_two() && s.stall.is_none());
    some.cloned().map(form::lanes).collect()
}

/// One warp stops for ever with a lock of the home, and the other changes nothing: it must not wait.
fn unblocked(table: &Table) -> Vec<Scenario> {
    let (present, absent) = ((0, 0), (0, 1));
    let programs =
        [[[(InsertUnique, absent)], [(InsertUnique, present)]], [[(Delete, present)], [(Delete, absent)]]];
    let of = |[one, other]: &[[_; 1]; 2]| table.of_names(places::PRESENT, &[one, other]);
    programs.iter().map(of).map(|scenario| form::stalled(scenario, |_| false)).collect()
}

/// A warp searches a key twice, while others delete it from the group after its home and insert it there
/// again: if the first search found it through the old member's hop bit, the second must not miss it.
fn found_twice(table: &Table) -> Vec<Scenario> {
    let programs: [&[&[Op]]; 3] = [
        &[&[Search, Search], &[Delete, InsertUnique]],
        &[&[Search, Search], &[Delete, InsertOrAssign]],
        &[&[Search], &[Search], &[Delete, InsertUnique]],
    ];
    programs.map(|programs| table.on_key(places::BEHIND, (0, 0), programs)).to_vec()
}

/// A displacement brings a key back to the group from which it was deleted: a search that followed the older
/// hop bit to that group finds it, and so does the next search.
fn brought_back(table: &Table) -> Scenario {
    let (key, moved) = ((0, 0), (1, 1));
    let back = [(Delete, key), (InsertUnique, moved), (InsertUnique, key)];
    table.of_names(places::BACK, &[&[(Search, key), (Search, key)], &back])
}

/// A key leaves the group after its home's, comes to that of its home, and goes back. A search that followed
/// its first hop bit past the group of the home finds it. The next search must not see the home's group in
/// its intermediate state.
fn led_past(table: &Table) -> Scenario {
    let (key, other) = ((0, 0), (0, 1));
    let in_front = [(Delete, key), (InsertUnique, key), (Delete, key)];
    let moved = [&in_front[..], &[(InsertUnique, other), (InsertUnique, key)]].concat();
    table.of_names(places::PAST, &[&[(Search, key), (Search, key)], &moved])
}

/// A key is deleted and comes back in another slot of its home's group, together with two operations of
/// another warp. The second one must not read any slot in a state older than the first one saw.
fn again(table: &Table) -> Vec<Scenario> {
    let key = table.key(places::FRONT.homes, (0, 0));
    let first = [Delete, InsertUnique, Delete].map(|op| (op, key)).to_vec();
    table.twos(key).map(|two| table.scenario(places::FRONT, &vec![first.clone(), two])).collect()
}

/// The last group that a displacement ends in is not empty: its entries must stay.
fn half_full(table: &Table) -> Vec<Scenario> {
    const HALF: Place =
        place("half", (1, 3, 2), 2, &[(0, 1), (0, 2), (1, 1), (0, 3), (1, 2)], &[(0, 0), (1, 1), (1, 2)]);
    let of = |name| table.of_names(HALF, &[&[(InsertUnique, (0, 0))], &[(Search, name)]]);
    vec![of((1, 1)), of((1, 2))]
}

/// An insert finds no room, and members have left all homes: those of its neighbourhood, and others, which do
/// not matter.
fn full_beside(table: &Table) -> Scenario {
    const BESIDE: Place = Place {
        gone: &[(1, 1), (2, 1), (3, 1)],
        ..place("beside", (1, 2, 2), 4, &[(0, 1), (1, 1), (2, 1), (3, 1)], &[(0, 0), (0, 2)])
    };
    let mut scenario = table.of_names(BESIDE, &[&[(InsertUnique, (0, 2)), (InsertUnique, (0, 0))]]);
    scenario.allows.full = true;
    scenario
}

/// One warp stops for ever, wherever it can. A search of the other finishes; an operation that changes
/// something may wait.
fn stalls(table: &Table, places: &[Place]) -> Vec<Scenario> {
    let both = |&place: &Place| {
        let keys = table.keys(place, 2).fixed;
        let steps: Vec<Step> =
            table.ops.iter().flat_map(|&op| keys.iter().map(move |&key| (op, key))).collect();
        let pairs = steps.iter().flat_map(|&a| steps.iter().map(move |&b| vec![vec![a], vec![b]]));
        pairs.map(|programs| table.scenario(place, &programs)).collect::<Vec<_>>()
    };
    table.stalls(&places.iter().flat_map(both).collect::<Vec<_>>())
}
