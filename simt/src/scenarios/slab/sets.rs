//! The sets of scenarios.

use super::flush::flushes;
use super::generate::{backwards, meet, pool};
use super::places::{self, FILLER, KEY};
use super::stale;
use super::tables::{ALL_KEYS32, LOCK64, MAP32, MIXED_MAP32, MULTILOCK64, MULTIMAP32, TABLES};
use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, programs};
use crate::scenarios::form::{double, lanes, once};
use crate::scenarios::table::{Place, Table, stalls_of_second};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// The map's pairs in three places, and the allocator: at most 5 s on one core.
pub fn quick() -> Vec<Scenario> {
    let places = [places::EMPTY, places::TOMBSTONE, places::LAST_SLAB];
    let mut scenarios = pairs(&MAP32, &places);
    scenarios.extend(pools());
    scenarios
}

/// Every pair of operations in every place, for every table of unique keys and the multimap of u32; short
/// sequences where absence is in doubt; stalled warps; three warps: under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = pools();
    for table in TABLES.iter().filter(|table| !table.multi || table.name == MULTIMAP32.name) {
        scenarios.extend(pairs(table, &places::ALL));
    }
    scenarios.extend(moves(&MULTIMAP32));
    scenarios.extend(doubts(&MULTIMAP32, &[Search, Count, SearchAll, Delete, InsertUnique]));
    scenarios.extend(doubts(&MULTILOCK64, &[Search, Delete, InsertUnique]));
    for table in [&MAP32, &LOCK64, &MULTIMAP32] {
        scenarios.extend(pairs(table, &places::POWERS).into_iter().map(backwards));
    }
    scenarios.push(backwards(meet(&MULTIMAP32, places::WIDE, &[TWICE, &[Search]])));
    scenarios.extend(beside(&MULTIMAP32, InsertUnique));
    scenarios.extend(beside(&MULTILOCK64, InsertUnique));
    scenarios.extend(gone(&MULTIMAP32));
    scenarios.extend(gone(&MULTILOCK64));
    scenarios.extend(light_triples());
    scenarios.extend(stalls(&MAP32, &places::STALLS));
    scenarios.extend(stalls(&LOCK64, &[places::EMPTY]));
    for place in [places::EMPTY, places::PRESENT, places::FULL] {
        scenarios.extend(stalled_beside(&LOCK64, place));
        scenarios.extend(stalled_beside(&MULTILOCK64, place));
    }
    scenarios.extend(flushes());
    scenarios.extend(two_buckets(&MAP32));
    // The free slab is in the second block, whose words are not those of the first.
    scenarios.push(pool("allocate/second_block_of_two_lanes", 2, &LAST_OF_FOUR, &[&[Allocate]]));
    scenarios.push(highest_hash());
    scenarios.push(double(meet(&MULTILOCK64, places::WIDE, &[&[Insert, Insert, SearchAll]])));
    scenarios.extend(ends(&MULTIMAP32));
    // As many pairs in both scans, but others: the last one was pending in the first.
    scenarios.push(meet(&MULTILOCK64, places::WIDE, &[&[Delete, Insert, Insert], &[SearchAll]]));
    scenarios.extend(pairs(&MIXED_MAP32, &[places::EMPTY, places::PRESENT]));
    scenarios.push(lanes(meet(&MULTILOCK64, places::WIDE, &[TWICE, &[Search]])));
    scenarios.push(found_behind(&MULTIMAP32));
    scenarios.extend(stale::default_set());
    scenarios.push(full_beside_late_store(&LOCK64));
    scenarios.extend(reserved_keys());
    for table in &TABLES {
        scenarios.extend(table.doubles(&pairs(table, &[places::WIDE, places::WIDE_EMPTY])));
        scenarios.extend(table.rows_and_stalls(places::EMPTY));
    }
    scenarios.push(stale::beyond_in_second(&MULTIMAP32));
    scenarios.extend(stalls_of_second(&TABLES, &scenarios));
    once(scenarios)
}

/// Every pair of some operations of which one at least is on a key that no slot holds.
fn reserved_keys() -> Vec<Scenario> {
    let [a, b] = places::RESERVED;
    let keys = Keys { fixed: vec![KEY, a, b], free: vec![], most: 2 };
    let mut all = programs(&[1, 1], &[Insert, InsertUnique, SearchAll, Delete], &keys);
    all.retain(|programs| programs.iter().flatten().any(|&(_, key)| key != KEY));
    let mut scenarios: Vec<Scenario> = places::KEPT_BESIDE
        .iter()
        .flat_map(|place| all.iter().map(|programs| ALL_KEYS32.scenario(*place, programs)))
        .collect();
    scenarios.extend(scenarios.clone().into_iter().map(lanes));
    scenarios
}

/// Everything else: the other multi tables, two operations of one warp against one or two of another, three
/// warps, stalls everywhere. A second on two cores; under loom hours, most of it for a few dozen scenarios.
pub fn deep() -> Vec<Scenario> {
    let known: std::collections::HashSet<String> = default_set().into_iter().map(|s| s.name).collect();
    let mut scenarios = heavy_pools();
    for table in &TABLES {
        scenarios.extend(pairs(table, &places::ALL));
        if !table.multi {
            scenarios.extend(stalls(table, &places::STALLS));
        }
    }
    // The other tables of unique keys run the code of the first, on words of other sizes.
    for table in [&MAP32, &LOCK64] {
        scenarios.extend(on_key(table, &places::ALL, &[2, 1]));
    }
    scenarios.extend(stalls(&MULTIMAP32, &[places::EMPTY]));
    scenarios.extend(doubts(&MULTILOCK64, &[Count, SearchAll]));
    scenarios.push(meet(&MULTILOCK64, places::WIDE, &[TWICE, &[Search]]));
    scenarios.extend(beside(&MULTIMAP32, InsertOrAssign));
    scenarios.extend(beside(&MULTILOCK64, InsertOrAssign));
    // As many pairs as before, but others.
    scenarios.push(meet(&MULTIMAP32, places::WIDE, &[&[Delete, Insert, Insert], &[SearchAll]]));
    scenarios.extend(on_key(&MAP32, &[places::EMPTY, places::PRESENT], &[2, 2]));
    scenarios.extend(on_key(&MAP32, &[places::EMPTY, places::PRESENT, places::TOMBSTONE], &[1, 1, 1]));
    scenarios.retain(|scenario| !known.contains(&scenario.name));
    scenarios
}

/// Every pair of operations.
fn pairs(table: &Table, places: &[Place]) -> Vec<Scenario> {
    on_key(table, places, &[1, 1])
}

/// All programs of a shape on the one key.
fn on_key(table: &Table, places: &[Place], shape: &[usize]) -> Vec<Scenario> {
    let all = programs(shape, table.ops, &Keys { fixed: vec![KEY], free: vec![], most: 1 });
    places.iter().flat_map(|place| all.iter().map(|programs| table.scenario(*place, programs))).collect()
}

/// A key has a pair all the time: a pair is inserted after another, and the first one is deleted. No
/// operation may find the key absent or count too few pairs.
fn doubts(table: &Table, others: &[Op]) -> Vec<Scenario> {
    let meet = |place: Place, other: &Op| meet(table, place, &[&[Insert, Delete], &[*other]]);
    [places::EMPTY, places::PRESENT]
        .into_iter()
        .flat_map(|place| others.iter().map(move |op| meet(place, op)))
        .collect()
}

/// A pair is added in any case and looked at, while another insert asks whether the key is there.
fn beside(table: &Table, other: Op) -> Vec<Scenario> {
    let looks = [Search, Count, SearchAll];
    looks.map(|look| meet(table, places::EMPTY, &[&[Insert, look], &[other]])).into()
}

/// A lane of a warp finds a pair. Another lane deletes an earlier one, which the first lane had not seen yet.
/// A warp that sees the tombstone must see the pair that was found.
fn found_behind(table: &Table) -> Scenario {
    lanes(meet(table, places::WIDE_EMPTY, &[&[Insert, Insert], &[Search, Delete], &[Search]]))
}

/// Pairs are inserted while all are deleted: pairs that `delete_all` reports as deleted stay deleted for
/// every warp.
fn gone(table: &Table) -> Vec<Scenario> {
    let all: &[Op] = &[DeleteAll];
    let mut scenarios = Vec::new();
    for place in [places::PRESENT, places::FULL, places::CHAIN, places::TOMBSTONE, places::WIDE] {
        scenarios.push(meet(table, place, &[&[Insert, Insert], all]));
        scenarios.push(meet(table, place, &[&[Insert, Search], all]));
        scenarios.push(meet(table, place, &[&[Search], &[Insert], all]));
    }
    let spread: Vec<_> = scenarios.iter().filter(|s| s.config.slots.is_power_of_two()).cloned().collect();
    scenarios.extend(spread.into_iter().map(lanes));
    scenarios
}

/// A pair is inserted and the one before it deleted, twice: a scan after the fence can find a tombstone of a
/// pair that was absent before.
const TWICE: &[Op] = &[Insert, Delete, Insert, Delete];

/// The pairs of a key change while they are counted: the end of the chain reveals nothing about the pairs
/// before it.
fn moves(table: &Table) -> Vec<Scenario> {
    vec![
        meet(table, places::PRESENT, &[&[Delete, Insert], &[Count]]),
        meet(table, places::PRESENT, &[&[Delete, Insert], &[SearchAll]]),
        meet(table, places::WIDE, &[TWICE, &[Search]]),
    ]
}

/// A pair is inserted and the one before it taken out, twice, over the end of a slab: a chain that ends at a
/// link and one that ends at a slot of the next slab, or at its link, end at different places.
fn ends(table: &Table) -> Vec<Scenario> {
    let of = |(slots, fillers, program): (u32, u64, &[Op])| {
        let mut scenario = meet(table, places::PRESENT, &[program, &[Search]]);
        scenario.config = Config { slots, pool: 8, ..scenario.config };
        let fill = (0..fillers).map(|number| Call::new(InsertUnique, 100 + number, 0));
        scenario.preload = fill.chain(scenario.preload).collect();
        scenario.name += &format!("_behind_{fillers}_of_{slots}");
        scenario
    };
    let mut scenarios =
        [(2, 0), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5)].map(|(s, f)| of((s, f, TWICE))).to_vec();
    // Here the next slab of the chain is not the one with the next number, which comes three slabs later.
    scenarios.push(of((2, 2, &[Insert, Delete, Insert, Delete, Insert, Delete])));
    scenarios
}

/// Three warps, one of which changes something.
fn light_triples() -> Vec<Scenario> {
    let triple = |place, ops: [Op; 3]| meet(&MAP32, place, &[&[ops[0]], &[ops[1]], &[ops[2]]]);
    vec![
        triple(places::PRESENT, [InsertUnique, InsertUnique, InsertUnique]),
        triple(places::PRESENT, [InsertUnique, InsertUnique, InsertOrAssign]),
        triple(places::PRESENT, [InsertUnique, InsertOrAssign, Search]),
        triple(places::TOMBSTONE, [InsertUnique, Search, Search]),
        triple(places::TOMBSTONE, [Search, Search, Delete]),
        triple(places::EMPTY, [InsertUnique, Search, Search]),
    ]
}

/// A `Full` that is right, although the store before it is later, in the order of its word, than the one
/// after it: both warps assign to one key, one before it takes the last slab, the other after it has found
/// none.
fn full_beside_late_store(table: &Table) -> Scenario {
    let takes = vec![(InsertOrAssign, FILLER), (InsertUnique, KEY)];
    let finds_none = vec![(InsertUnique, KEY), (InsertOrAssign, FILLER)];
    table.scenario(places::LAST_SLAB, &vec![takes, finds_none])
}

/// Keys of two buckets: each key stands in a chain of its own bucket, and both chains grow out of one pool.
fn two_buckets(table: &Table) -> Vec<Scenario> {
    // Of two buckets, keys 1 and 6 are in the first, 5 and 9 in the second.
    let in_both: Programs =
        vec![vec![(InsertUnique, 6), (Delete, 6)], vec![(InsertUnique, 5), (InsertUnique, 9)]];
    let beside: Programs = vec![vec![(InsertUnique, 5)], vec![(InsertUnique, 6), (Search, 5)]];
    let of = |programs: &Programs| {
        let mut scenario = table.scenario(places::FULL, programs);
        // Slabs enough for all keys in one bucket: which bucket a key has is a matter of speed.
        scenario.config = Config { buckets: 2, pool: 5, ..scenario.config };
        scenario.allows.full = false;
        scenario.name += "_of_two_buckets";
        scenario
    };
    [in_both, beside].iter().map(of).collect()
}

/// One warp stops for ever, wherever it can; the other finishes.
fn stalls(table: &Table, places: &[Place]) -> Vec<Scenario> {
    let pairs = |&a| table.ops.iter().map(move |&b| [a, b]);
    let meet = |place| move |[a, b]: [Op; 2]| meet(table, place, &[&[a], &[b]]);
    let both = places.iter().flat_map(|&place| table.ops.iter().flat_map(pairs).map(meet(place)));
    table.stalls(&both.collect::<Vec<_>>())
}

/// An insert of another key stops for ever: an operation that searches or deletes a key must not wait for it.
fn stalled_beside(table: &Table, place: Place) -> Vec<Scenario> {
    let beside =
        |&op: &Op| table.scenario(place, &vec![vec![(InsertUnique, places::OTHER)], vec![(op, KEY)]]);
    table.stalls(&table.ops.iter().map(beside).collect::<Vec<_>>())
}

/// Bitmaps of a pool: no slab free, one, two.
const NONE_FREE: u32 = u32::MAX;
const ONE_FREE: u32 = u32::MAX - 1;
const TWO_FREE: u32 = u32::MAX - 3;
const FIRST_OF_FOUR: [u32; 4] = [u32::MAX - 15, NONE_FREE, NONE_FREE, NONE_FREE];
const LAST_OF_FOUR: [u32; 4] = [NONE_FREE, NONE_FREE, NONE_FREE, ONE_FREE];

/// The allocator alone.
fn pools() -> Vec<Scenario> {
    vec![
        pool("allocate+allocate/one_free", 1, &[ONE_FREE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/two_free", 1, &[TWO_FREE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/exhausted", 1, &[NONE_FREE], &[&[Allocate], &[Allocate]]),
        pool("allocate+free/exhausted", 1, &[NONE_FREE], &[&[Allocate], &[Free]]),
        pool("borrow+allocate/one_free", 1, &[ONE_FREE], &[&[Borrow], &[Allocate]]),
        pool("borrow+borrow/one_free", 1, &[ONE_FREE], &[&[Borrow], &[Borrow]]),
        pool("allocate_then_free+allocate/one_free", 1, &[ONE_FREE], &[&[Allocate, Free], &[Allocate]]),
        pool("allocate+allocate/change_of_block", 1, &[ONE_FREE, ONE_FREE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/first_block_full", 1, &[NONE_FREE, ONE_FREE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/two_lanes", 2, &[ONE_FREE, ONE_FREE], &[&[Allocate], &[Allocate]]),
        // A walk that runs alone finds the one free slab wherever it begins, after it or before it.
        pool("allocate_then_allocate/two_blocks", 1, &[ONE_FREE, ONE_FREE], &[&[Allocate, Allocate]]),
        pool("allocate/second_block", 1, &[NONE_FREE, ONE_FREE], &[&[Allocate]]),
        pool("allocate/second_lane", 2, &[NONE_FREE, ONE_FREE], &[&[Allocate]]),
        pool("allocate_four_times/four_blocks", 1, &[ONE_FREE; 4], &[&[Allocate; 4]]),
        // Wherever a walk begins, it wraps to the first block.
        pool("allocate_four_times/first_of_four", 1, &FIRST_OF_FOUR, &[&[Allocate; 4]]),
        pool("allocate+borrow/two_lanes", 2, &[NONE_FREE, ONE_FREE], &[&[Allocate], &[Borrow]]),
        // A warp finds the slab that it gave back, whichever of its lanes looks.
        pool("borrow_then_allocate/two_lanes", 2, &[NONE_FREE, ONE_FREE], &[&[Borrow, Allocate]]),
        pool(
            "allocate+allocate/ragged_block",
            2,
            &[ONE_FREE, NONE_FREE, ONE_FREE],
            &[&[Allocate], &[Allocate]],
        ),
    ]
}

/// A walk that begins as far as its hash can say.
fn highest_hash() -> Scenario {
    let mut scenario = pool("allocate/highest_hash", 1, &[ONE_FREE, ONE_FREE], &[&[Allocate]]);
    for call in scenario.programs.iter_mut().flatten() {
        // The only number whose hash is all ones.
        call.value = 0x331d_a083;
    }
    scenario
}

fn heavy_pools() -> Vec<Scenario> {
    vec![
        pool("allocate+allocate+allocate/two_free", 1, &[TWO_FREE], &[&[Allocate], &[Allocate], &[Allocate]]),
        pool("borrow+borrow+allocate/one_free", 1, &[ONE_FREE], &[&[Borrow], &[Borrow], &[Allocate]]),
        pool(
            "allocate_then_allocate+allocate/change_of_block",
            1,
            &[ONE_FREE, TWO_FREE],
            &[&[Allocate, Allocate], &[Allocate]],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_set_is_a_part_of_the_others() {
        let all = [default_set(), deep()].concat();
        assert!(default_set().len() >= 40);
        assert!(quick().iter().all(|scenario| all.contains(scenario)));
    }
}
