//! Paged tables: tests that are specific to the GPU.

use super::device;
use std::collections::BTreeMap;
use warpproof_gpu::{Device, Error, PagedMap, Tuning};
use warpproof_model::Seed;
use warpproof_model::host::{Answer, BulkCounter, BulkMap, BulkTable, Op};
use warpproof_model::outcome::{Assign, Delete, Insert};
use warpproof_model::paged::{Choose, Way};

type Map = PagedMap<u64, u64>;
type Entries = BTreeMap<u64, u64>;

/// Bytes of a child table of these tests, at most.
const CHILD: u64 = 16 << 10;
/// Pairs that are there before a batch that fails.
const OLD: u64 = 3_000;

fn key(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1
}

fn keys(range: core::ops::Range<u64>) -> Vec<u64> {
    range.map(key).collect()
}

/// An empty map for so many pairs at a load, in small child tables of which two are in frames.
fn empty(device: &Device, (pairs, load): (u64, f64), way: Way) -> Map {
    let size = Map::size(pairs, load, CHILD, 7 * CHILD / 2).expect("a size");
    Map::with_seed(device, size, Choose::Always(way), Tuning::default(), Seed::new(3)).unwrap()
}

/// Such a map with [`OLD`] pairs. Their values are their keys.
fn map(device: &Device, size: (u64, f64), way: Way) -> Map {
    let map = empty(device, size, way);
    let old = keys(0..OLD);
    assert!(map.insert_unique(&old, &old).unwrap().iter().all(|&said| said == Insert::Inserted));
    map
}

/// All pairs. No key occurs twice, and there are as many as the map reports.
fn entries(map: &Map) -> Entries {
    let all = map.retrieve_all().unwrap();
    let len = all.len();
    let entries: Entries = all.into_iter().collect();
    assert_eq!((entries.len(), map.len().unwrap()), (len, len as u64));
    entries
}

/// A batch that checks its answers.
type Batch<'a> = &'a dyn Fn(&Map) -> Result<(), Error>;

/// What may be of each key after a batch has failed: what was there before it, or what it would have made.
fn are_of_either(now: &Entries, before: &Entries, after: &Entries) -> bool {
    let all = before.keys().chain(after.keys()).chain(now.keys());
    all.into_iter().all(|key| now.get(key) == before.get(key) || now.get(key) == after.get(key))
}

/// Counts of the calls that failed.
#[derive(Default, Debug)]
struct Counts {
    /// Batches that ended with an error.
    errors: u64,
    /// Others that got no memory, before anything ran.
    no_memory: u64,
    /// Batches that succeeded by another call of the driver.
    answered: u64,
}

/// Runs `batch` on maps of this size again and again; each time another one of its calls of the driver fails.
fn each_call_fails(counts: &mut Counts, make: &dyn Fn() -> Map, name: &str, batch: Batch<'_>) {
    let whole = make();
    let before = entries(&whole);
    batch(&whole).unwrap();
    let after = entries(&whole);
    for call in 1.. {
        let map = make();
        map.fail_call(call);
        let said = batch(&map);
        if map.fail_call(0) > 0 {
            said.unwrap();
            assert!(call > 5, "{name}: calls are counted");
            return;
        }
        let now = entries(&map);
        match said {
            Ok(()) => {
                counts.answered += 1;
                assert_eq!(now, after, "{name}, call {call}");
            }
            Err(Error::OutOfMemory { ran: 0, .. }) => {
                counts.no_memory += 1;
                assert_eq!(now, before, "{name}, call {call}");
            }
            Err(Error::Driver { .. } | Error::OutOfMemory { .. }) => counts.errors += 1,
            Err(error) => panic!("{name}, call {call}: {error}"),
        }
        assert!(are_of_either(&now, &before, &after), "{name}, call {call}");
        // The map goes on: what failed is asked for again; pairs go and come back.
        batch(&map).unwrap();
        assert_eq!(entries(&map), after, "{name}, call {call}, once more");
        let (some, values): (Vec<u64>, Vec<u64>) = after.iter().step_by(31).unzip();
        assert_eq!(map.delete(&some).unwrap(), vec![Delete::Deleted; some.len()]);
        assert_eq!(map.insert_unique(&some, &values).unwrap(), vec![Insert::Inserted; some.len()]);
        assert_eq!(entries(&map), after, "{name}, call {call}, and more");
        let found = map.search(&after.keys().copied().collect::<Vec<_>>()).unwrap();
        assert!(found.into_iter().eq(after.values().copied().map(Some)), "{name}, call {call}");
    }
}

/// A name, and a batch that checks its answers.
type Named = (&'static str, fn(&Map) -> Result<(), Error>);

/// Batches whose second run changes nothing that the first one has done.
const BATCHES: [Named; 7] = [
    ("insert_unique", |map| {
        // More than were there: for so many, columns are larger.
        let new = keys(200..OLD + 800);
        let said = map.insert_unique(&new, &new)?;
        assert!(said.iter().all(|&said| said != Insert::Full));
        Ok(())
    }),
    ("insert_or_assign", |map| {
        let some = keys(OLD - 400..OLD + 400);
        let said = map.insert_or_assign(&some, &vec![5; some.len()])?;
        assert!(said.iter().all(|&said| said != Assign::Full));
        Ok(())
    }),
    ("insert_or_add of zero", |map| {
        let some = keys(OLD - 400..OLD + 400);
        map.insert_or_add(&some, &vec![0; some.len()]).map(|_| ())
    }),
    ("delete", |map| map.delete(&keys(OLD / 2..OLD + 100)).map(|_| ())),
    ("search", |map| {
        let some = keys(OLD - 400..OLD + 400);
        let found = map.search(&some)?;
        let expected = some.iter().enumerate().map(|(i, &key)| (i < 400).then_some(key));
        assert!(found.into_iter().eq(expected));
        Ok(())
    }),
    ("mixed", |map| {
        // Each key is of one operation.
        let kinds = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search];
        let some = keys(OLD - 400..OLD + 400);
        let ops: Vec<Op> = kinds.into_iter().cycle().take(some.len()).collect();
        let answers = map.mixed(&ops, &some, &vec![9; some.len()])?;
        assert!(!answers.contains(&Answer::Insert(Insert::Full)));
        Ok(())
    }),
    ("retrieve_all", |map| map.retrieve_all().map(|_| ())),
];

#[test]
fn each_call_of_the_driver_may_fail_and_nothing_is_lost() {
    let Some(device) = device() else { return };
    let mut counts = Counts::default();
    for way in [Way::Resident, Way::InPlace] {
        for (name, batch) in BATCHES {
            let name = format!("{way:?} {name}");
            each_call_fails(&mut counts, &|| map(&device, (6_000, 0.8), way), &name, &batch);
        }
        // Host memory for child tables, too.
        let name = format!("{way:?} first batch");
        each_call_fails(&mut counts, &|| empty(&device, (6_000, 0.8), way), &name, &BATCHES[0].1);
    }
    println!("{counts:?}");
    assert!(counts.errors > 0 && counts.no_memory > 0 && counts.answered > 0, "{counts:?}");
}

/// A map full of slots of deleted pairs, whose child tables are rebuilt by the batch.
#[test]
fn each_call_of_a_rebuild_may_fail_and_nothing_is_lost() {
    let Some(device) = device() else { return };
    let mut counts = Counts::default();
    for way in [Way::Resident, Way::InPlace] {
        let make = || {
            let map = map(&device, (OLD, 0.95), way);
            map.delete(&keys(0..OLD / 2)).unwrap();
            map
        };
        let batch = |map: &Map| {
            // More than the number of unused slots.
            let slots = map.geometry().slots();
            let new = keys(OLD..slots + slots / 8);
            let said = map.insert_unique(&new, &new)?;
            if said.contains(&Insert::Full) {
                return Err(Error::OutOfMemory { what: "a child table that is rebuilt", bytes: 0, ran: 1 });
            }
            Ok(())
        };
        let whole = make();
        batch(&whole).unwrap();
        assert!(whole.stats().unwrap().rebuilt > 0);
        each_call_fails(&mut counts, &make, &format!("{way:?} rebuild"), &batch);
    }
    println!("{counts:?}");
    assert!(counts.errors > 0, "{counts:?}");
}

/// A clear that fails leaves only pairs that were there before, and the next clear leaves none.
#[test]
fn each_call_of_a_clear_may_fail() {
    let Some(device) = device() else { return };
    for call in 1.. {
        let mut map = map(&device, (6_000, 0.8), Way::Resident);
        let before = entries(&map);
        map.fail_call(call);
        let said = map.clear();
        let left = map.fail_call(0);
        if said.is_err() {
            let now = entries(&map);
            assert!(now.iter().all(|(key, value)| before.get(key) == Some(value)), "call {call}");
            map.clear().unwrap();
        }
        assert!(entries(&map).is_empty(), "call {call}");
        if left > 0 {
            assert!(call > 5, "calls are counted");
            return;
        }
    }
}
