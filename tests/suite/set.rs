//! What a set must do.

use super::number::{Number, distinct};
use super::{Sets, SlabSets};
use warpproof::model::host::{BulkFlush, BulkSet, BulkTable, SlabGeometry};
use warpproof::model::outcome::{Delete, Insert};

const MANY: usize = 50_000;

fn set<B: Sets<K, G>, K: Number, G>(b: &B, keys: usize) -> B::Set {
    b.try_set(b.set_geometry(keys as u64)).expect("memory for a test table")
}

pub(crate) fn set_inserts_each_key_once<B: Sets<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let twice = [keys.clone(), keys.clone()].concat();
    let set = set(b, MANY);
    let outcomes = set.insert(&twice).unwrap();
    assert_eq!(outcomes.iter().filter(|&&o| o == Insert::Inserted).count(), MANY);
    assert_eq!(outcomes.iter().filter(|&&o| o == Insert::Present).count(), MANY);
    assert!(set.contains(&keys).unwrap().iter().all(|&c| c));
    assert!(!set.contains(&distinct::<K>(MANY, MANY as u64)).unwrap().iter().any(|&c| c));
    let mut all = set.retrieve_all().unwrap();
    all.sort_unstable();
    let mut expected = keys;
    expected.sort_unstable();
    assert_eq!(all, expected);
}

pub(crate) fn set_deletes_and_reinserts<B: Sets<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let set = set(b, 2 * MANY);
    set.insert(&keys).unwrap();
    assert!(set.delete(&keys).unwrap().iter().all(|&o| o == Delete::Deleted));
    assert!(set.delete(&keys).unwrap().iter().all(|&o| o == Delete::Absent));
    assert!(set.insert(&keys).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(set.len().unwrap(), MANY as u64);
}

pub(crate) fn set_flush_reclaims<B: SlabSets>(b: &B) {
    let keys = distinct::<u32>(MANY, 0);
    let mut set = set(b, MANY);
    set.insert(&keys).unwrap();
    set.delete(&keys[1..]).unwrap();
    set.flush().unwrap();
    let stats = set.stats().unwrap();
    assert_eq!((stats.live, stats.tombstones, stats.slabs), (1, 0, set.geometry().buckets as u64));
    assert_eq!(set.contains(&keys[..2]).unwrap(), [true, false]);
}

pub(crate) fn set_refuses_reserved_keys<B: Sets<K, G>, K: Number, G>(b: &B) {
    let set = set(b, 10);
    let message = set.insert(&[K::of(1), K::MAX]).unwrap_err().to_string();
    assert!(message.contains("index 1"), "{message}");
    assert!(set.contains(&[K::FIRST_RESERVED]).unwrap_err().to_string().contains("index 0"));
    assert!(set.is_empty().unwrap());
}

pub(crate) fn a_cleared_set_is_as_it_was_made<B: Sets<K, G>, K: Number, G>(b: &B) {
    let mut set = set(b, MANY);
    let mut before = Vec::new();
    // No structure has room for the keys of all rounds.
    for round in 0..4 {
        let keys = distinct::<K>(MANY, (round * MANY) as u64);
        assert!(set.insert(&keys).unwrap().iter().all(|&o| o == Insert::Inserted), "round {round}");
        assert_eq!(set.contains(&before).unwrap(), vec![false; before.len()], "round {round}");
        assert_eq!(set.len().unwrap(), MANY as u64, "round {round}");
        set.delete(&keys[..MANY / 3]).unwrap();
        set.clear().unwrap();
        assert!(set.is_empty().unwrap() && set.retrieve_all().unwrap().is_empty(), "round {round}");
        before = keys;
    }
}

pub(crate) fn set_is_built_from_keys<B: Sets<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let set = b.build_set(&[keys.clone(), keys[..100].to_vec()].concat()).unwrap();
    assert!(set.contains(&keys).unwrap().iter().all(|&c| c));
    assert_eq!(set.len().unwrap(), MANY as u64);
    assert!(b.build_set(&[]).unwrap().is_empty().unwrap());
    let message = b.build_set(&[K::of(1), K::MAX]).err().expect("a reserved key").to_string();
    assert!(message.contains("index 1"), "{message}");
}

pub(crate) fn a_set_of_an_impossible_size_is_refused<B: SlabSets>(b: &B) {
    let right = b.set_geometry(100);
    for (wrong, says) in [
        (SlabGeometry { buckets: 0, ..right }, "at least one bucket"),
        (SlabGeometry { slab_slots: right.slab_slots + 1, ..right }, "slots"),
        (SlabGeometry { pool: u32::MAX, ..right }, "more than"),
    ] {
        let message = b.try_set(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
}
