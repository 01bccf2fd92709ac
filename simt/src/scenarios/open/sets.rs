//! The sets of scenarios.

use super::places;
use super::tables::{
    APPLIED32, BOARD_SET32, BOARD64, FEW_WORDS32, LOCK64, MAP32, MAP64, SET32, SET64, SUMMED32, TABLES,
    UNTESTED32,
};
use crate::check::Scenario;
use crate::scenarios::applied::updates;
use crate::scenarios::form::{by_lanes, once};
use crate::scenarios::home::SEED;
use crate::scenarios::table::{Place, Table, stalls_of_second};
use std::collections::HashSet;
use warpproof_model::Key;
use warpproof_model::open::fingerprint;
use warpproof_model::spec::Op::{self, *};

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = MAP32.pairs(&[places::EMPTY, places::BEHIND]);
    for table in [SET32, SET64, MAP64] {
        scenarios.extend(table.pairs(&[places::EMPTY]));
    }
    scenarios
}

/// Every pair of operations and every two of one warp, in every place, by one lane and by several; the other
/// entry types in some places; one warp that stops; a key that goes and comes back, or comes after another;
/// u64 keys that differ in one half; entries of two words; slots with a board; a filter as a GPU writes it,
/// and one of few words; and nearly all of that by two lanes of two words each.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = MAP32.family(2, 2);
    scenarios.extend(by_lanes(&scenarios));
    for table in [SET32, SET64, MAP64] {
        scenarios.extend(table.pairs(&[places::EMPTY, places::PASSES, places::FAR]));
    }
    scenarios.extend(MAP32.stalls(&scenarios));
    let again: Vec<_> =
        [MAP32, SET32, MAP64, SET64].iter().flat_map(again).chain(behind_another(&MAP32)).collect();
    scenarios.extend(by_lanes(&again));
    scenarios.extend(again);
    scenarios.extend([SET64, MAP64].iter().flat_map(halves));
    scenarios.extend(by_lock(&LOCK64));
    scenarios.extend(by_board());
    scenarios.extend(untested(&UNTESTED32));
    scenarios.extend(few_words(&FEW_WORDS32));
    scenarios.extend([BOARD_SET32, UNTESTED32].iter().flat_map(|table| table.rows_and_stalls(places::EMPTY)));
    // Where a key goes and comes back there are too many executions.
    let few = |scenario: &&Scenario| scenario.programs.iter().flatten().count() <= 3;
    let doubles = TABLES.iter().flat_map(|table| table.doubles(table.running(&scenarios).filter(few)));
    let doubles: Vec<_> = doubles.collect();
    scenarios.extend(doubles);
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    once(scenarios)
}

/// A function that is applied to values, sums that are added without an exchange, and updates: of these every
/// one beside an operation on its key, in all forms of slots.
pub fn applied() -> Vec<Scenario> {
    let mut scenarios = [APPLIED32, SUMMED32].iter().flat_map(changing).collect::<Vec<_>>();
    for table in [MAP32, LOCK64, BOARD64, SUMMED32] {
        let on_key = |place: Place| table.of_shape(Place { keys: &place.keys[..1], ..place }, &[1, 1], 1);
        scenarios.extend(updates(&[on_key(places::EMPTY), on_key(places::PRESENT)].concat()));
    }
    once(scenarios)
}

/// Every pair of operations where the key is absent, there and gone, and after a full bucket; two operations
/// beside one, and three warps, where it is there; one warp that stops; by lanes too.
fn changing(table: &Table) -> Vec<Scenario> {
    let mut scenarios = table.pairs(&[places::EMPTY, places::PRESENT, places::GONE, places::BEHIND]);
    scenarios.extend(table.rows_and_stalls(places::EMPTY));
    scenarios.extend(table.stalls(&table.of_shape(places::PRESENT, &[1, 1], 1)));
    for shape in [&[2, 1][..], &[1, 1, 1]] {
        scenarios.extend(table.of_shape(places::PRESENT, shape, 1));
    }
    scenarios.extend(by_lanes(&scenarios));
    let few = |scenario: &&Scenario| scenario.programs.iter().flatten().count() <= 2;
    let doubles = table.doubles(table.running(&scenarios).filter(few));
    scenarios.extend(doubles);
    scenarios
}

/// Everything else: two operations of one warp against one of another, three warps, on two keys.
pub fn deep() -> Vec<Scenario> {
    let of =
        |table: &Table, shape: &[usize]| places::ALL.map(|place| table.of_shape(place, shape, 2)).concat();
    let in_all = |table| [of(table, &[2, 1]), of(table, &[1, 1, 1])].concat();
    let mut scenarios = in_all(&MAP32);
    scenarios.extend(by_lanes(&scenarios));
    let known: HashSet<String> = default_set().into_iter().map(|scenario| scenario.name).collect();
    let by_lock = [in_all(&LOCK64), in_all(&BOARD64)]
        .concat()
        .into_iter()
        .filter(|scenario| !known.contains(&scenario.name));
    scenarios.extend(by_lock);
    scenarios.extend(by_lanes(&again(&BOARD64)));
    scenarios
}

/// A key is deleted and comes back in another slot or bucket, together with two operations of another warp.
/// The second one must not read any slot in a state older than the first one saw.
fn again(table: &Table) -> Vec<Scenario> {
    let (same, next) = (places::EMPTY, places::TWO);
    let [key, other] = [0, 1].map(|number| table.key(next.homes, (0, number)));
    let by = |place: Place, steps: &[(Op, u64)], two| table.scenario(place, &vec![steps.to_vec(), two]);
    let moved = [(InsertUnique, key), (InsertUnique, other), (Delete, key), (InsertUnique, key)];
    let stays = [(InsertUnique, key), (Delete, key), (InsertUnique, key)];
    table.twos(key).flat_map(|two| [by(same, &stays, two.clone()), by(next, &moved, two)]).collect()
}

/// A key is inserted after another one, together with two operations of another warp. If the first finds that
/// the key is present, the second must not find it absent, as it would if it saw the slot of the other key
/// empty.
fn behind_another(table: &Table) -> Vec<Scenario> {
    let place = places::EMPTY;
    let [key, other] = [0, 1].map(|number| table.key(place.homes, (0, number)));
    let first = vec![(InsertUnique, other), (InsertUnique, key)];
    table.twos(key).map(|two| table.scenario(place, &vec![first.clone(), two])).collect()
}

/// Two u64 keys that differ in their high bits alone. Every key has its home in the one bucket there is.
fn halves(table: &Table) -> Vec<Scenario> {
    named_otherwise(table, "halves", |low| low | 1 << 32)
}

/// Two u64 keys with one fingerprint.
fn alike(table: &Table) -> Vec<Scenario> {
    let of = |key: u64| fingerprint(key.hash(SEED).low());
    let twin = |key| (key + 1..).find(|&other| of(other) == of(key)).unwrap_or(u64::MAX);
    named_otherwise(table, "alike", twin)
}

/// Scenarios of two keys in the only bucket. The second key is made from the first.
fn named_otherwise(table: &Table, name: &str, made: impl Fn(u64) -> u64) -> Vec<Scenario> {
    let [first, other] = [0, 1].map(|number| table.key(1, (0, number)));
    let mut scenarios = table.pairs(&[places::EMPTY]);
    scenarios.retain(|s| s.programs.iter().flatten().any(|call| call.key == other));
    for scenario in &mut scenarios {
        scenario.name = format!("{}_{name}", scenario.name);
        let calls = scenario.programs.iter_mut().flatten().chain(&mut scenario.finally);
        for call in calls.filter(|call| call.key == other) {
            call.key = made(first);
        }
    }
    scenarios
}

/// Entries of two words, which are not there at once: what the others have in all places, a key that goes and
/// comes back, and two operations of one warp beside one of another where its key is absent, is there, or has
/// gone.
fn by_lock(table: &Table) -> Vec<Scenario> {
    let mut scenarios = table.family(2, 2);
    scenarios.extend(table.stalls(&scenarios));
    for place in [places::EMPTY, places::PRESENT, places::GONE] {
        scenarios.extend(table.of_shape(place, &[2, 1], 1));
    }
    scenarios.extend(again(table));
    scenarios.extend(behind_another(table));
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(halves(table));
    scenarios
}

/// Slots with a board: what the lock word has, but for a key that goes and comes back in slots of several
/// lanes (`--deep`); two keys with one fingerprint; and sets in some places.
fn by_board() -> Vec<Scenario> {
    let mut scenarios = BOARD64.family(2, 2);
    scenarios.extend(BOARD64.stalls(&scenarios));
    for place in [places::EMPTY, places::PRESENT, places::GONE] {
        scenarios.extend(BOARD64.of_shape(place, &[2, 1], 1));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(again(&BOARD64));
    scenarios.extend(behind_another(&BOARD64));
    scenarios.extend(halves(&BOARD64));
    scenarios.extend(alike(&BOARD64));
    scenarios.extend(BOARD_SET32.pairs(&[places::EMPTY, places::PASSES]));
    scenarios
}

/// What the others have in all places, and a key that goes and comes back, where bits of the filter are not
/// tested before they are set.
fn untested(table: &Table) -> Vec<Scenario> {
    let mut scenarios = table.family(2, 2);
    scenarios.extend(again(table));
    scenarios.extend(by_lanes(&scenarios));
    scenarios
}

/// Every pair of operations, two operations of one warp, and a warp that stops, by one lane and by several,
/// in places of several buckets: a filter of one bucket has all classes.
fn few_words(table: &Table) -> Vec<Scenario> {
    let mut scenarios = table.pairs(&[places::PASSES, places::BEHIND, places::TOMBS, places::FAR]);
    scenarios.extend(table.rows_and_stalls(places::PASSES));
    scenarios.extend(by_lanes(&scenarios));
    scenarios
}
