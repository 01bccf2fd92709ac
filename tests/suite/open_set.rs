//! What a set in an open-addressing table must do: fill up to its last slot, and say `Full` only then.

use super::OpenSets;
use super::fixed::CROWD;
use super::map::repeat;
use super::number::{Number, distinct};
use super::open::of_buckets;
use warpproof::model::host::{BulkOrdered, BulkSet, BulkTable, OpenGeometry, OpenStats};
use warpproof::model::outcome::{Delete, Insert};

/// A set of so many of the backend's buckets.
fn set_of<B: OpenSets<K>, K: Number>(b: &B, buckets: u32) -> B::Set {
    b.try_set(of_buckets(b.set_geometry(1), buckets)).expect("memory for a test table")
}

/// Checks that a set holds exactly these keys, each once, and none of the other `asked` ones, and that so many slots are
/// those of deleted keys.
fn holds<K: Number>(set: &impl super::OpenSet<K>, mut expected: Vec<K>, asked: &[K], tombstones: usize) {
    expected.sort_unstable();
    let is_in: Vec<bool> = asked.iter().map(|key| expected.binary_search(key).is_ok()).collect();
    assert_eq!(set.contains(asked).unwrap(), is_in);
    let mut keys = set.retrieve_all().unwrap();
    keys.sort_unstable();
    assert_eq!(keys, expected);
    let right = OpenStats { live: expected.len() as u64, tombstones: tombstones as u64 };
    assert_eq!((set.stats().unwrap(), set.len().unwrap()), (right, right.live));
}

pub(crate) fn a_set_fills_up_to_its_last_slot<B: OpenSets<K>, K: Number>(b: &B) {
    for buckets in [1, 2, 7] {
        let set = set_of(b, buckets);
        let room = set.geometry().slots();
        let keys = distinct::<K>(room + 5, 0);
        for (i, &key) in keys.iter().enumerate() {
            let outcome = if i < room { Insert::Inserted } else { Insert::Full };
            assert_eq!(set.insert(&[key]).unwrap(), [outcome], "key {i} of {buckets} buckets");
        }
        assert_eq!(set.insert(&keys[..1]).unwrap(), [Insert::Present]);
        holds(&set, keys[..room].to_vec(), &keys, 0);
        // The slot of a deleted key is not used again, not by itself either.
        assert_eq!(set.delete(&[keys[0], keys[room]]).unwrap(), [Delete::Deleted, Delete::Absent]);
        assert_eq!(set.insert(&[keys[0], keys[room]]).unwrap(), [Insert::Full; 2]);
        holds(&set, keys[1..room].to_vec(), &keys, 1);
    }
}

pub(crate) fn racing_inserts_of_a_set_fill_every_slot<B: OpenSets<K>, K: Number>(b: &B) {
    for round in 0..20 {
        let set = set_of(b, [1, 5][round % 2]);
        let room = set.geometry().slots();
        let few = distinct::<K>(4 * room, 1_000 * round as u64);
        let many = repeat(&few, 8);
        let outcomes = set.insert(&many).unwrap();
        let count = |key: &K, outcome: Insert| {
            many.iter().zip(&outcomes).filter(|(of, said)| *of == key && **said == outcome).count()
        };
        for key in &few {
            // A table that is full stays so: nobody deletes.
            let said = (count(key, Insert::Inserted), count(key, Insert::Full));
            assert!(said == (1, 0) || said == (0, 8), "key {key:?}: {said:?}");
        }
        let there: Vec<K> = few.iter().filter(|key| count(key, Insert::Inserted) == 1).copied().collect();
        assert_eq!(there.len(), room, "some slot is empty although an insert found none");
        holds(&set, there, &few, 0);
    }
}

pub(crate) fn a_crowded_set_has_room_for_all<B: OpenSets<K>, K: Number>(b: &B) {
    let bucket_slots = b.set_geometry(1).bucket_slots;
    for load in [0.9, 0.97, 1.0] {
        let geometry = OpenGeometry::new(CROWD as u64, load, bucket_slots).expect("a small table");
        let set = b.try_set(geometry).expect("memory for a test table");
        let keys = distinct::<K>(CROWD, 0);
        let done = set.insert(&keys).unwrap();
        assert!(done.iter().all(|&outcome| outcome == Insert::Inserted), "at load {load}");
        let asked = [keys.clone(), distinct::<K>(1_000, CROWD as u64)].concat();
        holds(&set, keys, &asked, 0);
    }
}

pub(crate) fn churn_in_a_set_leaves_tombstones<B: OpenSets<K>, K: Number>(b: &B) {
    let set = b.try_set(b.set_geometry(2 * CROWD as u64)).expect("memory for a test table");
    let slots = set.geometry().slots();
    let (keys, mut gone) = (distinct::<K>(CROWD, 0), 0);
    while gone + CROWD <= slots {
        assert!(set.insert(&keys).unwrap().iter().all(|&outcome| outcome == Insert::Inserted));
        holds(&set, keys.clone(), &keys, gone);
        assert!(set.delete(&keys).unwrap().iter().all(|&outcome| outcome == Delete::Deleted));
        gone += CROWD;
    }
    let done = set.insert(&keys).unwrap();
    let there: Vec<K> =
        keys.iter().zip(&done).filter(|(_, said)| **said == Insert::Inserted).map(|(&key, _)| key).collect();
    assert_eq!(there.len(), slots - gone, "Full, and a slot is empty");
    holds(&set, there, &keys, gone);
}

pub(crate) fn a_set_of_an_impossible_size_is_refused<B: OpenSets<K>, K: Number>(b: &B) {
    let right = b.set_geometry(100);
    for (wrong, says) in [
        (of_buckets(right, 0), "at least one bucket"),
        (of_buckets(right, 1_000), "1000 buckets"),
        (OpenGeometry { bucket_slots: right.bucket_slots * 2, ..right }, "slots"),
    ] {
        let message = b.try_set(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
}

pub(crate) fn keys_come_in_the_order_of_their_slots<B: OpenSets<K>, K: Number>(b: &B) {
    let set = set_of(b, 1);
    assert_eq!(set.retrieve_all_in_order().unwrap(), []);
    // The one bucket is filled from its lowest slot on.
    let keys = distinct::<K>(set.geometry().slots(), 0);
    for (number, &key) in keys.iter().enumerate() {
        assert_eq!(set.insert(&[key]).unwrap(), [Insert::Inserted]);
        assert_eq!(set.retrieve_all_in_order().unwrap(), keys[..=number]);
    }
    assert_eq!(set.delete(&keys[..1]).unwrap(), [Delete::Deleted]);
    assert_eq!(set.retrieve_all_in_order().unwrap(), keys[1..]);
    // Many blocks, the last one with few slots; whichever order they run in.
    let set = b.try_set(b.set_geometry(CROWD as u64)).expect("memory for a test table");
    let mut keys = distinct::<K>(CROWD, 0);
    assert!(set.insert(&keys).unwrap().iter().all(|&outcome| outcome == Insert::Inserted));
    let mut ordered = set.retrieve_all_in_order().unwrap();
    for _ in 0..3 {
        assert_eq!(set.retrieve_all_in_order().unwrap(), ordered);
    }
    ordered.sort_unstable();
    keys.sort_unstable();
    assert_eq!(ordered, keys);
}
