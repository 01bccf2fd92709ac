//! Bulk calls on slices of the host, timed as a whole.

use super::entry::{Entry, Number, keys, values};
use super::memory::Memory;
use super::{MIXES, Row};
use crate::backend::Backend;
use crate::failure::Failure;
use crate::output;
use crate::run::mixed;
use crate::run::phase::{Phase, timed};
use crate::run::workload::Workload;
use crate::tables::Tables;
use warpproof::model::Key;
use warpproof::model::host::left_out;
use warpproof::{BulkMap, BulkMultimap, BulkSet, Delete, Insert, Structure, structure};

/// All workloads at one size and load.
pub(super) fn point<S: Tables, B: Backend>(
    backend: &B,
    entry: Entry,
    (size, load): (u32, f64),
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let mut runs: Vec<Vec<Phase>> = Vec::new();
    let mut memory = None;
    for round in 0..rounds {
        let (mut phases, held) = S::measure(backend, entry, (size, load))?;
        for (name, mix) in MIXES.into_iter().filter(|_| entry == Entry::Map32) {
            let work = Workload::new(mix, size, size as usize, round as u64 + 1);
            let of_mix = mixed::run::<S, _>(backend, &work, load)?;
            let verified = of_mix.iter().filter_map(Phase::wrong).next().map_or(Ok(()), Err);
            let main = of_mix.iter().find(|phase| phase.main).map_or((0, 0.0), |p| (p.ops, p.seconds));
            let full = of_mix.iter().map(|phase| phase.full).sum();
            phases.push(Phase::new(name, main.0, main.1, verified).with_full(full));
        }
        let memory = memory.get_or_insert(held);
        phases.iter().for_each(|phase| memory.left_out(phase.name, phase.full));
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
pub(crate) trait Subject<K> {
    /// The answer of a search.
    type Found: Copy + PartialEq;

    fn insert(&self, keys: &[K], values: &[K]) -> Result<Vec<Insert>, Failure>;
    fn search(&self, keys: &[K]) -> Result<Vec<Self::Found>, Failure>;
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Failure>;
    /// Its memory, and how many pairs it has.
    fn memory(&self, entry: Entry, at: (u32, f64)) -> Result<(Memory, u64), Failure>;
    /// What a search says of a key with this value, or without one.
    fn found(value: Option<K>) -> Self::Found;
}

/// A map in chains.
pub(crate) struct Map<T>(pub(crate) T);
/// A multimap in chains.
pub(crate) struct Multimap<T>(pub(crate) T);
/// A set in chains.
pub(crate) struct Set<T>(pub(crate) T);
/// A map in a hopscotch table.
pub(crate) struct HopscotchMap<T>(pub(crate) T);
/// A set in a hopscotch table.
pub(crate) struct HopscotchSet<T>(pub(crate) T);
/// A map in an open-addressing table.
pub(crate) struct OpenMap<T>(pub(crate) T);
/// A set in an open-addressing table.
pub(crate) struct OpenSet<T>(pub(crate) T);

/// What a table of any kind says of its memory.
macro_rules! memory {
    () => {
        fn memory(&self, entry: Entry, at: (u32, f64)) -> Result<(Memory, u64), Failure> {
            let stats = self.0.stats().map_err(Failure::backend)?;
            Ok((Memory::new(entry, at, self.0.geometry(), &stats), stats.live))
        }
    };
}

macro_rules! of_pairs {
    ($name:ident, $bulk:ident $structure:ident, $insert:ident) => {
        impl<
            K: Key,
            T: $bulk<
                    K,
                    K,
                    Structure: Structure<
                        Geometry = <structure::$structure as Structure>::Geometry,
                        Stats = <structure::$structure as Structure>::Stats,
                    >,
                >,
        > Subject<K> for $name<T>
        {
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
            memory! {}
            fn found(value: Option<K>) -> Option<K> {
                value
            }
        }
    };
}
of_pairs!(Map, BulkMap Slab, insert_unique);
of_pairs!(Multimap, BulkMultimap Slab, insert);
of_pairs!(HopscotchMap, BulkMap Hopscotch, insert_unique);
of_pairs!(OpenMap, BulkMap Open, insert_unique);

macro_rules! of_keys {
    ($name:ident, $structure:ident) => {
        impl<
            K: Key,
            T: BulkSet<
                    K,
                    Structure: Structure<
                        Geometry = <structure::$structure as Structure>::Geometry,
                        Stats = <structure::$structure as Structure>::Stats,
                    >,
                >,
        > Subject<K> for $name<T>
        {
            type Found = bool;

            fn insert(&self, keys: &[K], _: &[K]) -> Result<Vec<Insert>, Failure> {
                self.0.insert(keys).map_err(Failure::backend)
            }
            fn search(&self, keys: &[K]) -> Result<Vec<bool>, Failure> {
                self.0.contains(keys).map_err(Failure::backend)
            }
            fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Failure> {
                self.0.delete(keys).map_err(Failure::backend)
            }
            memory! {}
            fn found(value: Option<K>) -> bool {
                value.is_some()
            }
        }
    };
}
of_keys!(Set, Slab);
of_keys!(HopscotchSet, Hopscotch);
of_keys!(OpenSet, Open);

/// Build, both searches, delete. A key whose insert found no room is absent.
pub(crate) fn plain<S: Tables, K: Number, T: Subject<K>>(
    table: &T,
    entry: Entry,
    at: (u32, f64),
) -> Result<(Vec<Phase>, Memory), Failure> {
    let size = at.0;
    let present = keys::<K>(0, size);
    let stored = values(&present);
    let built = |_, done| done == Insert::Inserted || S::MAY_BE_FULL && done == Insert::Full;
    let (build, done) = phase("build", &present, || table.insert(&present, &stored), built)?;
    let (memory, live) = table.memory(entry, at)?;
    let full = left_out(&done);
    let build = match live + full == size as u64 {
        true => build.with_full(full),
        false => build.but(format!("{live} pairs are there, and {full} of {size} found no room")),
    };
    let is_in = |i: usize| done.get(i) == Some(&Insert::Inserted);
    // In another order than they were inserted.
    let order = |i: usize| (i as u64 * 0x9e37_79b1 % size as u64) as usize;
    let shuffled: Vec<K> = (0..size as usize).map(|i| present[order(i)]).collect();
    let hit = |i, found| found == T::found(is_in(order(i)).then(|| shuffled[i].value()));
    let (hits, _) = phase("search present", &shuffled, || table.search(&shuffled), hit)?;
    let absent = keys::<K>(size, 2 * size);
    let (misses, _) =
        phase("search absent", &absent, || table.search(&absent), |_, found| found == T::found(None))?;
    let half = &present[..size as usize / 2];
    let gone = |i, done| done == if is_in(i) { Delete::Deleted } else { Delete::Absent };
    let (delete, _) = phase("delete half", half, || table.delete(half), gone)?;
    Ok((vec![build, hits, misses, delete], memory))
}

/// Runs a bulk call and checks each answer, which `right` is given with its index.
fn phase<K: Number, T: Copy>(
    name: &'static str,
    keys: &[K],
    call: impl FnOnce() -> Result<Vec<T>, Failure>,
    right: impl Fn(usize, T) -> bool,
) -> Result<(Phase, Vec<T>), Failure> {
    let mut seconds = 0.0;
    let answers = timed(&mut seconds, call)?;
    let wrong = keys.iter().zip(&answers).enumerate().find(|&(i, (_, &answer))| !right(i, answer));
    let verified = match wrong {
        Some((_, (key, _))) => Err(format!("the answer for key {key}")),
        None if answers.len() != keys.len() => Err("the number of answers".into()),
        None => Ok(()),
    };
    Ok((Phase::new(name, keys.len() as u64, seconds, verified), answers))
}
