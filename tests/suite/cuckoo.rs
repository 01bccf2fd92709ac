//! What a map in an open-addressing table must do in which keys move: keep nearly all slots in use, and use those of deleted pairs
//! again.

use super::OpenMaps;
use super::OpenSets;
use super::fixed::{CROWD, fill, holds, mix_in_a_crowd};
use super::map::repeat;
use super::number::{Number, distinct};
use super::open::of_buckets;
use std::collections::HashMap;
use warpproof::model::host::{BulkCounter, BulkMap, BulkSet, BulkTable, left_out};
use warpproof::model::outcome::{Add, Assign, Delete, Insert};

/// Checks what a map holds, that its statistics say so, and that no slot is lost.
fn holds_these<K: Number>(map: &impl super::OpenMap<K>, expected: &HashMap<K, K>, asked: &[K]) {
    holds(map, expected, asked);
    let stats = map.stats().unwrap();
    assert_eq!(stats.live, expected.len() as u64);
    assert!(stats.live + stats.tombstones <= map.geometry().slots() as u64, "{stats:?}");
}

pub(crate) fn two_buckets_fill_up_and_slots_are_used_again<B: OpenMaps<K>, K: Number>(b: &B) {
    for buckets in [1, 2] {
        let geometry = of_buckets(b.geometry(1, 0.6), buckets);
        let (map, room) = (b.map(geometry), geometry.slots());
        let keys = distinct::<K>(room + 3, 0);
        let mut expected = fill(&map, &keys[..room]);
        assert_eq!(expected.len(), room, "{buckets} buckets");
        let (old, new) = (keys[0], keys[room]);
        assert_eq!(map.insert_unique(&[new], &[new]).unwrap(), [Insert::Full]);
        assert_eq!(map.insert_unique(&[old], &[new]).unwrap(), [Insert::Present]);
        assert_eq!(map.insert_or_assign(&[new], &[new]).unwrap(), [Assign::Full]);
        assert_eq!(map.insert_or_assign(&[old], &[new]).unwrap(), [Assign::Replaced]);
        assert_eq!(map.insert_or_add(&[new], &[new]).unwrap(), [Add::Full]);
        assert_eq!(map.delete(&[old]).unwrap(), [Delete::Deleted]);
        assert_eq!(map.delete(&[old]).unwrap(), [Delete::Absent]);
        assert_eq!(map.insert_unique(&[new], &[new]).unwrap(), [Insert::Inserted]);
        expected.remove(&old);
        expected.insert(new, new);
        holds_these(&map, &expected, &keys);
        assert_eq!(map.stats().unwrap().tombstones, 0);
    }
}

pub(crate) fn a_crowded_table_has_room_for_nearly_all<B: OpenMaps<K>, K: Number>(b: &B) {
    // Wide buckets: what is left out with 8 slots is less than one pair in 10,000 (tests/cuckoo.rs).
    for load in [0.9, 0.95, 0.97] {
        let map = b.map(b.geometry(CROWD as u64, load));
        let keys = distinct::<K>(CROWD, 0);
        let expected = fill(&map, &keys);
        assert!(expected.len() + 20 >= CROWD, "at load {load} {} inserts said Full", CROWD - expected.len());
        holds_these(&map, &expected, &[keys, distinct::<K>(1_000, CROWD as u64)].concat());
    }
}

pub(crate) fn churn_at_a_high_load_goes_on<B: OpenMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 0.9));
    let mut asked = distinct::<K>(CROWD, 0);
    let mut expected = fill(&map, &asked);
    for round in 1..12 {
        let mut there: Vec<K> = expected.keys().copied().collect();
        there.sort_unstable();
        let half = &there[..there.len() / 2];
        assert!(map.delete(half).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
        for key in half {
            expected.remove(key);
        }
        let new = distinct::<K>(half.len(), (round * CROWD) as u64);
        let came = fill(&map, &new);
        assert!(came.len() + 20 >= new.len(), "round {round}: {} of {} came", came.len(), new.len());
        expected.extend(came);
        asked.extend(new);
        holds_these(&map, &expected, &asked);
    }
}

pub(crate) fn racing_counters_add_up<B: OpenMaps<K>, K: Number>(b: &B) {
    let few = distinct::<K>(500, 0);
    let map = b.map(b.geometry(few.len() as u64, 0.9));
    let (many, times) = (repeat(&few, 40), 40);
    let outcomes = map.insert_or_add(&many, &vec![K::of(1); many.len()]).unwrap();
    let mut inserted: HashMap<K, u32> = HashMap::new();
    for (key, outcome) in many.iter().zip(&outcomes) {
        assert_ne!(*outcome, Add::Full, "key {key:?}");
        *inserted.entry(*key).or_default() += (*outcome == Add::Inserted) as u32;
    }
    assert!(few.iter().all(|key| inserted[key] == 1), "one of those that race inserts");
    holds_these(&map, &few.iter().map(|&key| (key, K::of(times))).collect(), &few);
}

pub(crate) fn mixed_batches_of_a_crowd_add_up<B: OpenMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 1.0));
    let full = mix_in_a_crowd(&map);
    // More is inserted than deleted: the table stays as full as it can be.
    assert!(full > 0 && map.len().unwrap() * 20 > CROWD as u64 * 19, "{full}, {}", map.len().unwrap());
}

pub(crate) fn a_crowded_set_has_room_for_nearly_all<B: OpenSets<K>, K: Number>(b: &B) {
    let keys = distinct::<K>(CROWD, 0);
    let set = b.try_set(b.set_geometry(CROWD as u64 * 6 / 10)).expect("memory for a test table");
    let slots = set.geometry().slots();
    let (first, rest) = keys.split_at(slots * 95 / 100);
    assert_eq!(left_out(&set.insert(first).unwrap()), 0);
    assert!(set.contains(first).unwrap().iter().all(|&found| found));
    assert!(!set.contains(rest).unwrap().iter().any(|&found| found));
    assert!(set.delete(first).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
    assert_eq!(left_out(&set.insert(first).unwrap()), 0, "slots are used again");
    assert_eq!(set.len().unwrap(), first.len() as u64);
}
