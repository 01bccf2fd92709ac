//! Requirements of maps whose keys may have several pairs.

use super::number::{Number, Rng, distinct, numbers, repeat};
use super::row::Row;
use std::collections::HashMap;
use warpproof::any::{Map, Matches};
use warpproof::model::host::{BulkMap, BulkTable};
use warpproof::model::outcome::{Delete, Insert};

/// Inserts pairs, whether or not their keys are there.
fn insert<K: Number>(map: &Map<K, K>, keys: &[K], values: &[K]) {
    let map = map.multimap().expect("a multimap");
    assert!(map.insert(keys, values).unwrap().iter().all(|&outcome| outcome == Insert::Inserted));
}

/// The map as one that works on all pairs of a key.
fn all<K: Number>(map: &Map<K, K>) -> &dyn Matches<K, K> {
    map.matches().expect("a multimap works on all pairs of a key")
}

pub(crate) fn duplicates_are_counted_and_found<K: Number>(row: &Row<K>) {
    let mut rng = Rng(1);
    let keys: Vec<K> = (0..20_000).map(|_| K::of(rng.below(4_000))).collect();
    let values = numbers::<K>(keys.len());
    let map = row.roomy_map(keys.len());
    insert(&map, &keys, &values);
    let mut oracle: HashMap<K, Vec<K>> = HashMap::new();
    for (&k, &v) in keys.iter().zip(&values) {
        oracle.entry(k).or_default().push(v);
    }
    let asked = numbers::<K>(4_100);
    let counts = map.count(&asked).unwrap();
    let matches = all(&map).search_all(&asked).unwrap();
    let one = map.search(&asked).unwrap();
    assert_eq!(matches.keys(), asked.len());
    for (i, key) in asked.iter().enumerate() {
        let expected = oracle.get(key).cloned().unwrap_or_default();
        let mut found = matches.of(i).to_vec();
        found.sort_unstable();
        assert_eq!(found, expected, "key {key:?}");
        assert_eq!(counts[i] as usize, expected.len(), "key {key:?}");
        assert_eq!(one[i].is_some(), !expected.is_empty(), "key {key:?}");
        assert!(one[i].is_none_or(|v| expected.contains(&v)), "key {key:?}");
    }
}

pub(crate) fn delete_takes_out_one_pair_at_a_time<K: Number>(row: &Row<K>) {
    let map = row.roomy_map(10);
    let key = K::of(3);
    insert(&map, &[key; 3], &[K::of(1), K::of(2), K::of(3)]);
    let deleted = map.delete(&[key; 5]).unwrap();
    assert_eq!(deleted.iter().filter(|&&o| o == Delete::Deleted).count(), 3);
    assert!(map.is_empty().unwrap());
}

pub(crate) fn delete_all_takes_out_every_pair<K: Number>(row: &Row<K>) {
    let few = distinct::<K>(1_000, 0);
    let map = row.roomy_map(few.len() * 9);
    let many = repeat(&few, 9);
    insert(&map, &many, &many);
    let (gone, kept) = few.split_at(500);
    assert_eq!(all(&map).delete_all(gone).unwrap(), vec![9; gone.len()]);
    assert_eq!(all(&map).delete_all(gone).unwrap(), vec![0; gone.len()]);
    assert_eq!(map.count(gone).unwrap(), vec![0; gone.len()]);
    assert_eq!(map.count(kept).unwrap(), vec![9; kept.len()]);
}

pub(crate) fn one_hot_key_fits_whatever_its_chain<K: Number>(row: &Row<K>) {
    // `for_pairs` promises room for this many pairs whatever their keys are: take one key.
    let pairs = 2_000usize;
    let map = row.roomy_map(pairs);
    let keys = vec![K::of(42); pairs];
    let values = numbers::<K>(pairs);
    insert(&map, &keys, &values);
    let mut found = all(&map).search_all(&[K::of(42)]).unwrap().values;
    found.sort_unstable();
    assert_eq!(found, values);
}

pub(crate) fn build_keeps_every_pair<K: Number>(row: &Row<K>) {
    let (few, times) = (distinct::<K>(3_000, 0), 5);
    let keys = repeat(&few, times);
    let values = numbers::<K>(keys.len());
    let table = row.build(&keys, &values).unwrap();
    assert_eq!(table.len(), keys.len() as u64);
    let map = table.map().expect("a multimap");
    let matches = all(map).search_all(&few).unwrap();
    for i in 0..few.len() {
        let mut found = matches.of(i).to_vec();
        found.sort_unstable();
        let expected: Vec<K> = (0..times).map(|turn| values[turn * few.len() + i]).collect();
        assert_eq!(found, expected, "key {:?}", few[i]);
    }
}
