//! A trace, run batch by batch beside the oracle.

use super::oracle::{Oracle, Unsettled};
use super::phase::{Phase, timed};
use crate::failure::Failure;
use crate::output::Progress;
use crate::tables::Tables;
use std::ops::Range;
use warpproof::BulkMap;
use warpproof::files::Trace;

/// Operations between two updates of the progress bar.
const STEP: usize = 1 << 12;

/// Runs a trace on a map of `S`. `values_of` says which values keys have.
pub(crate) fn run<S: Tables, M: BulkMap<u32, u32>>(
    map: &M,
    trace: &Trace,
    values_of: impl Fn(&M, &[u32]) -> Result<Vec<Vec<u32>>, Failure>,
) -> Result<Phase, Failure> {
    let mut oracle = Oracle::new(S::MAY_BE_FULL);
    let mut progress = Progress::new("running", trace.ops.len() as u64);
    let (mut seconds, mut shown, mut verified) = (0.0, 0, Ok(()));
    for batch in trace.batches() {
        let end = batch.end;
        verified = step(map, trace, batch, &mut oracle, &mut seconds, &values_of)?;
        if verified.is_err() {
            break;
        }
        if end - shown >= STEP {
            progress.at(end as u64);
            shown = end;
        }
    }
    if verified.is_ok() {
        verified = oracle.check_contents(map.retrieve_all().map_err(Failure::backend)?);
    }
    let phase = Phase::new("trace", trace.ops.len() as u64, seconds, verified);
    Ok(phase.with_full(oracle.full()).into_main())
}

/// Runs one batch, whose keys are distinct, and checks each answer.
fn step<M: BulkMap<u32, u32>>(
    map: &M,
    trace: &Trace,
    batch: Range<usize>,
    oracle: &mut Oracle,
    seconds: &mut f64,
    values_of: impl Fn(&M, &[u32]) -> Result<Vec<Vec<u32>>, Failure>,
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
    let left = values_of(map, &keys)?;
    Ok(open.iter().zip(left).try_for_each(|(open, left)| oracle.settle(open, &left)))
}
