//! What every table must do, whatever its structure and size.

use super::number::{Number, distinct, repeat, values};
use super::row::Row;
use std::collections::HashMap;
use warpproof::model::outcome::{Delete, Insert};

pub(crate) const MANY: usize = 50_000;

pub(crate) fn unique_insert_finds_every_key_and_no_other<K: Number>(row: &Row<K>) {
    let table = row.roomy(MANY);
    let (keys, others) = (distinct::<K>(MANY, 0), distinct::<K>(MANY, MANY as u64));
    let expected = table.fill(&keys);
    assert_eq!(expected.len(), MANY, "an insert said Full");
    assert_eq!(table.contains(&keys), vec![true; MANY]);
    assert_eq!(table.contains(&others), vec![false; MANY]);
    assert!(table.insert(&keys, &keys).iter().all(|&outcome| outcome == Insert::Present));
    table.holds(&expected, &[keys, others].concat());
}

pub(crate) fn one_of_many_racing_inserts_wins<K: Number>(row: &Row<K>) {
    for (n, times) in [(2_000, 16), (MANY, 2)] {
        let table = row.roomy(n);
        let keys = distinct::<K>(n, 0);
        let (winners, left_out) = table.race(&keys, times);
        assert_eq!((winners.len(), left_out), (n, 0));
        table.holds(&winners, &keys);
    }
}

pub(crate) fn deleted_keys_are_absent_and_come_again<K: Number>(row: &Row<K>) {
    let table = row.roomy(2 * MANY);
    let keys = distinct::<K>(MANY, 0);
    let mut expected = table.fill(&keys);
    let (gone, kept) = keys.split_at(MANY / 2);
    table.delete_those(gone);
    assert!(table.delete(gone).iter().all(|&outcome| outcome == Delete::Absent));
    for key in gone {
        expected.remove(key);
    }
    table.holds(&expected, &keys);
    table.delete_those(kept);
    assert!(table.is_empty());
    assert!(table.insert(&keys, &keys).iter().all(|&outcome| outcome == Insert::Inserted));
    assert_eq!(table.len(), MANY as u64);
}

pub(crate) fn racing_deletes_succeed_once<K: Number>(row: &Row<K>) {
    let few = distinct::<K>(2_000, 0);
    let table = row.roomy(few.len());
    table.fill(&few);
    let many = repeat(&few, 16);
    let mut deleted: HashMap<K, u32> = HashMap::new();
    for (key, outcome) in many.iter().zip(table.delete(&many)) {
        *deleted.entry(*key).or_default() += (outcome == Delete::Deleted) as u32;
    }
    assert!(few.iter().all(|k| deleted[k] == 1));
    assert!(table.is_empty());
}

/// The keys that no slot can hold come and go as the others do, and as often.
pub(crate) fn the_highest_keys_are_keys<K: Number>(row: &Row<K>) {
    let table = row.roomy(10);
    let (first, last) = (K::FIRST_RESERVED.to_bits() as u64, K::MAX.to_bits() as u64);
    let keys: Vec<K> = [1].into_iter().chain(first - 1..=last).map(K::of).collect();
    for (call, answers) in table.every_call(&keys) {
        assert_eq!(answers.expect(call), keys.len(), "{call}");
    }
    let table = row.roomy(10);
    for round in 0..30 {
        assert!(table.is_empty(), "round {round}");
        assert_eq!(table.contains(&keys), vec![false; keys.len()], "round {round}");
        // The others leave tombstones.
        let now = if round == 0 { &keys[..] } else { &keys[2..] };
        let held = table.fill(now);
        table.holds(&held, now);
        assert_eq!(table.len(), now.len() as u64, "round {round}");
        table.delete_those(now);
    }
}

pub(crate) fn empty_batches_do_nothing<K: Number>(row: &Row<K>) {
    let mut table = row.roomy(0);
    for (call, answers) in table.every_call(&[]) {
        assert_eq!(answers.expect(call), 0, "{call}");
    }
    assert!(table.entries().is_empty() && table.is_empty());
    assert!(table.flush().is_none_or(|slabs| slabs == 0));
}

pub(crate) fn a_cleared_table_is_as_it_was_made<K: Number>(row: &Row<K>) {
    let mut table = row.roomy(MANY);
    table.clear();
    let mut before = Vec::new();
    // No structure of a fixed size has room for the keys of all rounds.
    for round in 0..4 {
        let keys = distinct::<K>(MANY, (round * MANY) as u64);
        assert_eq!(table.fill(&keys).len(), MANY, "round {round}");
        assert_eq!(table.contains(&before), vec![false; before.len()], "round {round}");
        assert_eq!(table.contains(&keys), vec![true; MANY], "round {round}");
        assert_eq!(table.len(), MANY as u64, "round {round}");
        table.delete_those(&keys[..MANY / 3]);
        table.clear();
        assert!(table.is_empty() && table.entries().is_empty(), "round {round}");
        before = keys;
    }
}

pub(crate) fn build_holds_every_key<K: Number>(row: &Row<K>) {
    let keys = distinct::<K>(MANY, 0);
    let values = values(&keys);
    let table = row.build(&keys, &values).unwrap();
    table.holds(&keys.iter().copied().zip(values.iter().copied()).collect(), &keys);
    assert!(row.build(&[], &[]).unwrap().is_empty());
    if table.map().is_none_or(|map| map.multimap().is_none()) {
        let some = |all: &[K]| [all, &all[..100]].concat();
        let table = row.build(&some(&keys), &some(&values)).unwrap();
        assert!(table.contains(&keys).iter().all(|&found| found));
        assert_eq!(table.len(), MANY as u64);
    }
    if table.map().is_some() {
        let message = row.build(&keys[..3], &keys[..2]).err().expect("a wrong batch").to_string();
        assert!(message.contains("3 keys but 2 values"), "{message}");
    }
}
