//! What a map must do, whatever its size.

use super::Maps;
use super::number::{Number, Rng, distinct};
use std::collections::HashMap;
use warpproof::model::host::{Answer, BulkMap, BulkTable, Op};
use warpproof::model::outcome::{Assign, Delete, Insert};

pub(super) const MANY: usize = 50_000;

pub(super) fn map<B: Maps<K, G>, K: Number, G>(b: &B, pairs: usize) -> B::Map {
    b.map(b.geometry(pairs as u64, 0.6))
}

pub(super) fn values<K: Number>(keys: &[K]) -> Vec<K> {
    keys.iter().map(|k| K::of(!(k.to_bits() as u64))).collect()
}

pub(super) fn repeat<T: Copy>(items: &[T], times: usize) -> Vec<T> {
    (0..times).flat_map(|_| items.iter().copied()).collect()
}

/// How often each key stands in a map.
pub(super) fn counts<K: Number>(map: &impl BulkMap<K, K>) -> HashMap<K, i64> {
    let mut counts = HashMap::new();
    for (key, _) in map.retrieve_all().unwrap() {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

pub(crate) fn unique_insert_finds_every_key_and_no_other<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = map(b, MANY);
    let (keys, others) = (distinct::<K>(MANY, 0), distinct::<K>(MANY, MANY as u64));
    let values = values(&keys);
    assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.search(&keys).unwrap(), values.iter().map(|&v| Some(v)).collect::<Vec<_>>());
    assert!(map.search(&others).unwrap().iter().all(Option::is_none));
    assert_eq!(map.contains(&keys).unwrap(), vec![true; MANY]);
    assert_eq!(map.contains(&others).unwrap(), vec![false; MANY]);
    assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&o| o == Insert::Present));
    assert_eq!(map.len().unwrap(), MANY as u64);
    let mut pairs = map.retrieve_all().unwrap();
    pairs.sort_unstable();
    let mut expected: Vec<_> = keys.into_iter().zip(values).collect();
    expected.sort_unstable();
    assert_eq!(pairs, expected);
}

pub(crate) fn one_of_many_racing_inserts_wins<B: Maps<K, G>, K: Number, G>(b: &B) {
    let (distinct_keys, times) = (distinct::<K>(2_000, 0), 16);
    let map = map(b, distinct_keys.len());
    let keys = repeat(&distinct_keys, times);
    let values: Vec<K> = (0..keys.len() as u64).map(K::of).collect();
    let outcomes = map.insert_unique(&keys, &values).unwrap();
    let mut winner = HashMap::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Insert::Inserted => {
                assert!(winner.insert(keys[i], values[i]).is_none(), "key {:?} twice", keys[i])
            }
            Insert::Present => {}
            Insert::Full => panic!("full at {i}"),
        }
    }
    let found = map.search(&distinct_keys).unwrap();
    for (key, value) in distinct_keys.iter().zip(found) {
        assert_eq!(value, winner.get(key).copied(), "key {key:?}");
    }
    assert_eq!(counts(&map).values().copied().collect::<Vec<_>>(), vec![1; distinct_keys.len()]);
}

pub(crate) fn assign_inserts_or_replaces<B: Maps<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let (old, new) = keys.split_at(MANY / 2);
    let map = map(b, MANY);
    map.insert_unique(old, old).unwrap();
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
    let numbers: Vec<K> = (0..many.len() as u64).map(K::of).collect();
    let outcomes = map.insert_or_assign(&many, &numbers).unwrap();
    assert_eq!(outcomes.iter().filter(|&&o| o == Assign::Inserted).count(), few.len());
    for (i, value) in map.search(&few).unwrap().into_iter().enumerate() {
        let value = value.expect("assigned").to_bits() as usize;
        assert_eq!(value % few.len(), i, "key {:?} got a value of another key", few[i]);
    }
}

pub(crate) fn delete_takes_out_one_pair_each<B: Maps<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let map = map(b, MANY);
    map.insert_unique(&keys, &keys).unwrap();
    let (gone, kept) = keys.split_at(MANY / 2);
    assert!(map.delete(gone).unwrap().iter().all(|&o| o == Delete::Deleted));
    assert!(map.delete(gone).unwrap().iter().all(|&o| o == Delete::Absent));
    assert!(map.search(gone).unwrap().iter().all(Option::is_none));
    assert!(map.search(kept).unwrap().iter().all(Option::is_some));
    let left: Vec<bool> = (0..keys.len()).map(|i| i >= gone.len()).collect();
    assert_eq!(map.contains(&keys).unwrap(), left);
    assert_eq!(map.len().unwrap(), kept.len() as u64);
}

pub(crate) fn racing_deletes_succeed_once<B: Maps<K, G>, K: Number, G>(b: &B) {
    let few = distinct::<K>(2_000, 0);
    let map = map(b, few.len());
    map.insert_unique(&few, &few).unwrap();
    let many = repeat(&few, 16);
    let outcomes = map.delete(&many).unwrap();
    let mut deleted: HashMap<K, u32> = HashMap::new();
    for (key, outcome) in many.iter().zip(outcomes) {
        *deleted.entry(*key).or_default() += (outcome == Delete::Deleted) as u32;
    }
    assert!(few.iter().all(|k| deleted[k] == 1));
    assert!(map.is_empty().unwrap());
}

pub(crate) fn mixed_batches_add_up<B: Maps<K, G>, K: Number, G>(b: &B) {
    let range = 3_000u64;
    let map = map(b, 200_000);
    let prefilled: Vec<K> = (0..range / 2).map(K::of).collect();
    map.insert_unique(&prefilled, &prefilled).unwrap();
    let mut rng = Rng(7);
    let ops: Vec<Op> =
        (0..100_000).map(|_| [Op::InsertUnique, Op::Delete, Op::Search][rng.below(3) as usize]).collect();
    let keys: Vec<K> = ops.iter().map(|_| K::of(rng.below(range))).collect();
    // A value tells its key: value = key + n * range.
    let values: Vec<K> = keys.iter().map(|k| K::of(k.to_bits() as u64 + range * rng.below(1000))).collect();
    let answers = map.mixed(&ops, &keys, &values).unwrap();
    let mut balance: HashMap<K, i64> = prefilled.iter().map(|&k| (k, 1)).collect();
    for (i, answer) in answers.iter().enumerate() {
        let entry = balance.entry(keys[i]).or_default();
        match (ops[i], answer) {
            (Op::InsertUnique, Answer::Insert(Insert::Inserted)) => *entry += 1,
            (Op::InsertUnique, Answer::Insert(Insert::Present)) => {}
            (Op::Delete, Answer::Delete(Delete::Deleted)) => *entry -= 1,
            (Op::Delete, Answer::Delete(Delete::Absent)) | (Op::Search, Answer::Search(None)) => {}
            (Op::Search, Answer::Search(Some(value))) => {
                assert_eq!(value.to_bits() as u64 % range, keys[i].to_bits() as u64, "operation {i}");
            }
            (op, answer) => panic!("operation {i}: {op:?} answered {answer:?}"),
        }
    }
    let counts = counts(&map);
    for key in (0..range).map(K::of) {
        let count = counts.get(&key).copied().unwrap_or(0);
        assert_eq!(balance.get(&key).copied().unwrap_or(0), count, "key {key:?}");
        assert!(count <= 1, "key {key:?} stands {count} times");
    }
    assert_eq!(counts.values().sum::<i64>(), map.len().unwrap() as i64, "a key of nobody");
}

pub(crate) fn values_may_be_anything<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = map(b, 10);
    let keys = [K::of(0), K::of(1), K::of(2), K::of(K::FIRST_RESERVED.to_bits() as u64 - 1)];
    let values = [K::MAX, K::of(0), K::of(K::FIRST_RESERVED.to_bits() as u64), K::MAX];
    map.insert_unique(&keys, &values).unwrap();
    assert_eq!(map.search(&keys).unwrap(), values.map(Some));
}

pub(crate) fn reserved_keys_are_refused_with_their_index<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = map(b, 10);
    for reserved in [K::FIRST_RESERVED, K::MAX] {
        let keys = [K::of(1), K::of(2), reserved];
        for message in [
            map.insert_unique(&keys, &keys).unwrap_err().to_string(),
            map.insert_or_assign(&keys, &keys).unwrap_err().to_string(),
            map.search(&keys).unwrap_err().to_string(),
            map.contains(&keys).unwrap_err().to_string(),
            map.delete(&keys).unwrap_err().to_string(),
            map.mixed(&[Op::Search; 3], &keys, &keys).unwrap_err().to_string(),
        ] {
            assert!(message.contains("index 2"), "{message}");
        }
    }
    assert!(map.is_empty().unwrap(), "a refused batch changed the map");
}

pub(crate) fn lengths_must_agree<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = map(b, 10);
    let (two, three) = ([K::of(1); 2], [K::of(1); 3]);
    for message in [
        map.insert_unique(&three, &two).unwrap_err().to_string(),
        map.insert_or_assign(&three, &two).unwrap_err().to_string(),
        map.mixed(&[Op::Insert; 3], &three, &two).unwrap_err().to_string(),
        map.mixed(&[Op::Insert; 2], &three, &three).unwrap_err().to_string(),
    ] {
        assert!(message.contains("3 keys but 2"), "{message}");
    }
    assert!(map.is_empty().unwrap(), "a refused batch changed the map");
}

pub(crate) fn empty_batches_do_nothing<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = map(b, 0);
    assert!(map.insert_unique(&[], &[]).unwrap().is_empty());
    assert!(map.search(&[]).unwrap().is_empty());
    assert!(map.contains(&[]).unwrap().is_empty());
    assert!(map.delete(&[]).unwrap().is_empty());
    assert!(map.mixed(&[], &[], &[]).unwrap().is_empty());
    assert!(map.retrieve_all().unwrap().is_empty());
    assert!(map.is_empty().unwrap());
}

pub(crate) fn a_cleared_map_is_as_it_was_made<B: Maps<K, G>, K: Number, G>(b: &B) {
    let mut map = map(b, MANY);
    map.clear().unwrap();
    let mut before = Vec::new();
    // No structure has room for the keys of all rounds.
    for round in 0..4 {
        let keys = distinct::<K>(MANY, (round * MANY) as u64);
        assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&o| o == Insert::Inserted), "{round}");
        assert_eq!(map.contains(&before).unwrap(), vec![false; before.len()], "round {round}");
        assert_eq!(map.contains(&keys).unwrap(), vec![true; MANY], "round {round}");
        assert_eq!(map.len().unwrap(), MANY as u64, "round {round}");
        map.delete(&keys[..MANY / 3]).unwrap();
        map.clear().unwrap();
        assert!(map.is_empty().unwrap(), "round {round}");
        assert!(map.retrieve_all().unwrap().is_empty(), "round {round}");
        before = keys;
    }
}

pub(crate) fn build_holds_every_key<B: Maps<K, G>, K: Number, G>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    let values = values(&keys);
    let map = b.build(&keys, &values).unwrap();
    assert_eq!(map.search(&keys).unwrap(), values.iter().map(|&v| Some(v)).collect::<Vec<_>>());
    assert_eq!(map.len().unwrap(), MANY as u64);
    assert!(b.build(&[], &[]).unwrap().is_empty().unwrap());
}

pub(crate) fn build_refuses_what_inserts_refuse<B: Maps<K, G>, K: Number, G>(b: &B) {
    let keys = [K::of(1), K::FIRST_RESERVED, K::of(2)];
    let message = b.build(&keys, &keys).err().expect("a reserved key").to_string();
    assert!(message.contains("index 1"), "{message}");
    let message = b.build(&keys, &keys[..2]).err().expect("a value is missing").to_string();
    assert!(message.contains("3 keys but 2 values"), "{message}");
}
