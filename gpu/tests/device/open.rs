//! Open-addressing tables: tests that are specific to the GPU.

use super::{MORE_KEYS, MUCH, clear_between_batches, device, is_built};
use std::collections::BTreeMap;
use std::sync::PoisonError;
use warpproof_gpu::bench::{Extra, StressClock};
use warpproof_gpu::{
    CuckooMap, Device, Entry, Error, KeyScalar, Layout, OpenMap, OpenSet, RetrieveMethod, Tuning,
};
use warpproof_model::bits::Integer;
use warpproof_model::host::{
    Answer, BulkCounter, BulkMap, BulkOrdered, BulkSet, BulkTable, BulkUpdate, Op, OpenGeometry, OpenStats,
    Refused,
};
use warpproof_model::open::BUCKET_SLOTS;
use warpproof_model::outcome::{Add, Assign, Delete, Insert};
use warpproof_model::{Key, Update};

/// A table of `buckets` buckets.
fn size(buckets: u32) -> OpenGeometry {
    OpenGeometry { bucket_slots: BUCKET_SLOTS as u32, buckets }
}

#[test]
fn a_map_answers() {
    let Some(device) = device() else { return };
    let map = OpenMap::<u32, u32>::with_capacity(&device, 1_100).unwrap();
    let keys: Vec<u32> = (0..1_000).collect();
    let values: Vec<u32> = keys.iter().map(|key| key * 7).collect();
    assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.insert_unique(&[3], &[1]).unwrap(), [Insert::Present]);
    assert_eq!(map.insert_or_assign(&[4, 1_000], &[1, 2]).unwrap(), [Assign::Replaced, Assign::Inserted]);
    assert_eq!(map.insert_or_add(&[6, 1_001], &[1, u32::MAX]).unwrap(), [Add::Added, Add::Inserted]);
    assert_eq!(map.insert_or_add(&[1_001], &[3]).unwrap(), [Add::Added]);
    let found = map.search(&[3, 4, 6, 1_000, 1_001, 1_002]).unwrap();
    assert_eq!(found, [Some(21), Some(1), Some(43), Some(2), Some(2), None]);
    assert_eq!(map.delete(&[5, 1_002]).unwrap(), [Delete::Deleted, Delete::Absent]);
    let ops = [Op::Search, Op::Delete, Op::InsertUnique, Op::Assign];
    let answers = map.mixed(&ops, &[7, 8, 9, 2_000], &[0; 4]).unwrap();
    let expected = [
        Answer::Search(Some(49)),
        Answer::Delete(Delete::Deleted),
        Answer::Insert(Insert::Present),
        Answer::Assign(Assign::Inserted),
    ];
    assert_eq!(answers, expected);
    assert_eq!(map.stats().unwrap(), OpenStats { live: 1_001, tombstones: 2 });
    let mut pairs = map.retrieve_all().unwrap();
    pairs.sort_unstable();
    assert_eq!((pairs.len(), pairs[0], pairs[1_000]), (1_001, (0, 0), (2_000, 0)));
    assert_eq!(map.insert_or_add(&[u32::MAX; 2], &[1, 2]).unwrap().len(), 2);
    assert_eq!(map.search(&[u32::MAX]).unwrap(), [Some(3)]);
}

/// Half of a million keys have their home after slot 2^32 of 2^33; the last block of slots is not full.
#[test]
fn more_slots_than_32_bits_count_are_copied() {
    let Some(device) = device() else { return };
    let _alone = MUCH.lock().unwrap_or_else(PoisonError::into_inner);
    let geometry = OpenGeometry::at_load(1 << 33, 1.0).unwrap();
    let (slots, free) = (geometry.slots() as u64, device.memory().unwrap().0);
    assert!(slots > 1 << 33 && !slots.is_multiple_of(2048), "{slots} slots");
    if free < 6 * slots {
        println!(
            "skipped: {free} bytes of device memory are free, and a table of {slots} slots takes most of 6 times as many"
        );
        return;
    }
    let set = OpenSet::<u32>::with_geometry(&device, geometry).unwrap();
    let keys: Vec<u32> = (0..1 << 20).map(|i: u32| i.wrapping_mul(0x9E37_79B1) >> 1).collect();
    assert!(set.insert(&keys).unwrap().iter().all(|&o| o == Insert::Inserted));
    let home = |key: u32| key.hash(set.seed()).digit(geometry.buckets);
    let behind =
        keys.iter().filter(|&&key| home(key) as u64 * geometry.bucket_slots as u64 >= 1 << 32).count();
    assert!(behind > keys.len() / 3, "{behind} of {} keys", keys.len());
    assert!(set.contains(&keys).unwrap().iter().all(|&there| there));
    let sorted = |mut keys: Vec<u32>| {
        keys.sort_unstable();
        keys
    };
    let in_order = set.retrieve_all_in_order().unwrap();
    // No bucket is so full that a key went on.
    assert!(in_order.is_sorted_by_key(|&key| home(key)));
    let keys = sorted(keys);
    assert!(sorted(in_order) == keys && sorted(set.retrieve_all().unwrap()) == keys);
    assert_eq!(set.len().unwrap(), keys.len() as u64);
}

/// Buckets of four slots where keys move: all find room at the load up to which small tables have them,
/// nearly all beyond it.
#[test]
fn keys_move_in_small_buckets() {
    let Some(device) = device() else { return };
    let keys: Vec<u32> = (0..40_000).collect();
    let (old, new) = keys.split_at(20_000);
    for (load, most_left_out) in [(0.85, 0), (0.95, 100)] {
        let size = OpenGeometry::new(old.len() as u64, load, 4).unwrap();
        let map = CuckooMap::<u32, u32>::with_geometry(&device, size).unwrap();
        let mut there = BTreeMap::new();
        let built = map.insert_unique(old, old).unwrap();
        there.extend(old.iter().zip(&built).filter(|(_, o)| **o == Insert::Inserted).map(|(k, _)| (*k, *k)));
        assert!(there.len() + most_left_out >= old.len(), "load {load}: {} of {}", there.len(), old.len());
        holds(&map, &there, &keys);
        // A part goes, and as many come into their slots.
        let (gone, come) = (&old[..10_000], &new[..10_000]);
        for (key, outcome) in gone.iter().zip(map.delete(gone).unwrap()) {
            assert_eq!(outcome == Delete::Deleted, there.remove(key).is_some(), "key {key}");
        }
        let ops: Vec<Op> =
            come.iter().map(|key| if key % 2 == 0 { Op::InsertUnique } else { Op::Assign }).collect();
        for (key, answer) in come.iter().zip(map.mixed(&ops, come, come).unwrap()) {
            match answer {
                Answer::Insert(Insert::Inserted) | Answer::Assign(Assign::Inserted) => {
                    there.insert(*key, *key)
                }
                Answer::Insert(Insert::Full) | Answer::Assign(Assign::Full) => None,
                other => panic!("key {key}: {other:?}"),
            };
        }
        assert!(
            there.len() + 2 * most_left_out >= old.len(),
            "load {load}: {} of {}",
            there.len(),
            old.len()
        );
        holds(&map, &there, &keys);
        for (key, outcome) in
            keys[10_000..30_000].iter().zip(map.insert_or_add(&keys[10_000..30_000], &[1; 20_000]).unwrap())
        {
            match outcome {
                Add::Added => *there.get_mut(key).expect("a key that is there") += 1,
                Add::Inserted => assert_eq!(there.insert(*key, 1), None, "key {key}"),
                Add::Full => assert!(!there.contains_key(key), "key {key}"),
            }
        }
        holds(&map, &there, &keys);
    }
}

/// Checks what a map holds, and that it holds no other of these keys.
fn holds(map: &CuckooMap<u32, u32>, there: &BTreeMap<u32, u32>, keys: &[u32]) {
    let expected: Vec<Option<u32>> = keys.iter().map(|key| there.get(key).copied()).collect();
    assert!(map.search(keys).unwrap() == expected);
    let mut pairs = map.retrieve_all().unwrap();
    pairs.sort_unstable();
    assert!(pairs.iter().copied().eq(there.iter().map(|(&key, &value)| (key, value))));
    assert_eq!(map.stats().unwrap().live, there.len() as u64);
}

#[test]
fn sets_answer() {
    fn answers<K: KeyScalar + TryFrom<u64>>(device: &Device) {
        let key = |key: u64| K::try_from(key).ok().unwrap();
        let set = OpenSet::<K>::build(device, &[3, 4, 3].map(key)).unwrap();
        assert_eq!(set.contains(&[3, 5].map(key)).unwrap(), [true, false]);
        assert_eq!(set.delete(&[4, 5].map(key)).unwrap(), [Delete::Deleted, Delete::Absent]);
        assert_eq!((set.len().unwrap(), set.retrieve_all().unwrap()), (1, vec![key(3)]));
        assert_eq!(set.stats().unwrap(), OpenStats { live: 1, tombstones: 1 });
    }
    let Some(device) = device() else { return };
    answers::<u32>(&device);
    answers::<u64>(&device);
    let large = OpenSet::<u64>::build(&device, &[1u64 << 40, 1 << 41]).unwrap();
    assert_eq!(large.contains(&[1 << 40, 1 << 42]).unwrap(), [true, false]);
    let parts = OpenSet::<u32>::with_geometry(&device, size(5)).unwrap();
    assert_eq!((parts.bytes(), parts.parts().len), (42 * 4 + 3 * 4, 40));
}

#[test]
fn device_slices_answer_in_codes() {
    let Some(device) = device() else { return };
    let map = OpenMap::<u32, u32>::with_capacity(&device, 100).unwrap();
    let stream = device.context().new_stream().unwrap();
    let keys = stream.clone_htod(&[1u32, 2, 1, u32::MAX]).unwrap();
    let mut codes = stream.alloc_zeros::<u8>(4).unwrap();
    map.on_stream(&stream).insert_unique(&keys, &keys, &mut codes).unwrap();
    map.on_stream(&stream).insert_or_add(&keys, &keys, &mut codes).unwrap();
    let added = Add::Added.code();
    assert_eq!(stream.clone_dtoh(&codes).unwrap(), [added; 4]);
    assert_eq!(map.search(&[1, 2]).unwrap(), [Some(3), Some(4)]);
    let sevens = stream.clone_htod(&[7u32; 4]).unwrap();
    map.on_stream(&stream).insert_or_update(Update::Or, &keys, &sevens, &mut codes).unwrap();
    assert_eq!(stream.clone_dtoh(&codes).unwrap(), [added; 4]);
    assert_eq!(map.search(&[1, 2, u32::MAX]).unwrap(), [Some(7), Some(7), Some(u32::MAX)]);
    map.on_stream(&stream).insert_or_update(Update::Min, &keys, &keys, &mut codes).unwrap();
    assert_eq!(map.search(&[1, 2, u32::MAX]).unwrap(), [Some(1), Some(2), Some(u32::MAX)]);
    let mut few = stream.alloc_zeros::<u8>(3).unwrap();
    let refused = map.on_stream(&stream).insert_or_update(Update::Max, &keys, &keys, &mut few);
    assert!(matches!(refused, Err(Error::Refused(Refused::Length { keys: 4, found: 3, .. }))), "{refused:?}");
    let refused = map.on_stream(&stream).insert_or_add(&keys, &keys, &mut few);
    assert!(matches!(refused, Err(Error::Refused(Refused::Length { keys: 4, found: 3, .. }))), "{refused:?}");
}

/// Additions of which many are to few keys, as by Zipf's law, while some of these keys are deleted. Prints
/// how long a batch takes; `--nocapture` shows it.
#[test]
fn many_add_to_few_keys() {
    let Some(device) = device() else { return };
    sums_that_carry(&device);
    sums_to_a_full_table(&device);
    sums_of_few::<u32>("u32", &device, Tuning::default());
    sums_of_few::<u64>("u64", &device, Tuning::default());
    sums_of_few::<u64>("u64, lock word", &device, Tuning { lock_word: true, ..Tuning::default() });
}

/// Sums of one key and of a hundred, whose low halves carry, of a batch that is no multiple of a block.
fn sums_that_carry(device: &Device) {
    const N: usize = (1 << 18) + 17;
    for distinct in [1u64, 100] {
        let map = OpenMap::<u64, u64>::with_capacity(device, 1000).unwrap();
        let keys: Vec<u64> = (0..N as u64).map(|i| i % distinct).collect();
        let values: Vec<u64> = (0..N as u64).map(|i| u64::from(u32::MAX) + i * i).collect();
        let mut sums = vec![0u64; distinct as usize];
        keys.iter().zip(&values).for_each(|(&key, value)| {
            sums[key as usize] = sums[key as usize].wrapping_add(*value);
        });
        let said = map.insert_or_add(&keys, &values).unwrap();
        assert_eq!(said.iter().filter(|said| **said == Add::Inserted).count(), distinct as usize);
        assert_eq!(said.iter().filter(|said| **said == Add::Added).count(), N - distinct as usize);
        let found = map.search(&(0..distinct).collect::<Vec<_>>()).unwrap();
        assert!(found.into_iter().eq(sums.into_iter().map(Some)), "{distinct} keys");
        // These keys have lost exchanges. An update that is no sum is run all the same.
        let said = map.insert_or_update(Update::Max, &keys, &vec![u64::MAX; N]).unwrap();
        assert!(said.iter().all(|said| *said == Add::Added), "{distinct} keys");
        let found = map.search(&(0..distinct).collect::<Vec<_>>()).unwrap();
        assert!(found.into_iter().all(|found| found == Some(u64::MAX)), "{distinct} keys");
    }
}

/// Sums of more keys than a table has slots: those of a key are all stored, or all find no room.
fn sums_to_a_full_table(device: &Device) {
    const N: usize = 1 << 16;
    const KEYS: usize = 500;
    let map = OpenMap::<u64, u64>::with_capacity(device, 40).unwrap();
    let keys: Vec<u64> = (0..N).map(|i| (i * i % KEYS) as u64).collect();
    let said = map.insert_or_add(&keys, &vec![1; N]).unwrap();
    let mut told = vec![[0u64; 3]; KEYS];
    keys.iter().zip(&said).for_each(|(&key, said)| told[key as usize][said.code() as usize] += 1);
    let found = map.search(&(0..KEYS as u64).collect::<Vec<_>>()).unwrap();
    assert!(found.iter().any(Option::is_some));
    for (key, (told, found)) in told.iter().zip(found).enumerate() {
        let [inserted, added, full] =
            [Add::Inserted, Add::Added, Add::Full].map(|add| told[add.code() as usize]);
        match found {
            Some(sum) => assert_eq!((inserted, sum, full), (1, 1 + added, 0), "key {key}"),
            None => assert_eq!((inserted, added), (0, 0), "key {key}: {full}"),
        }
    }
    assert!(said.contains(&Add::Full));
}

fn sums_of_few<T: KeyScalar + Integer + From<u32>>(name: &str, device: &Device, tuning: Tuning)
where
    (T, T): Entry,
{
    const N: u32 = 1 << 20;
    const KEYS: u32 = N / 8;
    let size = OpenMap::<T, T>::size(2 * u64::from(KEYS), 0.8).unwrap();
    let map = OpenMap::<T, T>::with_tuning(device, size, tuning).unwrap();
    // The logarithm of the key is distributed evenly: half of all keys are below its root.
    let key = |i: u32| {
        let part = f64::from(i.wrapping_mul(0x9e37_79b1)) / f64::from(u32::MAX);
        f64::from(KEYS).powf(part) as u32
    };
    let keys: Vec<u32> = (0..N).map(key).collect();
    let mut counts = vec![0u32; KEYS as usize + 1];
    keys.iter().for_each(|&key| counts[key as usize] += 1);
    let stream = device.context().new_stream().unwrap();
    let on_device = stream.clone_htod(&keys.iter().map(|&key| T::from(key)).collect::<Vec<_>>()).unwrap();
    let ones = stream.clone_htod(&vec![T::from(1); N as usize]).unwrap();
    let mut codes = stream.alloc_zeros::<u8>(N as usize).unwrap();
    for round in 1..=3 {
        stream.synchronize().unwrap();
        let start = std::time::Instant::now();
        map.on_stream(&stream).insert_or_add(&on_device, &ones, &mut codes).unwrap();
        stream.synchronize().unwrap();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        println!("{name}: {ms:.2} ms, {:.1} Mop/s, {} of the first key", f64::from(N) / ms / 1e3, counts[1]);
        let there: Vec<u32> = (1..=KEYS).filter(|&key| counts[key as usize] > 0).collect();
        // One of each key was told that it came first, and all others that they were added.
        let said = stream.clone_dtoh(&codes).unwrap();
        let told = |which: Add| said.iter().filter(|&&code| Add::from_code(code) == Some(which)).count();
        let inserted = if round == 1 { there.len() } else { 0 };
        assert_eq!((told(Add::Inserted), told(Add::Added)), (inserted, N as usize - inserted), "{name}");
        let found = map.search(&there.iter().map(|&key| T::from(key)).collect::<Vec<_>>()).unwrap();
        for (key, found) in there.iter().zip(found) {
            assert_eq!(found, Some(T::from(round * counts[*key as usize])), "{name}: key {key}");
        }
    }
    // A sum and a delete race: what is there afterwards came after the delete.
    let few: Vec<T> = (1..=8).map(T::from).collect();
    let other = device.context().new_stream().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut codes = other.alloc_zeros::<u8>(N as usize).unwrap();
            map.on_stream(&other).insert_or_add(&on_device, &ones, &mut codes).unwrap();
            other.synchronize().unwrap();
        });
        for _ in 0..20 {
            map.delete(&few).unwrap();
        }
    });
    let found = map.search(&few).unwrap();
    for (key, found) in few.iter().zip(found) {
        assert!(found.is_none_or(|found| found <= T::from(4 * N)), "{name}: key {key:?}: {found:?}");
    }
    assert_eq!(map.delete(&few).unwrap().len(), 8);
    assert!(map.search(&few).unwrap().iter().all(Option::is_none), "{name}");
}

#[test]
fn a_build_that_does_not_fit_says_so() {
    let Some(device) = device() else { return };
    let keys: Vec<u32> = (0..100).collect();
    assert_eq!(OpenMap::<u32, u32>::build(&device, &keys, &keys).unwrap().len().unwrap(), 100);
    let refused = OpenMap::<u32, u32>::with_geometry(&device, size(8)).unwrap_err();
    assert_eq!(refused, Error::Refused(Refused::NotPrime { what: "buckets", found: 8 }));
}

#[test]
fn a_table_is_cleared_between_batches() {
    let Some(device) = device() else { return };
    let mut map = OpenMap::<u32, u32>::with_geometry(&device, size(5)).unwrap();
    let insert = |map: &OpenMap<u32, u32>, stream: &_, keys: &_, outcomes: &mut _| {
        map.on_stream(stream).insert_unique(keys, keys, outcomes)
    };
    clear_between_batches(&device, &mut map, size(5).slots() as u64, OpenMap::clear_on, insert);
    // The filter is as it was: a key that goes to a later bucket is found again.
    let keys: Vec<u32> = (0..MORE_KEYS).collect();
    assert!(map.insert_unique(&keys[..40], &keys[..40]).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.search(&keys).unwrap().iter().flatten().count(), 40);
}

#[test]
fn operations_are_stamped() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    let map = OpenMap::<u32, u32>::with_capacity(&device, 100).unwrap();
    let mut clock = StressClock::new(&device).unwrap();
    let stamped = clock.map(&map, &[Op::InsertUnique, Op::Search], &[7, 8], &[1, 0]).unwrap();
    assert_eq!(stamped[0].answer, Answer::Insert(Insert::Inserted));
    assert_eq!(stamped[1].answer, Answer::Search(None));
    assert!(stamped.iter().all(|one| one.start < one.end));
    let set = OpenSet::<u64>::with_capacity(&device, 100).unwrap();
    let stamped = clock.set(&set, &[Op::InsertUnique, Op::Delete], &[7, 8]).unwrap();
    assert_eq!(stamped[0].answer, Answer::Insert(Insert::Inserted));
    assert_eq!(stamped[1].answer, Answer::Delete(Delete::Absent));
}

#[test]
fn parts_are_what_the_size_says() {
    let Some(device) = device() else { return };
    let map = OpenMap::<u32, u32>::with_geometry(&device, size(5)).unwrap();
    let parts = map.parts();
    assert_eq!((parts.len, parts.filter_len, parts.buckets), (40, 3, 5));
    assert_eq!((map.bytes(), map.layout()), (42 * 8 + 3 * 4, Layout::Map32));
    assert!(parts.slots != 0 && parts.filter != 0 && map.geometry() == size(5));
}

#[test]
fn every_method_copies_all_entries() {
    if !is_built(Extra::Tuning) {
        return;
    }
    fn copies<K: KeyScalar + TryFrom<u64>>(device: &Device)
    where
        (K, K): warpproof_gpu::Entry,
    {
        // No multiple of what a block reads; the highest key is in no slot.
        let mut keys: Vec<K> = (0..100_003).map(|key| K::try_from(key).ok().unwrap()).collect();
        keys.push(K::ONES);
        for retrieve in RetrieveMethod::ALL {
            let tuning = Tuning { retrieve, ..Tuning::default() };
            let size = OpenMap::<K, K>::size(keys.len() as u64, 0.7).unwrap();
            let map = OpenMap::<K, K>::with_tuning(device, size, tuning).unwrap();
            map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
            let stream = device.context().new_stream().unwrap();
            let nothing = K::try_from(5_000_000).ok().unwrap();
            for room in [keys.len() + 5, keys.len() / 2, 2, 1, 0] {
                let mut out_keys = stream.clone_htod(&vec![nothing; room + 1]).unwrap();
                let mut out_values = stream.clone_htod(&vec![nothing; room + 1]).unwrap();
                let mut count = stream.clone_htod(&[7u64]).unwrap();
                let (mut some_keys, mut some_values) =
                    (out_keys.slice_mut(..room), out_values.slice_mut(..room));
                map.on_stream(&stream).retrieve_all(&mut some_keys, &mut some_values, &mut count).unwrap();
                assert_eq!(stream.clone_dtoh(&count).unwrap(), [keys.len() as u64], "{retrieve:?}");
                let mut found = stream.clone_dtoh(&out_keys).unwrap();
                assert_eq!(
                    found,
                    stream.clone_dtoh(&out_values).unwrap(),
                    "{retrieve:?}: every key is its value"
                );
                let written = room.min(keys.len());
                assert!(found.drain(written..).all(|key| key == nothing), "{retrieve:?}: after the room");
                found.sort_unstable();
                found.dedup();
                assert_eq!(found.len(), written, "{retrieve:?}: each once");
                assert!(found.iter().all(|key| keys.binary_search(key).is_ok()), "{retrieve:?}: no other");
            }
        }
    }
    let Some(device) = device() else { return };
    copies::<u32>(&device);
    if device.wide() {
        copies::<u64>(&device);
    }
}

#[test]
fn all_entries_are_copied_to_device_slices() {
    fn copies<K: KeyScalar + TryFrom<u64>>(device: &Device)
    where
        (K, K): warpproof_gpu::Entry,
    {
        let key = |key: u64| K::try_from(key).ok().unwrap();
        // The highest key is in no slot, and comes first in order.
        let highest = [K::ONES];
        let keys: Vec<K> = (0..9_999).map(key).chain(highest).collect();
        let nothing = key(5_000_000);
        let map = OpenMap::<K, K>::build(device, &keys, &keys).unwrap();
        let set = OpenSet::<K>::build(device, &keys).unwrap();
        let stream = device.context().new_stream().unwrap();
        let ordered = map.retrieve_all_in_order().unwrap();
        assert_eq!(ordered[..1], highest.map(|key| (key, key)));
        let rooms = [
            (10_000, false),
            (10_005, true),
            (1_000, false),
            (1_000, true),
            (0, false),
            (0, true),
            (1, true),
            (2, true),
            (3, true),
        ];
        for (room, in_order) in rooms {
            let mut out_keys = stream.clone_htod(&vec![nothing; room + 1]).unwrap();
            let mut out_values = stream.clone_htod(&vec![nothing; room + 1]).unwrap();
            let mut count = stream.clone_htod(&[7u64]).unwrap();
            let (mut some_keys, mut some_values) = (out_keys.slice_mut(..room), out_values.slice_mut(..room));
            if in_order {
                map.on_stream(&stream)
                    .retrieve_all_in_order(&mut some_keys, &mut some_values, &mut count)
                    .unwrap();
            } else {
                map.on_stream(&stream).retrieve_all(&mut some_keys, &mut some_values, &mut count).unwrap();
            }
            let found = (stream.clone_dtoh(&out_keys).unwrap(), stream.clone_dtoh(&out_values).unwrap());
            assert_eq!(stream.clone_dtoh(&count).unwrap(), [10_000]);
            assert_eq!(found.0, found.1, "every key is its value");
            let written = room.min(10_000);
            assert!(found.0[written..].iter().all(|&key| key == nothing), "after the room for {room}");
            let mut found = found.0[..written].to_vec();
            if in_order {
                assert!(found.iter().eq(ordered[..written].iter().map(|(key, _)| key)));
            }
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), written, "each once");
            let mut out = stream.clone_htod(&vec![K::ONES; room]).unwrap();
            set.on_stream(&stream).retrieve_all(&mut out, &mut count).unwrap();
            assert_eq!(stream.clone_dtoh(&count).unwrap(), [10_000]);
            set.on_stream(&stream).retrieve_all_in_order(&mut out, &mut count).unwrap();
            let in_slots = set.retrieve_all_in_order().unwrap();
            assert_eq!(stream.clone_dtoh(&out).unwrap()[..written], in_slots[..written]);
        }
        let (mut few, mut more) = (stream.alloc_zeros::<K>(2).unwrap(), stream.alloc_zeros::<K>(3).unwrap());
        let mut counts = stream.alloc_zeros::<u64>(2).unwrap();
        let refused = map.on_stream(&stream).retrieve_all(&mut few, &mut more, &mut counts.slice_mut(..1));
        assert!(
            matches!(refused, Err(Error::Refused(Refused::Length { keys: 2, found: 3, .. }))),
            "{refused:?}"
        );
        let refused = set.on_stream(&stream).retrieve_all(&mut few, &mut counts);
        assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
        let refused = set.on_stream(&stream).retrieve_all_in_order(&mut few, &mut counts);
        assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    }
    let Some(device) = device() else { return };
    copies::<u32>(&device);
    if device.wide() {
        copies::<u64>(&device);
    }
}
