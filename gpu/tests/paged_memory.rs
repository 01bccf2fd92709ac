//! Device memory of paged tables, as counted by the driver. This is a separate process, because other tests
//! also take memory.

use std::sync::{Mutex, PoisonError};
use warpproof_gpu::cudarc::driver::CudaSlice;
use warpproof_gpu::{Device, Error, PagedMap, Tuning};
use warpproof_model::Seed;
use warpproof_model::host::{BulkMap, BulkTable, Op, PagedGeometry};
use warpproof_model::outcome::Insert;
use warpproof_model::paged::{Choose, Way};

type Map = PagedMap<u64, u64>;

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MIB: u64 = 1 << 20;
/// The driver gives memory to an array in pieces of so many bytes.
const PIECE: u64 = 2 * MIB;
/// Arrays of a frame: slots, or keys and values, and a filter.
const FRAME_ARRAYS: u64 = 3;
/// Other arrays: numbers, columns, and what a batch of host slices is given and answered with.
const OTHER_ARRAYS: u64 = 8;

fn device() -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver | Error::NoDevice { .. }) => {
            println!("skipped: no CUDA device");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn free(device: &Device) -> u64 {
    device.synchronize().unwrap();
    device.memory().unwrap().0
}

fn keys(range: core::ops::Range<u64>) -> Vec<u64> {
    range.map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1).collect()
}

fn map(device: &Device, size: PagedGeometry, way: Way) -> Map {
    Map::with_seed(device, size, Choose::Always(way), Tuning::default(), Seed::new(3)).unwrap()
}

/// Batches of all kinds on host slices and device slices; `after_each` follows each of them.
fn batches(map: &Map, n: u64, after_each: &mut dyn FnMut(&str)) {
    let (old, new) = (keys(0..n), keys(n / 2..n + n / 2));
    assert!(map.insert_unique(&old, &old).unwrap().iter().all(|&said| said == Insert::Inserted));
    after_each("insert_unique");
    assert!(map.search(&old).unwrap().into_iter().eq(old.iter().copied().map(Some)));
    after_each("search");
    map.insert_or_assign(&new, &new).unwrap().all_stored().unwrap();
    after_each("insert_or_assign");
    let ops: Vec<Op> = [Op::Search, Op::Assign].into_iter().cycle().take(new.len()).collect();
    map.mixed(&ops, &new, &new).unwrap().all_stored().unwrap();
    after_each("mixed");
    let stream = map.device().context().new_stream().unwrap();
    let on_device = stream.clone_htod(&new).unwrap();
    let mut values = stream.alloc_zeros::<u64>(new.len()).unwrap();
    map.on_stream(&stream).search_or(&on_device, &mut values, 0, None).unwrap();
    assert!(stream.clone_dtoh(&values).unwrap() == new);
    drop((on_device, values));
    stream.synchronize().unwrap();
    after_each("search of device slices");
    map.contains(&old[..1_000]).unwrap();
    after_each("contains");
}

/// The budget is 1 GiB, the table 2 GiB.
#[test]
fn device_memory_stays_within_the_budget() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = device() else { return };
    const BUDGET: u64 = 1 << 30;
    for way in [Way::Resident, Way::InPlace] {
        // Kernels are loaded when they first run.
        let small = Map::size(10_000, 0.8, 64 << 10, MIB).unwrap();
        batches(&map(&device, small, way), 5_000, &mut |_| {});

        let before = free(&device);
        let size = Map::size(BUDGET / 16 * 2 * 8 / 10, 0.8, PagedGeometry::CHILD_BYTES, BUDGET).unwrap();
        let map = map(&device, size, way);
        let frames = map.bytes() / PagedGeometry::CHILD_BYTES;
        assert!((8..16).contains(&frames), "{} bytes of frames", map.bytes());
        let taken = before - free(&device);
        assert!(taken >= frames * PagedGeometry::CHILD_BYTES, "{taken} bytes: the driver counts frames");
        let mut most = 0;
        let mut after_each = |name: &str| {
            let taken = before.saturating_sub(free(&device));
            most = most.max(taken);
            // What maps the host's memory is on the device: eight bytes for each page of 4 KiB.
            let slack = PIECE * (FRAME_ARRAYS * frames + OTHER_ARRAYS) + map.host_bytes() / 512;
            assert!(taken <= BUDGET + slack, "{way:?} {name}: {taken} bytes, with a slack of {slack}");
            assert!(map.bytes() <= BUDGET + MIB, "{way:?} {name}: {} bytes", map.bytes());
        };
        batches(&map, 20_000_000, &mut after_each);
        println!("{way:?}: {most} bytes of {BUDGET}, {frames} frames");
        assert_eq!(map.stats().unwrap().rebuilt, 0, "a rebuild takes a child table more");
        drop(map);
        let left = before.saturating_sub(free(&device));
        assert!(left <= 4 * PIECE, "{left} bytes are not given back");
    }
}

/// Takes all memory of the device that there is, to a MiB.
fn take_all(device: &Device) -> Vec<CudaSlice<u8>> {
    let stream = device.context().new_stream().unwrap();
    let (mut all, mut bytes) = (Vec::new(), 1 << 32);
    while bytes >= MIB as usize {
        // SAFETY: nothing reads it.
        match unsafe { stream.alloc::<u8>(bytes) } {
            Ok(memory) => all.push(memory),
            Err(_) => bytes /= 2,
        }
    }
    stream.synchronize().unwrap();
    all
}

/// Others take the device's memory between two batches: an error says so and nothing has run; when they give
/// it back, the map goes on.
#[test]
fn others_may_take_the_memory_of_the_device() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = device() else { return };
    for way in [Way::Resident, Way::InPlace] {
        let size = Map::size(4_000_000, 0.8, 16 * MIB, 256 * MIB).unwrap();
        let map = map(&device, size, way);
        let (old, new) = (keys(0..100_000), keys(100_000..2_100_000));
        map.insert_unique(&old, &old).unwrap().all_stored().unwrap();
        let all = take_all(&device);
        assert!(free(&device) < 32 * MIB, "{} bytes are free", free(&device));
        match map.insert_unique(&new, &new) {
            Err(error @ Error::OutOfMemory { ran: 0, .. }) => println!("{error}"),
            other => panic!("{:?}", other.map(|said| said.len())),
        }
        assert_eq!(map.len().unwrap(), old.len() as u64);
        drop(all);
        device.synchronize().unwrap();
        assert!(map.insert_unique(&new, &new).unwrap().iter().all(|&said| said == Insert::Inserted));
        for keys in [&old, &new] {
            assert!(map.search(keys).unwrap().into_iter().eq(keys.iter().copied().map(Some)));
        }
    }
}
