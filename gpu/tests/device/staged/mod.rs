//! Batches through staging buffers: chunks, sinks, errors, threads, allocations.

mod counting;
mod follow;

use super::device;
use counting::ASKED;
use follow::{Number, follow, follow_keys};
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpproof_gpu::{
    Device, DynamicMap, Entry, Error, HopscotchMap, HopscotchSet, OpenMap, OpenSet, SlabMap, SlabMultimap,
    SlabSet, Staging,
};
use warpproof_model::Update;
use warpproof_model::host::{Answer, BulkMap, BulkTable, Op, Refused};
use warpproof_model::outcome::{Add, Delete, Insert};

/// Operations of a chunk.
const CHUNK: usize = 100;
/// Less than a chunk, a chunk, and several with and without a rest.
const SIZES: [u64; 10] = [0, 1, 3, 99, 100, 101, 250, 300, 601, 10_000];

#[test]
fn batches_of_any_size_are_answered() {
    fn all<K: Number>(device: &Device)
    where
        (K, K): Entry,
    {
        // One for all tables.
        let mut staging = Staging::new(device, CHUNK).unwrap();
        assert_eq!(staging.elements(), CHUNK);
        for n in SIZES {
            let room = 4 * n + 100;
            follow(&mut SlabMap::<K, K>::with_capacity(device, room).unwrap().staged(&mut staging), n);
            follow(&mut OpenMap::<K, K>::with_capacity(device, room).unwrap().staged(&mut staging), n);
            if size_of::<K>() == 4 || device.wide() {
                follow(
                    &mut HopscotchMap::<K, K>::with_capacity(device, room).unwrap().staged(&mut staging),
                    n,
                );
            }
            follow_keys(&mut OpenSet::<K>::with_capacity(device, room).unwrap().staged(&mut staging), n);
            follow_keys(&mut HopscotchSet::<K>::with_capacity(device, room).unwrap().staged(&mut staging), n);
        }
    }
    let Some(device) = device() else { return };
    all::<u32>(&device);
    all::<u64>(&device);
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    for n in SIZES {
        follow_keys(&mut SlabSet::with_capacity(&device, 4 * n + 100).unwrap().staged(&mut staging), n);
    }
}

#[test]
fn chunks_of_one_operation_serve() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, 0).unwrap();
    assert_eq!(staging.elements(), 1);
    follow(&mut OpenMap::<u32, u32>::with_capacity(&device, 100).unwrap().staged(&mut staging), 20);
}

/// Keys, values or both in page-locked memory, in batches of several chunks and through the buffers of the
/// device: the answers are the same.
#[test]
fn page_locked_slices_are_answered_as_others() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let keys: Vec<u64> = (0..10_001).map(|i| i * i).collect();
    let values: Vec<u64> = keys.iter().map(|key| !key).collect();
    let all_values: Vec<_> = values.iter().copied().map(Some).collect();
    let locked = |numbers: &[u64]| {
        let mut locked = device.page_locked(numbers.len()).unwrap();
        locked.copy_from_slice(numbers);
        locked
    };
    let (locked_keys, locked_values) = (locked(&keys), locked(&values));
    for (locks_keys, locks_values) in [(true, false), (false, true), (true, true)] {
        let map = OpenMap::<u64, u64>::with_capacity(&device, 20_000).unwrap();
        let keys = if locks_keys { &locked_keys[..] } else { &keys };
        let values = if locks_values { &locked_values[..] } else { &values };
        let mut said = Vec::new();
        map.staged(&mut staging).insert_unique(keys, values, &mut said).unwrap();
        assert_eq!(said, vec![Insert::Inserted; keys.len()]);
        let mut found = Vec::new();
        map.staged(&mut staging).search(&keys[7..], &mut found).unwrap();
        assert_eq!(found, all_values[7..]);
        assert_eq!(map.search(keys).unwrap(), all_values);
        let ops = vec![Op::Search; keys.len()];
        let answers = map.mixed(&ops, keys, values).unwrap();
        assert!(answers.iter().zip(&all_values).all(|(answer, value)| *answer == Answer::Search(*value)));
    }
}

/// Values that a search writes to a slice, page-locked or not.
#[test]
fn a_search_writes_to_a_slice() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let keys: Vec<u64> = (0..10_001).map(|i| i * i).collect();
    let values: Vec<u64> = keys.iter().map(|key| !key).collect();
    let map = OpenMap::<u64, u64>::with_capacity(&device, 20_000).unwrap();
    map.insert_unique(&keys, &values).unwrap().all_stored().unwrap();
    let (mut plain, mut locked) = (vec![0; keys.len() + 1], device.page_locked(keys.len() + 1).unwrap());
    assert!(locked.iter().all(|&number: &u64| number == 0));
    for to in [&mut plain[..], &mut locked[..]] {
        map.staged(&mut staging).search_or(&keys, &mut to[..keys.len()], 5).unwrap();
        assert_eq!(to[..keys.len()], *values);
        to[0] = 7;
        let others: Vec<u64> = keys.iter().map(|key| key + 1).collect();
        map.staged(&mut staging).search_or(&others, &mut to[1..], 5).unwrap();
        // Of these only 0 + 1 is a square.
        assert_eq!(to[..3], [7, !1, 5]);
        assert!(to[3..].iter().all(|&found| found == 5));
        let refused = map.staged(&mut staging).search_or(&keys, to, 5);
        assert!(matches!(refused, Err(Error::Refused(Refused::Length { .. }))));
        map.staged(&mut staging).search_or(&[], &mut [], 5).unwrap();
    }
    // Through buffers of the device, and in a map that has grown.
    let grown = DynamicMap::<u64, u64>::with_capacity(&device, 100).unwrap();
    grown.insert_unique(&keys, &values).unwrap().all_stored().unwrap();
    for to in [&mut plain[1..], &mut locked[1..]] {
        map.search_or(&keys, to, 5).unwrap();
        assert_eq!(*to, *values);
        to.fill(0);
        grown.search_or(&keys, to, 5).unwrap();
        assert_eq!(*to, *values);
        grown.search_or(&[2, 4], &mut to[1..3], 5).unwrap();
        assert_eq!(to[..4], [!0, 5, !4, !9]);
        assert!(matches!(grown.search_or(&[2, 4], to, 5), Err(Error::Refused(Refused::Length { .. }))));
    }
    assert!(device.page_locked::<u32>(0).unwrap().is_empty());
    assert!(matches!(device.page_locked::<u64>(usize::MAX), Err(Error::OutOfMemory { .. })));
}

#[test]
fn counters_and_chains_have_operations_of_their_own() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let keys: Vec<u64> = (0..250).collect();
    let counter = OpenMap::<u64, u64>::with_capacity(&device, 1_000).unwrap();
    for outcome in [Add::Inserted, Add::Added] {
        let mut added = [Add::Full; 250];
        counter.staged(&mut staging).insert_or_add(&keys, &keys, &mut added).unwrap();
        assert_eq!(added, [outcome; 250]);
    }
    let mut added = [Add::Full; 250];
    counter.staged(&mut staging).insert_or_update(Update::Max, &keys, &[0; 250], &mut added).unwrap();
    assert_eq!(added, [Add::Added; 250]);
    let mut sum = 0;
    counter.staged(&mut staging).search(&keys, |value: Option<u64>| sum += value.unwrap_or(0)).unwrap();
    assert_eq!(sum, 2 * 249 * 250 / 2);

    let multimap = SlabMultimap::<u64, u64>::with_capacity(&device, 1_000).unwrap();
    let mut staged = multimap.staged(&mut staging);
    for _ in 0..2 {
        staged.insert(&keys, &keys, |outcome: Insert| assert_eq!(outcome, Insert::Inserted)).unwrap();
    }
    let mut counts = [0; 250];
    staged.count(&keys, &mut counts).unwrap();
    assert_eq!(counts, [2; 250]);
    for expected in [2, 0] {
        staged.delete_all(&keys, &mut counts).unwrap();
        assert_eq!(counts, [expected; 250]);
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let map = OpenMap::<u32, u32>::with_capacity(&device, 1_000).unwrap();
    let keys: Vec<u32> = (0..450).collect();
    let mut outcomes = [Insert::Full; 450];
    let mut staged = map.staged(&mut staging);
    let length = |what, found| Err(Error::Refused(Refused::Length { keys: 450, what, found }));
    assert_eq!(staged.insert_unique(&keys, &keys[1..], &mut outcomes), length("values", 449));
    assert_eq!(staged.insert_unique(&keys, &keys, &mut outcomes[1..]), length("answers", 449));
    assert_eq!(staged.delete(&keys, &mut [Delete::Absent; 451]), length("answers", 451));
    let mixed = staged.mixed(&[Op::Search], &keys, &keys, |_: Answer<u32>| {});
    assert_eq!(mixed, length("operations", 1));
    let grown = DynamicMap::<u32, u32>::with_capacity(&device, 100).unwrap();
    assert_eq!(grown.insert_unique(&keys, &keys[1..]), length("values", 449).map(|()| Vec::new().into()));
    assert_eq!((map.len().unwrap(), grown.len().unwrap()), (0, 0));
    assert_eq!(outcomes, [Insert::Full; 450]);
}

#[test]
fn threads_with_staging_buffers_of_their_own_use_one_table() {
    let Some(device) = device() else { return };
    let map = OpenMap::<u32, u32>::with_capacity(&device, 100_000).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let (map, device) = (&map, &device);
            scope.spawn(move || {
                let mut staging = Staging::new(device, 1_000 + thread as usize).unwrap();
                // Half of the keys are those of the next thread too.
                let keys: Vec<u32> = (thread * 10_000..thread * 10_000 + 20_000).collect();
                for _ in 0..5 {
                    map.staged(&mut staging).insert_unique(&keys, &keys, |_: Insert| {}).unwrap();
                    let mut found = vec![None; keys.len()];
                    map.staged(&mut staging).search(&keys, &mut found[..]).unwrap();
                    assert!(found.iter().zip(&keys).all(|(value, key)| *value == Some(*key)));
                    // Through those of the device.
                    assert!(map.contains(&keys).unwrap().into_iter().all(|there| there));
                }
            });
        }
    });
    assert_eq!(map.len().unwrap(), 50_000);
}

#[test]
fn a_table_is_cleared_and_moved_between_batches() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let stream = device.context().new_stream().unwrap();
    let mut map = OpenMap::<u32, u32>::with_capacity(&device, 200_000).unwrap();
    let keys: Vec<u32> = (0..5_000).collect();
    for _ in 0..20 {
        map.clear_on(&stream).unwrap();
        let mut inserted = 0;
        let count = |outcome: Insert| inserted += (outcome == Insert::Inserted) as usize;
        map.staged(&mut staging).insert_unique(&keys, &keys, count).unwrap();
        assert_eq!(inserted, keys.len(), "the clear was not waited for");
        map.rehash(map.geometry()).unwrap();
        let mut found = 0;
        map.staged(&mut staging).contains(&keys, |there: bool| found += there as usize).unwrap();
        assert_eq!(found, keys.len());
    }
}

#[test]
fn a_sink_that_panics_leaves_nothing_running() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let map = OpenMap::<u32, u32>::with_capacity(&device, 10_000).unwrap();
    let keys: Vec<u32> = (0..2_000).collect();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        map.staged(&mut staging).insert_unique(&keys, &keys, |_: Insert| panic!("as it should"))
    }));
    assert!(panicked.is_err());
    let some = map.len().unwrap();
    assert_eq!(some, 3 * CHUNK as u64, "the chunks that were on the device have run");
    let mut present = 0;
    let count = |outcome: Insert| present += (outcome == Insert::Present) as u64;
    map.staged(&mut staging).insert_unique(&keys, &keys, count).unwrap();
    assert_eq!((present, map.len().unwrap()), (some, 2_000));
}

#[test]
fn batches_allocate_nothing() {
    let Some(device) = device() else { return };
    let mut staging = Staging::new(&device, CHUNK).unwrap();
    let map = OpenMap::<u32, u32>::with_capacity(&device, 10_000).unwrap();
    let keys: Vec<u32> = (0..1_000).collect();
    let ops = vec![Op::Search; keys.len()];
    let (mut outcomes, mut values) = (vec![Insert::Full; keys.len()], vec![None; keys.len()]);
    let mut round = |staging: &mut Staging| {
        let mut staged = map.staged(staging);
        staged.insert_unique(&keys, &keys, &mut outcomes[..]).unwrap();
        staged.insert_or_add(&keys, &keys, |_: Add| {}).unwrap();
        staged.search(&keys, &mut values[..]).unwrap();
        staged.mixed(&ops, &keys, &keys, |_: Answer<u32>| {}).unwrap();
        staged.delete(&keys[..10], |_: Delete| {}).unwrap();
    };
    // The driver's library and the thread's own data are set up once.
    round(&mut staging);
    let before = ASKED.get();
    round(&mut staging);
    assert_eq!(ASKED.get() - before, 0);
    // The answers alone.
    map.search(&keys).unwrap();
    let before = ASKED.get();
    map.search(&keys).unwrap();
    assert_eq!(ASKED.get() - before, 1);
}
