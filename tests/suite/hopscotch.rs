//! What a map in a hopscotch table must do: fill up, move entries, say `Full` and nothing less.

use super::HopscotchMaps;
use super::fixed::{self, CROWD, fill, mix_in_a_crowd, race_to_fill};
use super::number::{Number, distinct};
use std::collections::HashMap;
use warpproof::model::host::{BulkMap, BulkTable, HopscotchGeometry, structure};
use warpproof::model::key::{Key, fastrange};
use warpproof::model::outcome::{Assign, Delete, Insert};

/// The backend's groups, with this number of homes.
pub(super) fn of_homes(right: HopscotchGeometry, homes: u32) -> HopscotchGeometry {
    HopscotchGeometry { homes, ..right }
}

/// Slots of one neighbourhood.
pub(super) fn near(geometry: HopscotchGeometry) -> usize {
    geometry.reach as usize * (geometry.group_words as usize - 1)
}

/// The `n` first keys of `home` in a table of `homes` homes.
fn keys_of<K: Number>(home: u32, homes: u32, n: usize) -> Vec<K> {
    (0u64..).map(K::of).filter(|key| fastrange(Key::hash(*key), homes) == home).take(n).collect()
}

/// Checks what a map holds, and that its statistics say so.
fn holds<K: Number>(
    map: &impl BulkMap<K, K, Structure = structure::Hopscotch>,
    expected: &HashMap<K, K>,
    asked: &[K],
) {
    fixed::holds(map, expected, asked);
    let stats = map.stats().unwrap();
    assert_eq!((stats.live, stats.distances.iter().sum()), (expected.len() as u64, expected.len() as u64));
}

pub(crate) fn impossible_sizes_are_refused<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let right = b.geometry(1_000, 0.6);
    for (wrong, says) in [
        (HopscotchGeometry { homes: 0, ..right }, "at least one home"),
        (HopscotchGeometry { homes: u32::MAX, ..right }, "more than"),
        (HopscotchGeometry { homes: u32::MAX - right.reach + 2, ..right }, "more than"),
        (HopscotchGeometry { reach: right.reach + 1, ..right }, "groups of"),
        (HopscotchGeometry { reach: 0, ..right }, "groups of"),
        (HopscotchGeometry { group_words: right.group_words * 2, ..right }, "words"),
        (HopscotchGeometry { group_words: 0, ..right }, "words"),
    ] {
        let message = b.try_map(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
    for load in [0.0, -1.0, 1.001, f64::NAN, f64::INFINITY] {
        let refused = HopscotchGeometry::new(1_000, load, right.group_words, right.reach);
        let message = refused.expect_err("an impossible load").to_string();
        assert!(message.contains("above 0 and at most 1"), "{load}: {message}");
    }
}

pub(crate) fn a_table_of_one_home_fills_up<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let geometry = of_homes(b.geometry(1, 0.6), 1);
    let (map, room) = (b.map(geometry), near(geometry));
    let keys = distinct::<K>(room + 5, 0);
    let mut expected = HashMap::new();
    for (i, &key) in keys.iter().enumerate() {
        let outcome = if i < room { Insert::Inserted } else { Insert::Full };
        assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [outcome], "key {i}");
        if i < room {
            expected.insert(key, key);
        }
    }
    holds(&map, &expected, &keys);
    // A key that is there is found and replaced, one that is absent changes nothing.
    assert_eq!(map.insert_unique(&keys[..1], &keys[1..2]).unwrap(), [Insert::Present]);
    let (old, new) = (keys[0], keys[room]);
    assert_eq!(map.insert_or_assign(&[old, new], &[new, new]).unwrap(), [Assign::Replaced, Assign::Full]);
    expected.insert(old, new);
    holds(&map, &expected, &keys);
    // Each slot serves again, one time for each delete.
    for (&gone, &new) in keys.iter().zip(&keys[room..]) {
        assert_eq!(map.delete(&[gone]).unwrap(), [Delete::Deleted]);
        assert_eq!(map.insert_unique(&[new], &[new]).unwrap(), [Insert::Inserted]);
        assert_eq!(map.insert_unique(&[gone], &[gone]).unwrap(), [Insert::Full]);
        expected.remove(&gone);
        expected.insert(new, new);
    }
    holds(&map, &expected, &keys);
}

pub(crate) fn racing_inserts_fill_a_table_of_one_home<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let geometry = of_homes(b.geometry(1, 0.6), 1);
    for round in 0..20 {
        let map = b.map(geometry);
        let (expected, keys) = race_to_fill(&map, near(geometry), 1_000 * round);
        holds(&map, &expected, &keys);
    }
}

pub(crate) fn an_entry_is_moved_to_make_room<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let geometry = of_homes(b.geometry(1, 0.6), 4 * b.geometry(1, 0.6).reach);
    let (slots, reach) = (geometry.group_words as usize - 1, geometry.reach as usize);
    let map = b.map(geometry);
    let one_by_one = |keys: &[K], said: Insert| {
        for key in keys {
            assert_eq!(map.insert_unique(&[*key], &[*key]).unwrap(), [said], "key {key:?}");
        }
    };
    // The neighbourhood of home 0 is full: its last group is full of members of that group's own home.
    let first = keys_of::<K>(0, geometry.homes, slots * reach + 1);
    let last = keys_of::<K>(geometry.reach - 1, geometry.homes, slots);
    let (before, after) = first.split_at(slots * (reach - 1));
    let (moving, left_out) = after.split_at(slots);
    one_by_one(before, Insert::Inserted);
    one_by_one(&last, Insert::Inserted);
    let mut distances = map.stats().unwrap().distances;
    assert_eq!((distances[0], distances[reach - 1]), (2 * slots as u64, 0));
    // Each insert more moves one of those a group on.
    for key in moving {
        one_by_one(&[*key], Insert::Inserted);
        distances[0] -= 1;
        distances[1] += 1;
        distances[reach - 1] += 1;
        assert_eq!(map.stats().unwrap().distances, distances, "key {key:?}");
    }
    // Then all slots that home 0 reaches hold its own members: full, whatever is empty elsewhere.
    one_by_one(left_out, Insert::Full);
    let expected: HashMap<K, K> = before.iter().chain(moving).chain(&last).map(|&key| (key, key)).collect();
    holds(&map, &expected, &[&first[..], &last].concat());
}

pub(crate) fn a_crowded_table_loses_nothing<B: HopscotchMaps<K>, K: Number>(b: &B) {
    for load in [0.9, 1.0] {
        let map = b.map(b.geometry(CROWD as u64, load));
        let keys = distinct::<K>(CROWD, 0);
        let expected = fill(&map, &keys);
        let full = keys.len() - expected.len();
        assert!(full * 20 < CROWD, "at load {load} {full} of {CROWD} inserts said Full");
        assert!(
            map.stats().unwrap().distances[0] < expected.len() as u64,
            "every pair is in its home's group"
        );
        holds(&map, &expected, &[keys, distinct::<K>(1_000, CROWD as u64)].concat());
    }
}

pub(crate) fn churn_in_a_crowded_table_loses_nothing<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 0.9));
    let mut expected = fill(&map, &distinct::<K>(CROWD, 0));
    let mut asked = distinct::<K>(CROWD, 0);
    for round in 1..5 {
        let mut there: Vec<K> = expected.keys().copied().collect();
        there.sort_unstable();
        let gone = &there[..there.len() / 2];
        assert!(map.delete(gone).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
        for key in gone {
            expected.remove(key);
        }
        let new = distinct::<K>(CROWD / 2, (round * CROWD) as u64);
        let came = fill(&map, &new);
        assert!((new.len() - came.len()) * 20 < CROWD, "round {round}: {} of {}", came.len(), new.len());
        expected.extend(came);
        asked.extend(new);
        holds(&map, &expected, &asked);
    }
}

pub(crate) fn mixed_batches_of_a_crowded_table_add_up<B: HopscotchMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 1.0));
    let full = mix_in_a_crowd(&map);
    // More is inserted than deleted: the table stays as full as it can be.
    assert!(full > 0 && map.len().unwrap() * 20 > CROWD as u64 * 19, "{full}, {}", map.len().unwrap());
}
