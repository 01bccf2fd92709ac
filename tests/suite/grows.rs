//! Requirements of tables that grow: they hold all keys, each once, across every growth.

use super::maps::match_an_oracle;
use super::number::{Number, Rng, distinct, values};
use super::row::Row;
use super::table::Table;
use std::collections::HashMap;
use std::thread;
use warpproof::model::host::{BulkMap, Op};
use warpproof::model::outcome::{Add, Assign, Insert};

/// Keys that a small table has to grow for several times.
const MANY: usize = 30_000;

/// An empty table with room for few entries.
fn small<K: Number>(row: &Row<K>) -> Table<K> {
    row.roomy(20)
}

fn slots<K: Number>(table: &Table<K>) -> usize {
    table.geometry().slots() as usize
}

/// The keys as entries whose values they are.
fn themselves<K: Number>(keys: &[K]) -> HashMap<K, K> {
    keys.iter().map(|&key| (key, key)).collect()
}

pub(crate) fn a_table_grows_to_hold_all<K: Number>(row: &Row<K>) {
    let table = small(row);
    let first = slots(&table);
    let keys = distinct::<K>(MANY, 0);
    let (mut expected, mut from) = (HashMap::new(), 0);
    for size in [1, 2, 30, 500, 7_000, MANY] {
        let part = &keys[from..keys.len().min(from + size)];
        expected.extend(table.fill(part));
        from += part.len();
        assert_eq!(expected.len(), from, "an insert said Full");
        table.holds(&expected, &keys);
    }
    assert!(slots(&table) > first.max(MANY), "{:?}", table.geometry());
    assert!(table.insert(&keys, &keys).iter().all(|&outcome| outcome == Insert::Present));
    if let Some(map) = table.map() {
        let assigned = map.insert_or_assign(&keys, &keys).unwrap();
        assert!(assigned.iter().all(|&outcome| outcome == Assign::Replaced));
        expected = themselves(&keys);
    }
    table.holds(&expected, &keys);
    if let Some(mut ordered) = table.in_order() {
        ordered.sort_unstable();
        assert_eq!(ordered, table.entries());
    }
}

pub(crate) fn racing_inserts_win_once_while_it_grows<K: Number>(row: &Row<K>) {
    let table = small(row);
    let few = distinct::<K>(MANY, 0);
    let (winners, left_out) = table.race(&few, 4);
    assert_eq!((winners.len(), left_out), (MANY, 0));
    table.holds(&winners, &few);
}

pub(crate) fn threads_share_a_table_that_grows<K: Number>(row: &Row<K>) {
    let table = small(row);
    let keys = distinct::<K>(MANY, 0);
    // Each key is inserted by two threads, in batches of different sizes.
    let run = |start: usize, size: usize| {
        let mine: Vec<K> = keys.iter().cycle().skip(start).take(MANY / 2).copied().collect();
        let won = |part: &[K]| {
            let done = table.insert(part, part);
            assert!(table.contains(part).iter().all(|&found| found), "an inserted key is not found");
            if let Some(map) = table.map() {
                assert!(map.search(part).unwrap().iter().all(Option::is_some), "no value of a key");
            }
            done.iter().filter(|&&outcome| outcome == Insert::Inserted).count()
        };
        mine.chunks(size).map(won).sum::<usize>()
    };
    let won = thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || run(i * MANY / 4, 100 + 777 * i))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).sum::<usize>()
    });
    assert_eq!(won, MANY, "each key is inserted once");
    table.holds(&themselves(&keys), &keys);
}

pub(crate) fn churn_does_not_make_it_grow_for_ever<K: Number>(row: &Row<K>) {
    let mut table = small(row);
    const LIVE: usize = 1_000;
    let mut most = 0;
    for round in 0..60 {
        let keys = distinct::<K>(LIVE, (round * LIVE) as u64);
        assert_eq!(table.fill(&keys).len(), LIVE);
        most = most.max(slots(&table));
        if round % 5 == 4 {
            row.tidy(&mut table);
            table.holds(&keys.iter().copied().zip(values(&keys)).collect(), &keys);
        }
        table.delete_those(&keys);
    }
    assert!(table.is_empty());
    assert!(most < 20 * LIVE, "{most} slots for {LIVE} entries at a time");
}

pub(crate) fn counters_add_up_while_it_grows<K: Number>(row: &Row<K>) {
    let table = small(row);
    let map = table.map().and_then(|map| map.counter()).expect("a counter");
    let few = distinct::<K>(MANY / 3, 0);
    let ones = vec![K::of(1); few.len()];
    for time in 0..4 {
        let said = map.insert_or_add(&few, &ones).unwrap();
        let right = if time == 0 { Add::Inserted } else { Add::Added };
        assert!(said.iter().all(|&outcome| outcome == right), "time {time}");
    }
    table.holds(&few.iter().map(|&key| (key, K::of(4))).collect(), &few);
}

pub(crate) fn mixed_batches_that_grow_it_add_up<K: Number>(row: &Row<K>) {
    let (table, mut rng) = (small(row), Rng(5));
    let map = table.map().expect("a map");
    let kinds = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search, Op::InsertUnique];
    let rounds = (0..6).map(|_| distinct::<K>(8_000, rng.below(20_000))).collect();
    let held = match_an_oracle(map, rounds, &kinds);
    let expected =
        held.into_iter().flat_map(|(key, values)| values.into_iter().map(move |value| (key, value)));
    table.holds(&expected.collect(), &distinct::<K>(30_000, 0));
}
