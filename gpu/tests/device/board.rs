//! Paged tables with a board of fingerprints, and batches so large that a kernel first answers the searches
//! of absent keys, and that a key occurs in many searches.

use super::device;
use warpproof_gpu::{Device, Error, PagedMap, PagedSet, Tuning};
use warpproof_model::Seed;
use warpproof_model::host::{BulkCounter, BulkMap, BulkSave, BulkSet, BulkTable, PagedGeometry};
use warpproof_model::outcome::{Add, Delete, Insert};
use warpproof_model::paged::file::Opening;
use warpproof_model::paged::{Choose, Way};

type Map = PagedMap<u64, u64>;

const SEED: Seed = Seed::new(5);
const PAIRS: u64 = 300_000;
/// Device memory for some child tables, for batches of all pairs, and for a board.
const BUDGET: u64 = 64 << 20;

/// A map of child tables of 256 KiB, with a board. `None` if the device has no 128-bit words.
fn map(device: &Device, choose: Choose) -> Option<Map> {
    let size = Map::size(PAIRS, 0.8, 256 << 10, BUDGET).and_then(PagedGeometry::with_board).unwrap();
    match Map::with_seed(device, size, choose, Tuning::default(), SEED) {
        Err(Error::NoKernel { kernel }) => {
            assert!(!device.wide(), "{kernel}");
            println!("skipped: no 128-bit words");
            None
        }
        made => Some(made.unwrap()),
    }
}

/// Keys; the given percentage of them are below [`PAIRS`].
fn some_present(percent: u64, n: u64) -> Vec<u64> {
    (0..n).map(|i| SEED.hash(i).bits() % PAIRS + if i % 100 < percent { 0 } else { PAIRS }).collect()
}

fn value(key: u64) -> u64 {
    key ^ 0xff00
}

#[test]
fn searches_with_a_board_find_what_is_there() {
    let Some(device) = device() else { return };
    for choose in
        [Choose::Always(Way::InPlace), Choose::Always(Way::Resident), Choose::Cheaper(Map::BOARD_PRICES)]
    {
        let Some(mut map) = map(&device, choose) else { return };
        let keys: Vec<u64> = (0..PAIRS).collect();
        let values: Vec<u64> = keys.iter().map(|&key| value(key)).collect();
        assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&said| said == Insert::Inserted));
        assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Present));
        for percent in [0, 10, 60, 100] {
            let some = some_present(percent, 500_000);
            let found = map.search(&some).unwrap();
            let right = |key: &u64| (*key < PAIRS).then(|| value(*key));
            assert!(found.iter().copied().eq(some.iter().map(right)), "{choose:?}, {percent} %");
            let there = map.contains(&some).unwrap();
            assert!(there.iter().copied().eq(some.iter().map(|&key| key < PAIRS)), "{choose:?}, {percent} %");
        }
        // One key, and few.
        for few in [1, 7] {
            let same: Vec<u64> = (0..200_000).map(|i| PAIRS - few + i % few).collect();
            let found = map.search(&same).unwrap();
            assert!(found.iter().zip(&same).all(|(found, &key)| *found == Some(value(key))), "{choose:?}");
        }
        // Reserved keys, of which the board says nothing.
        let reserved = [u64::MAX, u64::MAX - 1, u64::MAX - 2];
        assert_eq!(map.search(&reserved).unwrap(), [None; 3]);
        assert_eq!(map.insert_unique(&reserved, &[1, 2, 3]).unwrap(), [Insert::Inserted; 3]);
        assert_eq!(map.search(&reserved).unwrap(), [Some(1), Some(2), Some(3)]);
        assert_eq!(map.delete(&reserved).unwrap(), [Delete::Deleted; 3]);
        map.clear().unwrap();
        assert_eq!((map.len().unwrap(), map.search(&keys).unwrap().iter().flatten().count()), (0, 0));
        assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&said| said == Insert::Inserted));
        assert!(map.bytes() <= BUDGET, "{} bytes", map.bytes());
    }
}

/// When child tables are rebuilt, the board is written anew.
#[test]
fn keys_that_come_and_go_find_room_in_tables_with_a_board() {
    let Some(device) = device() else { return };
    for choose in [Choose::Always(Way::InPlace), Choose::Always(Way::Resident)] {
        let Some(map) = map(&device, choose) else { return };
        for round in 0..8 {
            let keys: Vec<u64> = (round * PAIRS..(round + 1) * PAIRS).collect();
            assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Inserted));
            let found = map.search(&keys).unwrap();
            assert!(found.iter().zip(&keys).all(|(found, &key)| *found == Some(key)), "round {round}");
            assert!(map.delete(&keys).unwrap().iter().all(|&said| said == Delete::Deleted));
            assert!(map.search(&keys).unwrap().iter().all(Option::is_none), "round {round}");
        }
        assert!(map.stats().unwrap().rebuilt > 0);
    }
}

/// Many operations of one batch on the same keys: the operation that takes a slot first decides, and the
/// others wait.
#[test]
fn batches_with_equal_keys_agree_on_a_board() {
    let Some(device) = device() else { return };
    for choose in [Choose::Always(Way::InPlace), Choose::Always(Way::Resident)] {
        let Some(map) = map(&device, choose) else { return };
        let (keys, n): (Vec<u64>, u64) = ((0..400_000).map(|i| i % 1000).collect(), 400);
        let added = map.insert_or_add(&keys, &vec![1; keys.len()]).unwrap();
        assert_eq!(added.iter().filter(|&&said| said == Add::Inserted).count(), 1000);
        assert!(map.search(&keys[..1000]).unwrap().iter().all(|found| *found == Some(n)));
        let inserted = map.insert_unique(&keys, &keys).unwrap();
        assert!(inserted.iter().all(|&said| said == Insert::Present));

        let size = PagedSet::<u32>::size(PAIRS, 0.8, 256 << 10, BUDGET).and_then(PagedGeometry::with_board);
        let set =
            PagedSet::<u32>::with_seed(&device, size.unwrap(), choose, Tuning::default(), SEED).unwrap();
        let keys: Vec<u32> = (0..400_000).map(|i| i % 1000).collect();
        let inserted = set.insert(&keys).unwrap();
        assert_eq!(inserted.iter().filter(|&&said| said == Insert::Inserted).count(), 1000);
        assert!(set.contains(&keys).unwrap().iter().all(|&there| there));
        assert_eq!(set.contains(&[999, 1000]).unwrap(), [true, false]);
    }
}

#[test]
fn a_file_is_opened_with_a_board() {
    let Some(device) = device() else { return };
    let Some(saved) = map(&device, Choose::Always(Way::InPlace)) else { return };
    let keys: Vec<u64> = (0..PAIRS).collect();
    assert!(saved.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Inserted));
    let path = std::env::temp_dir().join(format!("warpproof-board-{}.table", std::process::id()));
    saved.save(&path).unwrap();
    for board in [false, true] {
        let opening = Opening { board, ..Opening::new(BUDGET, Choose::Cheaper(Map::BOARD_PRICES)) };
        let opened = Map::open_with(&device, &path, opening, Tuning::default()).unwrap();
        assert_eq!((opened.geometry().board, opened.len().unwrap()), (board, PAIRS));
        let some = some_present(10, 500_000);
        let found = opened.search(&some).unwrap();
        assert!(found.iter().copied().eq(some.iter().map(|&key| (key < PAIRS).then_some(key))), "{board}");
        assert!(opened.insert_unique(&keys, &keys).unwrap().iter().all(|&said| said == Insert::Present));
    }
    std::fs::remove_file(&path).unwrap();
}
