//! The sets of scenarios.

use super::places::{self, by_calls};
use super::subject::OLD_KEY;
use super::tables::{MAP32, MAP64, SET32, SET64, TABLES};
use crate::check::Scenario;
use crate::scenarios::family::{Programs, programs};
use crate::scenarios::form::{by_lanes, once};
use crate::scenarios::table::{Place, Table, stalls_of_second};
use warpproof_model::spec::Op::{Count, Grow, InsertUnique};

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    [places::FULL, places::BEHIND].into_iter().flat_map(|place| MAP32.of_shape(place, &[1, 1], 1)).collect()
}

/// Every pair of operations and every two of one warp, in every place, where inserts add submaps, and the
/// same beside a call that grows; by one lane and by several; the other entry types in some places; one warp
/// that stops.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = MAP32.family(2, 2);
    scenarios.extend(places::ALL.into_iter().flat_map(|place| beside_growth(&MAP32, place)));
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(places::ALL.into_iter().map(|place| visited(&MAP32, place)));
    for table in [SET32, SET64, MAP64] {
        scenarios.extend(table.pairs(&[places::FULL, places::BEHIND]));
    }
    scenarios.extend(MAP32.stalls(&scenarios));
    scenarios.extend(TABLES[1..].iter().flat_map(|table| table.rows_and_stalls(places::FULL)));
    // A visit is for one lane alone.
    let counts = |scenario: &&Scenario| scenario.programs.iter().flatten().any(|call| call.op == Count);
    let running = |table: &'static Table| table.running(&scenarios).filter(move |scenario| !counts(scenario));
    let doubles = TABLES.iter().flat_map(|table| table.doubles(running(table)));
    let doubles: Vec<_> = doubles.collect();
    scenarios.extend(doubles);
    scenarios.extend(locked());
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    once(scenarios)
}

/// Submaps that are created under a lock, as on a CPU: every pair of operations; and an insert that requests
/// a submap which, when it gets the lock, has been published together with the next one.
fn locked() -> Vec<Scenario> {
    let mut scenarios = MAP32.pairs(&[places::FULL, places::FULL_TWO]);
    let [one, two, three] = [(0, 0), (0, 2), (0, 3)];
    let late: [&[_]; 2] = [&[(InsertUnique, three)], &[(InsertUnique, one), (InsertUnique, two)]];
    scenarios.push(MAP32.of_names(places::LATE, &late));
    for scenario in &mut scenarios {
        scenario.config.bitmap = vec![1];
        scenario.name += "_lock";
    }
    scenarios
}

/// Everything else: two operations of one warp against one of another, three warps.
pub fn deep() -> Vec<Scenario> {
    let of = |shape: &[usize]| places::ALL.map(|place| MAP32.of_shape(place, shape, 2)).concat();
    [of(&[2, 1]), of(&[1, 1, 1])].concat()
}

/// One or two operations of one warp, or of two, on one key, together with a warp that alone grows the table.
/// Also one operation together with a warp that grows the table and then runs another operation: a warp that
/// sees the effect of that operation knows of the growth.
fn beside_growth(table: &Table, place: Place) -> Vec<Scenario> {
    let keys = |most| table.keys(place, most);
    let shapes: [&[usize]; 3] = [&[1], &[2], &[1, 1]];
    let beside = |mut programs: Programs| {
        programs.push(vec![(Grow, 0)]);
        programs
    };
    let before = |mut programs: Programs| {
        programs[1].insert(0, (Grow, 0));
        programs
    };
    let alone = shapes.into_iter().flat_map(|shape| programs(shape, table.ops, &keys(1))).map(beside);
    // Either of the two may be the one that grows it.
    let pairs = programs(&[1, 1], table.ops, &keys(2));
    let turned =
        pairs.iter().filter(|pair| pair[0] != pair[1]).map(|pair| vec![pair[1].clone(), pair[0].clone()]);
    let first = pairs.iter().cloned().chain(turned).map(before);
    alone.chain(first).map(|programs| by_calls(table, place, &programs)).collect()
}

/// A visit of all buckets together with a warp that grows the table: it must not count keys that were in the
/// submap's memory before.
fn visited(table: &Table, place: Place) -> Scenario {
    by_calls(table, place, &vec![vec![(Count, OLD_KEY)], vec![(Grow, 0)]])
}
