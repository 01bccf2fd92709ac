//! Further requirements of every map, whatever its structure and size; and every call of maps and of sets.

use super::number::{Number, Rng, distinct, numbers, repeat, values};
use super::row::Row;
use super::table::Table;
use super::tables::MANY;
use std::collections::HashMap;
use warpproof::any::{Error, Map};
use warpproof::model::host::{Answer, BulkMap, BulkSet, BulkTable, Op, left_out};
use warpproof::model::outcome::{Assign, Delete, Insert};

impl<K: Number> Table<K> {
    /// Every call that takes keys, by its name: how many answers it gave to these keys, with themselves as
    /// values.
    pub(crate) fn every_call(&self, keys: &[K]) -> Vec<(&'static str, Result<usize, Error>)> {
        fn answers<A: IntoIterator>(answers: Result<A, Error>) -> Result<usize, Error> {
            answers.map(|answers| answers.into_iter().count())
        }
        let map = match self {
            Self::Map(map) => map,
            Self::Set(set) => {
                return vec![
                    ("insert", answers(set.insert(keys))),
                    ("contains", answers(set.contains(keys))),
                    ("delete", answers(set.delete(keys))),
                ];
            }
        };
        let mut calls = vec![
            ("insert_unique", answers(map.insert_unique(keys, keys))),
            ("insert_or_assign", answers(map.insert_or_assign(keys, keys))),
            ("search", answers(map.search(keys))),
            ("contains", answers(map.contains(keys))),
            ("count", answers(map.count(keys))),
            ("delete", answers(map.delete(keys))),
            ("mixed", answers(map.mixed(&vec![Op::Search; keys.len()], keys, keys))),
        ];
        if let Some(map) = map.matches() {
            calls.push(("search_all", map.search_all(keys).map(|found| found.keys())));
            calls.push(("delete_all", answers(map.delete_all(keys))));
        }
        if let Some(map) = map.multimap() {
            calls.push(("insert", answers(map.insert(keys, keys))));
        }
        if let Some(map) = map.counter() {
            calls.push(("insert_or_add", answers(map.insert_or_add(keys, keys))));
        }
        calls
    }
}

pub(crate) fn assign_inserts_or_replaces<K: Number>(row: &Row<K>) {
    let keys = distinct::<K>(MANY, 0);
    let (old, new) = keys.split_at(MANY / 2);
    let map = row.roomy_map(MANY);
    map.insert_unique(old, old).unwrap().all_stored().unwrap();
    let values = values(&keys);
    let outcomes = map.insert_or_assign(&keys, &values).unwrap();
    assert!(outcomes[..old.len()].iter().all(|&o| o == Assign::Replaced));
    assert!(outcomes[old.len()..].iter().all(|&o| o == Assign::Inserted));
    assert_eq!(new.len(), MANY - old.len());
    assert_eq!(map.search(&keys).unwrap(), values.iter().map(|&v| Some(v)).collect::<Vec<_>>());
    assert_eq!(map.len().unwrap(), MANY as u64);
    // Racing assignments: one inserts, one of the values stays.
    let few = distinct::<K>(500, MANY as u64);
    let many = repeat(&few, 16);
    let outcomes = map.insert_or_assign(&many, &numbers(many.len())).unwrap();
    assert_eq!(outcomes.iter().filter(|&&o| o == Assign::Inserted).count(), few.len());
    for (i, value) in map.search(&few).unwrap().into_iter().enumerate() {
        let value = value.expect("assigned").to_bits() as usize;
        assert_eq!(value % few.len(), i, "key {:?} got a value of another key", few[i]);
    }
}

pub(crate) fn mixed_batches_add_up<K: Number>(row: &Row<K>) {
    let range = 3_000;
    let map = row.roomy_map(200_000);
    let said_full = mix(&map, &numbers(range / 2), range, &[Op::InsertUnique, Op::Delete, Op::Search], 7);
    assert_eq!(said_full, (0, 0));
}

/// Fills a map with the keys `first`, then runs a mixed batch of these kinds of operations on the keys below
/// `range`: the answers must add up. How many said that there was no room: of those before, and in the batch.
pub(crate) fn mix<K: Number>(
    map: &Map<K, K>,
    first: &[K],
    range: usize,
    kinds: &[Op],
    seed: u64,
) -> (u64, u64) {
    let range = range as u64;
    let mut balance: HashMap<K, i64> = HashMap::new();
    let outcomes = map.insert_unique(first, first).unwrap();
    for (key, outcome) in first.iter().zip(&outcomes) {
        balance.insert(*key, (*outcome == Insert::Inserted) as i64);
    }
    let mut rng = Rng(seed);
    let ops: Vec<Op> = (0..100_000).map(|_| kinds[rng.below(kinds.len() as u64) as usize]).collect();
    let keys: Vec<K> = ops.iter().map(|_| K::of(rng.below(range))).collect();
    // A value tells its key: value = key + n * range.
    let values: Vec<K> = keys.iter().map(|k| K::of(k.to_bits() as u64 + range * rng.below(1_000))).collect();
    let mut full = 0;
    for (i, answer) in map.mixed(&ops, &keys, &values).unwrap().into_iter().enumerate() {
        let entry = balance.entry(keys[i]).or_default();
        match (ops[i], answer) {
            (Op::InsertUnique, Answer::Insert(Insert::Inserted))
            | (Op::Assign, Answer::Assign(Assign::Inserted)) => *entry += 1,
            (Op::Delete, Answer::Delete(Delete::Deleted)) => *entry -= 1,
            (Op::InsertUnique, Answer::Insert(Insert::Full)) | (Op::Assign, Answer::Assign(Assign::Full)) => {
                full += 1
            }
            (Op::InsertUnique, Answer::Insert(Insert::Present))
            | (Op::Assign, Answer::Assign(Assign::Replaced))
            | (Op::Delete, Answer::Delete(Delete::Absent))
            | (Op::Search, Answer::Search(None)) => {}
            (Op::Search, Answer::Search(Some(value))) => {
                assert_eq!(value.to_bits() as u64 % range, keys[i].to_bits() as u64, "operation {i}");
            }
            (op, answer) => panic!("operation {i}: {op:?} answered {answer:?}"),
        }
    }
    let mut counts: HashMap<K, i64> = HashMap::new();
    for (key, _) in map.retrieve_all().unwrap() {
        *counts.entry(key).or_default() += 1;
    }
    for key in numbers::<K>(range as usize) {
        let count = counts.get(&key).copied().unwrap_or(0);
        assert_eq!(balance.get(&key).copied().unwrap_or(0), count, "key {key:?}");
        assert!(count <= 1, "key {key:?} stands {count} times");
    }
    assert_eq!(counts.values().sum::<i64>(), map.len().unwrap() as i64, "a key of nobody");
    (left_out(&outcomes), full)
}

pub(crate) fn mixed_batches_of_distinct_keys_match_an_oracle<K: Number>(row: &Row<K>) {
    let map = row.roomy_map(60_000);
    let keys: Vec<K> = (0..1_000).map(|i| K::of(i * 7)).collect();
    let kinds = [Op::Insert, Op::InsertUnique, Op::Assign, Op::Delete, Op::Search];
    match_an_oracle(&map, vec![keys; 20], &kinds);
}

/// Runs a mixed batch of these kinds of operations on the keys of each round, which are distinct: each answer
/// follows from what stood there before. What stands there then, the values of each key from the oldest on.
pub(crate) fn match_an_oracle<K: Number>(
    map: &Map<K, K>,
    rounds: Vec<Vec<K>>,
    kinds: &[Op],
) -> HashMap<K, Vec<K>> {
    let (mut oracle, mut rng) = (HashMap::<K, Vec<K>>::new(), Rng(3));
    for (round, keys) in rounds.into_iter().enumerate() {
        let ops: Vec<Op> = keys.iter().map(|_| kinds[rng.below(kinds.len() as u64) as usize]).collect();
        let values: Vec<K> = keys.iter().map(|_| K::of(rng.next())).collect();
        let answers = map.mixed(&ops, &keys, &values).unwrap();
        for (((op, key), value), answer) in ops.into_iter().zip(&keys).zip(values).zip(answers) {
            let held = oracle.entry(*key).or_default();
            // Which of several pairs is replaced or deleted: the one in the lowest slot, the oldest.
            let right = match (op, held.is_empty()) {
                (Op::Search, _) => Answer::Search(held.first().copied()),
                (Op::Delete, true) => Answer::Delete(Delete::Absent),
                (Op::Delete, false) => {
                    held.remove(0);
                    Answer::Delete(Delete::Deleted)
                }
                (Op::Assign, true) => {
                    held.push(value);
                    Answer::Assign(Assign::Inserted)
                }
                (Op::Assign, false) => {
                    held[0] = value;
                    Answer::Assign(Assign::Replaced)
                }
                (Op::InsertUnique, false) => Answer::Insert(Insert::Present),
                // In a map of unique keys an insert is a unique one.
                (Op::Insert, false) if map.multimap().is_none() => Answer::Insert(Insert::Present),
                (Op::Insert | Op::InsertUnique, _) => {
                    held.push(value);
                    Answer::Insert(Insert::Inserted)
                }
            };
            assert_eq!(answer, right, "round {round}: {op:?} of key {key:?}");
        }
    }
    oracle
}

/// Keys and values may be anything.
pub(crate) fn values_may_be_anything<K: Number>(row: &Row<K>) {
    let map = row.roomy_map(10);
    let (reserved, half) = (K::FIRST_RESERVED.to_bits() as u64, K::MAX.to_bits() as u64 / 2);
    let most = K::MAX.to_bits() as u64;
    let keys: Vec<K> = [0, 1, 2, half, half + 1].into_iter().chain(reserved - 1..=most).map(K::of).collect();
    let values = [most, 0, reserved, half, most, half + 1, most, reserved, most].map(K::of);
    let values = &values[..keys.len()];
    map.insert_unique(&keys, values).unwrap().all_stored().unwrap();
    assert!(map.search(&keys).unwrap().into_iter().eq(values.iter().copied().map(Some)));
}

pub(crate) fn lengths_must_agree<K: Number>(row: &Row<K>) {
    let map = row.roomy_map(10);
    let (two, three) = ([K::of(1); 2], [K::of(1); 3]);
    let mut errors = vec![
        map.insert_unique(&three, &two).unwrap_err(),
        map.insert_or_assign(&three, &two).unwrap_err(),
        map.mixed(&[Op::Insert; 3], &three, &two).unwrap_err(),
        map.mixed(&[Op::Insert; 2], &three, &three).unwrap_err(),
    ];
    errors.extend(map.multimap().map(|map| map.insert(&three, &two).unwrap_err()));
    errors.extend(map.counter().map(|map| map.insert_or_add(&three, &two).unwrap_err()));
    for message in errors.iter().map(ToString::to_string) {
        assert!(message.contains("3 keys but 2"), "{message}");
    }
    assert!(map.is_empty().unwrap(), "a refused batch changed the map");
}
