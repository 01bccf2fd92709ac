//! The dynamic experiment on a GPU. The kernels are timed by events, with operations and answers in device memory.

use super::Row;
use super::contender::Contender;
use super::point::Point;
use crate::bench::row::Fallible;
use crate::bench::timed::{Answers, Batch, Timed};
use crate::failure::Failure;
use crate::run::workload::Workload;
use std::sync::Arc;
use warpproof::gpu::bench::{Baselines, ChainedMap};
use warpproof::gpu::cudarc::driver::CudaStream;
use warpproof::gpu::{Device, Error, HopscotchMap};
use warpproof::{Answer, Insert, Op};

/// Measures our table and chaining at a point.
pub(super) fn point(device: &Device, point: &Point, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let failed = |error: Box<dyn std::error::Error>| Failure::input(error.to_string());
    let timed = Timed::new(device).map_err(Failure::backend)?;
    let baselines = Baselines::new(device).map_err(Failure::backend)?;
    let work = &point.work;
    let batch = Batch::new(&timed, &work.ops, &work.op_keys, &work.op_values).map_err(failed)?;
    point.measure(
        ("hopscotch (GPU)", None),
        || {
            let table = HopscotchMap::with_geometry(device, point.geometry()?)?;
            Ok(OnDevice { timed: &timed, batch: &batch, table })
        },
        rows,
    )?;
    point.measure(
        ("chaining (GPU)", Some("chaining, allocation counted (GPU)")),
        || {
            let table = baselines.chained(point.slots() as usize, point.nodes())?;
            Ok(OnDevice { timed: &timed, batch: &batch, table })
        },
        rows,
    )
}

/// A table on a device and what it is measured with.
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

impl RunBatch for HopscotchMap<u32, u32> {
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

impl<T: RunBatch> OnDevice<'_, T> {
    /// The seconds that a batch of these operations took, and its answers.
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
