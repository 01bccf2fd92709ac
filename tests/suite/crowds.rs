//! Requirements of tables of a fixed size that are full or nearly full.

use super::SEED;
use super::facts::{CROWD, typed};
use super::maps::mix;
use super::number::{Number, numbers, repeat, slot_keys};
use super::row::Row;
use super::table::Table;
use std::collections::HashMap;
use warpproof::any::Stats;
use warpproof::model::Key;
use warpproof::model::host::{BulkMap, HopscotchGeometry, HopscotchStats, Op, left_out};
use warpproof::model::outcome::{Add, Assign, Delete, Insert};

pub(crate) fn impossible_sizes_are_refused<K: Number>(row: &Row<K>) {
    for (wrong, says) in (row.facts.impossible)(row.size(1_000, 0.6)) {
        let message = row.try_table(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
}

pub(crate) fn a_table_fills_up_to_its_last_slot<K: Number>(row: &Row<K>) {
    for (size, room) in (row.facts.tiny)(row.size(1, 0.6)) {
        let keys = slot_keys::<K>(room + 5, 0);
        // At once, and one after the other.
        let table = row.table(size);
        let expected = table.fill(&keys[..room]);
        assert_eq!(expected.len(), room, "{size:?}");
        table.holds(&expected, &keys);
        let table = row.table(size);
        for (i, &key) in keys.iter().enumerate() {
            let outcome = if i < room { Insert::Inserted } else { Insert::Full };
            assert_eq!(table.insert_one(key), outcome, "key {i} of {size:?}");
        }
        let mut expected: HashMap<K, K> = keys[..room].iter().map(|&key| (key, key)).collect();
        table.holds(&expected, &keys);
        // A key that is there is found and replaced, one that is absent changes nothing.
        let (old, new) = (keys[0], keys[room]);
        assert_eq!(table.insert(&[old], &[new]), [Insert::Present]);
        if let Some(map) = table.map() {
            assert_eq!(map.insert_or_assign(&[new], &[new]).unwrap(), [Assign::Full]);
            let assigned = map.insert_or_assign(&[old, new], &[new, new]).unwrap();
            assert_eq!(assigned, [Assign::Replaced, Assign::Full]);
            expected.insert(old, new);
            if let Some(map) = map.counter() {
                assert_eq!(map.insert_or_add(&[new], &[new]).unwrap(), [Add::Full]);
            }
        }
        table.holds(&expected, &keys);
        if row.facts.reuses {
            each_slot_serves_again(&table, expected, keys.split_at(room));
        } else {
            no_slot_serves_again(&table, expected, &keys, new);
        }
    }
}

/// The slots of a full table serve again, one time for each delete.
fn each_slot_serves_again<K: Number>(
    table: &Table<K>,
    mut expected: HashMap<K, K>,
    (there, more): (&[K], &[K]),
) {
    for (&gone, &new) in there.iter().zip(more) {
        assert_eq!(table.delete(&[gone]), [Delete::Deleted]);
        assert_eq!(table.delete(&[gone]), [Delete::Absent]);
        assert_eq!(table.insert_one(new), Insert::Inserted);
        assert_eq!(table.insert_one(gone), Insert::Full);
        expected.remove(&gone);
        expected.insert(new, new);
    }
    table.holds(&expected, &[there, more].concat());
    assert_eq!(table.stats().tombstones(), 0);
}

/// The slot of a deleted entry of a full table is not used again, not by its own key either.
fn no_slot_serves_again<K: Number>(table: &Table<K>, mut expected: HashMap<K, K>, keys: &[K], new: K) {
    let old = keys[0];
    assert_eq!(table.stats().tombstones(), 0);
    assert_eq!(table.delete(&[old, new]), [Delete::Deleted, Delete::Absent]);
    assert_eq!(table.insert(&[old, new], &[old, new]), [Insert::Full; 2]);
    expected.remove(&old);
    table.holds(&expected, keys);
    assert_eq!(table.stats().tombstones(), 1);
}

/// More keys than there is room for are inserted into an empty table at the same time, each eight times. All
/// slots are filled, and a key that found no slot finds none when it is inserted again.
pub(crate) fn racing_inserts_fill_every_slot<K: Number>(row: &Row<K>) {
    let tiny = (row.facts.tiny)(row.size(1, 0.6));
    for (round, &(size, room)) in tiny.iter().cycle().take(20).enumerate() {
        let table = row.table(size);
        let few = slot_keys::<K>(4 * room, 1_000 * round as u64);
        let many = repeat(&few, 8);
        let mut said: HashMap<K, [usize; 3]> = HashMap::new();
        for (key, outcome) in many.iter().zip(table.insert(&many, &many)) {
            said.entry(*key).or_default()[outcome.code() as usize] += 1;
        }
        let count = |key: &K, outcome: Insert| said[key][outcome.code() as usize];
        for key in &few {
            // A full table stays full: no thread deletes.
            let (inserted, full) = (count(key, Insert::Inserted), count(key, Insert::Full));
            assert!(matches!((inserted, full), (1, 0) | (0, 8)), "key {key:?}: {:?}", said[key]);
        }
        let won = few.iter().filter(|key| count(key, Insert::Inserted) == 1);
        let expected: HashMap<K, K> = won.map(|&key| (key, key)).collect();
        assert_eq!(expected.len(), room, "some slot is empty although an insert found none");
        table.holds(&expected, &few);
        assert_eq!(table.stats().tombstones(), 0);
    }
}

pub(crate) fn racing_inserts_of_a_crowded_table_win_once<K: Number>(row: &Row<K>) {
    let table = row.table(row.size(CROWD, 0.95));
    let few = slot_keys::<K>(CROWD, 0);
    let (winners, left_out) = table.race(&few, 4);
    assert!(left_out * 5 < 4 * CROWD, "{left_out} say Full");
    table.holds(&winners, &few);
}

pub(crate) fn a_crowded_table_has_room_for_all_but_few<K: Number>(row: &Row<K>) {
    for &(load, of_map, of_set) in row.facts.crowds {
        let table = row.table(row.size(CROWD, load));
        let most = if table.map().is_some() { of_map } else { of_set };
        let keys = slot_keys::<K>(CROWD, 0);
        let expected = table.fill(&keys);
        let full = CROWD - expected.len();
        assert!(full <= most, "at load {load} {full} inserts said Full");
        table.holds(&expected, &[keys.clone(), slot_keys::<K>(1_000, CROWD as u64)].concat());
        if let Stats::Hopscotch(stats) = table.stats() {
            assert!(stats.distances[0] < expected.len() as u64, "every entry is in its home's group");
        }
        if row.facts.reuses {
            table.delete_those(&expected.into_keys().collect::<Vec<_>>());
            let full = left_out(&table.insert(&keys, &keys)) as usize;
            assert!(full <= most, "at load {load} {full} inserts say Full that had room before");
            assert_eq!(table.len() as usize, CROWD - full);
        } else {
            assert_eq!(table.stats().tombstones(), 0);
        }
    }
}

/// Deletes half of the entries; how many these were.
pub(super) fn halve<K: Number>(table: &Table<K>, expected: &mut HashMap<K, K>) -> usize {
    let mut there: Vec<K> = expected.keys().copied().collect();
    there.sort_unstable();
    there.truncate(there.len() / 2);
    table.delete_those(&there);
    for key in &there {
        expected.remove(key);
    }
    there.len()
}

pub(crate) fn churn_in_a_crowded_table_goes_on<K: Number>(row: &Row<K>) {
    let &(load, most, _) = row.facts.crowds.first().expect("a load");
    let table = row.table(row.size(CROWD, load));
    let mut asked = slot_keys::<K>(CROWD, 0);
    let mut expected = table.fill(&asked);
    for round in 1..12 {
        halve(&table, &mut expected);
        let new = slot_keys::<K>(CROWD / 2, (round * CROWD) as u64);
        let came = table.fill(&new);
        assert!(came.len() + most >= new.len(), "round {round}: {} of {} came", came.len(), new.len());
        expected.extend(came);
        asked.extend(new);
        table.holds(&expected, &asked);
    }
}

pub(crate) fn mixed_batches_of_a_crowded_table_add_up<K: Number>(row: &Row<K>) {
    let table = row.table(row.size(CROWD, 1.0));
    // A paged table has more than it was made for, as child tables get more or less than their share.
    let slots = table.geometry().slots() as usize;
    let kinds = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search];
    let (_, full) = mix(table.map().expect("a map"), &numbers(slots), 2 * slots, &kinds, 11);
    assert!(full > 0, "more is inserted than there are slots");
    let (stats, len) = (table.stats(), table.len());
    if row.facts.reuses {
        // More is inserted than deleted: the table stays as full as it can be.
        assert!(len * 20 > slots as u64 * 19, "{full}, {len}");
    } else {
        let taken = stats.live() + stats.tombstones();
        assert_eq!(taken, table.geometry().slots(), "Full, and a slot is empty");
    }
}

/// The `n` first keys of `home` in a table of `homes` homes.
fn keys_of<K: Number>(home: u32, homes: u32, n: usize) -> Vec<K> {
    (0u64..).map(K::of).filter(|key| Key::hash(*key, SEED).digit(homes) == home).take(n).collect()
}

pub(crate) fn an_entry_is_moved_to_make_room<K: Number>(row: &Row<K>) {
    let size: HopscotchGeometry = typed(row.size(1, 0.6));
    let size = HopscotchGeometry { homes: 4 * size.reach, ..size };
    let (slots, reach) = (size.group_words as usize - 1, size.reach as usize);
    let table = row.table(size);
    let distances = || HopscotchStats::try_from(table.stats()).expect("a hopscotch table").distances;
    let one_by_one = |keys: &[K], said: Insert| {
        for key in keys {
            assert_eq!(table.insert_one(*key), said, "key {key:?}");
        }
    };
    // The neighbourhood of home 0 is full: its last group is full of members of that group's own home.
    let first = keys_of::<K>(0, size.homes, slots * reach + 1);
    let last = keys_of::<K>(size.reach - 1, size.homes, slots);
    let (before, after) = first.split_at(slots * (reach - 1));
    let (moving, left_out) = after.split_at(slots);
    one_by_one(before, Insert::Inserted);
    one_by_one(&last, Insert::Inserted);
    let mut expected = distances();
    assert_eq!((expected[0], expected[reach - 1]), (2 * slots as u64, 0));
    // Each insert more moves one of those a group on.
    for key in moving {
        one_by_one(&[*key], Insert::Inserted);
        expected[0] -= 1;
        expected[1] += 1;
        expected[reach - 1] += 1;
        assert_eq!(distances(), expected, "key {key:?}");
    }
    // Then all slots that home 0 reaches hold its own members: full, whatever is empty elsewhere.
    one_by_one(left_out, Insert::Full);
    let expected: HashMap<K, K> = before.iter().chain(moving).chain(&last).map(|&key| (key, key)).collect();
    table.holds(&expected, &[&first[..], &last].concat());
}
