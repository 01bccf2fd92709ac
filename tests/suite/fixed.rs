//! What a map in a table of a fixed size must do, and what its bodies are made of.

use super::Maps;
use super::map::{counts, repeat, values};
use super::number::{Number, Rng, distinct};
use std::collections::HashMap;
use warpproof::model::host::{Answer, BulkMap, Op, left_out};
use warpproof::model::outcome::{Assign, Delete, Insert};

/// Pairs of a crowded table.
pub(super) const CROWD: usize = 20_000;

/// Inserts keys that are absent; what stands in the map then.
pub(super) fn fill<K: Number>(map: &impl BulkMap<K, K>, keys: &[K]) -> HashMap<K, K> {
    let stored = values(keys);
    let done = map.insert_unique(keys, &stored).unwrap();
    assert!(done.iter().all(|&outcome| outcome != Insert::Present), "no key was there");
    let pairs = keys.iter().copied().zip(stored).zip(done);
    pairs.filter(|(_, outcome)| *outcome == Insert::Inserted).map(|(pair, _)| pair).collect()
}

/// Checks that a map holds exactly these pairs, each once, and none of the other `asked` keys.
pub(super) fn holds<K: Number>(map: &impl BulkMap<K, K>, expected: &HashMap<K, K>, asked: &[K]) {
    let found = map.search(asked).unwrap();
    for (key, found) in asked.iter().zip(found) {
        assert_eq!(found, expected.get(key).copied(), "key {key:?}");
    }
    let mut pairs = map.retrieve_all().unwrap();
    pairs.sort_unstable();
    let mut right: Vec<(K, K)> = expected.iter().map(|(&key, &value)| (key, value)).collect();
    right.sort_unstable();
    assert_eq!(pairs, right);
    assert_eq!(map.len().unwrap(), right.len() as u64);
}

/// More keys than there is `room` for race into an empty map, each eight times: all slots are filled, and who found none
/// found none again. What stands there then, and the keys.
pub(super) fn race_to_fill<K: Number>(
    map: &impl BulkMap<K, K>,
    room: usize,
    from: u64,
) -> (HashMap<K, K>, Vec<K>) {
    let few = distinct::<K>(4 * room, from);
    let many = repeat(&few, 8);
    let outcomes = map.insert_unique(&many, &many).unwrap();
    let mut said: HashMap<K, [usize; 3]> = HashMap::new();
    for (key, outcome) in many.iter().zip(&outcomes) {
        said.entry(*key).or_default()[outcome.code() as usize] += 1;
    }
    let count = |key: &K, outcome: Insert| said[key][outcome.code() as usize];
    for key in &few {
        // A table that is full stays so: nobody deletes.
        let (inserted, full) = (count(key, Insert::Inserted), count(key, Insert::Full));
        assert!((inserted, full) == (1, 0) || (inserted, full) == (0, 8), "key {key:?}: {:?}", said[key]);
    }
    let expected: HashMap<K, K> =
        few.iter().filter(|key| count(key, Insert::Inserted) == 1).map(|&key| (key, key)).collect();
    assert_eq!(expected.len(), room, "some slot is empty although an insert found none");
    (expected, few)
}

pub(crate) fn racing_inserts_of_a_crowded_table_win_once<B: Maps<K, G>, K: Number, G>(b: &B) {
    let map = b.map(b.geometry(CROWD as u64, 0.95));
    let few = distinct::<K>(CROWD, 0);
    let many = repeat(&few, 4);
    let numbers: Vec<K> = (0..many.len() as u64).map(K::of).collect();
    let outcomes = map.insert_unique(&many, &numbers).unwrap();
    let won = many.iter().zip(&numbers).zip(&outcomes).filter(|(_, o)| **o == Insert::Inserted);
    let mut expected = HashMap::new();
    for ((key, number), _) in won {
        assert!(expected.insert(*key, *number).is_none(), "key {key:?} twice");
    }
    assert!(left_out(&outcomes) * 5 < many.len() as u64, "{} say Full", left_out(&outcomes));
    holds(&map, &expected, &few);
}

/// A mixed batch on a map with [`CROWD`] slots or few more, which is filled before, on twice as many keys: the answers must
/// add up. How many said that there was no room.
pub(super) fn mix_in_a_crowd<K: Number>(map: &impl BulkMap<K, K>) -> u64 {
    let range = 2 * CROWD as u64;
    let first: Vec<K> = (0..CROWD as u64).map(K::of).collect();
    let mut balance: HashMap<K, i64> = HashMap::new();
    for (key, outcome) in first.iter().zip(map.insert_unique(&first, &first).unwrap()) {
        balance.insert(*key, (outcome == Insert::Inserted) as i64);
    }
    let mut rng = Rng(11);
    let kinds = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search];
    let ops: Vec<Op> = (0..100_000).map(|_| kinds[rng.below(4) as usize]).collect();
    let keys: Vec<K> = ops.iter().map(|_| K::of(rng.below(range))).collect();
    let numbers: Vec<K> = keys.iter().map(|k| K::of(k.to_bits() as u64 + range * rng.below(1_000))).collect();
    let mut full = 0;
    for (i, answer) in map.mixed(&ops, &keys, &numbers).unwrap().into_iter().enumerate() {
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
    let counts = counts(map);
    for key in (0..range).map(K::of) {
        let count = counts.get(&key).copied().unwrap_or(0);
        assert_eq!(balance.get(&key).copied().unwrap_or(0), count, "key {key:?}");
        assert!(count <= 1, "key {key:?} stands {count} times");
    }
    assert_eq!(counts.values().sum::<i64>(), map.len().unwrap() as i64, "a key of nobody");
    full
}
