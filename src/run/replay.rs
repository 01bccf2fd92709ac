//! A trace, run batch by batch beside the oracle.

use super::oracle::{Oracle, Unsettled};
use super::phase::{Phase, timed};
use crate::backend::{Backend, geometry};
use crate::failure::Failure;
use crate::output::Progress;
use std::ops::Range;
use warpproof::files::Trace;
use warpproof::{BulkSlabMap, Op};

/// Operations between two updates of the progress bar.
const STEP: usize = 1 << 12;

/// Runs a trace: on a map, or on a multimap if a key may get several pairs.
pub(crate) fn run<B: Backend>(backend: &B, trace: &Trace, load: f64) -> Result<Phase, Failure> {
    let pairs = trace.inserts();
    let geometry = geometry(pairs, pairs, load)?;
    if trace.ops.contains(&Op::Insert) {
        run_on(&backend.multi32(geometry)?, trace)
    } else {
        run_on(&backend.map32(geometry)?, trace)
    }
}

fn run_on<M: BulkSlabMap<u32, u32>>(map: &M, trace: &Trace) -> Result<Phase, Failure> {
    let mut oracle = Oracle::default();
    let mut progress = Progress::new("running", trace.ops.len() as u64);
    let (mut seconds, mut shown, mut verified) = (0.0, 0, Ok(()));
    for batch in trace.batches() {
        let end = batch.end;
        verified = step(map, trace, batch, &mut oracle, &mut seconds)?;
        if verified.is_err() {
            break;
        }
        if end - shown >= STEP {
            progress.at(end as u64);
            shown = end;
        }
    }
    if verified.is_ok() {
        verified = oracle.check_contents(map.pairs().map_err(Failure::backend)?);
    }
    Ok(Phase::new("trace", trace.ops.len() as u64, seconds, verified).into_main())
}

/// Runs one batch, whose keys are distinct, and checks each answer.
fn step<M: BulkSlabMap<u32, u32>>(
    map: &M,
    trace: &Trace,
    batch: Range<usize>,
    oracle: &mut Oracle,
    seconds: &mut f64,
) -> Result<Result<(), String>, Failure> {
    let (ops, keys) = (&trace.ops[batch.clone()], &trace.keys[batch.clone()]);
    let values = &trace.values[batch.clone()];
    let answers = timed(seconds, || map.mixed(ops, keys, values)).map_err(Failure::backend)?;
    if answers.len() != ops.len() {
        return Ok(Err(format!("{} operations got {} answers", ops.len(), answers.len())));
    }
    let mut open: Vec<Unsettled> = Vec::new();
    for (i, &answer) in answers.iter().enumerate() {
        match oracle.follow((ops[i], keys[i], values[i]), answer) {
            Ok(left) => open.extend(left),
            Err(wrong) => return Ok(Err(format!("operation {}: {wrong}", batch.start + i + 1))),
        }
    }
    if open.is_empty() {
        return Ok(Ok(()));
    }
    let keys: Vec<u32> = open.iter().map(|open| open.key).collect();
    let left = map.search_all(&keys).map_err(Failure::backend)?;
    Ok(open.iter().enumerate().try_for_each(|(i, open)| oracle.settle(open, left.of(i))))
}
