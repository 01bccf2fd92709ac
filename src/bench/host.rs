//! Bulk calls on slices of the host, timed as a whole.

use super::{MIXES, Memory, Row, SLOT, key};
use crate::backend::{Backend, geometry};
use crate::failure::Failure;
use crate::output;
use crate::run::mixed;
use crate::run::phase::{Phase, timed};
use crate::run::workload::Workload;
use warpproof::{BulkMap, Delete, Insert};

/// All workloads at one size and load.
pub(super) fn point<B: Backend>(
    backend: &B,
    (size, load): (u32, f64),
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let mut runs: Vec<Vec<Phase>> = Vec::new();
    let mut memory = None;
    for round in 0..rounds {
        let (mut phases, found) = plain(backend, size, load)?;
        memory = Some(found);
        for (name, mix) in MIXES {
            let work = Workload::new(mix, size, size as usize, round as u64 + 1);
            let of_mix = mixed::run(backend, &work, load)?;
            let verified = of_mix.iter().filter_map(Phase::wrong).next().map_or(Ok(()), Err);
            let main = of_mix.iter().find(|phase| phase.main).map_or((0, 0.0), |p| (p.ops, p.seconds));
            phases.push(Phase::new(name, main.0, main.1, verified));
        }
        runs.push(phases);
    }
    for i in 0..runs.first().map_or(0, Vec::len) {
        let verified = runs.iter().all(|run| run[i].verified);
        let mut seconds: Vec<f64> = runs.iter().map(|run| run[i].seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let (workload, ops, seconds) = (runs[0][i].name, runs[0][i].ops, seconds[rounds / 2]);
        rows.push(Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified });
    }
    memory.ok_or_else(|| Failure::input("no round"))
}

/// Build, both searches, delete.
fn plain<B: Backend>(backend: &B, size: u32, load: f64) -> Result<(Vec<Phase>, Memory), Failure> {
    let map = backend.map32(geometry(size as u64, size as u64, load)?)?;
    let present: Vec<u32> = (0..size).map(key).collect();
    let values: Vec<u32> = present.iter().map(|&key| !key).collect();
    let mut phases = vec![phase(
        "build",
        &present,
        || map.insert_unique(&present, &values),
        |_, done| done == Insert::Inserted,
    )?];

    let geometry = map.geometry();
    let stats = map.stats().map_err(Failure::backend)?;
    let memory = Memory {
        size,
        load,
        bytes_per_pair: stats.bytes_per_pair(geometry, SLOT),
        reserved_bytes_per_pair: geometry.slots() as f64 * SLOT as f64 / size as f64,
        longest_chain: stats.longest,
    };

    // In another order than they were inserted.
    let shuffled: Vec<u32> = (0..size).map(|i| key((i as u64 * 0x9e37_79b1 % size as u64) as u32)).collect();
    phases.push(phase(
        "search present",
        &shuffled,
        || map.search(&shuffled),
        |key, found| found == Some(!key),
    )?);
    let absent: Vec<u32> = (size..2 * size).map(key).collect();
    phases.push(phase("search absent", &absent, || map.search(&absent), |_, found| found.is_none())?);
    let half = &present[..size as usize / 2];
    phases.push(phase("delete half", half, || map.delete(half), |_, done| done == Delete::Deleted)?);
    Ok((phases, memory))
}

/// Runs a bulk call and checks each answer.
fn phase<T: Copy, E: std::error::Error>(
    name: &'static str,
    keys: &[u32],
    call: impl FnOnce() -> Result<Vec<T>, E>,
    right: impl Fn(u32, T) -> bool,
) -> Result<Phase, Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, call).map_err(Failure::backend)?;
    let wrong = keys.iter().zip(&answers).find(|&(&key, &answer)| !right(key, answer));
    let verified = match wrong {
        Some((key, _)) => Err(format!("the answer for key {key}")),
        None if answers.len() != keys.len() => Err("the number of answers".into()),
        None => Ok(()),
    };
    Ok(Phase::new(name, keys.len() as u64, seconds, verified))
}
