//! Hopscotch tables: tests that are specific to the GPU.

use super::{MORE_KEYS, clear_between_batches, device, is_built};
use std::collections::HashSet;
use warpproof_gpu::bench::{Extra, StressClock};
use warpproof_gpu::{Device, Error, HopscotchMap, HopscotchSet, KeyScalar, Layout, Tuning};
use warpproof_model::hopscotch::{GROUP_WORDS, REACH};
use warpproof_model::host::{Answer, BulkMap, BulkSet, BulkTable, HopscotchGeometry, Op, Refused};
use warpproof_model::outcome::{Assign, Delete, Insert};
use warpproof_model::{Key, Seed};

/// Slots in which the keys of one home can be.
const NEIGHBOURHOOD: u64 = REACH as u64 * (GROUP_WORDS as u64 - 1);

/// A table of `homes` homes.
fn size(homes: u32) -> HopscotchGeometry {
    HopscotchGeometry { group_words: GROUP_WORDS as u32, reach: REACH, homes }
}

#[test]
fn a_map_answers() {
    let Some(device) = device() else { return };
    let map = HopscotchMap::<u32, u32>::with_capacity(&device, 1_000).unwrap();
    let keys: Vec<u32> = (0..1_000).collect();
    let values: Vec<u32> = keys.iter().map(|key| key * 7).collect();
    assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.insert_unique(&[3], &[1]).unwrap(), [Insert::Present]);
    assert_eq!(map.insert_or_assign(&[4, 1_000], &[1, 2]).unwrap(), [Assign::Replaced, Assign::Inserted]);
    assert_eq!(map.search(&[3, 4, 1_000, 1_001]).unwrap(), [Some(21), Some(1), Some(2), None]);
    assert_eq!(map.delete(&[5, 1_001]).unwrap(), [Delete::Deleted, Delete::Absent]);
    let ops = [Op::Search, Op::Delete, Op::InsertUnique, Op::Assign];
    let answers = map.mixed(&ops, &[7, 8, 9, 2_000], &[0; 4]).unwrap();
    let expected = [
        Answer::Search(Some(49)),
        Answer::Delete(Delete::Deleted),
        Answer::Insert(Insert::Present),
        Answer::Assign(Assign::Inserted),
    ];
    assert_eq!(answers, expected);
    assert_eq!(map.len().unwrap(), 1_000);
    let mut pairs = map.retrieve_all().unwrap();
    pairs.sort_unstable();
    assert_eq!((pairs.len(), pairs[0], pairs[999]), (1_000, (0, 0), (2_000, 0)));
    assert_eq!(map.insert_unique(&[u32::MAX], &[1]), Ok(vec![Insert::Inserted].into()));
}

#[test]
fn sets_answer() {
    fn answers<K: KeyScalar + TryFrom<u64>>(device: &Device) {
        let key = |key: u64| K::try_from(key).ok().unwrap();
        let set = HopscotchSet::build(device, &[3, 4, 3].map(key)).unwrap();
        assert_eq!(set.contains(&[3, 5].map(key)).unwrap(), [true, false]);
        assert_eq!(set.delete(&[4, 5].map(key)).unwrap(), [Delete::Deleted, Delete::Absent]);
        assert_eq!((set.len().unwrap(), set.retrieve_all().unwrap()), (1, vec![key(3)]));
        let stats = set.stats().unwrap();
        assert_eq!((stats.live, stats.distances.iter().sum()), (1, 1));
    }
    let Some(device) = device() else { return };
    answers::<u32>(&device);
    answers::<u64>(&device);
    let large = HopscotchSet::build(&device, &[1u64 << 40, 1 << 41]).unwrap();
    assert_eq!(large.contains(&[1 << 40, 1 << 42]).unwrap(), [true, false]);
}

#[test]
fn pairs_of_u64_need_wide_words() {
    let Some(device) = device() else { return };
    match HopscotchMap::<u64, u64>::build(&device, &[1 << 40, 2], &[u64::MAX, 3]) {
        Ok(map) => {
            assert!(device.wide());
            assert_eq!(map.layout(), Layout::Map64);
            assert_eq!(map.search(&[1 << 40, 2, 1]).unwrap(), [Some(u64::MAX), Some(3), None]);
        }
        Err(error) => {
            assert!(!device.wide() && matches!(error, Error::NoWideWords { .. }), "{error}");
        }
    }
}

#[test]
fn operations_on_device_slices_answer() {
    let Some(device) = device() else { return };
    let map = HopscotchMap::<u32, u32>::with_capacity(&device, 100).unwrap();
    let stream = device.context().new_stream().unwrap();
    let keys = stream.clone_htod(&[1u32, 2, u32::MAX, 3]).unwrap();
    let values = stream.clone_htod(&[10u32, 20, 0, 30]).unwrap();
    let mut outcomes = stream.alloc_zeros::<u8>(4).unwrap();
    let mut found = stream.alloc_zeros::<u32>(4).unwrap();
    let on = map.on_stream(&stream);
    let inserted = Insert::Inserted.code();
    on.insert_unique(&keys, &values, &mut outcomes).unwrap();
    assert_eq!(stream.clone_dtoh(&outcomes).unwrap(), [inserted; 4]);
    on.search_or(&keys, &mut found, 7, Some(outcomes.as_view_mut())).unwrap();
    assert_eq!(stream.clone_dtoh(&found).unwrap(), [10, 20, 0, 30]);
    assert_eq!(stream.clone_dtoh(&outcomes).unwrap(), [1; 4]);
    on.insert_or_assign(&keys, &keys, &mut outcomes).unwrap();
    on.search(&keys, &mut found, None).unwrap();
    assert_eq!(stream.clone_dtoh(&found).unwrap(), [1, 2, u32::MAX, 3]);
    let ops = stream.clone_htod(&[Op::Delete as u8, Op::Search as u8, 0, 200]).unwrap();
    on.mixed(&ops, &keys, &values, &mut outcomes, &mut found).unwrap();
    assert_eq!(
        stream.clone_dtoh(&outcomes).unwrap(),
        [Delete::Deleted.code(), 1, Insert::Present.code(), 254]
    );
    on.delete(&keys, &mut outcomes).unwrap();
    let (deleted, absent) = (Delete::Deleted.code(), Delete::Absent.code());
    assert_eq!(stream.clone_dtoh(&outcomes).unwrap(), [absent, deleted, deleted, deleted]);
    let short = stream.clone_htod(&[3u32]).unwrap();
    assert!(matches!(on.delete(&short, &mut outcomes), Err(Error::Refused(_))));

    let set = HopscotchSet::<u64>::with_capacity(&device, 100).unwrap();
    let keys = stream.clone_htod(&[1u64, 1 << 50, u64::MAX, 3]).unwrap();
    set.on_stream(&stream).insert(&keys, &mut outcomes).unwrap();
    assert_eq!(stream.clone_dtoh(&outcomes).unwrap(), [inserted; 4]);
    set.on_stream(&stream).contains(&keys, &mut outcomes).unwrap();
    assert_eq!(stream.clone_dtoh(&outcomes).unwrap(), [1; 4]);
    set.on_stream(&stream).delete(&keys, &mut outcomes).unwrap();
    stream.synchronize().unwrap();
    assert!(set.is_empty().unwrap());
}

#[test]
fn a_full_table_says_full_and_loses_nothing() {
    let Some(device) = device() else { return };
    let keys: Vec<u32> = (0..20_000).collect();
    let other: &[Option<u32>] = if is_built(Extra::Tuning) { &[Some(1), Some(4), Some(8)] } else { &[] };
    for lanes in [None].iter().chain(other).copied() {
        let tuning = Tuning { lanes, ..Tuning::default() };
        for homes in [1, 2, 100, 2_000] {
            let map = HopscotchMap::<u32, u32>::with_tuning(&device, size(homes), tuning).unwrap();
            let outcomes = map.insert_unique(&keys, &keys).unwrap();
            let inside: HashSet<u32> = keys
                .iter()
                .zip(&outcomes)
                .filter(|(_, o)| **o == Insert::Inserted)
                .map(|(k, _)| *k)
                .collect();
            let full = outcomes.iter().filter(|&&o| o == Insert::Full).count();
            assert_eq!(inside.len() + full, keys.len(), "{homes} homes, {lanes:?}");
            if homes == 1 {
                assert_eq!(
                    inside.len() as u64,
                    NEIGHBOURHOOD,
                    "Full was said while there was room, {lanes:?}"
                );
            }
            for (key, value) in keys.iter().zip(map.search(&keys).unwrap()) {
                assert_eq!(value, inside.contains(key).then_some(*key), "{homes} homes, {lanes:?}");
            }
            let stats = map.stats().unwrap();
            assert_eq!((stats.live, stats.distances.iter().sum::<u64>()), (inside.len() as u64, stats.live));
            assert_eq!(
                map.retrieve_all().unwrap().into_iter().map(|(key, _)| key).collect::<HashSet<_>>(),
                inside
            );
            // A slot that is given back is room for another key of the same home.
            let one = *inside.iter().min().unwrap();
            assert_eq!(map.delete(&[one]).unwrap(), [Delete::Deleted]);
            assert_eq!(map.insert_or_assign(&[one], &[1]).unwrap(), [Assign::Inserted]);
        }
    }
}

#[test]
fn a_build_without_room_says_how_much_is_left_out() {
    let Some(device) = device() else { return };
    let homes = HopscotchGeometry::for_pairs(100).unwrap().homes;
    let seed = Seed::new(1);
    let keys: Vec<u32> =
        (0..).filter(|key: &u32| key.hash(seed).digit(homes) == homes / 2).take(100).collect();
    let full = Error::TableFull { pairs: 100, left_out: 100 - NEIGHBOURHOOD };
    assert_eq!(HopscotchMap::build_with_seed(&device, &keys, &keys, seed).unwrap_err(), full);
    assert_eq!(HopscotchSet::build_with_seed(&device, &keys, seed).unwrap_err(), full);
}

#[test]
fn a_table_is_cleared_between_batches() {
    let Some(device) = device() else { return };
    let mut map = HopscotchMap::<u32, u32>::with_geometry(&device, size(4)).unwrap();
    let insert = |map: &HopscotchMap<u32, u32>, stream: &_, keys: &_, outcomes: &mut _| {
        map.on_stream(stream).insert_unique(keys, keys, outcomes)
    };
    clear_between_batches(&device, &mut map, size(4).slots(), HopscotchMap::clear_on, insert);
    let keys: Vec<u32> = (0..MORE_KEYS).collect();
    // Home words are as they were: a key that goes to a later group is found again.
    assert_eq!(map.insert_unique(&keys[..40], &keys[..40]).unwrap().len(), 40);
    assert_eq!(map.len().unwrap(), map.search(&keys).unwrap().iter().flatten().count() as u64);
}

#[test]
fn high_loads_move_entries() {
    let Some(device) = device() else { return };
    let keys: Vec<u32> = (0..100_000).collect();
    let geometry = HopscotchGeometry::at_load(keys.len() as u64, 0.9).unwrap();
    let map = HopscotchMap::<u32, u32>::with_geometry(&device, geometry).unwrap();
    let outcomes = map.insert_unique(&keys, &keys).unwrap();
    let stats = map.stats().unwrap();
    println!("{geometry:?}: load {:.3}, distances {:?}", stats.load(geometry), stats.distances);
    assert_eq!(stats.live, outcomes.iter().filter(|&&o| o == Insert::Inserted).count() as u64);
    assert!(stats.distances[0] > stats.distances[1] && stats.distances[1] > 0);
    let found = map.search(&keys).unwrap();
    assert!(found.iter().zip(&outcomes).all(|(value, &o)| value.is_some() == (o == Insert::Inserted)));
    assert!(
        map.delete(&keys)
            .unwrap()
            .iter()
            .zip(&outcomes)
            .all(|(&deleted, &o)| { (deleted == Delete::Deleted) == (o == Insert::Inserted) })
    );
    assert!(map.is_empty().unwrap());
}

#[test]
fn sizes_and_streams_of_others_are_refused() {
    let Some(device) = device() else { return };
    let other = HopscotchGeometry { group_words: 16, ..size(4) };
    let refused = HopscotchMap::<u32, u32>::with_geometry(&device, other).unwrap_err();
    assert!(matches!(refused, Error::Refused(Refused::Neighbourhood { .. })), "{refused}");
    let refused = HopscotchSet::<u32>::with_geometry(&device, size(0)).unwrap_err();
    assert_eq!(refused, Error::Refused(Refused::Nothing { what: "home" }));

    if Device::count().unwrap() < 2 {
        println!("skipped: no second CUDA device");
        return;
    }
    let second = Device::open(1).unwrap();
    let stream = second.context().new_stream().unwrap();
    let mut map = HopscotchMap::<u32, u32>::with_capacity(&device, 10).unwrap();
    let keys = stream.clone_htod(&[1u32]).unwrap();
    let mut outcomes = stream.alloc_zeros::<u8>(1).unwrap();
    assert_eq!(
        map.on_stream(&stream).delete(&keys, &mut outcomes),
        Err(Error::OtherDevice { what: "stream" })
    );
    assert_eq!(map.clear_on(&stream), Err(Error::OtherDevice { what: "stream" }));
    let here = device.context().new_stream().unwrap();
    assert_eq!(map.on_stream(&here).delete(&keys, &mut outcomes), Err(Error::OtherDevice { what: "keys" }));
    if !is_built(Extra::Stress) {
        return;
    }
    let mut clock = StressClock::new(&second).unwrap();
    let stamped = clock.map(&map, &[Op::Search], &[1], &[0]);
    assert_eq!(stamped.unwrap_err(), Error::OtherDevice { what: "clock" });
}

#[test]
fn operations_are_stamped() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    let mut clock = StressClock::new(&device).unwrap();
    let map = HopscotchMap::<u32, u32>::with_capacity(&device, 100).unwrap();
    let stamped = clock.map(&map, &[Op::Assign, Op::Assign], &[7, 8], &[1, 2]).unwrap();
    assert!(stamped.iter().all(|one| one.answer == Answer::Assign(Assign::Inserted) && one.start < one.end));
    let stamped = clock.map(&map, &[Op::Search, Op::Delete], &[7, 9], &[0, 0]).unwrap();
    assert_eq!(stamped[0].answer, Answer::Search(Some(1)));
    assert_eq!(stamped[1].answer, Answer::Delete(Delete::Absent));
    assert!(stamped.iter().all(|one| one.start >= 4), "the clock went back");

    let set = HopscotchSet::<u64>::with_capacity(&device, 100).unwrap();
    let stamped = clock.set(&set, &[Op::InsertUnique, Op::Search], &[1 << 40, 5]).unwrap();
    assert_eq!(stamped[0].answer, Answer::Insert(Insert::Inserted));
    assert_eq!(stamped[1].answer, Answer::Search(None));
}

#[test]
fn parts_are_what_the_size_says() {
    let Some(device) = device() else { return };
    let map = HopscotchMap::<u32, u32>::with_geometry(&device, size(5)).unwrap();
    let parts = map.parts();
    assert_eq!((parts.len, parts.homes, map.bytes()), (12 * 8, 5, (12 * 8 + 2) * 8));
    assert!(parts.words != 0 && map.geometry() == size(5));
    let set = HopscotchSet::<u32>::with_geometry(&device, size(5)).unwrap();
    assert_eq!((set.parts().len, set.bytes(), set.geometry()), (12 * 8, (12 * 8 + 2) * 4, size(5)));
}
