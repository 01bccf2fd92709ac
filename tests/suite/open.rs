//! What a map in an open-addressing table must do: fill up to its last slot, and say `Full` only then.

use super::OpenMaps;
use super::fixed::{self, CROWD, fill, mix_in_a_crowd, race_to_fill};
use super::map::repeat;
use super::number::{Number, distinct};
use std::collections::HashMap;
use warpproof::model::host::{BulkCounter, BulkMap, BulkOrdered, BulkTable, OpenGeometry, OpenStats};
use warpproof::model::outcome::{Add, Assign, Delete, Insert};

/// The backend's buckets, so many.
pub(super) fn of_buckets(right: OpenGeometry, buckets: u32) -> OpenGeometry {
    OpenGeometry { buckets, ..right }
}

/// Checks what a map holds, and that so many slots are those of deleted pairs.
fn holds<K: Number>(map: &impl super::OpenMap<K>, expected: &HashMap<K, K>, asked: &[K], tombstones: usize) {
    fixed::holds(map, expected, asked);
    let counts: Vec<u32> = asked.iter().map(|key| expected.contains_key(key).into()).collect();
    assert_eq!(map.count(asked).unwrap(), counts);
    let right = OpenStats { live: expected.len() as u64, tombstones: tombstones as u64 };
    assert_eq!(map.stats().unwrap(), right);
}

pub(crate) fn impossible_sizes_are_refused<B: OpenMaps<K>, K: Number>(b: &B) {
    let right = b.geometry(1_000, 0.6);
    for (wrong, says) in [
        (of_buckets(right, 0), "at least one bucket"),
        (of_buckets(right, 1_000), "1000 buckets"),
        (of_buckets(right, u32::MAX), "one or prime"),
        (OpenGeometry { bucket_slots: right.bucket_slots + 1, ..right }, "slots"),
        (OpenGeometry { bucket_slots: 0, ..right }, "slots"),
    ] {
        let message = b.try_map(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
    for load in [0.0, -1.0, 1.001, f64::NAN, f64::INFINITY] {
        let message = OpenGeometry::new(1_000, load, right.bucket_slots).expect_err("a load").to_string();
        assert!(message.contains("above 0 and at most 1"), "{load}: {message}");
    }
    let message = OpenGeometry::new(u64::MAX, 0.5, right.bucket_slots).expect_err("a size").to_string();
    assert!(message.contains("buckets are more than"), "{message}");
}

pub(crate) fn a_table_fills_up_to_its_last_slot<B: OpenMaps<K>, K: Number>(b: &B) {
    for buckets in [1, 2, 7] {
        let geometry = of_buckets(b.geometry(1, 0.6), buckets);
        let (map, room) = (b.map(geometry), geometry.slots());
        let keys = distinct::<K>(room + 5, 0);
        let mut expected = HashMap::new();
        for (i, &key) in keys.iter().enumerate() {
            let outcome = if i < room { Insert::Inserted } else { Insert::Full };
            assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [outcome], "key {i} of {buckets} buckets");
            if i < room {
                expected.insert(key, key);
            }
        }
        holds(&map, &expected, &keys, 0);
        // A key that is there is found and replaced, one that is absent changes nothing.
        assert_eq!(map.insert_unique(&keys[..1], &keys[1..2]).unwrap(), [Insert::Present]);
        let (old, new) = (keys[0], keys[room]);
        let assigned = map.insert_or_assign(&[old, new], &[new, new]).unwrap();
        assert_eq!(assigned, [Assign::Replaced, Assign::Full]);
        expected.insert(old, new);
        holds(&map, &expected, &keys, 0);
        // The slot of a deleted pair is not used again, not by its own key either.
        assert_eq!(map.delete(&[old, new]).unwrap(), [Delete::Deleted, Delete::Absent]);
        assert_eq!(map.insert_unique(&[old, new], &[old, new]).unwrap(), [Insert::Full; 2]);
        expected.remove(&old);
        holds(&map, &expected, &keys, 1);
    }
}

pub(crate) fn racing_inserts_fill_every_slot<B: OpenMaps<K>, K: Number>(b: &B) {
    for buckets in [1, 5] {
        let geometry = of_buckets(b.geometry(1, 0.6), buckets);
        for round in 0..10 {
            let map = b.map(geometry);
            let (expected, keys) = race_to_fill(&map, geometry.slots(), 1_000 * round);
            holds(&map, &expected, &keys, 0);
        }
    }
}

pub(crate) fn a_crowded_table_has_room_for_all<B: OpenMaps<K>, K: Number>(b: &B) {
    for load in [0.9, 0.97, 1.0] {
        let map = b.map(b.geometry(CROWD as u64, load));
        let keys = distinct::<K>(CROWD, 0);
        let expected = fill(&map, &keys);
        assert_eq!(expected.len(), CROWD, "at load {load} some inserts said Full");
        holds(&map, &expected, &[keys, distinct::<K>(1_000, CROWD as u64)].concat(), 0);
    }
}

pub(crate) fn churn_leaves_tombstones_until_no_slot_is_empty<B: OpenMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 0.5));
    let slots = map.geometry().slots();
    let mut expected = fill(&map, &distinct::<K>(CROWD, 0));
    let (mut asked, mut gone) = (distinct::<K>(CROWD, 0), 0);
    for round in 1..5 {
        let mut there: Vec<K> = expected.keys().copied().collect();
        there.sort_unstable();
        let half = &there[..there.len() / 2];
        assert!(map.delete(half).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
        gone += half.len();
        for key in half {
            expected.remove(key);
        }
        let new = distinct::<K>(CROWD / 2, (round * CROWD) as u64);
        let (taken, came) = (expected.len() + gone, fill(&map, &new));
        assert_eq!(came.len(), new.len().min(slots - taken), "round {round}: {taken} of {slots} were taken");
        expected.extend(came);
        asked.extend(new);
        holds(&map, &expected, &asked, gone);
    }
    assert_eq!(expected.len() + gone, slots, "the last round found no room");
}

pub(crate) fn counters_add_up<B: OpenMaps<K>, K: Number>(b: &B) {
    let few = distinct::<K>(500, 0);
    let map = b.map(b.geometry(few.len() as u64, 0.95));
    let (many, times) = (repeat(&few, 40), 40);
    let ones = vec![K::of(1); many.len()];
    let outcomes = map.insert_or_add(&many, &ones).unwrap();
    let mut inserted: HashMap<K, u32> = HashMap::new();
    for (key, outcome) in many.iter().zip(&outcomes) {
        assert_ne!(*outcome, Add::Full, "key {key:?}");
        *inserted.entry(*key).or_default() += (*outcome == Add::Inserted) as u32;
    }
    assert!(few.iter().all(|key| inserted[key] == 1), "one of those that race inserts");
    let expected: HashMap<K, K> = few.iter().map(|&key| (key, K::of(times))).collect();
    holds(&map, &expected, &few, 0);
    // A sum goes round.
    assert_eq!(map.insert_or_add(&few[..1], &[K::MAX]).unwrap(), [Add::Added]);
    assert_eq!(map.search(&few[..1]).unwrap(), [Some(K::of(times - 1))]);
    // What was deleted begins anew.
    assert_eq!(map.delete(&few[..1]).unwrap(), [Delete::Deleted]);
    assert_eq!(map.insert_or_add(&few[..1], &[K::of(7)]).unwrap(), [Add::Inserted]);
    assert_eq!(map.search(&few[..1]).unwrap(), [Some(K::of(7))]);
}

pub(crate) fn a_counter_says_full_and_refuses_what_inserts_do<B: OpenMaps<K>, K: Number>(b: &B) {
    let geometry = of_buckets(b.geometry(1, 0.6), 2);
    let map = b.map(geometry);
    let keys = distinct::<K>(geometry.slots() + 1, 0);
    let (there, left_out) = keys.split_at(geometry.slots());
    assert!(map.insert_or_add(there, there).unwrap().iter().all(|&outcome| outcome == Add::Inserted));
    assert_eq!(map.insert_or_add(left_out, left_out).unwrap(), [Add::Full]);
    assert_eq!(map.insert_or_add(&there[..1], &[K::of(0)]).unwrap(), [Add::Added]);
    assert!(map.insert_or_add(&[], &[]).unwrap().is_empty());
    let message = map.insert_or_add(&[K::FIRST_RESERVED], &[K::of(1)]).expect_err("reserved").to_string();
    assert!(message.contains("index 0"), "{message}");
    let message = map.insert_or_add(&keys[..2], &keys[..1]).expect_err("a value is missing").to_string();
    assert!(message.contains("2 keys but 1 values"), "{message}");
    holds(&map, &there.iter().map(|&key| (key, key)).collect(), &keys, 0);
}

pub(crate) fn mixed_batches_of_a_crowded_table_add_up<B: OpenMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 1.0));
    assert!(mix_in_a_crowd(&map) > 0, "more is inserted than there are slots");
    let stats = map.stats().unwrap();
    assert_eq!(stats.live + stats.tombstones, map.geometry().slots() as u64, "Full, and a slot is empty");
}

pub(crate) fn pairs_come_in_the_order_of_their_slots<B: OpenMaps<K>, K: Number>(b: &B) {
    let map = b.map(of_buckets(b.geometry(1, 0.6), 1));
    assert_eq!(map.retrieve_all_in_order().unwrap(), []);
    // The one bucket is filled from its lowest slot on.
    let keys = distinct::<K>(map.geometry().slots(), 0);
    let mut pairs = Vec::new();
    for (&key, number) in keys.iter().zip(1..) {
        let value = K::of(number);
        assert_eq!(map.insert_unique(&[key], &[value]).unwrap(), [Insert::Inserted]);
        pairs.push((key, value));
        assert_eq!(map.retrieve_all_in_order().unwrap(), pairs);
    }
    assert_eq!(map.delete(&keys[1..3]).unwrap(), [Delete::Deleted; 2]);
    pairs.drain(1..3);
    assert_eq!(map.retrieve_all_in_order().unwrap(), pairs);
    // Many blocks, the last one with few slots; whichever order they run in.
    let map = b.map(b.geometry(CROWD as u64, 0.7));
    let keys = distinct::<K>(CROWD, 0);
    assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&outcome| outcome == Insert::Inserted));
    let pairs = map.retrieve_all_in_order().unwrap();
    for _ in 0..3 {
        assert_eq!(map.retrieve_all_in_order().unwrap(), pairs);
    }
    let [mut ordered, mut any] = [pairs, map.retrieve_all().unwrap()];
    ordered.sort_unstable();
    any.sort_unstable();
    assert_eq!(ordered.len(), CROWD);
    assert_eq!(ordered, any);
}
