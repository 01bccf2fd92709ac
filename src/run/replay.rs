//! A trace, run batch by batch beside the oracle.

use super::Made;
use super::files;
use super::oracle::{Oracle, Unsettled};
use super::phase::{Phase, timed};
use crate::backend::Opened;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output::Progress;
use crate::paging::Paging;
use crate::registry::Structure;
use std::ops::Range;
use warpproof::any::Map;
use warpproof::files::Trace;
use warpproof::{BulkMap, BulkTable, Op};

/// Operations between two updates of the progress bar.
const STEP: usize = 1 << 12;

/// Refuses inserts that may give a key several pairs, for tables that keep one of each.
///
/// # Errors
/// The first such operation, as text.
pub(crate) fn admit(structure: &Structure, trace: &Trace) -> Result<(), String> {
    match trace.ops.iter().position(|&op| op == Op::Insert) {
        Some(i) if structure.tables(Entry::Multimap32).is_err() => Err(format!(
            "operation {}: an insert may give a key several pairs, but {} keeps one for each key: write \
             insert_unique or assign",
            i + 1,
            structure.name
        )),
        _ => Ok(()),
    }
}

/// Runs a trace on a map, or on a multimap if a key may get several pairs.
pub(crate) fn run(
    structure: &Structure,
    on: &Opened,
    trace: &Trace,
    made: Made<'_>,
) -> Result<(Vec<Phase>, Option<Paging>), Failure> {
    let mut phases = Vec::new();
    let entry = if trace.ops.contains(&Op::Insert) { Entry::Multimap32 } else { Entry::Map32 };
    let pairs = trace.inserts();
    let room = structure.capacity.room(pairs, pairs, made.load);
    let room = room.with_seed(Some(made.seed)).with_budget(made.budget).with_ranks(made.ranks);
    let map = match made.open {
        Some(path) => files::open(structure, on, path, room.budget, &mut phases)?,
        None => structure.map32(entry, on, room)?,
    };
    let mut oracle = Oracle::new(structure.capacity.may_be_full);
    if made.open.is_some() {
        oracle.begin_with(map.retrieve_all().map_err(Failure::backend)?);
    }
    let mut progress = Progress::new("running", trace.ops.len() as u64);
    let (mut seconds, mut shown, mut verified) = (0.0, 0, Ok(()));
    for batch in trace.batches() {
        let end = batch.end;
        verified = step(&map, trace, batch, &mut oracle, &mut seconds)?;
        if verified.is_err() {
            break;
        }
        if end - shown >= STEP {
            progress.at(end as u64);
            progress.say(|| Some(Paging::of(&map)?.copied()));
            shown = end;
        }
    }
    if verified.is_ok() {
        verified = oracle.check_contents(map.retrieve_all().map_err(Failure::backend)?);
    }
    let phase = Phase::new("trace", trace.ops.len() as u64, seconds, verified);
    let phase = phase.with_full(oracle.full()).into_main();
    let (verified, paging) = (phase.verified, Paging::of(&map));
    phases.push(phase);
    if verified {
        files::save(structure, on, &map, made, &mut phases)?;
    }
    Ok((phases, paging))
}

/// Runs one batch, whose keys are distinct, and checks each answer.
fn step(
    map: &Map<u32, u32>,
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
    let left = values_of(map, &keys)?;
    Ok(open.iter().zip(left).try_for_each(|(open, left)| oracle.settle(open, &left)))
}

/// The values of each key.
fn values_of(map: &Map<u32, u32>, keys: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
    if let Some(map) = map.matches() {
        let found = map.search_all(keys).map_err(Failure::backend)?;
        return Ok((0..keys.len()).map(|i| found.of(i).to_vec()).collect());
    }
    let found = map.search(keys).map_err(Failure::backend)?;
    Ok(found.into_iter().map(|value| value.into_iter().collect()).collect())
}
