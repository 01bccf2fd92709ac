//! An open-addressing table whose keys probe a bounded number of buckets: up to a load of 0.98 all find room, and
//! what finds none is told so as fast as what does.

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

#[test]
fn a_full_table_says_so_and_finds_nothing_in_bounded_time() {
    let size = OpenMap::<u64, u64>::size(SLOTS, 1.0).unwrap();
    let map = OpenMap::<u64, u64>::with_seed(size, Seed::new(1)).unwrap();
    let (absent, live) = full(&map);
    println!("{live} of {} slots are taken", size.slots());
    assert!(live as f64 > 0.995 * size.slots() as f64, "{live} of {} slots", size.slots());
    // A key that read all buckets would take milliseconds.
    let absent = &absent[..1 << 14];
    let timed = |what: &str, f: &dyn Fn()| {
        let start = Instant::now();
        f();
        let each = start.elapsed() / absent.len() as u32;
        println!("{what}: {each:?} a key");
        assert!(each < Duration::from_micros(500), "{what}: {each:?} a key");
    };
    timed("an insert without room", &|| {
        assert!(map.insert_unique(absent, absent).unwrap().into_iter().all(|said| said == Insert::Full));
    });
    timed("a search", &|| assert!(map.search(absent).unwrap().into_iter().all(|found| found.is_none())));
    assert_eq!(map.len().unwrap(), live);
}
