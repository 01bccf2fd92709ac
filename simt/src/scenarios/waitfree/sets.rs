//! The sets of scenarios.

use super::places::{self, NEVER, full, patient, with};
use super::spec::{IN_PLACE, RECLAIM};
use super::tables::{EPOCHS64, MAP32, MAP64, SET32, SET64, TABLES};
use super::{epochs, narrow, together, turns};
use crate::check::Scenario;
use crate::scenarios::form;
use crate::scenarios::table::{Name, Place, Table, stalls_of_second};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    SET64.pairs(&[places::ROOM])
}

/// Every pair of operations in every place, announced at once, after one lost exchange, and never; one warp
/// that stops, wherever it can; a call beside a rival of one to five calls; calls on two buckets; pools that
/// run out; nodes that are used again; the other entry types in some places.
pub fn default_set() -> Vec<Scenario> {
    let pairs = SET64.pairs(&places::ALL);
    let mut scenarios: Vec<Scenario> = PATIENCES.iter().flat_map(|&f| patient(&pairs, f)).collect();
    scenarios.extend(buckets());
    scenarios.extend(reuse());
    scenarios.extend(short());
    scenarios.extend(split());
    scenarios.extend(in_place());
    scenarios.extend(rivals(1, 5));
    scenarios.extend(rivals(0, 2));
    scenarios.push(rival_before());
    scenarios.extend(lanes(&SET64.pairs(&[places::FULL])));
    scenarios.extend(lanes_together());
    scenarios.extend(lanes_alone());
    scenarios.extend(stopped_together());
    for table in [SET32, MAP32, MAP64] {
        let pairs = table.pairs(&[places::ROOM, places::FULL]);
        scenarios.extend(patient(&pairs, 0));
    }
    scenarios.extend(delivery());
    scenarios.push(with(&taken_twice(), 0));
    scenarios.extend(stopped(&[places::ROOM]));
    scenarios.extend(epochs::used_again());
    for table in [SET32, MAP32, MAP64] {
        scenarios.extend(patient(&table.rows_and_stalls(places::ROOM), 0));
    }
    for table in [SET64, EPOCHS64] {
        scenarios.extend(patient(&table.of_shape(places::ROOM, &[2], 1), 0));
    }
    // The number of a call wraps while another warp makes calls.
    let calls = [delivery(), buckets(), rivals(0, 2), rivals(1, 5)].concat();
    scenarios.extend(calls.into_iter().map(|scenario| form::narrow(scenario, &[0, 1])));
    scenarios.extend(narrow::rounds());
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    scenarios.extend(turns::handed_on());
    scenarios
}

/// Everything else: one warp that stops in every place, two operations of one warp against one of another,
/// and three warps.
pub fn deep() -> Vec<Scenario> {
    let places = [places::NEW, places::FULL, places::ONE, places::TWO, places::CHAIN, places::EMPTIED];
    let mut scenarios = stopped(&places);
    scenarios.extend(rivals(0, 4).split_off(2));
    for place in [places::ROOM, places::EMPTIED, places::ONE] {
        let two = SET64.of_shape(place, &[2, 1], 2);
        scenarios.extend([0, 1].iter().flat_map(|&f| patient(&two, f)));
        // With three calls announced at once a scenario has more executions than minutes are enough for.
        scenarios.extend(patient(&SET64.of_shape(place, &[1, 1, 1], 1), 1));
    }
    scenarios
}

/// How many exchanges a call loses before it is announced.
const PATIENCES: [u32; 3] = [0, 1, NEVER];

/// The operations of a set.
const SET_OPS: [Op; 3] = [InsertUnique, Delete, Search];

/// Scenarios run by four lanes, with calls that are announced at once.
fn lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    patient(&scenarios.iter().map(by_four).collect::<Vec<_>>(), 0)
}

/// A scenario run by four lanes of one word each.
fn by_four(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    (scenario.config.lanes, scenario.config.slots) = (4, 1);
    scenario.name += "_lanes";
    scenario
}

/// The lanes of a warp run a call each, beside a call of another warp, and beside the lanes of another one:
/// all calls on one key, on two of one bucket, and on two buckets; three calls by two lanes; every shape and
/// type of entry; pools that run out. Calls that lose an exchange are left to the whole warp, or try again.
fn lanes_together() -> Vec<Scenario> {
    let mut all = Vec::new();
    for place in [
        places::NEW,
        places::ROOM,
        places::FULL,
        places::BUCKETS,
        places::ONE,
        places::TWO,
        places::CHAIN,
        places::BOTH,
        places::SECOND,
    ] {
        let (one, other) = (place.keys[0], place.keys[1]);
        for [first, second, rival] in of_three(SET_OPS) {
            for key in [one, other] {
                all.push(together(&SET64, place, &[(first, one), (second, key)], &[(rival, one)]));
            }
        }
    }
    for place in [places::ROOM, places::BUCKETS] {
        let (one, other) = (place.keys[0], place.keys[1]);
        for [first, second, third] in of_three(SET_OPS) {
            for rival in [InsertUnique, Delete] {
                let rivals = [(third, one), (rival, other)];
                let mut both = together(&SET64, place, &[(first, one), (second, other)], &rivals);
                both.programs[1] = vec![together::packed(&both.programs[1])];
                both.name += "_both";
                all.push(both);
                let calls = [(first, one), (second, other), (third, one)];
                all.push(together(&SET64, place, &calls, &[(rival, one)]));
            }
        }
    }
    let (one, other) = (places::NEW.keys[0], places::NEW.keys[1]);
    let rival = [InsertUnique, Delete, InsertUnique, Delete, InsertUnique].map(|op| (op, other));
    all.push(together(&SET64, places::NEW, &[(InsertUnique, one)], &rival));
    all.push(after_receipts());
    // A lane may lose two exchanges.
    let rival = [InsertUnique, Delete, InsertUnique].map(|op| (op, other));
    let loses_twice = with(&together(&SET64, places::NEW, &[(InsertUnique, one)], &rival), 2);
    let mut short = Vec::new();
    for mut scenario in all.iter().filter(|scenario| scenario.name.contains("/room_")).cloned() {
        scenario.config.bitmap = vec![u32::MAX << 3];
        scenario.name += "_spare2";
        short.push(full(scenario));
    }
    all.extend(short);
    for table in [SET32, MAP32, MAP64] {
        let (one, other) = (places::FULL.keys[0], places::FULL.keys[1]);
        for [first, second, rival] in
            of_three([InsertUnique, if table.has_values() { InsertOrAssign } else { Search }, Delete])
        {
            all.push(together(&table, places::FULL, &[(first, one), (second, other)], &[(rival, one)]));
        }
    }
    let by_four = all.iter().filter(|scenario| scenario.name.contains("/full_")).map(by_four);
    let by_four: Vec<_> = by_four.collect();
    all.extend(by_four);
    all = [1, NEVER].iter().flat_map(|&f| patient(&all, f)).collect();
    all.push(loses_twice);
    all.push(with(&zero_after_receipts(), 1));
    all
}

/// The lanes of a warp run a call each, and no other warp runs: the table that one node is enough for has all
/// their answers, unless they lose more exchanges to one another than it has patience.
fn lanes_alone() -> Vec<Scenario> {
    let mut all = Vec::new();
    for place in [places::NEW, places::ROOM, places::EMPTIED, places::BUCKETS] {
        let place = Place { shape: (2, 2), ..place };
        let (one, other) = (place.keys[0], place.keys[1]);
        for first in SET_OPS {
            all.push(alone(place, &[(first, other)]));
            all.extend(SET_OPS.map(|second| alone(place, &[(first, one), (second, other)])));
        }
    }
    [0, 1, 2].iter().flat_map(|&f| patient(&all, f)).collect()
}

/// Calls of the lanes of one warp, alone.
fn alone(place: Place, calls: &[(Op, Name)]) -> Scenario {
    let mut scenario = SET64.of_names(place, &[calls]);
    scenario.programs[0] = vec![together::packed(&scenario.programs[0])];
    scenario.name += "_alone";
    scenario
}

/// A warp that has answered the call of another one, and whose lanes then run a call each on that chain.
fn after_receipts() -> Scenario {
    let (one, other): (Name, Name) = ((0, 0), (0, 1));
    let program = [(InsertUnique, other), (Delete, other), (Search, one), (InsertUnique, other)];
    let mut scenario = SET64.of_names(places::NEW, &[&program, &[(InsertUnique, one)]]);
    let lanes = together::packed(&scenario.programs[0].split_off(2));
    scenario.programs[0].push(lanes);
    scenario.name += "_receipts_together";
    scenario
}

/// As [`after_receipts`], with keys of 32 bits, and a lane looks for key 0: it is the upper half of a
/// receipt.
fn zero_after_receipts() -> Scenario {
    let Scenario { programs, name, .. } = after_receipts();
    let mut scenario = SET32.of_names(places::NEW, &[&[], &[]]);
    scenario.name = name + "_zero";
    scenario.programs = programs;
    // The lanes look for the first of their keys.
    if let Some(lanes) = scenario.programs[0].last_mut() {
        let mut calls = together::calls(lanes);
        calls[0].key = 0;
        *lanes = together::packed(&calls);
    }
    scenario
}

/// All three of these operations.
fn of_three(ops: [Op; 3]) -> impl Iterator<Item = [Op; 3]> {
    (0..27).map(move |number| [9, 3, 1].map(|place| ops[number / place % 3]))
}

/// A warp whose lanes run a call each stops, wherever it can.
fn stopped_together() -> Vec<Scenario> {
    let (one, other) = (places::ROOM.keys[0], places::ROOM.keys[1]);
    let calls = [(InsertUnique, other), (Delete, one)];
    let beside = |op| together(&SET64, places::ROOM, &calls, &[(op, one)]);
    SET64.stalls(&patient(&SET_OPS.map(beside), 1))
}

/// Calls of lanes at one time, beside the program of another warp.
fn together(table: &Table, place: Place, calls: &[(Op, Name)], rival: &[(Op, Name)]) -> Scenario {
    let mut scenario = table.of_names(place, &[calls, rival]);
    scenario.programs[0] = vec![together::packed(&scenario.programs[0])];
    scenario.name += "_together";
    scenario
}

/// A warp that stops, wherever it can.
fn stopped(places: &[Place]) -> Vec<Scenario> {
    let pairs = SET64.pairs(places);
    SET64.stalls(&[0, 1].iter().flat_map(|&f| patient(&pairs, f)).collect::<Vec<_>>())
}

/// Two warps that take one key out, where a node has room for one receipt: it reaches the bound.
fn taken_twice() -> Scenario {
    SET64.on_key(places::ONE, (0, 0), &[&[Delete], &[InsertUnique, Delete]])
}

/// Calls that others run, and their answers.
fn delivery() -> Vec<Scenario> {
    let key = (0, 0);
    let on = |place: Place, programs: &[&[Op]]| SET64.on_key(place, key, programs);
    let mut all = vec![on(places::NEW, &[&[InsertUnique], &[Delete, InsertUnique]])];
    let (one, other): (Name, Name) = ((0, 0), (0, 1));
    all.push(
        SET64.of_names(places::NEW, &[&[(InsertUnique, one)], &[(InsertUnique, other), (Delete, other)]]),
    );
    [0, 1].iter().flat_map(|&f| patient(&all, f)).collect()
}

/// A call beside a rival of one to so many calls.
fn rivals(patience: u32, calls: usize) -> Vec<Scenario> {
    let (one, other): (Name, Name) = ((0, 0), (0, 1));
    let rival = [InsertUnique, Delete, InsertUnique, Delete, InsertUnique].map(|op| (op, other));
    let of = |count: usize| {
        let mut scenario = SET64.of_names(places::NEW, &[&[(InsertUnique, one)], &rival[..count]]);
        scenario.name += &format!("_rival{count}");
        scenario
    };
    patient(&(1..=calls).map(of).collect::<Vec<_>>(), patience)
}

/// A call on the second node of a chain, beside a rival of four calls on the first one: it loses exchanges
/// that the fast path has not counted.
fn rival_before() -> Scenario {
    let rival = [Delete, InsertUnique, Delete, InsertUnique].map(|op| (op, (0, 0)));
    let mut scenario = SET64.of_names(places::TWO, &[&[(InsertUnique, (0, 2))], &rival]);
    scenario.name += "_rival4";
    with(&scenario, 1)
}

/// A warp announces a call on one bucket and then one on another. A warp that reads the second one's entry
/// must not mistake it for that of the first.
fn buckets() -> Vec<Scenario> {
    let on = |first: Op, second: Op, other: &[(Op, Name)]| {
        SET64.of_names(places::BUCKETS, &[&[(first, (0, 0)), (second, (1, 0))], other])
    };
    let all = [
        on(InsertUnique, InsertUnique, &[(InsertUnique, (1, 1))]),
        on(InsertUnique, InsertUnique, &[(Delete, (1, 0))]),
        on(InsertUnique, Delete, &[(InsertUnique, (1, 0))]),
    ];
    patient(&all, 0)
}

/// Nodes that were replaced before and are used again.
fn reuse() -> Vec<Scenario> {
    let again = |table: &Table| {
        let mut scenario = table.of_names(
            places::ROOM,
            &[&[(Delete, (0, 0)), (InsertUnique, (0, 1))], &[(Search, (0, 1)), (Search, (0, 1))]],
        );
        scenario.config.bitmap = vec![u32::MAX << 4];
        scenario.preload.push(Call::new(Delete, scenario.preload[0].key, 0));
        scenario.preload.push(scenario.preload[0].clone());
        scenario.preload.push(Call::new(RECLAIM, 0, 0));
        scenario.name += "_again";
        full(scenario)
    };
    vec![with(&again(&SET64), NEVER), with(&again(&SET64), 0)]
}

/// Pools of one to three spare nodes.
fn short() -> Vec<Scenario> {
    let mut all = Vec::new();
    for spare in 1..=3 {
        for scenario in SET64.pairs(&[places::ROOM]) {
            let mut scenario = scenario;
            scenario.config.bitmap = vec![u32::MAX << (1 + spare)];
            scenario.name += &format!("_spare{spare}");
            all.push(full(scenario));
        }
    }
    // A call is withdrawn when it was run and its answer was delivered.
    let rival = [(InsertUnique, (0, 1)), (Delete, (0, 1))];
    for spare in 4..=5 {
        let mut scenario = SET64.of_names(places::ROOM, &[&[(Delete, (0, 0))], &rival]);
        scenario.config.bitmap = vec![u32::MAX << (1 + spare)];
        scenario.name += &format!("_spare{spare}");
        all.push(full(scenario));
    }
    [0, 1].iter().flat_map(|&f| patient(&all, f)).collect()
}

/// Nodes that are split: by one lane of four words; where the pool has one node and needs two; where a link
/// is lower than the keys. And two calls of one exchange, the second of which takes out the key that the
/// first has put into a new node.
fn split() -> Vec<Scenario> {
    let (one, other) = (places::FULL.keys[0], places::FULL.keys[1]);
    let mut all = patient(&SET64.pairs(&[places::UP, places::DOWN]), 0);
    // Each of the three inserts before takes a node, and one for receipts if it is announced at once.
    for (patience, before) in [(0, 6), (1, 3)] {
        for (spare, rival) in (1..=3).flat_map(|spare| SET_OPS.map(|op| (spare, op))) {
            let mut scenario = SET64.of_names(places::FULL, &[&[(InsertUnique, other)], &[(rival, one)]]);
            scenario.config.bitmap = vec![u32::MAX << (before + spare)];
            scenario.name += &format!("_spare{spare}");
            all.push(with(&full(scenario), patience));
        }
    }
    all.extend(patient(&SET64.pairs(&[places::HIGH]), 1));
    for place in [places::FIRST, places::LAST] {
        let key = place.keys[0];
        // The first warp has run the calls before, so the second one's turn comes first.
        for [first, second] in [[Delete, InsertOrAssign], [InsertOrAssign, Delete]] {
            all.push(with(&MAP64.on_key(place, key, &[&[first], &[second]]), 0));
        }
    }
    all
}

/// Deletes that need no node, beside one another; and every pair of operations where such a delete has left a
/// node without entries in the middle of a chain.
fn in_place() -> Vec<Scenario> {
    let (one, other): (Name, Name) = ((0, 0), (0, 2));
    let taken = |place: Place, keys: [Name; 2]| {
        SET64.of_names(place, &[&[(IN_PLACE, keys[0]), (IN_PLACE, keys[1])], &[(IN_PLACE, keys[1])]])
    };
    let mut all = vec![
        taken(places::FULL, [one, other]),
        taken(places::FULL, [one, one]),
        taken(places::CHAIN, [other, one]),
    ];
    all.extend(SET64.pairs(&[places::GAP]).into_iter().map(|mut scenario| {
        scenario.preload.iter_mut().filter(|call| call.op == Delete).for_each(|call| call.op = IN_PLACE);
        scenario.name += "_in_place";
        scenario
    }));
    patient(&all, 0)
}
