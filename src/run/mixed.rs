//! The generated workload, phase by phase.

use super::Made;
use super::account::Account;
use super::files;
use super::phase::{Phase, timed};
use super::workload::Workload;
use crate::backend::Opened;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::paging::Paging;
use crate::registry::Structure;
use std::collections::HashSet;
use warpproof::any::Map;
use warpproof::{BulkMap, BulkTable, Insert};

/// Runs all phases. A phase with a wrong answer ends the run: later phases would build on it.
pub(crate) fn run(
    structure: &Structure,
    on: &Opened,
    work: &Workload,
    made: Made<'_>,
) -> Result<(Vec<Phase>, Option<Paging>), Failure> {
    let (keys, values) = work.prefill();
    let prefill = keys.len() as u64;
    let room = structure.capacity.room(prefill, prefill + work.inserts(), made.load);
    let room = room.with_seed(Some(made.seed)).with_budget(made.budget).with_ranks(made.ranks);
    let mut map = structure.map32(Entry::Map32, on, room)?;
    let (filled, left_out) = fill(&map, structure.capacity.may_be_full, &keys, &values)?;
    let mut phases = vec![filled];
    if go_on(&phases) {
        let stored = |i: usize| (!left_out.contains(&keys[i])).then_some(values[i]);
        phases.push(find(&map, "search present", &keys, stored)?);
    }
    if go_on(&phases) {
        phases.push(find(&map, "search absent", &work.absent(), |_| None)?);
    }
    if go_on(&phases) {
        mix(&mut map, work, structure.capacity.may_be_full.then_some(&left_out), &mut phases)?;
    }
    let paging = Paging::of(&map);
    if go_on(&phases) {
        files::save(structure, on, &map, made, &mut phases)?;
    }
    Ok((phases, paging))
}

fn go_on(phases: &[Phase]) -> bool {
    phases.iter().all(|phase| phase.verified)
}

/// Inserts new keys. Returns those that found no room.
fn fill(
    map: &Map<u32, u32>,
    may_be_full: bool,
    keys: &[u32],
    values: &[u32],
) -> Result<(Phase, HashSet<u32>), Failure> {
    let mut seconds = 0.0;
    let done = timed(&mut seconds, || map.insert_unique(keys, values)).map_err(Failure::backend)?;
    let right = |outcome| match outcome {
        Insert::Inserted => true,
        Insert::Full => may_be_full,
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

fn find(
    map: &Map<u32, u32>,
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

/// The mix, a search of the whole range, and that search again after a flush, if the table has one.
/// `left_out` as in [`Account::new`].
fn mix(
    map: &mut Map<u32, u32>,
    work: &Workload,
    left_out: Option<&HashSet<u32>>,
    phases: &mut Vec<Phase>,
) -> Result<(), Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, || map.mixed(&work.ops, &work.op_keys, &work.op_values));
    let answers = answers.map_err(Failure::backend)?;
    let account = Account::new(work, &answers, left_out);
    let verified = match &account {
        Ok(account) => length(map, account)?,
        Err(wrong) => Err(wrong.clone()),
    };
    let full = account.as_ref().map_or(0, Account::full);
    phases.push(Phase::new("mix", work.ops.len() as u64, seconds, verified).with_full(full).into_main());
    let Ok(account) = account else { return Ok(()) };
    let all: Vec<u32> = (0..work.keys).collect();
    search_end(map, &all, "search end", &account, phases)?;

    let stats = map.stats().map_err(Failure::backend)?;
    if let Some(table) = map.flush() {
        let mut seconds = 0.0;
        timed(&mut seconds, || table.flush()).map_err(Failure::backend)?;
        let verified = length(map, &account)?;
        phases.push(Phase::new("flush", stats.live() + stats.tombstones(), seconds, verified));
        search_end(map, &all, "search flushed", &account, phases)?;
    }
    Ok(())
}

fn search_end(
    map: &Map<u32, u32>,
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
fn length(map: &Map<u32, u32>, account: &Account<'_>) -> Result<Result<(), String>, Failure> {
    let found = map.len().map_err(Failure::backend)?;
    let expected = account.len();
    if found == expected {
        return Ok(Ok(()));
    }
    Ok(Err(format!("{found} pairs are there, the answers add up to {expected}")))
}
