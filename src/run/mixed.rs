//! The generated workload, phase by phase.

use super::account::Account;
use super::phase::{Phase, timed};
use super::workload::Workload;
use crate::backend::{Backend, geometry};
use crate::failure::Failure;
use warpproof::{BulkMap, BulkSlabMap, Insert};

/// Runs all phases. A phase with a wrong answer ends the run: what follows would build on it.
pub(crate) fn run<B: Backend>(backend: &B, work: &Workload, load: f64) -> Result<Vec<Phase>, Failure> {
    let (keys, values) = work.prefill();
    let prefill = keys.len() as u64;
    // Deleted pairs keep their slots until a flush, so every insert of the mix needs one.
    let mut map = backend.map32(geometry(prefill, prefill + work.inserts(), load)?)?;
    let mut phases = vec![fill(&map, &keys, &values)?];
    if go_on(&phases) {
        phases.push(find(&map, "search present", &keys, |i| Some(values[i]))?);
    }
    if go_on(&phases) {
        phases.push(find(&map, "search absent", &work.absent(), |_| None)?);
    }
    if go_on(&phases) {
        mix(&mut map, work, &mut phases)?;
    }
    Ok(phases)
}

fn go_on(phases: &[Phase]) -> bool {
    phases.iter().all(|phase| phase.verified)
}

fn fill<M: BulkMap<u32, u32>>(map: &M, keys: &[u32], values: &[u32]) -> Result<Phase, Failure> {
    let mut seconds = 0.0;
    let done = timed(&mut seconds, || map.insert_unique(keys, values)).map_err(Failure::backend)?;
    let verified = match done.iter().position(|&outcome| outcome != Insert::Inserted) {
        Some(i) => Err(format!("key {} is new: the answer is {:?}", keys[i], done[i])),
        None if done.len() != keys.len() => Err(format!("{} keys got {} answers", keys.len(), done.len())),
        None => Ok(()),
    };
    Ok(Phase::new("prefill", keys.len() as u64, seconds, verified))
}

fn find<M: BulkMap<u32, u32>>(
    map: &M,
    name: &'static str,
    keys: &[u32],
    expected: impl Fn(usize) -> Option<u32>,
) -> Result<Phase, Failure> {
    let mut seconds = 0.0;
    let found = timed(&mut seconds, || map.search(keys)).map_err(Failure::backend)?;
    let wrong = found.iter().enumerate().find(|&(i, &value)| value != expected(i));
    let verified = match wrong {
        Some((i, value)) => Err(format!("key {}: expected {:?}, found {value:?}", keys[i], expected(i))),
        None if found.len() != keys.len() => Err(format!("{} keys got {} answers", keys.len(), found.len())),
        None => Ok(()),
    };
    Ok(Phase::new(name, keys.len() as u64, seconds, verified))
}

/// The mix, a search of the whole range, and the same after a flush.
fn mix<M: BulkSlabMap<u32, u32>>(
    map: &mut M,
    work: &Workload,
    phases: &mut Vec<Phase>,
) -> Result<(), Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, || map.mixed(&work.ops, &work.op_keys, &work.op_values));
    let answers = answers.map_err(Failure::backend)?;
    let account = Account::of(work, &answers);
    let verified = match &account {
        Ok(account) => length(map, account)?,
        Err(wrong) => Err(wrong.clone()),
    };
    phases.push(Phase::new("mix", work.ops.len() as u64, seconds, verified).into_main());
    let Ok(account) = account else { return Ok(()) };
    let all: Vec<u32> = (0..work.keys).collect();
    search_end(map, &all, "search end", &account, phases)?;

    let mut seconds = 0.0;
    let stats = map.stats().map_err(Failure::backend)?;
    timed(&mut seconds, || map.flush()).map_err(Failure::backend)?;
    let verified = length(map, &account)?;
    phases.push(Phase::new("flush", stats.live + stats.tombstones, seconds, verified));
    search_end(map, &all, "search flushed", &account, phases)
}

fn search_end<M: BulkMap<u32, u32>>(
    map: &M,
    all: &[u32],
    name: &'static str,
    account: &Account<'_>,
    phases: &mut Vec<Phase>,
) -> Result<(), Failure> {
    let mut seconds = 0.0;
    let found = timed(&mut seconds, || map.search(all)).map_err(Failure::backend)?;
    phases.push(Phase::new(name, all.len() as u64, seconds, account.check_end(&found)));
    Ok(())
}

/// Compares the number of pairs with the account.
fn length<M: BulkMap<u32, u32>>(map: &M, account: &Account<'_>) -> Result<Result<(), String>, Failure> {
    let found = map.len().map_err(Failure::backend)?;
    let expected = account.len();
    if found == expected {
        return Ok(Ok(()));
    }
    Ok(Err(format!("{found} pairs are there, the answers add up to {expected}")))
}
