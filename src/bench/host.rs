//! Bulk calls on slices of the host, timed as a whole.

use super::entry::{Entry, Number, keys, values};
use super::{MIXES, Memory, Row};
use crate::backend::{Backend, geometry};
use crate::failure::Failure;
use crate::output;
use crate::run::mixed;
use crate::run::phase::{Phase, timed};
use crate::run::workload::Workload;
use warpproof::model::Key;
use warpproof::model::host::SlabStats;
use warpproof::{BulkMultimap, BulkSlabMap, BulkSlabSet, Delete, Insert, SlabGeometry};

/// All workloads at one size and load.
pub(super) fn point<B: Backend>(
    backend: &B,
    entry: Entry,
    (size, load): (u32, f64),
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let mut runs: Vec<Vec<Phase>> = Vec::new();
    let mut memory = None;
    for round in 0..rounds {
        let size_of = geometry(size as u64, size as u64, load)?;
        let (mut phases, (geometry, stats)) = match entry {
            Entry::Map32 => plain::<u32, _>(&Map(backend.map32(size_of)?), size)?,
            Entry::Multimap32 => plain::<u32, _>(&Multimap(backend.multi32(size_of)?), size)?,
            Entry::Set32 => plain::<u32, _>(&Set(backend.set32(size_of)?), size)?,
            Entry::Map64 | Entry::Lock64 => plain::<u64, _>(&Map(backend.map64(size_of)?), size)?,
        };
        memory = Some(Memory::new(entry, (size, load), geometry, &stats));
        for (name, mix) in MIXES.into_iter().filter(|_| entry == Entry::Map32) {
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

/// A table, as far as it is measured here.
trait Subject<K> {
    /// The answer of a search.
    type Found: Copy + PartialEq;

    fn insert(&self, keys: &[K], values: &[K]) -> Result<Vec<Insert>, Failure>;
    fn search(&self, keys: &[K]) -> Result<Vec<Self::Found>, Failure>;
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Failure>;
    fn size(&self) -> Result<(SlabGeometry, SlabStats), Failure>;
    /// What a search says of a key with this value, or without one.
    fn found(value: Option<K>) -> Self::Found;
}

struct Map<T>(T);
struct Multimap<T>(T);
struct Set<T>(T);

macro_rules! of_pairs {
    ($name:ident, $bulk:ident, $insert:ident) => {
        impl<K: Key, T: $bulk<K, K>> Subject<K> for $name<T> {
            type Found = Option<K>;

            fn insert(&self, keys: &[K], values: &[K]) -> Result<Vec<Insert>, Failure> {
                self.0.$insert(keys, values).map_err(Failure::backend)
            }
            fn search(&self, keys: &[K]) -> Result<Vec<Option<K>>, Failure> {
                self.0.search(keys).map_err(Failure::backend)
            }
            fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Failure> {
                self.0.delete(keys).map_err(Failure::backend)
            }
            fn size(&self) -> Result<(SlabGeometry, SlabStats), Failure> {
                Ok((self.0.geometry(), self.0.stats().map_err(Failure::backend)?))
            }
            fn found(value: Option<K>) -> Option<K> {
                value
            }
        }
    };
}
of_pairs!(Map, BulkSlabMap, insert_unique);
of_pairs!(Multimap, BulkMultimap, insert);

impl<T: BulkSlabSet<u32>> Subject<u32> for Set<T> {
    type Found = bool;

    fn insert(&self, keys: &[u32], _: &[u32]) -> Result<Vec<Insert>, Failure> {
        self.0.insert(keys).map_err(Failure::backend)
    }
    fn search(&self, keys: &[u32]) -> Result<Vec<bool>, Failure> {
        self.0.contains(keys).map_err(Failure::backend)
    }
    fn delete(&self, keys: &[u32]) -> Result<Vec<Delete>, Failure> {
        self.0.delete(keys).map_err(Failure::backend)
    }
    fn size(&self) -> Result<(SlabGeometry, SlabStats), Failure> {
        Ok((self.0.geometry(), self.0.stats().map_err(Failure::backend)?))
    }
    fn found(value: Option<u32>) -> bool {
        value.is_some()
    }
}

/// Build, both searches, delete.
fn plain<K: Number, T: Subject<K>>(
    table: &T,
    size: u32,
) -> Result<(Vec<Phase>, (SlabGeometry, SlabStats)), Failure> {
    let present = keys::<K>(0, size);
    let stored = values(&present);
    let mut phases = vec![phase(
        "build",
        &present,
        || table.insert(&present, &stored),
        |_, done| done == Insert::Inserted,
    )?];
    let built = table.size()?;
    // In another order than they were inserted.
    let shuffled: Vec<K> = (0..size).map(|i| K::key((i as u64 * 0x9e37_79b1 % size as u64) as u32)).collect();
    let hit = |key: K, found| found == T::found(Some(key.value()));
    phases.push(phase("search present", &shuffled, || table.search(&shuffled), hit)?);
    let absent = keys::<K>(size, 2 * size);
    let miss = |_, found| found == T::found(None);
    phases.push(phase("search absent", &absent, || table.search(&absent), miss)?);
    let half = &present[..size as usize / 2];
    phases.push(phase("delete half", half, || table.delete(half), |_, done| done == Delete::Deleted)?);
    Ok((phases, built))
}

/// Runs a bulk call and checks each answer.
fn phase<K: Number, T: Copy>(
    name: &'static str,
    keys: &[K],
    call: impl FnOnce() -> Result<Vec<T>, Failure>,
    right: impl Fn(K, T) -> bool,
) -> Result<Phase, Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, call)?;
    let wrong = keys.iter().zip(&answers).find(|&(&key, &answer)| !right(key, answer));
    let verified = match wrong {
        Some((key, _)) => Err(format!("the answer for key {key}")),
        None if answers.len() != keys.len() => Err("the number of answers".into()),
        None => Ok(()),
    };
    Ok(Phase::new(name, keys.len() as u64, seconds, verified))
}
