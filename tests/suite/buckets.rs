//! Additional requirements of tables with buckets of a fixed size: adding to values, order, tombstones.

use super::crowds::halve;
use super::facts::{CROWD, typed};
use super::number::{Number, distinct, repeat, slot_keys, values};
use super::row::Row;
use super::table::Table;
use std::collections::HashMap;
use warpproof::model::host::{BulkMap, OpenGeometry};
use warpproof::model::outcome::{Add, Delete, Insert};

/// Entries of a table that fills with tombstones: half of a crowd, as each search that ends nowhere in it
/// looks through all of it.
const CHURN: usize = CROWD / 2;

/// Slots of a table.
fn slots<K: Number>(table: &Table<K>) -> usize {
    typed::<OpenGeometry>(table.geometry()).slots()
}

pub(crate) fn counters_add_up<K: Number>(row: &Row<K>) {
    let few = distinct::<K>(500, 0);
    let load = if row.facts.reuses { 0.9 } else { 0.95 };
    let table = Table::Map(row.map(row.size(few.len(), load)));
    let map = table.map().expect("a map");
    let add =
        |keys: &[K], values: &[K]| map.counter().expect("a counter").insert_or_add(keys, values).unwrap();
    let (many, times) = (repeat(&few, 40), 40);
    let mut inserted: HashMap<K, u32> = HashMap::new();
    for (key, outcome) in many.iter().zip(add(&many, &vec![K::of(1); many.len()])) {
        assert_ne!(outcome, Add::Full, "key {key:?}");
        *inserted.entry(*key).or_default() += (outcome == Add::Inserted) as u32;
    }
    assert!(few.iter().all(|key| inserted[key] == 1), "one of those that race inserts");
    table.holds(&few.iter().map(|&key| (key, K::of(times))).collect(), &few);
    assert!(row.facts.reuses || table.stats().tombstones() == 0);
    // A sum wraps.
    assert_eq!(add(&few[..1], &[K::MAX]), [Add::Added]);
    assert_eq!(map.search(&few[..1]).unwrap(), [Some(K::of(times - 1))]);
    // What was deleted begins anew.
    assert_eq!(map.delete(&few[..1]).unwrap(), [Delete::Deleted]);
    assert_eq!(add(&few[..1], &[K::of(7)]), [Add::Inserted]);
    assert_eq!(map.search(&few[..1]).unwrap(), [Some(K::of(7))]);
}

pub(crate) fn a_counter_says_full<K: Number>(row: &Row<K>) {
    let (size, slots) = (row.facts.tiny)(row.size(1, 0.6))[1];
    let table = Table::Map(row.map(size));
    let map = table.map().and_then(|map| map.counter()).expect("a counter");
    let keys = slot_keys::<K>(slots + 1, 0);
    let (there, left_out) = keys.split_at(slots);
    let outcomes = map.insert_or_add(there, there).unwrap();
    assert!(outcomes.iter().all(|&outcome| outcome == Add::Inserted));
    assert_eq!(map.insert_or_add(left_out, left_out).unwrap(), [Add::Full]);
    assert_eq!(map.insert_or_add(&there[..1], &[K::of(0)]).unwrap(), [Add::Added]);
    table.holds(&there.iter().map(|&key| (key, key)).collect(), &keys);
    assert!(row.facts.reuses || table.stats().tombstones() == 0);
}

pub(crate) fn entries_come_in_the_order_of_their_slots<K: Number>(row: &Row<K>) {
    let size = OpenGeometry { buckets: 1, ..typed(row.size(1, 0.6)) };
    let table = row.table(size);
    assert_eq!(table.in_order(), Some(vec![]));
    // The one bucket is filled from its lowest slot on.
    let keys = slot_keys::<K>(size.slots(), 0);
    let mut entries = Vec::new();
    for (&key, value) in keys.iter().zip(values(&keys)) {
        assert_eq!(table.insert(&[key], &[value]), [Insert::Inserted]);
        entries.push(table.entry((key, value)));
        assert_eq!(table.in_order().as_ref(), Some(&entries));
    }
    table.delete_those(&keys[1..3]);
    entries.drain(1..3);
    assert_eq!(table.in_order().as_ref(), Some(&entries));
    table.delete_those(&keys[..1]);
    assert_eq!(table.in_order().as_deref(), Some(&entries[1..]));
    // Many blocks, the last one with few slots; whichever order they run in.
    let table = row.table(row.size(CROWD, 0.7));
    assert_eq!(table.fill(&distinct::<K>(CROWD, 0)).len(), CROWD);
    let mut entries = table.in_order().expect("an order");
    for _ in 0..3 {
        assert_eq!(table.in_order().as_ref(), Some(&entries));
    }
    // The keys that no slot holds come first.
    let highest = distinct::<K>(2, 0);
    let pairs = highest.iter().copied().zip(values(&highest));
    assert_eq!(entries[..2], pairs.rev().map(|pair| table.entry(pair)).collect::<Vec<_>>());
    entries.sort_unstable();
    assert_eq!(entries.len(), CROWD);
    assert_eq!(entries, table.entries());
}

pub(crate) fn churn_leaves_tombstones_until_the_table_is_full<K: Number>(row: &Row<K>) {
    let table = row.table(row.size(CHURN, 0.5));
    let slots = slots(&table);
    let mut asked = slot_keys::<K>(CHURN, 0);
    let (mut expected, mut gone) = (table.fill(&asked), 0);
    for round in 1..5 {
        gone += halve(&table, &mut expected);
        let new = slot_keys::<K>(CHURN / 2, (round * CHURN) as u64);
        let (taken, came) = (expected.len() + gone, table.fill(&new));
        // A key has 512 buckets: the last slots of a table may be in none of them.
        let room = new.len().min(slots - taken);
        let found = came.len();
        let all = taken + room <= slots * 98 / 100;
        assert!(
            found == room || !all && taken + found >= slots * 98 / 100,
            "round {round}: {taken} of {slots} were taken, {found} of {room} found room"
        );
        expected.extend(came);
        asked.extend(new);
        table.holds(&expected, &asked);
        assert_eq!(table.stats().tombstones(), gone as u64);
    }
    assert!(expected.len() + gone >= slots * 98 / 100, "the last round found no room");
}

pub(crate) fn keys_that_come_again_take_other_slots<K: Number>(row: &Row<K>) {
    let table = row.roomy(2 * CHURN);
    let slots = slots(&table);
    let (keys, mut gone) = (slot_keys::<K>(CHURN, 0), 0);
    while gone + CHURN <= slots {
        let expected = table.fill(&keys);
        assert_eq!(expected.len(), CHURN, "{gone} of {slots} were taken");
        table.holds(&expected, &keys);
        assert_eq!(table.stats().tombstones(), gone as u64);
        table.delete_those(&keys);
        gone += CHURN;
    }
    let expected = table.fill(&keys);
    assert_eq!(expected.len(), slots - gone, "Full, and a slot is empty");
    table.holds(&expected, &keys);
    assert_eq!(table.stats().tombstones(), gone as u64);
}
