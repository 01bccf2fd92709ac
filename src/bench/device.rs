//! Kernels on device slices, timed by events.
//!
//! Inputs and outputs lie in device memory, every round starts with a fresh table and poisoned outputs, and every
//! output is compared on the host after its round.

use super::entry::{Entry, Number, keys, values};
use super::{MIXES, Memory, Row};
use crate::backend::geometry;
use crate::failure::Failure;
use crate::output;
use std::error::Error;
use std::sync::Arc;
use subject::Subject;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use warpproof::gpu::{Device, SlabMap, SlabMultimap, SlabSet, Timer, Tuning};
use warpproof::model::outcome::{Delete, Insert};

mod map32;
mod subject;

/// What every byte of an output holds before a kernel writes it.
const POISON: u8 = 0xa5;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// All workloads at one size and load.
pub(super) fn point(
    device: &Device,
    entry: Entry,
    (size, load): (u32, f64),
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let bench = Bench::new(device, size, load).map_err(Failure::backend)?;
    bench.measure(entry, rounds, rows).map_err(|error| Failure::input(error.to_string()))
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

    fn measure(&self, entry: Entry, rounds: usize, rows: &mut Vec<Row>) -> Fallible<Memory> {
        let memory = match entry {
            Entry::Map32 => self.plain::<SlabMap<u32, u32>>(entry, rounds, rows),
            Entry::Multimap32 => self.plain::<SlabMultimap<u32, u32>>(entry, rounds, rows),
            Entry::Set32 => self.plain::<SlabSet>(entry, rounds, rows),
            Entry::Map64 | Entry::Lock64 => self.plain::<SlabMap<u64, u64>>(entry, rounds, rows),
        }?;
        if entry == Entry::Map32 {
            self.floors(rounds, rows)?;
            for (name, mix) in MIXES {
                self.mix(name, mix, rounds, rows)?;
            }
        }
        Ok(memory)
    }

    /// Milliseconds of what `launch` queues.
    fn time(&self, launch: impl FnOnce() -> Result<(), warpproof::gpu::Error>) -> Fallible<f64> {
        self.timer.start(&self.stream)?;
        launch()?;
        self.timer.stop(&self.stream)?;
        Ok(self.timer.milliseconds()?)
    }

    fn poisoned<T: DeviceRepr + Copy>(&self, value: T, len: usize) -> Fallible<CudaSlice<T>> {
        Ok(self.stream.clone_htod(&vec![value; len])?)
    }

    fn row(&self, workload: &'static str, ops: usize, mut times: Vec<f64>, verified: bool) -> Row {
        times.sort_by(f64::total_cmp);
        let seconds = times[times.len() / 2] / 1e3;
        let (ops, size, load) = (ops as u64, self.size, self.load);
        Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified }
    }

    /// Build, both searches, delete of half the keys.
    fn plain<T: Subject>(&self, entry: Entry, rounds: usize, rows: &mut Vec<Row>) -> Fallible<Memory> {
        let (n, stream) = (self.size as usize, &self.stream);
        let present = keys::<T::Key>(0, self.size);
        let answers: Vec<T::Found> = present.iter().map(|key| T::found(Some(key.value()))).collect();
        let on_keys = stream.clone_htod(&present)?;
        let on_values = stream.clone_htod(&values(&present))?;
        let half = stream.clone_htod(&present[..n / 2])?;
        let absent = stream.clone_htod(&keys::<T::Key>(self.size, 2 * self.size))?;
        let geometry = geometry(n as u64, n as u64, self.load).map_err(|_| "the table would be too large")?;
        let tuning = Tuning { lock_bit: entry == Entry::Lock64, ..Tuning::default() };
        let mut table = T::new(self.device, geometry, tuning)?;
        let mut times: [Vec<f64>; 4] = Default::default();
        let (mut right, mut memory) = ([true; 4], None);
        // The first round warms up.
        for round in 0..=rounds {
            table.clear(stream)?;
            let mut outcomes = self.poisoned(POISON, n)?;
            let mut found = self.poisoned(T::poison(), n)?;
            let mut missed = self.poisoned(T::poison(), n)?;
            let mut deleted = self.poisoned(POISON, n / 2)?;
            let mut took = [0.0; 4];
            took[0] = self.time(|| table.insert(stream, &on_keys, &on_values, &mut outcomes))?;
            right[0] &= self.all(&outcomes, Insert::Inserted.code())?;
            let stats = table.stats()?;
            right[0] &= stats.live == n as u64;
            memory = Some(Memory::new(entry, (self.size, self.load), geometry, &stats));
            took[1] = self.time(|| table.search(stream, &on_keys, &mut found))?;
            right[1] &= stream.clone_dtoh(&found)? == answers;
            took[2] = self.time(|| table.search(stream, &absent, &mut missed))?;
            right[2] &= self.all(&missed, T::found(None))?;
            took[3] = self.time(|| table.delete(stream, &half, &mut deleted))?;
            right[3] &= self.all(&deleted, Delete::Deleted.code())?;
            right[3] &= table.stats()?.live == (n - n / 2) as u64;
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        let names = ["build", "search present", "search absent", "delete half"];
        let ops = [n, n, n, n / 2];
        for (i, times) in times.into_iter().enumerate() {
            rows.push(self.row(names[i], ops[i], times, right[i]));
        }
        memory.ok_or_else(|| "no round".into())
    }

    fn all<T: DeviceRepr + Copy + PartialEq>(&self, output: &CudaSlice<T>, expected: T) -> Fallible<bool> {
        Ok(self.stream.clone_dtoh(output)?.iter().all(|&element| element == expected))
    }
}
