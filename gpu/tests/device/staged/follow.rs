//! All operations on a table, compared with a map of the host's.

use std::collections::BTreeMap;
use std::fmt::Debug;
use warpproof_gpu::structures::Holds;
use warpproof_gpu::{Entry, KeyScalar, Map, Set, Staged};
use warpproof_model::host::{Answer, Op};
use warpproof_model::outcome::{Assign, Delete, Insert};

/// What keys and values a test has.
pub(super) trait Number: KeyScalar + TryFrom<u64, Error: Debug> {
    fn of(number: u64) -> Self {
        Self::try_from(number).expect("a small number")
    }
    fn all(numbers: impl Iterator<Item = u64>) -> Vec<Self> {
        numbers.map(Self::of).collect()
    }
}
impl Number for u32 {}
impl Number for u64 {}

/// Runs each operation on an empty map with batches of `n`.
pub(super) fn follow<K: Number, S: Holds<(K, K)>>(map: &mut Staged<'_, Map<K, K, S>>, n: u64)
where
    (K, K): Entry,
{
    let (keys, values) = (K::all(0..n), K::all((0..n).map(|key| key * 3)));
    let mut inserted = vec![Insert::Full; keys.len()];
    map.insert_unique(&keys, &values, &mut inserted[..]).unwrap();
    assert!(inserted.iter().all(|&outcome| outcome == Insert::Inserted));
    let mut present = 0;
    map.insert_unique(&keys, &keys, |outcome: Insert| present += (outcome == Insert::Present) as u64)
        .unwrap();
    assert_eq!(present, n);

    // A third are new.
    let (some, other) = (K::all(n / 2..n + n / 4), K::all((n / 2..n + n / 4).map(|key| key * 5)));
    let mut assigned = Vec::new();
    map.insert_or_assign(&some, &other, &mut assigned).unwrap();
    let outcome = |key| if key < n { Assign::Replaced } else { Assign::Inserted };
    assert!(assigned.into_iter().eq((n / 2..n + n / 4).map(outcome)));
    let mut model: BTreeMap<u64, u64> = (0..n).map(|key| (key, key * 3)).collect();
    model.extend((n / 2..n + n / 4).map(|key| (key, key * 5)));

    let mut found = vec![None; 2 * keys.len()];
    map.search(&K::all(0..2 * n), &mut found[..]).unwrap();
    assert!(found.into_iter().eq((0..2 * n).map(|key| model.get(&key).map(|&value| K::of(value)))));
    let mut there = Vec::new();
    map.contains(&K::all(0..2 * n), &mut there).unwrap();
    assert!(there.into_iter().eq((0..2 * n).map(|key| model.contains_key(&key))));

    for outcome in [Delete::Deleted, Delete::Absent] {
        let mut deleted = Vec::new();
        map.delete(&keys[..keys.len() / 3], &mut deleted).unwrap();
        assert_eq!(deleted, vec![outcome; keys.len() / 3]);
    }
    model.retain(|&key, _| key >= n / 3);
    mix(map, n, &mut model);
    let mut there = Vec::new();
    map.search(&K::all(0..2 * n), |value: Option<K>| there.push(value.is_some())).unwrap();
    assert!(there.into_iter().eq((0..2 * n).map(|key| model.contains_key(&key))));
}

/// Runs operations of all kinds, one for each key up to `2 * n`.
fn mix<K: Number, S: Holds<(K, K)>>(
    map: &mut Staged<'_, Map<K, K, S>>,
    n: u64,
    model: &mut BTreeMap<u64, u64>,
) where
    (K, K): Entry,
{
    let kinds = [Op::Search, Op::Delete, Op::InsertUnique, Op::Assign, Op::Insert];
    let ops: Vec<Op> = kinds.into_iter().cycle().take(2 * n as usize).collect();
    let mut answers = Vec::new();
    map.mixed(&ops, &K::all(0..2 * n), &K::all(n..3 * n), &mut answers).unwrap();
    assert_eq!(answers.len(), ops.len());
    for (key, (op, answer)) in (0..).zip(ops.into_iter().zip(answers)) {
        let expected = match op {
            Op::Search => Answer::Search(model.get(&key).map(|&value| K::of(value))),
            Op::Delete if model.remove(&key).is_some() => Answer::Delete(Delete::Deleted),
            Op::Delete => Answer::Delete(Delete::Absent),
            Op::Assign if model.insert(key, n + key).is_some() => Answer::Assign(Assign::Replaced),
            Op::Assign => Answer::Assign(Assign::Inserted),
            Op::Insert | Op::InsertUnique if model.contains_key(&key) => Answer::Insert(Insert::Present),
            Op::Insert | Op::InsertUnique => {
                model.insert(key, n + key);
                Answer::Insert(Insert::Inserted)
            }
        };
        assert_eq!(answer, expected, "{op:?} of key {key} of {}", 2 * n);
    }
}

/// Runs batches on an empty set, and compares each answer with the expected one.
pub(super) fn follow_keys<K: Number, S: Holds<(K,)>>(set: &mut Staged<'_, Set<K, S>>, n: u64) {
    let keys = K::all(0..n);
    for outcome in [Insert::Inserted, Insert::Present] {
        let mut inserted = vec![Insert::Full; keys.len()];
        set.insert(&keys, &mut inserted[..]).unwrap();
        assert_eq!(inserted, vec![outcome; keys.len()]);
    }
    let mut deleted = Vec::new();
    set.delete(&K::all(n / 2..n + n / 2), &mut deleted).unwrap();
    let outcome = |key| if key < n { Delete::Deleted } else { Delete::Absent };
    assert!(deleted.into_iter().eq((n / 2..n + n / 2).map(outcome)));
    let mut there = Vec::new();
    set.contains(&K::all(0..2 * n), |found: bool| there.push(found)).unwrap();
    assert!(there.into_iter().eq((0..2 * n).map(|key| key < n / 2)));
}
