//! The host part: a table from `warpproof-gpu`, and a custom kernel on it.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::collections::HashMap;
use std::error::Error;
use warpproof_gpu::{Device, SlabMap};

/// What the command of the README writes.
const PTX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/own_kernel.ptx");

const ROWS: u32 = 1 << 20;
const THREADS: u32 = 128;
/// Lanes per tile, as in the kernel.
const LANES: u32 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| PTX.to_owned());
    let ptx =
        std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}. Build it as the README says."))?;

    let device = Device::open(0)?;
    let stream = device.context().default_stream();
    let kernel = device.context().load_module(Ptx::from_src(ptx))?.load_function("group_sums")?;

    // Few frequent keys and many rare ones.
    let keys: Vec<u32> = (0..ROWS).map(|row| row.wrapping_mul(0x9e37_79b9) >> (8 + row % 16)).collect();
    let amounts: Vec<u32> = (0..ROWS).map(|row| row % 100).collect();

    let map = SlabMap::<u32, u32>::with_capacity(&device, ROWS as u64)?;
    let parts = map.parts();
    let (device_keys, device_amounts) = (stream.clone_htod(&keys)?, stream.clone_htod(&amounts)?);
    let mut device_groups = stream.alloc_zeros::<u32>(keys.len())?;
    let mut device_sums = stream.alloc_zeros::<u64>(keys.len())?;
    let size = LaunchConfig {
        grid_dim: ((ROWS * LANES).div_ceil(THREADS), 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&kernel);
    let [mask, factor] = parts.seed.words();
    launch.arg(&parts.slots).arg(&parts.len).arg(&parts.bitmap).arg(&parts.bitmap_len).arg(&parts.buckets);
    launch.arg(&mask).arg(&factor);
    launch.arg(&device_keys).arg(&device_amounts).arg(&mut device_groups).arg(&mut device_sums).arg(&ROWS);
    // SAFETY: the kernel's arguments in its order; the arrays have `ROWS` elements; the grid has a tile per
    // row. The map outlives the launch, which the copies below wait for.
    unsafe { launch.launch(size)? };

    let (groups, sums) = (stream.clone_dtoh(&device_groups)?, stream.clone_dtoh(&device_sums)?);
    check(&keys, &amounts, &groups, &sums)
}

/// Compares with the same sums by a `HashMap`.
fn check(keys: &[u32], amounts: &[u32], groups: &[u32], sums: &[u64]) -> Result<(), Box<dyn Error>> {
    let mut expected = HashMap::<u32, u64>::new();
    for (&key, &amount) in keys.iter().zip(amounts) {
        *expected.entry(key).or_default() += amount as u64;
    }
    for (row, (key, &group)) in keys.iter().zip(groups).enumerate() {
        let found = sums.get(group as usize).ok_or_else(|| format!("row {row} has no group"))?;
        if keys[group as usize] != *key || *found != expected[key] {
            return Err(format!("row {row}: key {key} has the sum {found}, not {}", expected[key]).into());
        }
    }
    let mut top: Vec<_> = expected.iter().collect();
    top.sort_by_key(|&(&key, &sum)| (u64::MAX - sum, key));
    println!("{} rows, {} keys: every sum equals the HashMap's", keys.len(), expected.len());
    for (key, sum) in top.into_iter().take(3) {
        println!("  key {key:>8}: {sum}");
    }
    Ok(())
}
