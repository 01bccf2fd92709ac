//! The sets of scenarios.

use super::places;
use super::tables::{APPLIED32, MAP32, MAP64, SET32, SET64, TABLES, TRIED32};
use crate::check::Scenario;
use crate::scenarios::applied::updates;
use crate::scenarios::form::{by_lanes, once};
use crate::scenarios::table::{Name, Place, Table, stalls_of_second};
use warpproof_model::spec::Op::{self, *};

/// The table whose scenarios come last, by themselves.
const LAST: usize = TABLES.len() - 1;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    MAP32.pairs(&[places::TOMB])
}

/// Every pair of operations in nearly every place and every two of one warp in all, by one lane and by
/// several; the other entry types in some places; one warp that stops; searches beside a key that moves, goes
/// and comes back.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = before_second();
    let second = stalls_of_second(&TABLES[..LAST], &scenarios);
    scenarios.extend(second.into_iter().filter(is_light));
    scenarios.extend(applied());
    once(scenarios)
}

/// A function that is applied to values: every pair of operations where the key is absent, there and deleted,
/// and where one moves; two operations of a warp; one warp that stops. Each update beside an operation on its
/// key, where it is in its second bucket or deleted.
fn applied() -> Vec<Scenario> {
    let table = &APPLIED32;
    let mut scenarios = table.pairs(&[places::TOMB, places::ROOM, places::SECOND]);
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(table.rows_and_stalls(places::TOMB));
    let two = table.pairs(&[places::PAIR_TOMB]);
    scenarios.extend(table.doubles(two.iter().filter(|scenario| fits(scenario))));
    let on_key = |place: Place| MAP32.of_shape(Place { keys: &place.keys[..1], ..place }, &[1, 1], 1);
    scenarios.extend(updates(&[on_key(places::TOMB), on_key(places::SECOND)].concat()));
    scenarios
}

/// Whether a scenario in which a warp stops has few executions. In some places it has far more.
fn is_light(scenario: &Scenario) -> bool {
    let heavy = [places::ROOM, places::PAIR, places::PAIR_TOMB];
    let place = scenario.name.split('/').next_back().unwrap_or_default();
    !heavy.iter().any(|heavy| place.trim_end_matches("_lanes") == heavy.name)
}

/// The default set without those in which a second warp stops.
fn before_second() -> Vec<Scenario> {
    let most: Vec<Place> = places::ALL.into_iter().filter(|place| !places::MANY.contains(place)).collect();
    let alone = |place| MAP32.of_shape(place, &[2], 2);
    let mut scenarios: Vec<Scenario> = places::ALL.into_iter().flat_map(alone).collect();
    scenarios.extend(MAP32.pairs(&most));
    scenarios.extend(places::MANY.into_iter().flat_map(one_insert));
    scenarios.extend(again(&MAP32));
    scenarios.push(taken_by_another(&MAP32));
    scenarios.extend(by_lanes(&scenarios));
    for table in [SET32, SET64, MAP64] {
        scenarios.extend(table.pairs(&[places::TOMB, places::ROOM, places::ROOM_SECOND]));
    }
    let tried = [places::SECOND, places::FULL, places::TOMB, places::ROOM];
    scenarios.extend(tried.into_iter().flat_map(|place| TRIED32.of_shape(place, &[2], 2)));
    scenarios.extend(TRIED32.pairs(&tried));
    scenarios.extend(MAP32.stalls(scenarios.iter().filter(|scenario| inserts(scenario) < 2)));
    scenarios.extend([places::CHAIN_PAIR, places::PAIR_FIRST].into_iter().flat_map(alone));
    let two = |scenario: &&Scenario| scenario.programs.iter().flatten().count() <= 2 && fits(scenario);
    let doubles = MAP32.doubles(MAP32.running(&scenarios).filter(two));
    scenarios.extend(doubles);
    for table in &TABLES[1..LAST] {
        scenarios.extend(table.rows_and_stalls(places::TOMB));
        scenarios.extend(table.doubles(table.pairs(&[places::PAIR_TOMB]).iter().filter(two)));
    }
    // In buckets of twice as many slots they take too many steps.
    let long = [places::CHAIN_SIX, places::CHAIN_DOWN, places::CHAIN_UP];
    scenarios.extend(long.into_iter().flat_map(|place| MAP32.of_shape(place, &[1], 1)));
    scenarios
}

/// Everything else. A second warp stops in places where more keys move. Two inserts move several keys each.
/// Two operations of one warp meet one of another. There are three warps, or four where the knowledge of one
/// is passed from slot to slot.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = MAP32.pairs(&places::MANY);
    scenarios.retain(|scenario| inserts(scenario) == 2);
    for place in places::ALL.into_iter().filter(|place| place.preload.len() < 3) {
        scenarios.extend(MAP32.of_shape(place, &[2, 1], 2));
        scenarios.extend(MAP32.of_shape(place, &[1, 1, 1], 1));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.push(left_by_another(&MAP32));
    let second = stalls_of_second(&TABLES, &once(before_second()));
    scenarios.extend(second.into_iter().filter(|scenario| !is_light(scenario)));
    scenarios
}

/// Every pair of operations of which one at most inserts a key that is absent.
fn one_insert(place: Place) -> Vec<Scenario> {
    let mut scenarios = MAP32.pairs(&[place]);
    scenarios.retain(|scenario| inserts(scenario) < 2);
    scenarios
}

/// How many calls of the programs insert a key that is absent at first.
fn inserts(scenario: &Scenario) -> usize {
    let may = |op| matches!(op, InsertUnique | InsertOrAssign | InsertOrAdd);
    let absent = |key| scenario.preload.iter().all(|call| call.key != key);
    scenario.programs.iter().flatten().filter(|call| may(call.op) && absent(call.key)).count()
}

/// Whether programs insert at most one absent key: in full buckets of four slots, an insert that searches for
/// room takes hundreds of steps.
fn fits(scenario: &Scenario) -> bool {
    let may = |op| matches!(op, InsertUnique | InsertOrAssign | InsertOrAdd);
    let last = |key| scenario.preload.iter().rev().find(|call| call.key == key);
    let absent = |key| last(key).is_none_or(|call| call.op == Delete);
    scenario.programs.iter().flatten().filter(|call| may(call.op) && absent(call.key)).count() < 2
}

/// Two operations of a warp on a key, together with another warp that makes the key move, or deletes it and
/// inserts it in another place. The second operation must not read any slot in a state older than the first
/// one saw.
fn again(table: &Table) -> Vec<Scenario> {
    let of = |place: Place, first: &[(Op, Name)], name: Name| {
        let key = |name| table.key(place.homes, name);
        let first: Vec<_> = first.iter().map(|&(op, name)| (op, key(name))).collect();
        let twos = table.twos(key(name));
        twos.map(|two| table.scenario(place, &vec![first.clone(), two])).collect::<Vec<_>>()
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

/// One warp deletes a key and another inserts it into a lower slot of the same bucket, together with two
/// searches. What the second warp knows through the lock, it must pass on through the slot.
fn taken_by_another(table: &Table) -> Scenario {
    table.on_key(places::PAIR_SECOND, (0, 10), &[&[Delete], &[InsertUnique, Delete], &[Search, Search]])
}

/// A key that is always present moves out of a slot. A warp that does not know of it inserts another key
/// there, and a further warp deletes that one. A warp that then sees the slot must see where the first key
/// went.
fn left_by_another(table: &Table) -> Scenario {
    let calls = [(Delete, (1, 1)), (InsertUnique, (1, 1)), (InsertUnique, (0, 10)), (Search, (0, 20))];
    let [a, b, c, d] = calls.map(|call| [call]);
    table.of_names(places::LEFT, &[&a, &b, &c, &d])
}
