//! What holds on any machine, and a first look at a device where there is one.

use warpproof_gpu::{Device, Error, SlabMap, SlabSet};
use warpproof_model::host::{BulkMap, BulkSet};
use warpproof_model::outcome::{Delete, Insert};

/// The first device; `None`, with a word printed, if this machine has none.
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
    assert_eq!(map.pairs().unwrap().len(), 999);

    let wide = SlabMap::<u64, u64>::build(&device, &[1 << 40, 2], &[u64::MAX, 3]).unwrap();
    assert_eq!(wide.search(&[1 << 40, 2, 1]).unwrap(), [Some(u64::MAX), Some(3), None]);

    let set = SlabSet::build(&device, &[3, 4, 3]).unwrap();
    assert_eq!(set.contains(&[3, 5]).unwrap(), [true, false]);
    assert_eq!(set.len().unwrap(), 2);
}

#[test]
fn device_slices_of_another_stream_are_waited_for() {
    let Some(device) = device() else { return };
    let map = SlabMap::<u32, u32>::build(&device, &[1, 2, 3], &[10, 20, 30]).unwrap();
    let (one, other) = (device.context().new_stream().unwrap(), device.context().new_stream().unwrap());
    let keys = one.clone_htod(&[3u32, 2, 9]).unwrap();
    let mut values = one.alloc_zeros::<u32>(3).unwrap();
    let mut found = one.alloc_zeros::<u8>(3).unwrap();
    map.on(&other).search_or(&keys, &mut values, 7, Some(found.as_view_mut())).unwrap();
    drop(keys);
    assert_eq!(one.clone_dtoh(&values).unwrap(), [30, 20, 7]);
    assert_eq!(one.clone_dtoh(&found).unwrap(), [1, 1, 0]);
    let short = one.clone_htod(&[3u32]).unwrap();
    assert!(matches!(map.on(&other).search(&short, &mut values, None), Err(Error::Refused(_))));
}
