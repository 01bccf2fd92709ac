//! The memory of growing tables is bounded by their entries: four slots for each, or a small constant.

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use warpproof::model::host::structure;
use warpproof::simt::cpu::{DynamicMap, DynamicSet};
use warpproof::{Add, BulkCounter, BulkMap, BulkSet, BulkTable, Delete, Insert};

/// Slots that a table may have however few entries it has.
const SMALL: usize = 21_000;
/// Slots for each entry at most, of larger ones.
const SLOTS: usize = 4;

fn assert_bounded(slots: usize, most_live: usize) {
    assert_bounded_or_small(slots, most_live, SMALL);
}

fn assert_bounded_or_small(slots: usize, most_live: usize, small: usize) {
    let most = small.max(SLOTS * most_live);
    assert!(slots <= most, "{slots} slots, and never more than {most_live} entries");
}

/// A regression test: 545 cycles once took 2 GiB.
#[test]
fn one_key_that_comes_and_goes_takes_no_memory() {
    let map = DynamicMap::<u64, u64>::with_capacity(1000).unwrap();
    for value in 0..1_000_000 {
        assert_eq!(map.insert_unique(&[7], &[value]).unwrap(), [Insert::Inserted]);
        assert_eq!(map.delete(&[7]).unwrap(), [Delete::Deleted]);
    }
    assert!(map.geometry().slots() * size_of::<(u64, u64)>() <= 1 << 20, "{:?}", map.geometry());
    assert!(map.is_empty().unwrap());
}

#[test]
fn few_keys_in_churn_take_little_memory() {
    let set = DynamicSet::<u64>::with_capacity(1).unwrap();
    thread::scope(|scope| {
        for thread in 0..4u64 {
            let set = &set;
            scope.spawn(move || {
                let keys: Vec<u64> = (0..100).map(|key| 4 * key + thread).collect();
                for _ in 0..2_000 {
                    assert_eq!(set.insert(&keys).unwrap(), [Insert::Inserted; 100]);
                    assert_eq!(set.delete(&keys).unwrap(), [Delete::Deleted; 100]);
                }
            });
        }
    });
    assert_bounded(set.geometry().slots(), 400);
}

#[test]
fn a_batch_of_few_keys_takes_memory_for_those() {
    let map = DynamicMap::<u64, u64>::with_capacity(1).unwrap();
    let keys: Vec<u64> = (0..1_000_000).map(|i| i % 1000).collect();
    let added = map.insert_or_add(&keys, &vec![1; keys.len()]).unwrap();
    assert_eq!(added.iter().filter(|&&said| said == Add::Inserted).count(), 1000);
    assert!(map.retrieve_all().unwrap().iter().all(|&(_, count)| count == 1000));
    assert_bounded(map.geometry().slots(), 1000);
}

#[test]
fn a_window_that_slides_over_a_hundred_million_keys_stays_within_four_slots_for_each() {
    slide(&DynamicMap::<u64, u64>::with_capacity(1).unwrap(), 10_000, 100_000, SMALL);
}

/// A window of keys slides over 10^8, by so many at a time.
fn slide<M>(map: &M, by: u64, window: u64, small: usize)
where
    M: BulkMap<u64, u64, Structure = structure::Dynamic>,
{
    const TOTAL: u64 = 100_000_000;
    for first in (0..TOTAL).step_by(by as usize) {
        let keys: Vec<u64> = (first..first + by).collect();
        assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Inserted));
        if let Some(first) = first.checked_sub(window) {
            let old: Vec<u64> = (first..first + by).collect();
            assert!(map.delete(&old).unwrap().iter().all(|&said| said == Delete::Deleted));
        }
        assert_bounded_or_small(map.geometry().slots(), (window + by) as usize, small);
    }
    assert_eq!(map.len().unwrap(), window);
    let last: Vec<u64> = (TOTAL - window..TOTAL).collect();
    assert!(map.search(&last).unwrap().into_iter().eq(last.into_iter().map(Some)));
}

/// Threads insert, each its own keys, while others search: each finds what was inserted, whoever grows the
/// table.
#[test]
fn a_table_that_grows_beside_searches_loses_nothing() {
    const THREADS: u64 = 4;
    const KEYS: u64 = 200_000;
    let (map, done) = (DynamicMap::<u64, u64>::with_capacity(1).unwrap(), AtomicBool::new(false));
    thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let keys: Vec<u64> = (0..THREADS * KEYS).step_by(97).collect();
            let mut found = 0;
            while !done.load(Ordering::Relaxed) {
                let values = map.search(&keys).unwrap();
                assert!(
                    keys.iter().zip(&values).all(|(&key, value)| value.is_none_or(|value| value == !key))
                );
                let now = values.iter().flatten().count();
                assert!(now >= found, "{found} keys were found, and then {now}");
                found = now;
            }
        });
        let inserting: Vec<_> = (0..THREADS)
            .map(|thread| {
                let map = &map;
                scope.spawn(move || {
                    let keys: Vec<u64> = (0..KEYS).map(|key| THREADS * key + thread).collect();
                    for keys in keys.chunks(1500) {
                        let values: Vec<u64> = keys.iter().map(|&key| !key).collect();
                        assert!(
                            map.insert_unique(keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted)
                        );
                    }
                })
            })
            .collect();
        inserting.into_iter().for_each(|thread| thread.join().unwrap());
        done.store(true, Ordering::Relaxed);
        searching.join().unwrap();
    });
    assert_eq!(map.len().unwrap(), THREADS * KEYS);
    assert_bounded(map.geometry().slots(), (THREADS * KEYS) as usize);
    map.shrink().unwrap();
    assert!(map.geometry().slots() as f64 * 0.8 <= (THREADS * KEYS) as f64 * 1.01);
}

/// The jobs of a rayon thread pool insert, search and shrink the table.
#[test]
fn a_table_that_grows_is_used_by_jobs_of_a_pool() {
    const JOBS: u64 = 64;
    const KEYS: u64 = 20_000;
    let map = DynamicMap::<u64, u64>::with_capacity(1).unwrap();
    (0..JOBS).into_par_iter().for_each(|job| {
        let keys: Vec<u64> = (0..KEYS).map(|key| KEYS * (job % 8) + key).collect();
        map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
        assert!(map.search(&keys).unwrap().iter().zip(&keys).all(|(&found, &key)| found == Some(key)));
        map.shrink().unwrap();
    });
    assert_eq!(map.len().unwrap(), 8 * KEYS);
}

/// Tables on a GPU keep to the memory of their entries: few keys that come again and again, a window that
/// slides, and all keys at once.
#[cfg(feature = "gpu")]
#[test]
fn a_table_on_a_gpu_keeps_to_its_entries() {
    const SMALL: usize = 1_340_000;
    let Some(device) = device::device() else { return };
    let map = warpproof::gpu::DynamicMap::<u64, u64>::with_capacity(device, 1).unwrap();
    let keys: Vec<u64> = (0..1_000_000).map(|i| i % 10).collect();
    let added = map.insert_or_add(&keys, &vec![1; keys.len()]).unwrap();
    assert_eq!(added.iter().filter(|&&said| said == Add::Inserted).count(), 10);
    for round in 0..100 {
        let keys: Vec<u64> = (0..100_000).map(|key| 10 + key + 100_000 * round).collect();
        assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Inserted));
        assert!(map.delete(&keys).unwrap().iter().all(|&said| said == Delete::Deleted));
    }
    assert_bounded_or_small(map.geometry().slots(), 100_010, SMALL);
    slide(&warpproof::gpu::DynamicMap::<u64, u64>::new(device).unwrap(), 500_000, 5_000_000, SMALL);
    let map = warpproof::gpu::DynamicMap::<u64, u64>::new(device).unwrap();
    let keys: Vec<u64> = (0..20_000_000).collect();
    map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
    assert_bounded_or_small(map.geometry().slots(), keys.len(), SMALL);
    // A batch that seems to store all its keys, and then stores no more.
    let map = warpproof::gpu::DynamicMap::<u64, u64>::new(device).unwrap();
    let most = 2_000_000;
    let keys: Vec<u64> = keys.into_iter().map(|key| if key < most { key } else { key % 10 }).collect();
    map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
    assert_bounded_or_small(map.geometry().slots(), most as usize, SMALL);
    assert_eq!(map.len().unwrap(), most);
    assert!(map.search(&keys).unwrap().into_iter().eq(keys.into_iter().map(Some)));
}
