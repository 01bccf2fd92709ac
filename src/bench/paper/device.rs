//! The dynamic experiment on a GPU. The kernels are timed by events, with operations and answers in device
//! memory.

use super::contender::Contender;
use super::lock_list::Lists;
use super::point::Point;
use super::{Mixed, Row};
use crate::bench::row::Fallible;
use crate::bench::timed::{Answers, Batch, Timed};
use crate::failure::Failure;
use crate::run::workload::Workload;
use std::sync::Arc;
use warpproof::gpu::bench::{Baselines, ChainedMap, LockMap};
use warpproof::gpu::cudarc::driver::CudaStream;
use warpproof::gpu::structures::Holds;
use warpproof::gpu::{Device, Error, HopscotchMap, Map, WaitFreeMap};
use warpproof::{Answer, Insert, Op, WaitFreeGeometry};

/// Measures our table and its contenders at a point.
pub(super) fn point(
    subject: Mixed,
    device: &Device,
    point: &Point,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let failed = |error: Box<dyn std::error::Error>| Failure::input(error.to_string());
    let timed = Timed::new(device).map_err(Failure::backend)?;
    let baselines = Baselines::new(device).map_err(Failure::backend)?;
    let work = &point.work;
    let batch = Batch::new(&timed, &work.ops, &work.op_keys, &work.op_values).map_err(failed)?;
    let with = (&timed, &batch);
    match subject {
        Mixed::Hopscotch => {
            let make = || on(with, HopscotchMap::<u32, u32>::with_geometry(device, point.geometry()?)?);
            point.measure(("hopscotch (GPU)", None), make, rows)?;
            let make = || on(with, baselines.chained(point.slots() as usize, point.nodes())?);
            let names = ("chaining (GPU)", Some("chaining, allocation counted (GPU)"));
            point.measure(names, make, rows)
        }
        Mixed::WaitFree => {
            type Table = WaitFreeMap<u32, u32>;
            let size = || point.nodes_of(Table::NODE_WORDS, WaitFreeGeometry::for_batches);
            point.measure(
                ("wait-free (GPU)", None),
                || on(with, Table::with_geometry(device, size()?)?),
                rows,
            )?;
            let make = || {
                let Lists { buckets, pool } = point.lists()?;
                on(with, baselines.lock_map(buckets, pool)?)
            };
            point.measure(("lock-based list (GPU)", None), make, rows)
        }
    }
}

/// A table on a device, with its timers.
fn on<'a, T>((timed, batch): (&'a Timed, &'a Batch), table: T) -> Fallible<OnDevice<'a, T>> {
    Ok(OnDevice { timed, batch, table })
}

/// A table on a device, with its timers.
struct OnDevice<'a, T> {
    timed: &'a Timed,
    batch: &'a Batch,
    table: T,
}

/// A table on which batches run.
trait RunBatch {
    /// Whether an insert may find no room.
    const MAY_BE_FULL: bool;

    /// Queues a batch.
    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error>;
}

impl<S: Holds<(u32, u32)>> RunBatch for Map<u32, u32, S> {
    const MAY_BE_FULL: bool = true;

    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error> {
        batch.run(&self.on_stream(stream), answers)
    }
}

impl RunBatch for ChainedMap {
    const MAY_BE_FULL: bool = false;

    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error> {
        let Batch { codes, keys, values } = batch;
        self.mixed(stream, codes, keys, values, &mut answers.outcomes, &mut answers.found)
    }
}

impl RunBatch for LockMap {
    const MAY_BE_FULL: bool = false;

    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error> {
        let Batch { codes, keys, values } = batch;
        self.mixed(stream, codes, keys, values, &mut answers.outcomes, &mut answers.found)
    }
}

impl<T: RunBatch> OnDevice<'_, T> {
    /// The seconds of a batch of these operations, and its answers.
    fn run(&self, batch: &Batch, ops: &[Op]) -> Fallible<(f64, Vec<Answer<u32>>)> {
        let mut answers = Answers::new(self.timed, ops.len())?;
        let seconds = self.timed.time(|| self.table.run(&self.timed.stream, batch, &mut answers))?;
        let answers = answers.read(self.timed, ops)?.ok_or("an operation got no answer")?;
        Ok((seconds, answers))
    }

    /// The answers to operations of one kind.
    fn all(&self, op: Op, keys: &[u32], values: &[u32]) -> Fallible<Vec<Answer<u32>>> {
        let ops = vec![op; keys.len()];
        Ok(self.run(&Batch::new(self.timed, &ops, keys, values)?, &ops)?.1)
    }
}

impl<T: RunBatch> Contender for OnDevice<'_, T> {
    const MAY_BE_FULL: bool = T::MAY_BE_FULL;

    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        let answers = self.all(Op::InsertUnique, keys, values)?;
        let insert = |answer| if let Answer::Insert(said) = answer { Some(said) } else { None };
        Ok(answers.into_iter().filter_map(insert).collect())
    }

    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)> {
        self.run(self.batch, &work.ops)
    }

    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        let answers = self.all(Op::Search, keys, keys)?;
        let value = |answer| if let Answer::Search(value) = answer { Some(value) } else { None };
        Ok(answers.into_iter().filter_map(value).collect())
    }
}
