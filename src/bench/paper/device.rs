//! The dynamic experiment on a GPU. The kernels are timed by events, with operations and answers in device memory.

use super::Row;
use super::contender::{Contender, Fallible};
use super::point::Point;
use crate::failure::Failure;
use crate::run::workload::Workload;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use warpproof::gpu::{Baselines, ChainedMap, Device, Error, HopscotchMap, Timer};
use warpproof::model::outcome::Mixed;
use warpproof::{Answer, BulkMap, Insert, Op};

/// What every byte of an output holds before a kernel writes it: no code of an answer.
const POISON: u8 = 0xa5;

/// What kernels are timed with.
pub(super) struct Bench {
    pub(super) stream: Arc<CudaStream>,
    timer: Timer,
}

impl Bench {
    pub(super) fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self { stream: device.context().default_stream(), timer: Timer::new(device)? })
    }

    /// Seconds of what `launch` queues.
    pub(super) fn time(&self, launch: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        self.timer.start(&self.stream)?;
        launch()?;
        self.timer.stop(&self.stream)?;
        Ok(self.timer.milliseconds()? / 1e3)
    }

    pub(super) fn poisoned<T: DeviceRepr + Copy>(&self, value: T, len: usize) -> Fallible<CudaSlice<T>> {
        Ok(self.stream.clone_htod(&vec![value; len])?)
    }
}

/// The operations of a workload in device memory.
struct Batch {
    codes: CudaSlice<u8>,
    keys: CudaSlice<u32>,
    values: CudaSlice<u32>,
}

impl Batch {
    fn new(stream: &Arc<CudaStream>, ops: &[Op], keys: &[u32], values: &[u32]) -> Fallible<Self> {
        let codes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
        Ok(Self {
            codes: stream.clone_htod(&codes)?,
            keys: stream.clone_htod(keys)?,
            values: stream.clone_htod(values)?,
        })
    }
}

/// Measures our table and chaining at a point.
pub(super) fn point(device: &Device, point: &Point, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let failed = |error: Box<dyn std::error::Error>| Failure::input(error.to_string());
    let bench = Bench::new(device).map_err(Failure::backend)?;
    let baselines = Baselines::new(device).map_err(Failure::backend)?;
    let work = &point.work;
    let batch = Batch::new(&bench.stream, &work.ops, &work.op_keys, &work.op_values).map_err(failed)?;
    point.measure(
        ("hopscotch (GPU)", None),
        || {
            let table = HopscotchMap::with_geometry(device, point.geometry()?)?;
            Ok(OnDevice { bench: &bench, batch: &batch, table })
        },
        rows,
    )?;
    point.measure(
        ("chaining (GPU)", Some("chaining, allocation counted (GPU)")),
        || {
            let table = baselines.chained(point.slots() as usize, point.nodes())?;
            Ok(OnDevice { bench: &bench, batch: &batch, table })
        },
        rows,
    )
}

/// A table on a device and what it is measured with.
struct OnDevice<'a, T> {
    bench: &'a Bench,
    batch: &'a Batch,
    table: T,
}

/// Runs a batch on a table.
trait RunBatch {
    fn run(
        &self,
        stream: &Arc<CudaStream>,
        batch: &Batch,
        outcomes: &mut CudaSlice<u8>,
        found: &mut CudaSlice<u32>,
    ) -> Result<(), Error>;
}

impl RunBatch for HopscotchMap<u32, u32> {
    fn run(
        &self,
        stream: &Arc<CudaStream>,
        batch: &Batch,
        outcomes: &mut CudaSlice<u8>,
        found: &mut CudaSlice<u32>,
    ) -> Result<(), Error> {
        self.on(stream).mixed(&batch.codes, &batch.keys, &batch.values, outcomes, found)
    }
}

impl RunBatch for ChainedMap {
    fn run(
        &self,
        stream: &Arc<CudaStream>,
        batch: &Batch,
        outcomes: &mut CudaSlice<u8>,
        found: &mut CudaSlice<u32>,
    ) -> Result<(), Error> {
        self.mixed(stream, &batch.codes, &batch.keys, &batch.values, outcomes, found)
    }
}

impl<T: RunBatch> OnDevice<'_, T> {
    fn batch(&self, batch: &Batch, ops: &[Op]) -> Fallible<(f64, Vec<Answer<u32>>)> {
        let (bench, n) = (self.bench, ops.len());
        let (mut outcomes, mut found) = (bench.poisoned(POISON, n)?, bench.poisoned(0u32, n)?);
        let seconds = bench.time(|| self.table.run(&bench.stream, batch, &mut outcomes, &mut found))?;
        let (codes, values) = (bench.stream.clone_dtoh(&outcomes)?, bench.stream.clone_dtoh(&found)?);
        let answer = |(i, &op): (usize, &Op)| Answer::new(op, Mixed { code: codes[i], value: values[i] });
        let answers: Option<Vec<_>> = ops.iter().enumerate().map(answer).collect();
        Ok((seconds, answers.ok_or("an operation got no answer")?))
    }

    fn fill_by_batch(&self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        let ops = vec![Op::InsertUnique; keys.len()];
        let answers = self.batch(&Batch::new(&self.bench.stream, &ops, keys, values)?, &ops)?.1;
        let insert = |answer| if let Answer::Insert(said) = answer { Some(said) } else { None };
        Ok(answers.into_iter().filter_map(insert).collect())
    }

    fn search_by_batch(&self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        let ops = vec![Op::Search; keys.len()];
        let answers = self.batch(&Batch::new(&self.bench.stream, &ops, keys, keys)?, &ops)?.1;
        let value = |answer| if let Answer::Search(value) = answer { Some(value) } else { None };
        Ok(answers.into_iter().filter_map(value).collect())
    }
}

impl Contender for OnDevice<'_, HopscotchMap<u32, u32>> {
    const MAY_BE_FULL: bool = true;

    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        Ok(self.table.insert_unique(keys, values)?)
    }

    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)> {
        self.batch(self.batch, &work.ops)
    }

    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        Ok(self.table.search(keys)?)
    }
}

impl Contender for OnDevice<'_, ChainedMap> {
    const MAY_BE_FULL: bool = false;

    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        self.fill_by_batch(keys, values)
    }

    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)> {
        self.batch(self.batch, &work.ops)
    }

    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        self.search_by_batch(keys)
    }
}
