//! The static experiment: u32 pairs at a load of 0.8 are inserted into an empty table, then searched.

use super::point::LOAD;
use super::{Row, Scale};
use crate::bench::keys::key;
use crate::bench::row::Fallible;
use crate::bench::timed::Timed;
use crate::failure::Failure;
use crate::output::Progress;
use std::collections::HashSet;
use warpproof::HopscotchGeometry;
use warpproof::gpu::bench::{Baselines, Static, StaticMap};
use warpproof::gpu::cudarc::driver::CudaSlice;
use warpproof::gpu::{Device, Error, HopscotchMap};
use warpproof::model::Insert;

/// Powers of two: slots of the tables.
const SMALLEST: u32 = 20;
const LARGEST: u32 = 26;
const ROUNDS: usize = 5;
/// The value that a search writes for an absent key: not a stored value, as those are keys, below 2^31.
const MISSING: u32 = u32::MAX;
const WORKLOADS: [&str; 3] = ["build", "search present", "search absent"];
const BASELINES: [(&str, Static); 3] = [
    ("linear probing", Static::Linear),
    ("quadratic probing", Static::Quadratic),
    ("cuckoo", Static::Cuckoo),
];

/// A table that is filled once.
trait Filled {
    fn insert(
        &self,
        timed: &Timed,
        keys: &CudaSlice<u32>,
        outcomes: &mut CudaSlice<u8>,
        left: &mut CudaSlice<u32>,
    ) -> Result<(), Error>;
    fn search(&self, timed: &Timed, keys: &CudaSlice<u32>, values: &mut CudaSlice<u32>) -> Result<(), Error>;
}

impl Filled for HopscotchMap<u32, u32> {
    fn insert(
        &self,
        timed: &Timed,
        keys: &CudaSlice<u32>,
        outcomes: &mut CudaSlice<u8>,
        _: &mut CudaSlice<u32>,
    ) -> Result<(), Error> {
        self.on_stream(&timed.stream).insert_unique(keys, keys, outcomes)
    }

    fn search(&self, timed: &Timed, keys: &CudaSlice<u32>, values: &mut CudaSlice<u32>) -> Result<(), Error> {
        self.on_stream(&timed.stream).search_or(keys, values, MISSING, None)
    }
}

impl Filled for StaticMap {
    fn insert(
        &self,
        timed: &Timed,
        keys: &CudaSlice<u32>,
        outcomes: &mut CudaSlice<u8>,
        left: &mut CudaSlice<u32>,
    ) -> Result<(), Error> {
        self.insert(&timed.stream, keys, keys, outcomes, left)
    }

    fn search(&self, timed: &Timed, keys: &CudaSlice<u32>, values: &mut CudaSlice<u32>) -> Result<(), Error> {
        self.search(&timed.stream, keys, values, MISSING)
    }
}

/// The keys of one size, on the host and on the device. A key is its own value.
struct Keys {
    power: u32,
    present: Vec<u32>,
    on_present: CudaSlice<u32>,
    on_absent: CudaSlice<u32>,
}

impl Keys {
    fn new(timed: &Timed, power: u32) -> Fallible<Self> {
        let pairs = ((1u64 << power) as f64 * LOAD) as u32;
        let present: Vec<u32> = (0..pairs).map(key).collect();
        let absent: Vec<u32> = (pairs..2 * pairs).map(key).collect();
        let on_present = timed.stream.clone_htod(&present)?;
        Ok(Self { power, on_present, on_absent: timed.stream.clone_htod(&absent)?, present })
    }

    /// Measures a table; the first round warms up.
    fn measure<T: Filled>(
        &self,
        timed: &Timed,
        name: &'static str,
        make: impl Fn() -> Fallible<T>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let mut times: [Vec<f64>; 3] = Default::default();
        let (mut full, mut wrong) = (0, [const { None }; 3]);
        for round in 0..=ROUNDS {
            let (took, left_out, errors) = self.round(timed, &make()?)?;
            full = full.max(left_out);
            wrong.iter_mut().zip(errors).for_each(|(wrong, error)| *wrong = wrong.take().or(error));
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        for ((workload, times), wrong) in WORKLOADS.into_iter().zip(times).zip(wrong) {
            let (slots, ops) = (1 << self.power, self.present.len() as u64);
            let full = if workload == WORKLOADS[0] { full } else { 0 };
            rows.push(Row::new("static", name, workload, slots, ops, times).with(full, wrong));
        }
        Ok(())
    }

    /// The seconds of build and searches, how many inserts found no room, and the error.
    fn round(&self, timed: &Timed, table: &impl Filled) -> Fallible<([f64; 3], u64, [Option<String>; 3])> {
        let (n, stream) = (self.present.len(), &timed.stream);
        let mut outcomes = timed.poisoned(n)?;
        let mut left = stream.clone_htod(&self.present)?;
        let (mut found, mut missed) = (timed.poisoned(n)?, timed.poisoned(n)?);
        let took = [
            timed.time(|| table.insert(timed, &self.on_present, &mut outcomes, &mut left))?,
            timed.time(|| table.search(timed, &self.on_present, &mut found))?,
            timed.time(|| table.search(timed, &self.on_absent, &mut missed))?,
        ];
        let said = stream.clone_dtoh(&outcomes)?;
        let left = stream.clone_dtoh(&left)?;
        let full = |&i: &usize| said[i] == Insert::Full.code();
        let left_out: HashSet<u32> = (0..n).filter(full).map(|i| left[i]).collect();
        let codes = [Insert::Inserted.code(), Insert::Full.code()];
        let first = said.iter().position(|code| !codes.contains(code));
        let build =
            first.map(|i| format!("key {} is new: the answer has the code {}", self.present[i], said[i]));
        let found = stream.clone_dtoh(&found)?;
        let right = |i: &usize| {
            let key = self.present[*i];
            found[*i] == if left_out.contains(&key) { MISSING } else { key }
        };
        let first = (0..n).find(|i| !right(i));
        let present = first.map(|i| format!("key {}: found {}", self.present[i], found[i]));
        let missed = stream.clone_dtoh(&missed)?;
        let first = missed.iter().find(|&&value| value != MISSING);
        let absent = first.map(|value| format!("a key that was never inserted has the value {value}"));
        Ok((took, left_out.len() as u64, [build, present, absent]))
    }
}

/// Measures all sizes.
pub(super) fn run(device: &Device, scale: Scale) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let largest = if scale == Scale::Quick { SMALLEST } else { LARGEST };
    let mut progress = Progress::new("static", (largest - SMALLEST + 1) as u64);
    for power in SMALLEST..=largest {
        size(device, power, &mut rows).map_err(|error| Failure::input(error.to_string()))?;
        progress.at((power - SMALLEST + 1) as u64);
    }
    Ok(rows)
}

fn size(device: &Device, power: u32, rows: &mut Vec<Row>) -> Fallible<()> {
    let timed = Timed::new(device)?;
    let baselines = Baselines::new(device)?;
    let keys = Keys::new(&timed, power)?;
    let geometry = HopscotchGeometry::at_load(keys.present.len() as u64, LOAD)?;
    keys.measure(&timed, "hopscotch", || Ok(HopscotchMap::with_geometry(device, geometry)?), rows)?;
    for (name, kind) in BASELINES {
        keys.measure(&timed, name, || Ok(baselines.table(kind, power)?), rows)?;
    }
    Ok(())
}
