//! What a map must do whose keys may have several pairs.

use super::Multimaps;
use super::map::{map, repeat};
use super::number::{Number, Rng, distinct};
use std::collections::HashMap;
use warpproof::model::host::{Answer, BulkMap, BulkMatches, BulkMultimap, BulkTable, Op};
use warpproof::model::outcome::{Assign, Delete, Insert};

pub(crate) fn duplicates_are_counted_and_found<B: Multimaps<K>, K: Number>(b: &B) {
    let mut rng = Rng(1);
    let keys: Vec<K> = (0..20_000).map(|_| K::of(rng.below(4_000))).collect();
    let values: Vec<K> = (0..20_000).map(K::of).collect();
    let map = map(b, keys.len());
    assert!(map.insert(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    let mut oracle: HashMap<K, Vec<K>> = HashMap::new();
    for (&k, &v) in keys.iter().zip(&values) {
        oracle.entry(k).or_default().push(v);
    }
    let asked: Vec<K> = (0..4_100).map(K::of).collect();
    let counts = map.count(&asked).unwrap();
    let matches = map.search_all(&asked).unwrap();
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

pub(crate) fn delete_takes_out_one_pair_at_a_time<B: Multimaps<K>, K: Number>(b: &B) {
    let map = map(b, 10);
    let key = K::of(3);
    map.insert(&[key; 3], &[K::of(1), K::of(2), K::of(3)]).unwrap();
    let deleted = map.delete(&[key; 5]).unwrap();
    assert_eq!(deleted.iter().filter(|&&o| o == Delete::Deleted).count(), 3);
    assert!(map.is_empty().unwrap());
}

pub(crate) fn delete_all_takes_out_every_pair<B: Multimaps<K>, K: Number>(b: &B) {
    let few = distinct::<K>(1_000, 0);
    let map = map(b, few.len() * 9);
    let many = repeat(&few, 9);
    map.insert(&many, &many).unwrap();
    let (gone, kept) = few.split_at(500);
    assert_eq!(map.delete_all(gone).unwrap(), vec![9; gone.len()]);
    assert_eq!(map.delete_all(gone).unwrap(), vec![0; gone.len()]);
    assert_eq!(map.count(gone).unwrap(), vec![0; gone.len()]);
    assert_eq!(map.count(kept).unwrap(), vec![9; kept.len()]);
}

pub(crate) fn mixed_batches_of_distinct_keys_match_an_oracle<B: Multimaps<K>, K: Number>(b: &B) {
    let map = map(b, 60_000);
    let mut oracle: HashMap<K, Vec<K>> = HashMap::new();
    let mut rng = Rng(3);
    for round in 0..20u64 {
        let keys: Vec<K> = (0..1_000).map(|i| K::of(i * 7)).collect();
        let ops: Vec<Op> = keys
            .iter()
            .map(|_| {
                [Op::Insert, Op::InsertUnique, Op::Assign, Op::Delete, Op::Search][rng.below(5) as usize]
            })
            .collect();
        let values: Vec<K> = keys.iter().map(|_| K::of(rng.below(1 << 30))).collect();
        let answers = map.mixed(&ops, &keys, &values).unwrap();
        for i in 0..keys.len() {
            let entry = oracle.entry(keys[i]).or_default();
            let place = format!("round {round}, operation {i}: {:?} of {:?}", ops[i], keys[i]);
            match (ops[i], answers[i]) {
                (Op::Insert, Answer::Insert(Insert::Inserted)) => entry.push(values[i]),
                (Op::InsertUnique, Answer::Insert(Insert::Inserted)) if entry.is_empty() => {
                    entry.push(values[i])
                }
                (Op::InsertUnique, Answer::Insert(Insert::Present)) if !entry.is_empty() => {}
                // Which of several pairs is replaced or deleted: the one in the lowest slot, the oldest.
                (Op::Assign, Answer::Assign(Assign::Replaced)) if !entry.is_empty() => entry[0] = values[i],
                (Op::Assign, Answer::Assign(Assign::Inserted)) if entry.is_empty() => entry.push(values[i]),
                (Op::Delete, Answer::Delete(Delete::Deleted)) if !entry.is_empty() => {
                    entry.remove(0);
                }
                (Op::Delete, Answer::Delete(Delete::Absent)) if entry.is_empty() => {}
                (Op::Search, Answer::Search(found)) => assert_eq!(found, entry.first().copied(), "{place}"),
                (_, answer) => panic!("{place} answered {answer:?}, the oracle holds {entry:?}"),
            }
        }
    }
}

pub(crate) fn one_hot_key_fits_whatever_its_chain<B: Multimaps<K>, K: Number>(b: &B) {
    // `for_pairs` promises room for this many pairs whatever their keys are: take one key.
    let pairs = 2_000;
    let map = map(b, pairs as usize);
    let keys = vec![K::of(42); pairs as usize];
    let values: Vec<K> = (0..pairs).map(K::of).collect();
    assert!(map.insert(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    let mut found = map.search_all(&[K::of(42)]).unwrap().values;
    found.sort_unstable();
    assert_eq!(found, values);
}

pub(crate) fn build_keeps_every_pair<B: Multimaps<K>, K: Number>(b: &B) {
    let (few, times) = (distinct::<K>(3_000, 0), 5);
    let keys = repeat(&few, times);
    let values: Vec<K> = (0..keys.len() as u64).map(K::of).collect();
    let map = b.build(&keys, &values).unwrap();
    assert_eq!(map.len().unwrap(), keys.len() as u64);
    let matches = map.search_all(&few).unwrap();
    for i in 0..few.len() {
        let mut found = matches.of(i).to_vec();
        found.sort_unstable();
        let expected: Vec<K> = (0..times).map(|turn| values[turn * few.len() + i]).collect();
        assert_eq!(found, expected, "key {:?}", few[i]);
    }
}
