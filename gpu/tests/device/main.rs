//! Tests that run on any machine, and a first test of a device if there is one.

mod baselines;
mod board;
mod columns;
mod frozen;
mod hopscotch;
mod open;
mod paged;
mod partitioned;
mod staged;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use warpproof_gpu::bench::{Extra, Floors, StressClock, Timer};
use warpproof_gpu::cudarc::driver::{CudaSlice, CudaStream};
use warpproof_gpu::{Device, Error, OpenMap, SlabMap, SlabMultimap, SlabSet, Tuning};
use warpproof_model::host::{
    Answer, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkSet, BulkTable, Op, SlabGeometry,
};
use warpproof_model::outcome::{Delete, Insert};

/// The first device, opened once; `None` if this machine has none, and then prints that the test is skipped.
fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    let opened = DEVICE.get_or_init(|| match Device::open(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver | Error::NoDevice { .. }) => None,
        Err(error) => panic!("{error}"),
    });
    if opened.is_none() {
        println!("skipped: no CUDA device");
    }
    opened.clone()
}

/// Whether kernels that are not part of the library are built. If not, prints that the test is skipped.
fn is_built(extra: Extra) -> bool {
    let missing = extra.missing();
    if let Some(why) = &missing {
        println!("skipped: {why}");
    }
    missing.is_none()
}

#[test]
fn without_a_driver_there_is_an_error_and_no_panic() {
    match Device::count() {
        Err(Error::NoDriver) => {
            assert_eq!(Device::open(0).unwrap_err(), Error::NoDriver);
            assert!(Error::NoDriver.to_string().starts_with("no NVIDIA driver"));
        }
        Ok(devices) => {
            let error = Device::open(devices).unwrap_err();
            assert_eq!(error, Error::NoDevice { ordinal: devices, devices });
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_map_and_a_set_answer() {
    let Some(device) = device() else { return };
    println!("{device:?}, {:?}", device.memory().unwrap());

    let mut map = SlabMap::<u32, u32>::with_capacity(&device, 1000).unwrap();
    let keys: Vec<u32> = (0..1000).collect();
    let values: Vec<u32> = keys.iter().map(|key| key * 7).collect();
    assert!(map.insert_unique(&keys, &values).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.search(&[0, 999, 1000]).unwrap(), [Some(0), Some(6993), None]);
    assert_eq!(map.delete(&[5, 1001]).unwrap(), [Delete::Deleted, Delete::Absent]);
    map.flush().unwrap();
    assert_eq!(map.len().unwrap(), 999);
    assert_eq!(map.retrieve_all().unwrap().len(), 999);

    let wide = SlabMap::<u64, u64>::build(&device, &[1 << 40, 2], &[u64::MAX, 3]).unwrap();
    assert_eq!(wide.search(&[1 << 40, 2, 1]).unwrap(), [Some(u64::MAX), Some(3), None]);

    let set = SlabSet::build(&device, &[3, 4, 3]).unwrap();
    assert_eq!(set.contains(&[3, 5]).unwrap(), [true, false]);
    assert_eq!(set.len().unwrap(), 2);
}

/// A lock that a test holds while it takes much of the device's memory.
static MUCH: Mutex<()> = Mutex::new(());

/// A table of a sixteenth of the device's memory, beside which other tests take little.
#[test]
fn freed_memory_is_kept_as_long_as_asked_for() {
    let Some(device) = device() else { return };
    let _alone = MUCH.lock().unwrap_or_else(PoisonError::into_inner);
    let part = device.memory().unwrap().1 / 16;
    let table = || OpenMap::<u32, u32>::with_capacity(&device, part / 10).unwrap();
    let kept = || device.kept_memory().unwrap();
    let before = table();
    assert!(before.bytes() > part * 3 / 4);
    device.keep_memory(u64::MAX).unwrap();
    // What was there before goes back to the driver.
    drop(before);
    assert!(kept() < part / 2, "{} bytes are kept", kept());
    drop(table());
    assert!(kept() > part / 2, "{} bytes are kept", kept());
    // The next table is made of it.
    let next = table();
    assert!(kept() < part / 2, "{} bytes are kept", kept());
    device.keep_memory(0).unwrap();
    drop(next);
    device.synchronize().unwrap();
    assert!(kept() < part / 2, "{} bytes are kept", kept());
}

#[test]
fn device_slices_of_another_stream_are_waited_for() {
    let Some(device) = device() else { return };
    let map = SlabMap::<u32, u32>::build(&device, &[1, 2, 3], &[10, 20, 30]).unwrap();
    let (one, other) = (device.context().new_stream().unwrap(), device.context().new_stream().unwrap());
    let keys = one.clone_htod(&[3u32, 2, 9]).unwrap();
    let mut values = one.alloc_zeros::<u32>(3).unwrap();
    let mut found = one.alloc_zeros::<u8>(3).unwrap();
    map.on_stream(&other).search_or(&keys, &mut values, 7, Some(found.as_view_mut())).unwrap();
    drop(keys);
    assert_eq!(one.clone_dtoh(&values).unwrap(), [30, 20, 7]);
    assert_eq!(one.clone_dtoh(&found).unwrap(), [1, 1, 0]);
    // Without the values.
    let keys = one.clone_htod(&[9u32, u32::MAX, 1]).unwrap();
    map.on_stream(&other).contains(&keys, &mut found).unwrap();
    assert_eq!(one.clone_dtoh(&found).unwrap(), [0, 0, 1]);
    let short = one.clone_htod(&[3u32]).unwrap();
    assert!(matches!(map.on_stream(&other).search(&short, &mut values, None), Err(Error::Refused(_))));
    assert!(matches!(map.on_stream(&other).contains(&short, &mut found), Err(Error::Refused(_))));
}

#[test]
fn a_table_is_cleared_between_batches() {
    let Some(device) = device() else { return };
    // 33 slabs of the pool: a second word of the bitmap, with bits beyond the pool. Too few for all the keys.
    let geometry = SlabGeometry { slab_slots: 8, buckets: 4, pool: 33 };
    let mut map = SlabMap::<u32, u32>::with_geometry(&device, geometry).unwrap();
    let full = 37 * geometry.pairs_per_slab() as u64;
    let insert = |map: &SlabMap<u32, u32>, stream: &_, keys: &_, outcomes: &mut _| {
        map.on_stream(stream).insert_unique(keys, keys, outcomes)
    };
    clear_between_batches(&device, &mut map, full, SlabMap::clear_on, insert);
    // Every slab is free again. Most of the keys find no room.
    let stored = |key: u32| map.insert_unique(&[key], &[key]).unwrap()[0] == Insert::Inserted;
    assert_eq!((0..MORE_KEYS).filter(|&key| stored(key)).count() as u64, full);
    assert_eq!(map.stats().unwrap().live, full);
}

/// More keys than the tables of [`clear_between_batches`] have room for.
const MORE_KEYS: u32 = 2_000;

/// Clears a table with room for so many pairs before batches of inserts, on two streams, and at the end.
fn clear_between_batches<M: BulkMap<u32, u32, Error = Error>>(
    device: &Device,
    map: &mut M,
    room: u64,
    clear: impl Fn(&mut M, &Arc<CudaStream>) -> Result<(), Error>,
    insert: impl Fn(&M, &Arc<CudaStream>, &CudaSlice<u32>, &mut CudaSlice<u8>) -> Result<(), Error>,
) {
    let (one, other) = (device.context().new_stream().unwrap(), device.context().new_stream().unwrap());
    let keys: Vec<u32> = (0..MORE_KEYS).collect();
    let on_keys = one.clone_htod(&keys).unwrap();
    let mut outcomes = one.alloc_zeros::<u8>(keys.len()).unwrap();
    for round in 0..20 {
        let stream = if round % 4 == 3 { &other } else { &one };
        clear(map, stream).unwrap();
        insert(map, stream, &on_keys, &mut outcomes).unwrap();
        let codes = one.clone_dtoh(&outcomes).unwrap();
        let inserted = codes.iter().filter(|&&code| code == Insert::Inserted.code()).count() as u64;
        assert!(inserted > 0 && inserted <= room, "round {round}: {inserted}");
        if round % 3 == 0 {
            // On a stream of our own.
            assert_eq!(map.len().unwrap(), inserted, "round {round}");
        }
    }
    clear(map, &one).unwrap();
    assert!(map.retrieve_all().unwrap().is_empty(), "the clear was not waited for");
}

#[test]
fn slabs_of_sixteen_slots_have_the_operations_of_benches() {
    let built = |_: &Device| is_built(Extra::Tuning) && is_built(Extra::Stress);
    let Some(device) = device().filter(built) else { return };
    let keys: Vec<u32> = (0..10_000).collect();
    let geometry = SlabGeometry::new(keys.len() as u64, 2.0, 16).unwrap();
    for lanes in [None, Some(4), Some(8)] {
        let tuning = Tuning { lanes, ..Tuning::default() };
        let mut map = SlabMap::<u32, u32>::with_tuning(&device, geometry, tuning).unwrap();
        assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&o| o == Insert::Inserted));
        assert!(map.search(&keys).unwrap().iter().zip(&keys).all(|(value, key)| *value == Some(*key)));
        assert!(map.delete(&keys[..5_000]).unwrap().iter().all(|&o| o == Delete::Deleted));
        let ops = vec![Op::Search; keys.len()];
        let answers = map.mixed(&ops, &keys, &keys).unwrap();
        assert!(answers[..5_000].iter().all(|&answer| answer == Answer::Search(None)), "{lanes:?}");
        assert!(answers[5_000..].iter().all(|answer| matches!(answer, Answer::Search(Some(_)))));
        assert!(map.flush().unwrap() > 0);
        assert_eq!((map.len().unwrap(), map.retrieve_all().unwrap().len()), (5_000, 5_000));
        assert!(matches!(map.count(&keys), Err(Error::NoKernel { .. })));
        let mut clock = StressClock::new(&device).unwrap();
        assert!(matches!(clock.map(&map, &ops, &keys, &keys), Err(Error::NoKernel { .. })));
    }
}

#[test]
fn floors_run_and_are_timed() {
    let Some(device) = device() else { return };
    let stream = device.context().new_stream().unwrap();
    let keys = stream.clone_htod(&(0..10_000u32).collect::<Vec<_>>()).unwrap();
    let mut values = stream.alloc_zeros::<u32>(10_000).unwrap();
    let floors = Floors::new(&device, 4_000).unwrap();
    let timer = Timer::new(&device).unwrap();
    timer.start(&stream).unwrap();
    // Nothing is stored yet: all ones come back.
    floors.find(&stream, &keys, &mut values).unwrap();
    timer.stop(&stream).unwrap();
    assert!(timer.milliseconds().unwrap() > 0.0);
    assert!(stream.clone_dtoh(&values).unwrap().iter().all(|&value| value == u32::MAX));
    let held = Timer::held(&device).unwrap();
    held.start(&stream).unwrap();
    floors.insert(&stream, &keys, &keys).unwrap();
    held.stop(&stream).unwrap();
    assert!(held.milliseconds().unwrap() > 0.0);
    floors.bucket(&stream, &keys, &keys).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_handle_serves_every_thread() {
    let Some(device) = device() else { return };
    let map = SlabMultimap::<u64, u64>::with_capacity(&device, 8_000).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let map = &map;
            scope.spawn(move || {
                let values: Vec<u64> = (0..1_000).map(|i| thread * 1_000 + i).collect();
                map.insert(&[7; 1_000], &values).unwrap().all_stored().unwrap();
            });
        }
    });
    let mut values = map.search_all(&[7]).unwrap().values;
    values.sort_unstable();
    assert_eq!(values, (0..8_000).collect::<Vec<_>>());
}
