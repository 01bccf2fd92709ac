//! A kernel that changes a wait-free set without end. Measures its speed and the number of nodes that it
//! needs: if nodes are used again only after it has ended, and if they are used again while it runs.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use std::error::Error;
use warpproof_gpu::{Device, WaitFreeSet};
use warpproof_model::host::{BulkSet, BulkTable, WaitFreeGeometry};
use warpproof_model::reclaim::EPOCH_BITMAPS;

/// What the command of the README writes.
const PTX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/own_kernel.ptx");

/// Keys that the kernel changes, half of which are there at first.
const RANGE: u32 = 1 << 22;
/// Blocks of a grid, threads of a block, and lanes of a tile, as in the kernel.
const BLOCKS: u32 = 528;
const THREADS: u32 = 128;
const LANES: u32 = 4;
const TILES: u32 = BLOCKS * THREADS / LANES;
/// Words of the epochs, as in the kernel.
const EPOCH_WORDS: usize = 48;
const ROUNDS: usize = 5;

/// What is measured.
#[derive(Clone, Copy)]
struct Case {
    by_epochs: bool,
    /// Nodes besides those of the buckets.
    spare: u32,
    /// Turns of a tile, and operations of each lane in a turn.
    turns: u32,
    ops: u32,
    /// Updates, of 256 operations.
    updates: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| PTX.to_owned());
    let ptx =
        std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}. Build it as the README says."))?;
    let device = Device::open(0)?;
    println!("| Updates | Pool | Spare nodes | Turn of a lane | Operations | Mop/s | Found no node |");
    println!("|---|---|---|---|---|---|---|");
    for updates in [256, 102] {
        let case = |by_epochs, spare, turns, ops| Case { by_epochs, spare, turns, ops, updates };
        for ops in [4, 16] {
            // Turns of so many operations; as many operations in all.
            let turns = 256 / ops;
            // At the end: a node for each update.
            measure(&device, &ptx, case(false, 24 << 20, turns, ops))?;
            measure(&device, &ptx, case(true, 24 << 20, turns, ops))?;
            measure(&device, &ptx, case(true, ops << 20, turns, ops))?;
        }
        measure(&device, &ptx, case(true, 4 << 20, 1 << 10, 4))?;
    }
    Ok(())
}

fn measure(device: &Device, ptx: &str, case: Case) -> Result<(), Box<dyn Error>> {
    let name = if case.by_epochs { "churn_by_epochs" } else { "churn_at_end" };
    let kernel = device.context().load_module(Ptx::from_src(ptx))?.load_function(name)?;
    let stream = device.context().new_stream()?;
    let node_words = WaitFreeSet::<u32>::NODE_WORDS;
    let buckets = RANGE / 2 * 5 / 2 / (node_words - 1);
    let size = WaitFreeGeometry {
        node_words,
        buckets,
        nodes: buckets + case.spare,
        warps: TILES,
        entries: u64::from(RANGE / 2),
    };
    let (mut times, mut full) = (Vec::new(), 0);
    // The first round warms up.
    for _ in 0..=ROUNDS {
        let set = WaitFreeSet::<u32>::with_geometry(device, size)?;
        let even: Vec<u32> = (1..=RANGE).filter(|key| key % 2 == 0).collect();
        set.insert(&even)?.all_stored()?;
        let parts = set.parts();
        let bitmaps = if case.by_epochs { EPOCH_BITMAPS } else { 1 };
        let mut retired = stream.alloc_zeros::<u32>(bitmaps * parts.states as usize)?;
        let mut epochs = stream.alloc_zeros::<u64>(EPOCH_WORDS)?;
        let mut net = stream.alloc_zeros::<u32>(RANGE as usize + 1)?;
        let mut counts = stream.alloc_zeros::<u64>(2)?;
        let (buckets, warps) = (u64::from(parts.buckets), u64::from(parts.warps));
        let [mask, factor] = parts.seed.words();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&parts.nodes).arg(&parts.nodes_len).arg(&parts.requests).arg(&parts.heads).arg(&buckets);
        launch.arg(&parts.announcements).arg(&parts.stashes).arg(&warps);
        launch.arg(&parts.used).arg(&mut retired).arg(&parts.states).arg(&parts.stash);
        launch.arg(&mask).arg(&factor).arg(&mut epochs);
        launch.arg(&mut net).arg(&mut counts);
        launch.arg(&RANGE).arg(&case.turns).arg(&case.ops).arg(&case.updates);
        let grid = LaunchConfig { grid_dim: (BLOCKS, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        stream.synchronize()?;
        let begin = stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT))?;
        // SAFETY: the kernel's arguments in its order; the table has room for all tiles. The table and the
        // arrays outlive the launch, which is waited for below.
        unsafe { launch.launch(grid)? };
        let end = stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT))?;
        stream.synchronize()?;
        times.push(f64::from(begin.elapsed_ms(&end)?));
        let counts = stream.clone_dtoh(&counts)?;
        let net = stream.clone_dtoh(&net)?;
        stream.synchronize()?;
        full = counts[1];
        let keys: Vec<u32> = (1..=RANGE).collect();
        let there = set.contains(&keys)?;
        for (key, there) in keys.iter().zip(there) {
            let at_first = i32::from(key % 2 == 0);
            if at_first + net[*key as usize] as i32 != i32::from(there) {
                return Err(format!("{name}: key {key} does not add up").into());
            }
        }
        if set.len()? != count(&net) {
            return Err(format!("{name}: the set has another length than its keys add up to").into());
        }
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    let ops = u64::from(TILES * LANES) * u64::from(case.turns) * u64::from(case.ops);
    let rate = ops as f64 / times[times.len() / 2] / 1e3;
    let pool = if case.by_epochs { "by epochs" } else { "at the end" };
    println!(
        "| {:.0} % | {pool} | {} | {} | {ops} | {rate:.0} | {full} |",
        case.updates as f64 / 2.56,
        case.spare,
        case.ops
    );
    Ok(())
}

/// How many keys are there, as they add up.
fn count(net: &[u32]) -> u64 {
    let net = net.iter().skip(1).map(|&net| i64::from(net as i32)).sum::<i64>();
    (i64::from(RANGE / 2) + net) as u64
}
