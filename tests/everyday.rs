//! The calls of everyday programs on CPU tables: whole batches that must be stored, and single keys.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warpproof::prelude::*;
use warpproof::simt::cpu::{
    CuckooMap, CuckooSet, DynamicMap, DynamicSet, Error, HopscotchMap, HopscotchSet, OpenMap, OpenSet,
    PagedMap, PagedSet, SlabMap, SlabMultimap, SlabSet, WaitFreeMap, WaitFreeSet,
};
use warpproof::{Refused, any};

/// More keys than a table for eight has room for.
fn hundred() -> Vec<u32> {
    (0..100).collect()
}

/// Checks what the strict form of an insert of different keys says against its outcomes and the entries.
fn check(name: &str, said: Outcomes<Insert>, live: u64) {
    let first = said.iter().position(|&outcome| outcome == Insert::Full).expect("not all fit") as u64;
    let entries = said.len() as u64;
    let left_out = said.iter().filter(|&&outcome| outcome == Insert::Full).count() as u64;
    let error = said.all_stored().expect_err(name);
    assert_eq!(error, NotStored { entries, left_out, first }, "{name}");
    assert_eq!(live, entries - left_out, "{name}: all others are stored");
    assert!(Error::from(error).to_string().contains(&format!("{left_out} of {entries}")), "{name}");
}

#[test]
fn a_hundred_keys_in_a_table_for_eight_are_an_error() {
    let (keys, more) = (hundred(), (0..100_000).collect::<Vec<u32>>());
    macro_rules! maps {
        ($($map:ident: $insert:ident $keys:expr;)*) => { $(
            let map = $map::<u32, u32>::with_capacity(8).unwrap();
            let said = map.$insert($keys, $keys).unwrap();
            check(stringify!($map), said, map.len().unwrap());
        )* };
    }
    maps! {
        OpenMap: insert_unique &keys;
        CuckooMap: insert_unique &keys;
        // The smallest of these have more room.
        HopscotchMap: insert_unique &more;
        WaitFreeMap: insert_unique &more;
        SlabMap: insert_unique &more;
        SlabMultimap: insert &more;
    }
    let set = OpenSet::<u32>::with_capacity(8).unwrap();
    check("OpenSet", set.insert(&keys).unwrap(), set.len().unwrap());
    let set = CuckooSet::<u32>::with_capacity(8).unwrap();
    check("CuckooSet", set.insert(&keys).unwrap(), set.len().unwrap());
    let paged = PagedMap::<u32, u32>::with_budget(8, 0).unwrap();
    check("PagedMap", paged.insert_unique(&more, &more).unwrap(), paged.len().unwrap());
}

#[test]
fn every_call_that_stores_has_a_strict_form() {
    fn strict(keys: &[u32]) -> [Result<(), Error>; 3] {
        let map = || OpenMap::<u32, u32>::with_capacity(8);
        let assign = || Ok(map()?.insert_or_assign(keys, keys)?.all_stored().map(|_| ())?);
        let add = || Ok(map()?.insert_or_add(keys, keys)?.all_stored().map(|_| ())?);
        let ops = vec![Op::InsertUnique; keys.len()];
        let mixed = || Ok(map()?.mixed(&ops, keys, keys)?.all_stored().map(|_| ())?);
        [assign(), add(), mixed()]
    }
    for said in strict(&hundred()) {
        assert!(matches!(said, Err(Error::NotStored(NotStored { entries: 100, .. }))), "{said:?}");
    }
    assert_eq!(strict(&hundred()[..8]), [Ok(()), Ok(()), Ok(())]);
}

#[test]
fn a_table_that_grows_stores_all() {
    let map = DynamicMap::<u32, u32>::with_capacity(8).unwrap();
    let done = map.insert_unique(&hundred(), &hundred()).unwrap().all_stored();
    assert_eq!(done, Ok(vec![Insert::Inserted; 100]));
    let said = map.mixed(&[Op::Search], &[7], &[0]).unwrap();
    assert_eq!(said.all_stored(), Ok(vec![Answer::Search(Some(7))]));
}

/// Runs the calls on one key on a map that is empty, beside a map of the standard library.
macro_rules! one_by_one {
    ($($map:ident),*) => { $({
        // In some tables each deleted key keeps its slot.
        let map = $map::<u64, u64>::with_capacity(20_000).unwrap();
        let (one, mut own, name) = (map.by_key(), HashMap::new(), stringify!($map));
        for i in 0..20_000u64 {
            // Some of the highest keys are no keys of a slot.
            let key = (i * 7 % 500).wrapping_sub(3);
            match i % 7 {
                0 | 1 => assert_eq!(one.insert(key, i), Ok(own.insert(key, i).is_none()), "{name} {key}"),
                2 => assert_eq!(one.remove(key), own.remove(&key).is_some(), "{name} {key}"),
                3 => {
                    let is_new = !own.contains_key(&key);
                    own.entry(key).or_insert(i);
                    assert_eq!(one.insert_unique(key, i), Ok(is_new), "{name} {key}");
                }
                4 => assert_eq!(one.get_or_insert_with(key, || i), Ok(*own.entry(key).or_insert(i))),
                5 => assert_eq!(one.contains(key), own.contains_key(&key), "{name} {key}"),
                _ => assert_eq!(one.get(key), own.get(&key).copied(), "{name} {key}"),
            }
        }
        assert_eq!(map.retrieve_all().unwrap().into_iter().collect::<HashMap<_, _>>(), own, "{name}");
    })* };
}

#[test]
fn calls_on_one_key_answer_as_a_map_of_the_standard_library() {
    one_by_one!(OpenMap, CuckooMap, HopscotchMap, WaitFreeMap, SlabMap, DynamicMap);
    let set = DynamicSet::<i32>::with_capacity(1).unwrap();
    let fixed = OpenSet::<i32>::with_capacity(100).unwrap();
    for key in [-1, 7, -2, 7] {
        let is_new = !set.by_key().contains(key);
        assert_eq!(set.by_key().insert(key), Ok(is_new));
        assert_eq!(fixed.by_key().insert(key), Ok(is_new));
    }
    assert!(set.by_key().remove(-1) && !set.by_key().remove(-1));
    assert!(fixed.by_key().remove(-1) && !fixed.by_key().contains(-1));
    assert_eq!((set.len(), fixed.len()), (Ok(2), Ok(2)));
}

#[test]
fn one_key_without_room_is_an_error_and_a_map_that_grows_takes_all() {
    let map = OpenMap::<u32, u32>::with_capacity(8).unwrap();
    let stored = hundred().into_iter().filter(|&key| map.by_key().insert(key, key).is_ok()).count() as u64;
    assert!((8..100).contains(&stored));
    assert_eq!(map.len(), Ok(stored));
    let full = NotStored { entries: 1, left_out: 1, first: 0 };
    assert_eq!(map.by_key().insert_unique(1_000, 1), Err(Error::NotStored(full)));
    assert_eq!(map.by_key().insert_or_add(1_000, 1), Err(Error::NotStored(full)));
    assert_eq!(map.by_key().get_or_insert_with(1_000, || 1), Err(Error::NotStored(full)));

    let map = DynamicMap::<u64, u64>::with_capacity(1).unwrap();
    let keys = 0..100_000u64;
    keys.clone().for_each(|key| assert_eq!(map.by_key().insert(key, key * 2), Ok(true)));
    assert!(keys.clone().all(|key| map.by_key().get(key) == Some(key * 2)));
    assert_eq!(map.len(), Ok(100_000));
}

/// Four threads count, and exactly one of them makes each entry.
#[test]
fn threads_count_with_calls_on_one_key_while_the_map_grows() {
    const KEYS: u64 = 3_000;
    let counts = DynamicMap::<u64, u64>::with_capacity(1).unwrap();
    let firsts = OpenMap::<u64, u64>::with_capacity(KEYS).unwrap();
    let (new, calls) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (counts, firsts, new, calls) = (counts.by_key(), firsts.by_key(), &new, &calls);
            scope.spawn(move || {
                for key in 0..KEYS {
                    new.fetch_add(u64::from(counts.insert_or_add(key, 1).unwrap()), Relaxed);
                    let first = firsts.get_or_insert_with(key, || {
                        calls.fetch_add(1, Relaxed);
                        thread
                    });
                    assert_eq!(firsts.get(key), Some(first.unwrap()), "the first one stays");
                }
            });
        }
    });
    assert_eq!((new.into_inner(), counts.len()), (KEYS, Ok(KEYS)));
    assert!(counts.retrieve_all().unwrap().iter().all(|&(_, count)| count == 4));
    assert!((KEYS..=4 * KEYS).contains(&calls.into_inner()));
}

/// Threads apply a function that neither addition nor assignment is: it counts its calls in the high half of
/// a value, and keeps the largest in the low half. None is lost, nor applied twice.
#[test]
fn a_function_is_applied_once_for_each_pair() {
    const KEYS: u64 = 200;
    const ROUNDS: u64 = 50;
    let count_and_most = |old: u64, given: u64| ((old >> 32) + 1) << 32 | (old as u32 as u64).max(given);
    // Some keys are no keys of a slot.
    let keys: Vec<u64> = (0..KEYS).map(|key| key.wrapping_sub(3)).collect();
    let fixed = OpenMap::<u64, u64>::with_capacity(2 * KEYS).unwrap();
    let grown = DynamicMap::<u64, u64>::with_capacity(1).unwrap();
    let moving = CuckooMap::<u64, u64>::with_capacity(KEYS).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (keys, fixed, grown, moving) = (&keys, &fixed, &grown, &moving);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let values = vec![4 * round + thread; keys.len()];
                    fixed.insert_or_apply(keys, &values, count_and_most).unwrap().all_stored().unwrap();
                    grown.insert_or_apply(keys, &values, count_and_most).unwrap().all_stored().unwrap();
                    moving.insert_or_apply(keys, &values, count_and_most).unwrap().all_stored().unwrap();
                    for &key in keys {
                        fixed.by_key().insert_or_apply(key, thread, count_and_most).unwrap();
                        grown.by_key().insert_or_apply(key, thread, count_and_most).unwrap();
                        moving.by_key().insert_or_apply(key, thread, count_and_most).unwrap();
                    }
                }
            });
        }
    });
    // The first of each key was stored and not applied.
    let expected = (2 * 4 * ROUNDS - 1) << 32 | (4 * (ROUNDS - 1) + 3);
    for found in [fixed.search(&keys), grown.search(&keys), moving.search(&keys)].map(Result::unwrap) {
        assert!(found.iter().all(|&value| value == Some(expected)), "{found:x?} {expected:x}");
    }
    let said = fixed.insert_or_apply(&[1, 1_000], &[5, 6], |_, given| given).unwrap();
    assert_eq!(said, [Add::Added, Add::Inserted]);
    assert_eq!(fixed.search(&[1, 1_000]).unwrap(), [Some(5), Some(6)]);
    let full = OpenMap::<u32, f32>::with_capacity(8).unwrap();
    let said = full.insert_or_apply(&hundred(), &[1.0; 100], f32::min).unwrap();
    assert!(said.all_stored().is_err());
}

#[test]
fn a_mask_chooses_what_runs() {
    let map = OpenMap::<u32, u32>::with_capacity(100).unwrap();
    let said = map.insert_if(&[1, 2, 3], &[10, 20, 30], &[true, false, true]).unwrap();
    assert_eq!(said, [Some(Insert::Inserted), None, Some(Insert::Inserted)]);
    assert_eq!(
        map.contains_if(&[1, 2, 3, 1], &[true, true, true, false]).unwrap(),
        [true, false, true, false]
    );
    assert_eq!(map.search(&[1, 2, 3]).unwrap(), [Some(10), None, Some(30)]);
    let short = |what, found| Err(Error::Refused(Refused::Length { keys: 2, what, found }));
    assert_eq!(map.contains_if(&[1, 2], &[true]), short("elements of the mask", 1));
    assert_eq!(map.insert_if(&[4, 5], &[1], &[true, true]).map(|_| ()), short("values", 1).map(|_| ()));
    assert_eq!(map.len(), Ok(2));
    let set = OpenSet::<u32>::with_capacity(100).unwrap();
    assert_eq!(
        set.insert_if(&[7, 7, 8], &[true, false, false]).unwrap(),
        [Some(Insert::Inserted), None, None]
    );
    assert_eq!(set.contains_if(&[7, 8, 7], &[true, true, false]).unwrap(), [true, false, false]);
    // The index of a missing entry is that in the whole batch.
    let keys: Vec<u32> = (0..1_000).collect();
    let mask: Vec<bool> = keys.iter().map(|key| key % 2 == 1).collect();
    let small = OpenMap::<u32, u32>::with_capacity(8).unwrap();
    let said = small.insert_if(&keys, &keys, &mask).unwrap();
    let first = said.iter().position(|said| *said == Some(Insert::Full)).unwrap() as u64;
    let error = said.all_stored().unwrap_err();
    assert_eq!((error.entries, error.first, first % 2), (1_000, first, 1));
}

#[test]
fn inserts_find_the_value_that_was_there() {
    let map = OpenMap::<u32, u32>::with_capacity(100).unwrap();
    map.insert_unique(&[1], &[10]).unwrap().all_stored().unwrap();
    let (said, found) = map.insert_and_find(&[1, 2, 2], &[11, 20, 20]).unwrap();
    assert_eq!(said[0], Insert::Present);
    assert_eq!(said.iter().filter(|&&said| said == Insert::Inserted).count(), 1);
    assert_eq!(found, [Some(10), Some(20), Some(20)]);
}

#[test]
fn all_matches_of_keys_are_joined() {
    let map = SlabMultimap::<u32, u32>::with_capacity(100).unwrap();
    map.insert(&[1, 1, 3], &[10, 11, 30]).unwrap().all_stored().unwrap();
    let found = map.search_all(&[1, 2, 3]).unwrap();
    let mut inner: Vec<_> = found.iter().map(|(key, &value)| (key, value)).collect();
    inner.sort_unstable();
    assert_eq!(inner, [(0, 10), (0, 11), (2, 30)]);
    assert_eq!(found.outer().filter(|(_, value)| value.is_none()).collect::<Vec<_>>(), [(1, None)]);
    assert_eq!(found.outer().count(), 4);
    let mut sum = 0;
    map.for_each(|(_, value)| sum += value).unwrap();
    assert_eq!(sum, 51);
}

#[test]
fn tables_come_from_iterators_and_are_iterated() {
    let pairs = || (0..5_000u64).map(|key| (key.wrapping_sub(2), key));
    let expected: HashMap<u64, u64> = pairs().collect();
    macro_rules! maps {
        ($($map:ident),*) => { $(
            let map = $map::<u64, u64>::try_from_iter(pairs()).unwrap();
            assert_eq!(map.iter().collect::<HashMap<_, _>>(), expected, stringify!($map));
            assert_eq!((&map).into_iter().count(), 5_000, stringify!($map));
            let mut sum = 0;
            map.for_each(|(_, value)| sum += value).unwrap();
            assert_eq!(sum, 4_999 * 5_000 / 2);
        )* };
    }
    maps!(OpenMap, CuckooMap, HopscotchMap, WaitFreeMap, SlabMap);
    let set = OpenSet::<u64>::try_from_iter(expected.keys().copied()).unwrap();
    assert_eq!(set.iter().collect::<HashSet<_>>(), expected.keys().copied().collect());
    // More than a part, from an iterator that does not say how long it is.
    let many = (0..200_000u64).filter(|key| key % 2 == 0);
    let map = DynamicMap::<u64, u64>::try_from_iter(many.clone().map(|key| (key, key + 1))).unwrap();
    assert_eq!((map.len(), map.by_key().get(199_998)), (Ok(100_000), Some(199_999)));
    let set = DynamicSet::<u64>::try_from_iter(many).unwrap();
    assert_eq!(set.len(), Ok(100_000));
    assert_eq!(set.try_extend([1, 3, 5]), Ok(3));
    assert_eq!(set.len(), Ok(100_003));
}

#[test]
fn an_iterator_that_is_too_long_says_where_it_ended() {
    let map = OpenMap::<u64, u64>::with_capacity(70_000).unwrap();
    let Err(Error::NotStored(error)) = map.try_extend((0..1_000_000).map(|key| (key, key))) else {
        panic!("there is no room for so many")
    };
    assert!(error.first >= 1 << 16 && error.entries > error.first && error.entries < 1_000_000, "{error}");
    assert_eq!(map.len(), Ok(error.entries - error.left_out));
}

#[test]
fn tables_are_kept_as_json_and_read_again() {
    let pairs = [(1u32, -1.5f32), (2, 2.5), (u32::MAX, 0.25)];
    let map = OpenMap::<u32, f32>::try_from_iter(pairs).unwrap();
    let text = serde_json::to_string(&map).unwrap();
    let read: HashMap<u32, f32> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, pairs.into_iter().collect());
    let again: DynamicMap<u32, f32> = serde_json::from_str(&text).unwrap();
    assert_eq!(again.retrieve_all().unwrap().into_iter().collect::<HashMap<_, _>>(), read);
    let again: OpenMap<u32, f32> = serde_json::from_value(serde_json::to_value(&again).unwrap()).unwrap();
    assert_eq!(again.iter().collect::<HashMap<_, _>>(), read);

    let set = DynamicSet::<i64>::try_from_iter([-1, 5]).unwrap();
    let again: OpenSet<i64> = serde_json::from_str(&serde_json::to_string(&set).unwrap()).unwrap();
    assert_eq!(again.iter().collect::<HashSet<_>>(), HashSet::from([-1, 5]));

    let multimap = SlabMultimap::<u32, u32>::try_from_iter([(1, 1), (1, 2)]).unwrap();
    let again: SlabMultimap<u32, u32> =
        serde_json::from_str(&serde_json::to_string(&multimap).unwrap()).unwrap();
    assert_eq!(again.count(&[1]), Ok(vec![2]));
    for wrong in ["[1]", "{\"x\": 1}", "{\"1\": -1}", "{\"1\": 1", "7"] {
        assert!(serde_json::from_str::<OpenMap<u32, u32>>(wrong).is_err(), "{wrong}");
    }
}

/// Every public type of an error is one of the standard library's, and can be passed between threads.
#[test]
fn every_error_is_an_error() {
    fn is_error<E: std::error::Error + Send + Sync + 'static>() {}
    is_error::<Error>();
    is_error::<any::Error>();
    is_error::<NotStored>();
    is_error::<Refused>();
    is_error::<warpproof::model::growth::Overdrawn>();
    is_error::<warpproof::model::paged::file::FileError>();
    is_error::<warpproof::model::spec::ParseError>();
    is_error::<warpproof::simt::check::ScenarioError>();
    is_error::<warpproof::simt::check::seq::SeqError>();
    is_error::<warpproof::simt::engine::RunError>();
    is_error::<warpproof::simt::own::Failed>();
    #[cfg(feature = "files")]
    is_error::<warpproof::files::Malformed>();
    #[cfg(feature = "gpu")]
    is_error::<warpproof::gpu::Error>();
    #[cfg(feature = "gpu")]
    is_error::<warpproof::gpu::error::CudaError>();
}

/// Threads may share every table, and pass it on: checked while this file is compiled.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    macro_rules! shared {
        ($($map:ident, $set:ty;)*) => { $(
            shared::<$map<u32, u32>>();
            shared::<$map<i64, f64>>();
            shared::<$set>();
        )* };
    }
    shared! {
        OpenMap, OpenSet<u64>;
        CuckooMap, CuckooSet<u32>;
        DynamicMap, DynamicSet<u64>;
        HopscotchMap, HopscotchSet<u32>;
        SlabMap, SlabSet;
        PagedMap, PagedSet<u32>;
        WaitFreeMap, WaitFreeSet<u64>;
    }
    shared::<SlabMultimap<u32, u32>>();
    shared::<any::Map<u32, u32>>();
    shared::<any::Set<u32>>();
    #[cfg(feature = "gpu")]
    {
        use warpproof::gpu;
        shared::<gpu::OpenMap<u32, u32>>();
        shared::<gpu::CuckooMap<u64, u64>>();
        shared::<gpu::DynamicMap<u64, u64>>();
        shared::<gpu::HopscotchMap<u32, u32>>();
        shared::<gpu::PagedMap<u64, u64>>();
        shared::<gpu::SlabMultimap<u32, u32>>();
        shared::<gpu::WaitFreeSet<u32>>();
        shared::<gpu::Device>();
    }
};
