//! The generated workload, phase by phase.

use super::account::Account;
use super::phase::{Phase, timed};
use super::workload::Workload;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::tables::Tables;
use std::collections::HashSet;
use warpproof::{BulkMap, Insert};

/// Runs all phases. A phase with a wrong answer ends the run: what follows would build on it.
pub(crate) fn run<S: Tables, B: Backend>(
    backend: &B,
    work: &Workload,
    load: f64,
) -> Result<Vec<Phase>, Failure> {
    let (keys, values) = work.prefill();
    let prefill = keys.len() as u64;
    let mut map = S::map32(backend, prefill, prefill + work.inserts(), load)?;
    let (filled, left_out) = fill::<S, _>(&map, &keys, &values)?;
    let mut phases = vec![filled];
    if go_on(&phases) {
        let stored = |i: usize| (!left_out.contains(&keys[i])).then_some(values[i]);
        phases.push(find(&map, "search present", &keys, stored)?);
    }
    if go_on(&phases) {
        phases.push(find(&map, "search absent", &work.absent(), |_| None)?);
    }
    if go_on(&phases) {
        mix::<S, B>(&mut map, work, &left_out, &mut phases)?;
    }
    Ok(phases)
}

fn go_on(phases: &[Phase]) -> bool {
    phases.iter().all(|phase| phase.verified)
}

/// Inserts keys that are new; which of them found no room.
fn fill<S: Tables, M: BulkMap<u32, u32>>(
    map: &M,
    keys: &[u32],
    values: &[u32],
) -> Result<(Phase, HashSet<u32>), Failure> {
    let mut seconds = 0.0;
    let done = timed(&mut seconds, || map.insert_unique(keys, values)).map_err(Failure::backend)?;
    let right = |outcome| match outcome {
        Insert::Inserted => true,
        Insert::Full => S::MAY_BE_FULL,
        Insert::Present => false,
    };
    let verified = match done.iter().position(|&outcome| !right(outcome)) {
        Some(i) => Err(format!("key {} is new: the answer is {:?}", keys[i], done[i])),
        None if done.len() != keys.len() => Err(format!("{} keys got {} answers", keys.len(), done.len())),
        None => Ok(()),
    };
    let left_out: HashSet<u32> =
        keys.iter().zip(&done).filter(|(_, said)| **said == Insert::Full).map(|(&key, _)| key).collect();
    let phase = Phase::new("prefill", keys.len() as u64, seconds, verified);
    Ok((phase.with_full(left_out.len() as u64), left_out))
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

/// The mix, a search of the whole range, and the same after a flush, where there is one.
fn mix<S: Tables, B: Backend>(
    map: &mut S::Map32<B>,
    work: &Workload,
    left_out: &HashSet<u32>,
    phases: &mut Vec<Phase>,
) -> Result<(), Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, || map.mixed(&work.ops, &work.op_keys, &work.op_values));
    let answers = answers.map_err(Failure::backend)?;
    let account = Account::new(work, &answers, S::MAY_BE_FULL.then_some(left_out));
    let verified = match &account {
        Ok(account) => length(map, account)?,
        Err(wrong) => Err(wrong.clone()),
    };
    let full = account.as_ref().map_or(0, Account::full);
    phases.push(Phase::new("mix", work.ops.len() as u64, seconds, verified).with_full(full).into_main());
    let Ok(account) = account else { return Ok(()) };
    let all: Vec<u32> = (0..work.keys).collect();
    search_end(map, &all, "search end", &account, phases)?;

    let mut seconds = 0.0;
    if let Some(slots) = S::flush::<B>(map, &mut seconds)? {
        let verified = length(map, &account)?;
        phases.push(Phase::new("flush", slots, seconds, verified));
        search_end(map, &all, "search flushed", &account, phases)?;
    }
    Ok(())
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
