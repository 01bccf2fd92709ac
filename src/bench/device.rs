//! Kernels on device slices, timed by events.
//!
//! Inputs and outputs lie in device memory, every round starts with a fresh table and poisoned outputs, and every
//! output is compared on the host after its round.

use super::{MIXES, Memory, Row, SLOT, key};
use crate::backend::geometry;
use crate::failure::Failure;
use crate::output;
use crate::run::account::Account;
use crate::run::workload::{Mix, Workload};
use std::error::Error;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream};
use warpproof::gpu::{Device, Floors, SlabMap, Timer};
use warpproof::model::host::Answer;
use warpproof::model::outcome::{Delete, Insert, Mixed};
use warpproof::{BulkMap, Op};

/// What an output holds before a kernel writes it.
const POISON: u8 = 0xa5;
/// Operations of a mix.
const MOST_OPERATIONS: usize = 1 << 26;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// All workloads at one size and load.
pub(super) fn point(
    device: &Device,
    (size, load): (u32, f64),
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let bench = Bench::new(device, size, load).map_err(Failure::backend)?;
    let failed = |error: Box<dyn Error>| Failure::input(error.to_string());
    let memory = bench.plain(rounds, rows).map_err(failed)?;
    bench.floors(rounds, rows).map_err(failed)?;
    for (name, mix) in MIXES {
        bench.mix(name, mix, rounds, rows).map_err(failed)?;
    }
    Ok(memory)
}

struct Bench<'a> {
    device: &'a Device,
    stream: Arc<CudaStream>,
    timer: Timer,
    size: u32,
    load: f64,
}

impl<'a> Bench<'a> {
    fn new(device: &'a Device, size: u32, load: f64) -> Result<Self, warpproof::gpu::Error> {
        let stream = device.context().default_stream();
        Ok(Self { device, stream, timer: Timer::new(device)?, size, load })
    }

    /// Milliseconds of what `launch` queues.
    fn time(&self, launch: impl FnOnce() -> Result<(), warpproof::gpu::Error>) -> Fallible<f64> {
        self.timer.start(&self.stream)?;
        launch()?;
        self.timer.stop(&self.stream)?;
        Ok(self.timer.milliseconds()?)
    }

    fn poisoned<T: warpproof::gpu::cudarc::driver::DeviceRepr + Copy>(
        &self,
        value: T,
        len: usize,
    ) -> Fallible<CudaSlice<T>> {
        Ok(self.stream.clone_htod(&vec![value; len])?)
    }

    fn row(&self, workload: &'static str, ops: usize, mut times: Vec<f64>, verified: bool) -> Row {
        times.sort_by(f64::total_cmp);
        let seconds = times[times.len() / 2] / 1e3;
        let (ops, size, load) = (ops as u64, self.size, self.load);
        Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified }
    }

    /// Build, both searches, delete of half the keys.
    fn plain(&self, rounds: usize, rows: &mut Vec<Row>) -> Fallible<Memory> {
        let n = self.size as usize;
        let present: Vec<u32> = (0..self.size).map(key).collect();
        let absent: Vec<u32> = (self.size..2 * self.size).map(key).collect();
        let values: Vec<u32> = present.iter().map(|&key| !key).collect();
        let (keys, others) = (self.stream.clone_htod(&present)?, self.stream.clone_htod(&absent)?);
        let half = self.stream.clone_htod(&present[..n / 2])?;
        let stored = self.stream.clone_htod(&values)?;
        let geometry = geometry(n as u64, n as u64, self.load).map_err(|_| "the table would be too large")?;
        let mut map = SlabMap::<u32, u32>::with_geometry(self.device, geometry)?;
        let mut times: [Vec<f64>; 4] = Default::default();
        let mut right = [true; 4];
        // The first round warms up.
        for round in 0..=rounds {
            map.clear(&self.stream)?;
            let mut outcomes = self.poisoned(POISON, n)?;
            let mut found = self.poisoned(u32::from_ne_bytes([POISON; 4]), n)?;
            let on = map.on(&self.stream);
            let mut took = [0.0; 4];
            took[0] = self.time(|| on.insert_unique(&keys, &stored, &mut outcomes))?;
            right[0] &= self.all(&outcomes, Insert::Inserted.code())?;
            took[1] = self.time(|| on.search(&keys, &mut found, None))?;
            right[1] &= self.stream.clone_dtoh(&found)? == values;
            took[2] = self.time(|| on.search(&others, &mut found, None))?;
            right[2] &= self.stream.clone_dtoh(&found)?.iter().all(|&value| value == u32::MAX);
            let mut deleted = self.poisoned(POISON, n / 2)?;
            took[3] = self.time(|| on.delete(&half, &mut deleted))?;
            right[3] &= self.all(&deleted, Delete::Deleted.code())? && map.len()? == (n - n / 2) as u64;
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        let names = ["build", "search present", "search absent", "delete half"];
        let ops = [n, n, n, n / 2];
        for (i, times) in times.into_iter().enumerate() {
            rows.push(self.row(names[i], ops[i], times, right[i]));
        }
        map.clear(&self.stream)?;
        let mut outcomes = self.poisoned(POISON, n)?;
        map.on(&self.stream).insert_unique(&keys, &stored, &mut outcomes)?;
        self.stream.synchronize()?;
        let stats = map.stats()?;
        Ok(Memory {
            size: self.size,
            load: self.load,
            bytes_per_pair: stats.bytes_per_pair(geometry, SLOT),
            reserved_bytes_per_pair: geometry.slots() as f64 * SLOT as f64 / n as f64,
            longest_chain: stats.longest,
        })
    }

    fn all(&self, outcomes: &CudaSlice<u8>, code: u8) -> Fallible<bool> {
        Ok(self.stream.clone_dtoh(outcomes)?.iter().all(|&outcome| outcome == code))
    }

    /// Random access without a protocol, in as many buckets as the table has.
    fn floors(&self, rounds: usize, rows: &mut Vec<Row>) -> Fallible<()> {
        let n = self.size as usize;
        let present: Vec<u32> = (0..self.size).map(key).collect();
        let keys = self.stream.clone_htod(&present)?;
        let values = self.stream.clone_htod(&present)?;
        let mut found = self.poisoned(u32::from_ne_bytes([POISON; 4]), n)?;
        let geometry = geometry(n as u64, n as u64, self.load).map_err(|_| "the table would be too large")?;
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut right = true;
        for round in 0..=rounds {
            // All slots are empty again: every exchange writes.
            let floors = Floors::new(self.device, geometry.buckets)?;
            let took = [
                self.time(|| floors.find(&self.stream, &keys, &mut found))?,
                self.time(|| floors.insert(&self.stream, &keys, &values))?,
                {
                    let floors = Floors::new(self.device, geometry.buckets)?;
                    self.time(|| floors.bucket(&self.stream, &keys, &values))?
                },
            ];
            right &= self.stream.clone_dtoh(&found)?.iter().all(|&value| value == u32::MAX);
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        let names = ["floor: find", "floor: insert", "floor: look, insert"];
        for (name, times) in names.into_iter().zip(times) {
            rows.push(self.row(name, n, times, right));
        }
        Ok(())
    }

    /// A mix on a key range of this size, half of it inserted before.
    fn mix(&self, name: &'static str, mix: Mix, rounds: usize, rows: &mut Vec<Row>) -> Fallible<()> {
        let ops = MOST_OPERATIONS.min(self.size.max(1 << 20) as usize);
        let work = Workload::new(mix, self.size, ops, 1);
        let codes: Vec<u8> = work.ops.iter().map(|&op| op as u8).collect();
        let (codes, keys) = (self.stream.clone_htod(&codes)?, self.stream.clone_htod(&work.op_keys)?);
        let values = self.stream.clone_htod(&work.op_values)?;
        let (first, stored) = work.prefill();
        let (first, stored) = (self.stream.clone_htod(&first)?, self.stream.clone_htod(&stored)?);
        let all: Vec<u32> = (0..self.size).collect();
        let total = first.len() as u64 + work.inserts();
        let geometry =
            geometry(self.size as u64, total, self.load).map_err(|_| "the table would be too large")?;
        let mut map = SlabMap::<u32, u32>::with_geometry(self.device, geometry)?;
        let (mut times, mut right) = (Vec::new(), true);
        for round in 0..=rounds {
            map.clear(&self.stream)?;
            let mut filled = self.poisoned(POISON, first.len())?;
            let (mut outcomes, mut found) = (self.poisoned(POISON, ops)?, self.poisoned(0u32, ops)?);
            let on = map.on(&self.stream);
            on.insert_unique(&first, &stored, &mut filled)?;
            let took = self.time(|| on.mixed(&codes, &keys, &values, &mut outcomes, &mut found))?;
            if round > 0 {
                times.push(took);
            }
            let (outcomes, found) = (self.stream.clone_dtoh(&outcomes)?, self.stream.clone_dtoh(&found)?);
            right &= self.adds_up(&work, &map, &all, &outcomes, &found)?;
        }
        rows.push(self.row(name, ops, times, right));
        Ok(())
    }

    /// Whether the answers of a mix explain what is in the table afterwards.
    fn adds_up(
        &self,
        work: &Workload,
        map: &SlabMap<u32, u32>,
        all: &[u32],
        outcomes: &[u8],
        found: &[u32],
    ) -> Fallible<bool> {
        let answer = |(i, &op): (usize, &Op)| Answer::new(op, Mixed { code: outcomes[i], value: found[i] });
        let answers: Option<Vec<Answer<u32>>> = work.ops.iter().enumerate().map(answer).collect();
        let Some(answers) = answers else { return Ok(false) };
        let Ok(account) = Account::of(work, &answers) else { return Ok(false) };
        Ok(map.len()? == account.len() && account.check_end(&map.search(all)?).is_ok())
    }
}
