//! An open-addressing table whose keys probe a bounded number of buckets. Up to a load of 0.98 all keys find
//! room. A key that finds none is rejected in a time that does not depend on the size of the table.

use std::time::{Duration, Instant};
use warpproof::model::Seed;
use warpproof::model::host::{BulkMap, BulkTable, OpenGeometry, left_out};
use warpproof::simt::cpu::{CpuTable, Map, OpenMap, OpenSet};
use warpproof::{BulkSet, Insert};

/// Slots of a table, about: many more buckets than a key probes.
const SLOTS: u64 = 1 << 21;

fn keys(n: u64) -> Vec<u64> {
    (0..n).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2).collect()
}

#[test]
fn up_to_a_load_of_0_98_every_key_finds_room() {
    let pairs = (SLOTS as f64 * 0.98) as u64;
    let keys = keys(pairs);
    for seed in (0..4).map(Seed::new) {
        let size = OpenMap::<u64, u64>::size(pairs, 0.98).unwrap();
        let map = OpenMap::<u64, u64>::with_seed(size, seed).unwrap();
        assert_eq!(left_out(&map.insert_unique(&keys, &keys).unwrap()), 0, "{seed:?}");
        assert!(map.search(&keys).unwrap().into_iter().zip(&keys).all(|(found, key)| found == Some(*key)));
        let set = OpenSet::<u64>::with_seed(OpenGeometry::at_load(pairs, 0.98).unwrap(), seed).unwrap();
        assert_eq!(left_out(&set.insert(&keys).unwrap()), 0, "{seed:?}");
    }
}

/// Fills a table to its last slot but for what finds no room.
fn full<T: CpuTable<Key = u64, Value = u64>>(map: &Map<u64, u64, T>) -> (Vec<u64>, u64) {
    let mut more = (0..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2);
    loop {
        let keys: Vec<u64> = more.by_ref().take(1 << 18).collect();
        let full = left_out(&map.insert_unique(&keys, &keys).unwrap());
        if full == keys.len() as u64 {
            return (keys, map.len().unwrap());
        }
    }
}

/// The time that an insert and then a search of an absent key take in a full table of this many slots.
fn times_in_a_full_table(slots: u64) -> [Duration; 2] {
    let size = OpenMap::<u64, u64>::size(slots, 1.0).unwrap();
    let map = OpenMap::<u64, u64>::with_seed(size, Seed::new(1)).unwrap();
    let (absent, live) = full(&map);
    assert!(live as f64 > 0.995 * size.slots() as f64, "{live} of {} slots", size.slots());
    let absent = &absent[..2000];
    // A call of one key runs on this thread alone. The best of some: others run beside this test.
    let timed = |call: &dyn Fn(u64)| {
        let round = || {
            let start = Instant::now();
            absent.iter().for_each(|&key| call(key));
            start.elapsed()
        };
        (0..5).map(|_| round()).min().expect("some rounds") / absent.len() as u32
    };
    let times = [
        timed(&|key| assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [Insert::Full])),
        timed(&|key| assert_eq!(map.search(&[key]).unwrap(), [None])),
    ];
    assert_eq!(map.len().unwrap(), live);
    times
}

#[test]
fn what_finds_nothing_in_a_full_table_takes_no_longer_in_a_larger_one() {
    let (small, large) = (times_in_a_full_table(SLOTS >> 6), times_in_a_full_table(SLOTS));
    for (what, (small, large)) in ["insert", "search"].into_iter().zip(small.into_iter().zip(large)) {
        println!("{what}: {small:?} a key, and {large:?} in a table 64 times as large");
        assert!(large < 16 * small, "{what}: {small:?} a key, {large:?} in a table 64 times as large");
    }
}
