//! What a set in a hopscotch table must do.

use super::HopscotchSets;
use super::hopscotch::{near, of_homes};
use super::number::{Number, distinct};
use warpproof::model::host::{BulkSet, BulkTable, HopscotchGeometry};
use warpproof::model::outcome::{Delete, Insert};

pub(crate) fn a_set_of_one_home_fills_up<B: HopscotchSets<K>, K: Number>(b: &B) {
    let geometry = of_homes(b.set_geometry(1), 1);
    let set = b.try_set(geometry).expect("memory for a tiny table");
    let room = near(geometry);
    let keys = distinct::<K>(room + 2, 0);
    for (i, &key) in keys.iter().enumerate() {
        let outcome = if i < room { Insert::Inserted } else { Insert::Full };
        assert_eq!(set.insert(&[key]).unwrap(), [outcome], "key {i}");
    }
    let is_in: Vec<bool> = (0..keys.len()).map(|i| i < room).collect();
    assert_eq!(set.contains(&keys).unwrap(), is_in);
    assert_eq!(set.delete(&keys[..1]).unwrap(), [Delete::Deleted]);
    assert_eq!(set.insert(&keys[room..=room]).unwrap(), [Insert::Inserted]);
    assert_eq!(set.insert(&keys[..1]).unwrap(), [Insert::Full]);
    assert_eq!(set.len().unwrap(), room as u64);
}

pub(crate) fn a_crowded_set_loses_nothing<B: HopscotchSets<K>, K: Number>(b: &B) {
    let right = b.set_geometry(1);
    let geometry = of_homes(right, 3_000);
    let set = b.try_set(geometry).expect("memory for a test table");
    // All slots of the homes: some inserts say Full.
    let keys = distinct::<K>(3_000 * (right.group_words as usize - 1), 0);
    let done = set.insert(&keys).unwrap();
    let expected: Vec<bool> = done.iter().map(|&outcome| outcome == Insert::Inserted).collect();
    assert_eq!(set.contains(&keys).unwrap(), expected);
    let mut there: Vec<K> = keys.iter().zip(&expected).filter(|(_, is)| **is).map(|(&key, _)| key).collect();
    assert!(there.len() * 20 > keys.len() * 19, "{} of {}", there.len(), keys.len());
    let mut found = set.retrieve_all().unwrap();
    found.sort_unstable();
    there.sort_unstable();
    assert_eq!(found, there);
    let stats = set.stats().unwrap();
    assert_eq!((stats.live, stats.distances.iter().sum()), (there.len() as u64, there.len() as u64));
}

pub(crate) fn a_set_of_an_impossible_size_is_refused<B: HopscotchSets<K>, K: Number>(b: &B) {
    let right = b.set_geometry(100);
    for (wrong, says) in [
        (HopscotchGeometry { homes: 0, ..right }, "at least one home"),
        (HopscotchGeometry { reach: right.reach + 1, ..right }, "groups of"),
        (HopscotchGeometry { homes: u32::MAX, ..right }, "more than"),
    ] {
        let message = b.try_set(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
}
