//! Tests only for paged tables. Their operations are tested with those of the other tables.

use super::*;
use std::collections::HashMap;
use warpproof_model::host::{BulkMap, BulkTable};
use warpproof_model::outcome::Insert;
use warpproof_model::paged::{Prices, Traffic};

type Map = PagedMap<u64, u64>;

const SEED: Seed = Seed::new(11);
/// Bytes of the child tables of these tests, at most.
const CHILD: u64 = 16 << 10;

fn key(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A map for so many pairs, with so many frames.
fn map(pairs: u64, frames: u64, choose: Choose) -> Map {
    // A part of the budget is for batches, and a child table has a filter, too.
    let size = Map::size(pairs, 0.8, CHILD, frames * CHILD * 3 / 2).expect("a size");
    let map = Map::with_seed(size, choose, SEED).expect("memory for a test table");
    let has = map.state().pager.frames();
    assert_eq!(u64::from(has), frames.min(size.children.into()));
    map
}

fn traffic(map: &Map) -> Traffic {
    map.stats().expect("numbers").traffic
}

const RESIDENT: Choose = Choose::Always(Way::Resident);

#[test]
fn every_batch_pages_where_there_is_one_frame() {
    let map = map(20_000, 1, RESIDENT);
    let children = u64::from(map.geometry().children);
    assert!(children >= 20, "{:?}", map.geometry());
    let keys: Vec<u64> = (0..20_000).map(key).collect();
    let done = map.insert_unique(&keys, &keys).expect("memory");
    assert!(done.iter().all(|&outcome| outcome == Insert::Inserted));
    // The last one is still in the frame.
    let Traffic { copies_in, copies_out, hits, in_place } = traffic(&map);
    assert_eq!((copies_in, copies_out, hits), (children, children - 1, 0));
    assert_eq!(in_place, 0, "the numbers are asked for after the traffic");
    assert!(map.search(&keys).expect("memory").into_iter().eq(keys.iter().map(|&key| Some(key))));
    let now = traffic(&map);
    assert_eq!((now.copies_in, now.copies_out), (2 * children - 1, children), "searches change nothing");
    assert_eq!(map.stats().expect("numbers").resident, 1);
}

#[test]
fn nothing_is_copied_where_all_is_resident() {
    let map = map(20_000, 1000, RESIDENT);
    let keys: Vec<u64> = (0..20_000).map(key).collect();
    for _ in 0..3 {
        map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
        assert!(map.contains(&keys).expect("memory").into_iter().all(|found| found));
    }
    let (now, stats) = (traffic(&map), map.stats().expect("numbers"));
    assert_eq!((now.copies_in, now.copies_out), (map.geometry().children.into(), 0));
    assert_eq!(stats.resident, map.geometry().children);
    assert_eq!(stats.bytes(), (now.copies_in * stats.child_bytes, 0));
}

#[test]
fn tables_that_are_used_more_come_into_frames() {
    let prices = Prices {
        reads_in_place: 2.0,
        writes_in_place: 2.0,
        in_frame: 1.0,
        copy_in_byte: 0.2,
        copy_back_byte: 0.2,
    };
    let map = map(20_000, 2, Choose::Cheaper(prices));
    let keys: Vec<u64> = (0..20_000).map(key).collect();
    map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
    assert_eq!(traffic(&map).copies_in, 0, "less than a thousand keys each");
    // A key that is searched often, and the others of its child table with it.
    let often = vec![keys[7]; 2_000];
    for _ in 0..8 {
        assert!(map.search(&often).expect("memory").into_iter().all(|found| found == Some(keys[7])));
    }
    let now = traffic(&map);
    assert_eq!((now.copies_in, now.copies_out), (1, 0));
    assert!(now.hits >= 5, "{now:?}");
}

#[test]
fn slots_of_deleted_pairs_are_used_again_whatever_the_ways() {
    let some = Choose::Cheaper(Prices {
        reads_in_place: 3.0,
        writes_in_place: 3.0,
        in_frame: 1.0,
        copy_in_byte: 0.03,
        copy_back_byte: 0.03,
    });
    for choose in [RESIDENT, Choose::Always(Way::InPlace), some] {
        let map = map(4_000, 2, choose);
        let mut expected = HashMap::new();
        for round in 0..40u64 {
            let keys: Vec<u64> = (round * 1_000..round * 1_000 + 3_000).map(key).collect();
            let done = map.insert_unique(&keys, &keys).expect("memory");
            assert!(done.iter().all(|&outcome| outcome != Insert::Full), "round {round}");
            expected.extend(keys.iter().map(|&key| (key, key)));
            let gone = &keys[..1_000];
            map.delete(gone).expect("memory");
            gone.iter().for_each(|key| assert!(expected.remove(key).is_some()));
            assert_eq!(map.len(), Ok(expected.len() as u64));
        }
        assert_eq!(map.retrieve_all().expect("memory").into_iter().collect::<HashMap<_, _>>(), expected);
        let stats = map.stats().expect("numbers");
        assert!(stats.rebuilt > 0 && stats.slots.live == expected.len() as u64, "{stats:?}");
    }
}

#[test]
fn a_table_that_is_full_says_so_and_has_room_again() {
    let mut map = map(1_000, 2, RESIDENT);
    let slots = map.geometry().slots();
    let keys: Vec<u64> = (0..2 * slots).map(key).collect();
    let done = map.insert_unique(&keys, &keys).expect("memory");
    let stored: Vec<u64> =
        keys.iter().zip(&done).filter(|(_, done)| **done == Insert::Inserted).map(|(key, _)| *key).collect();
    assert_eq!(map.len(), Ok(stored.len() as u64));
    assert!(
        stored.len() as u64 > slots * 95 / 100 && stored.len() < keys.len(),
        "{} of {slots}",
        stored.len()
    );
    let full: Vec<u64> =
        keys.iter().zip(&done).filter(|(_, done)| **done == Insert::Full).map(|(key, _)| *key).collect();
    // One for each child table.
    map.delete(&stored[..stored.len() / 2]).expect("memory");
    let again = map.insert_unique(&full[..full.len() / 4], &full[..full.len() / 4]).expect("memory");
    assert!(again.into_iter().all(|outcome| outcome == Insert::Inserted));
    map.clear().expect("an empty table");
    assert_eq!((map.len(), map.retrieve_all()), (Ok(0), Ok(vec![])));
    assert!(
        map.insert_unique(&keys[..900], &keys[..900])
            .expect("memory")
            .iter()
            .all(|&done| done == Insert::Inserted)
    );
}

#[test]
fn a_batch_that_the_budget_has_no_room_for_runs_in_parts() {
    let map = map(300_000, 1, RESIDENT);
    let keys: Vec<u64> = (0..200_000).map(|i| key(i % 150_000)).collect();
    let values: Vec<u64> = (0..200_000).collect();
    let done = map.insert_or_assign(&keys, &values).expect("memory");
    assert_eq!(map.len(), Ok(150_000));
    assert_eq!(done.len(), keys.len());
    // Parts come one after the other, so the last values of keys that occur twice are those of later parts.
    let found = map.search(&keys[..50_000]).expect("memory");
    let later = (150_000..200_000).map(Some);
    assert!(found.into_iter().eq(later), "part after part");
    let children = u64::from(map.geometry().children);
    let now = traffic(&map);
    assert!(now.copies_in >= 4 * children - 4, "four parts page all of it: {now:?}, {children} child tables");
}

#[test]
fn a_sink_gets_the_entries_of_one_child_table_at_a_time() {
    let map = map(20_000, 3, RESIDENT);
    let keys: Vec<u64> = (0..20_000).map(key).collect();
    map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
    let (mut all, mut largest, mut times) = (Vec::new(), 0, 0);
    map.retrieve_to(|mut entries| {
        (largest, times) = (largest.max(entries.len()), times + 1);
        all.append(&mut entries);
        Ok(())
    })
    .expect("memory");
    assert_eq!(times, map.geometry().children);
    assert!(largest <= map.geometry().child.slots());
    let expected: HashMap<_, _> = keys.iter().map(|&key| (key, key)).collect();
    assert_eq!(all.into_iter().collect::<HashMap<_, _>>(), expected);
    let mut times = 0;
    let refused = map.retrieve_to(|_| {
        times += 1;
        Err(Error::no_memory(7))
    });
    assert_eq!((refused, times), (Err(Error::no_memory(7)), 1));
}

#[test]
fn batches_of_several_threads_take_turns() {
    let map = map(30_000, 2, RESIDENT);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let map = &map;
            scope.spawn(move || {
                let keys: Vec<u64> = (thread * 5_000..thread * 5_000 + 5_000).map(key).collect();
                for part in keys.chunks(500) {
                    map.insert_unique(part, part).expect("memory").all_stored().expect("room");
                    assert!(map.contains(part).expect("memory").into_iter().all(|found| found));
                }
            });
        }
    });
    assert_eq!(map.len(), Ok(20_000));
}

/// A thread that panicked while it held the table: what was not recorded is counted.
#[test]
fn a_batch_that_panicked_leaves_a_table_that_works() {
    let map = map(4_000, 2, RESIDENT);
    let keys: Vec<u64> = (0..3_000).map(key).collect();
    map.insert_unique(&keys[..2_000], &keys[..2_000]).expect("memory").all_stored().expect("room");
    let panicked = std::thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let mut state = map.state();
            // As if it had stored these pairs unnoticed.
            state.slots.fill(ChildSlots::default());
            state.slots.iter_mut().for_each(ChildSlots::begin);
            std::panic::resume_unwind(Box::new("in the middle of a batch"));
        });
        panics.join().is_err()
    });
    assert!(panicked);
    assert_eq!(map.len(), Ok(2_000));
    map.delete(&keys[..1_000]).expect("memory");
    map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
    assert_eq!(map.len(), Ok(3_000));
    assert_eq!(map.stats().expect("numbers").slots.live, 3_000);
}
