//! An update of values that the library does not have, by a kernel on an `OpenMap`: the lowest and the
//! highest reading of each sensor, in one value.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::collections::HashMap;
use std::error::Error;
use warpproof_gpu::{Device, OpenMap};
use warpproof_model::Add;
use warpproof_model::host::{BulkMap, BulkTable, OpenGeometry};

/// What the command of the README writes.
const PTX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/own_kernel.ptx");

const ROWS: u32 = 1 << 22;
/// Reserved keys are sensors too.
const SENSORS: u32 = 1 << 16;
const THREADS: u32 = 128;
/// Lanes per tile, and slots of a bucket, as in the kernel.
const LANES: u32 = 2;
const BUCKET_SLOTS: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| PTX.to_owned());
    let ptx =
        std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}. Build it as the README says."))?;

    let device = Device::open(0)?;
    let stream = device.context().default_stream();
    let kernel = device.context().load_module(Ptx::from_src(ptx))?.load_function("widen_ranges")?;

    // The last sensors have the reserved keys.
    let sensors: Vec<u32> = (0..ROWS).map(|row| u32::MAX - row.wrapping_mul(0x9e37_79b9) % SENSORS).collect();
    let readings: Vec<u32> = (0..ROWS).map(|row| row.wrapping_mul(0x85eb_ca6b) >> 16).collect();

    let size = OpenGeometry::new(SENSORS as u64, OpenGeometry::DEFAULT_LOAD, BUCKET_SLOTS)?;
    let map = OpenMap::<u32, u32>::with_geometry(&device, size)?;
    let parts = map.parts();
    let (device_sensors, device_readings) = (stream.clone_htod(&sensors)?, stream.clone_htod(&readings)?);
    let mut device_outcomes = stream.alloc_zeros::<u8>(sensors.len())?;
    let size = LaunchConfig {
        grid_dim: ((ROWS * LANES).div_ceil(THREADS), 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&kernel);
    let [mask, factor] = parts.seed.words();
    launch.arg(&parts.slots).arg(&parts.len).arg(&parts.filter).arg(&parts.filter_len).arg(&parts.buckets);
    launch.arg(&mask).arg(&factor);
    launch.arg(&device_sensors).arg(&device_readings).arg(&mut device_outcomes).arg(&ROWS);
    // SAFETY: the kernel's arguments in its order; the arrays have `ROWS` elements; the grid has a tile per
    // row. The map outlives the launch, which the copy below waits for.
    unsafe { launch.launch(size)? };
    let outcomes = stream.clone_dtoh(&device_outcomes)?;

    let mut expected = HashMap::<u32, (u32, u32)>::new();
    for (&sensor, &reading) in sensors.iter().zip(&readings) {
        let (lowest, highest) = expected.entry(sensor).or_insert((reading, reading));
        (*lowest, *highest) = (reading.min(*lowest), reading.max(*highest));
    }
    let inserted = outcomes.iter().filter(|&&code| code == Add::Inserted.code()).count();
    let added = outcomes.iter().filter(|&&code| code == Add::Added.code()).count();
    if (inserted, inserted + added) != (expected.len(), sensors.len()) || map.len()? != inserted as u64 {
        return Err(format!("{inserted} sensors inserted and {added} changed, of {}", expected.len()).into());
    }
    let all: Vec<u32> = expected.keys().copied().collect();
    for (sensor, found) in all.iter().zip(map.search(&all)?) {
        let (lowest, highest) = expected[sensor];
        if found != Some(highest << 16 | lowest) {
            return Err(format!("sensor {sensor}: {found:?}, not from {lowest} to {highest}").into());
        }
    }
    println!("{ROWS} readings of {} sensors: every range equals the HashMap's", expected.len());
    Ok(())
}
