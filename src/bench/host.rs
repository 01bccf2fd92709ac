//! Bulk calls on slices of the host, timed as a whole.

use super::cells::Cells;
use super::keys::{Number, keys, values};
use super::memory::Memory;
use super::row::{CALLS, MIXED, MIXES, Row};
use crate::backend::Opened;
use crate::entry::{Entry, on_any};
use crate::failure::Failure;
use crate::output;
use crate::registry::Structure;
use crate::registry::room::Rooms;
use crate::run::phase::{Phase, timed};
use crate::run::workload::{Mix, Workload};
use crate::run::{self, mixed};
use warpproof::any::{Error, Map, Set};
use warpproof::model::Key;
use warpproof::model::host::{Outcomes, left_out};
use warpproof::{BulkMap, BulkSet, BulkTable, Delete, Insert, any};

/// The names of the rows of a table with such entries.
pub(super) fn names(entry: Entry) -> Vec<&'static str> {
    CALLS.into_iter().chain(MIXED.into_iter().filter(|_| entry == Entry::Map32)).collect()
}

/// The workloads that are asked for, at one size and load; mixes on so many keys.
pub(super) fn point(
    (structure, rooms): (&Structure, Rooms),
    on: &Opened,
    entry: Entry,
    (at, of_mixes): ((u32, f64), u32),
    rounds: usize,
    cells: &Cells<'_>,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let (size, load) = at;
    let mut runs: Vec<Vec<Phase>> = Vec::new();
    let mut memory = None;
    for round in 0..rounds {
        let (mut phases, held) = if cells.has_any(&CALLS) {
            let room = rooms.room(size.into(), size.into(), load);
            let table = structure.tables(entry)?.make(on, room)?;
            on_any!(table, |table| plain(structure, &table, entry, at, cells)?)
        } else {
            (Vec::new(), Memory::unknown(at))
        };
        let is_asked = |(name, _): &(&str, Mix)| entry == Entry::Map32 && cells.has(name);
        for (name, mix) in MIXES.into_iter().filter(is_asked) {
            let work = Workload::new(mix, of_mixes, size as usize, round as u64 + 1);
            let seed = rooms.seed.unwrap_or(round as u64 + 1);
            let of_round =
                run::Made { load, seed, budget: rooms.budget, ranks: rooms.ranks, open: None, save: None };
            let (of_mix, _) = mixed::run(structure, on, &work, of_round)?;
            let verified = of_mix.iter().filter_map(Phase::wrong).next().map_or(Ok(()), Err);
            let main = of_mix.iter().find(|phase| phase.main).map_or((0, 0.0), |p| (p.ops, p.seconds));
            let full = of_mix.iter().map(|phase| phase.full).sum();
            phases.push(Phase::new(name, main.0, main.1, verified).with_full(full));
        }
        let memory = memory.get_or_insert(held);
        phases.iter().for_each(|phase| memory.left_out(phase.name, phase.full));
        runs.push(phases);
    }
    // Rows that are not asked for prepare the others.
    let prepared = runs.iter().flatten().all(|phase| phase.verified || cells.has(phase.name));
    for i in 0..runs.first().map_or(0, Vec::len) {
        if !cells.has(runs[0][i].name) {
            continue;
        }
        let verified = prepared && runs.iter().all(|run| run[i].verified);
        let mut seconds: Vec<f64> = runs.iter().map(|run| run[i].seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let (workload, ops, seconds) = (runs[0][i].name, runs[0][i].ops, seconds[rounds / 2]);
        let size = if MIXES.iter().any(|(name, _)| *name == workload) { of_mixes } else { size };
        rows.push(Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified });
    }
    memory.ok_or_else(|| Failure::input("no round"))
}

/// The calls of a table that are measured here.
trait Subject: BulkTable<Error = Error, Structure = any::AnyStructure> {
    /// A key, or the value stored with it.
    type Key: Number;
    /// The answer of a search.
    type Found: Copy + PartialEq;

    /// Adds pairs. A multimap keeps several of one key.
    fn insert(&self, keys: &[Self::Key], values: &[Self::Key]) -> Result<Outcomes<Insert>, Error>;
    fn search(&self, keys: &[Self::Key]) -> Result<Vec<Self::Found>, Error>;
    fn delete(&self, keys: &[Self::Key]) -> Result<Vec<Delete>, Error>;
    /// The answer of a search for a key with this value, or without one.
    fn found(value: Option<Self::Key>) -> Self::Found;
}

impl<K: Key + Number> Subject for Map<K, K> {
    type Key = K;
    type Found = Option<K>;

    fn insert(&self, keys: &[K], values: &[K]) -> Result<Outcomes<Insert>, Error> {
        match self.multimap() {
            Some(multimap) => multimap.insert(keys, values),
            None => self.insert_unique(keys, values),
        }
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<K>>, Error> {
        BulkMap::search(self, keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        BulkMap::delete(self, keys)
    }
    fn found(value: Option<K>) -> Option<K> {
        value
    }
}

impl<K: Key + Number> Subject for Set<K> {
    type Key = K;
    type Found = bool;

    fn insert(&self, keys: &[K], _: &[K]) -> Result<Outcomes<Insert>, Error> {
        BulkSet::insert(self, keys)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.contains(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        BulkSet::delete(self, keys)
    }
    fn found(value: Option<K>) -> bool {
        value.is_some()
    }
}

/// Build, and of both searches and delete those that are asked for. A key whose insert found no room is
/// absent.
fn plain<T: Subject>(
    structure: &Structure,
    table: &T,
    entry: Entry,
    at: (u32, f64),
    cells: &Cells<'_>,
) -> Result<(Vec<Phase>, Memory), Failure> {
    let size = at.0;
    let [of_build, of_hits, of_misses, of_delete] = CALLS;
    let present = keys::<T::Key>(0, size);
    let stored = values(&present);
    let built = |_, done| done == Insert::Inserted || structure.capacity.may_be_full && done == Insert::Full;
    let (build, done) =
        phase(of_build, &present, || table.insert(&present, &stored).map(Outcomes::into_vec), built)?;
    let memory = Memory::new(entry, at, table).map_err(Failure::backend)?;
    let (live, full) = (table.len().map_err(Failure::backend)?, left_out(&done));
    let build = match live + full == size as u64 {
        true => build.with_full(full),
        false => build.but(format!("{live} pairs are there, and {full} of {size} found no room")),
    };
    let mut phases = vec![build];
    let is_in = |i: usize| done.get(i) == Some(&Insert::Inserted);
    if cells.has(of_hits) {
        // In another order than that of the inserts.
        let order = |i: usize| (i as u64 * 0x9e37_79b1 % size as u64) as usize;
        let shuffled: Vec<T::Key> = (0..size as usize).map(|i| present[order(i)]).collect();
        let hit = |i, found| found == T::found(is_in(order(i)).then(|| shuffled[i].value()));
        phases.push(phase(of_hits, &shuffled, || table.search(&shuffled), hit)?.0);
    }
    if cells.has(of_misses) {
        let absent = keys::<T::Key>(size, 2 * size);
        let missed = |_, found| found == T::found(None);
        phases.push(phase(of_misses, &absent, || table.search(&absent), missed)?.0);
    }
    if cells.has(of_delete) {
        let half = &present[..size as usize / 2];
        let gone = |i, done| done == if is_in(i) { Delete::Deleted } else { Delete::Absent };
        phases.push(phase(of_delete, half, || table.delete(half), gone)?.0);
    }
    Ok((phases, memory))
}

/// Runs a bulk call and checks each answer: `right` gets the answer and its index.
fn phase<K: Number, T: Copy>(
    name: &'static str,
    keys: &[K],
    call: impl FnOnce() -> Result<Vec<T>, Error>,
    right: impl Fn(usize, T) -> bool,
) -> Result<(Phase, Vec<T>), Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, call).map_err(Failure::backend)?;
    let wrong = keys.iter().zip(&answers).enumerate().find(|&(i, (_, &answer))| !right(i, answer));
    let verified = match wrong {
        Some((_, (key, _))) => Err(format!("the answer for key {key}")),
        None if answers.len() != keys.len() => Err("the number of answers".into()),
        None => Ok(()),
    };
    Ok((Phase::new(name, keys.len() as u64, seconds, verified), answers))
}
