//! Kernels on device slices, timed by events.
//!
//! Inputs and outputs lie in device memory, every round starts with a fresh table and poisoned outputs, and every
//! output is compared on the host after its round.

use super::entry::{Entry, Number, keys, values};
use super::memory::Memory;
use super::timed::{POISON, Timed};
use super::{Fallible, How, MIXES, Row};
use crate::Structure;
use crate::failure::Failure;
use crate::output;
use rayon::prelude::*;
use subject::{Retrieved, Subject};
use warpproof::gpu::cudarc::driver::{CudaSlice, DeviceRepr};
use warpproof::gpu::{
    CuckooMap, CuckooSet, Device, HopscotchMap, HopscotchSet, OpenMap, OpenSet, SlabMap, SlabMultimap,
    SlabSet, Tuning,
};
use warpproof::model::host::Tally;
use warpproof::model::open::bulk::TALLY;
use warpproof::model::outcome::{Delete, Insert};

mod grow;
mod map32;
mod staged;
mod subject;

/// All workloads at one size and load.
pub(super) fn point(
    device: &Device,
    structure: Structure,
    entry: Entry,
    (size, load): (u32, f64),
    How { rounds, lanes, retrieve }: How,
    rows: &mut Vec<Row>,
) -> Result<Memory, Failure> {
    let tuning =
        Tuning { lanes, lock_bit: entry == Entry::Lock64, retrieve: retrieve.into(), ..Tuning::default() };
    let bench = Bench { device, timed: Timed::new(device).map_err(Failure::backend)?, size, load, tuning };
    bench.measure(structure, entry, rounds, rows).map_err(|error| Failure::input(error.to_string()))
}

struct Bench<'a> {
    device: &'a Device,
    timed: Timed,
    size: u32,
    load: f64,
    tuning: Tuning,
}

impl Bench<'_> {
    fn measure(
        &self,
        structure: Structure,
        entry: Entry,
        rounds: usize,
        rows: &mut Vec<Row>,
    ) -> Fallible<Memory> {
        let mut memory = match (structure, entry) {
            (Structure::Slab, Entry::Multimap32) => self.plain::<SlabMultimap<u32, u32>>(entry, rounds, rows),
            (Structure::Slab, Entry::Set32) => self.plain::<SlabSet>(entry, rounds, rows),
            (Structure::Slab, Entry::Map64 | Entry::Lock64) => {
                self.plain::<SlabMap<u64, u64>>(entry, rounds, rows)
            }
            // The others are refused before (`Tables::holds`).
            (Structure::Slab, _) => self.plain::<SlabMap<u32, u32>>(entry, rounds, rows),
            (Structure::Hopscotch, Entry::Set32) => self.plain::<HopscotchSet<u32>>(entry, rounds, rows),
            (Structure::Hopscotch, Entry::Set64) => self.plain::<HopscotchSet<u64>>(entry, rounds, rows),
            (Structure::Hopscotch, Entry::Map64) => self.plain::<HopscotchMap<u64, u64>>(entry, rounds, rows),
            (Structure::Hopscotch, _) => self.plain::<HopscotchMap<u32, u32>>(entry, rounds, rows),
            (Structure::Open, Entry::Set32) => self.plain::<OpenSet<u32>>(entry, rounds, rows),
            (Structure::Open, Entry::Set64) => self.plain::<OpenSet<u64>>(entry, rounds, rows),
            (Structure::Open, Entry::Map64) => self.plain::<OpenMap<u64, u64>>(entry, rounds, rows),
            (Structure::Open, _) => self.plain::<OpenMap<u32, u32>>(entry, rounds, rows),
            (Structure::Cuckoo, Entry::Set32) => self.plain::<CuckooSet<u32>>(entry, rounds, rows),
            (Structure::Cuckoo, Entry::Set64) => self.plain::<CuckooSet<u64>>(entry, rounds, rows),
            (Structure::Cuckoo, Entry::Map64) => self.plain::<CuckooMap<u64, u64>>(entry, rounds, rows),
            (Structure::Cuckoo, _) => self.plain::<CuckooMap<u32, u32>>(entry, rounds, rows),
            (Structure::Dynamic, Entry::Map64) => self.grow::<u64>(entry, rounds, rows),
            (Structure::Dynamic, _) => self.grow::<u32>(entry, rounds, rows),
        }?;
        if entry == Entry::Map32 && structure != Structure::Dynamic {
            self.floors(rounds, rows)?;
            for mix in MIXES {
                match structure {
                    Structure::Slab => self.mix::<SlabMap<u32, u32>>(mix, rounds, rows, &mut memory)?,
                    Structure::Hopscotch => {
                        self.mix::<HopscotchMap<u32, u32>>(mix, rounds, rows, &mut memory)?
                    }
                    Structure::Open => self.mix::<OpenMap<u32, u32>>(mix, rounds, rows, &mut memory)?,
                    Structure::Cuckoo => self.mix::<CuckooMap<u32, u32>>(mix, rounds, rows, &mut memory)?,
                    Structure::Dynamic => {}
                }
            }
        }
        Ok(memory)
    }

    /// The median of the times, in seconds.
    fn row(&self, workload: &'static str, ops: usize, mut times: Vec<f64>, verified: bool) -> Row {
        times.sort_by(f64::total_cmp);
        let seconds = times[times.len() / 2];
        let (ops, size, load) = (ops as u64, self.size, self.load);
        Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified }
    }

    /// Build, both searches, all entries in any order and in that of their slots, delete of half the keys, and a build by partitions.
    fn plain<T: Subject>(&self, entry: Entry, rounds: usize, rows: &mut Vec<Row>) -> Fallible<Memory> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let present = keys::<T::Key>(0, self.size);
        let answers: Vec<T::Found> = present.iter().map(|key| T::found(Some(key.value()))).collect();
        let on_keys = stream.clone_htod(&present)?;
        let on_values = stream.clone_htod(&values(&present))?;
        let half = stream.clone_htod(&present[..n / 2])?;
        let absent = stream.clone_htod(&keys::<T::Key>(self.size, 2 * self.size))?;
        let size = T::size(n as u64, n as u64, self.load, self.tuning)
            .map_err(|_| "the table would be too large")?;
        let mut table = T::new(self.device, size, self.tuning)?;
        let mut times: [Vec<f64>; 8] = Default::default();
        let (mut right, mut memory, mut full) = ([true; 8], None, 0);
        // The first round warms up.
        for round in 0..=rounds {
            table.clear_on(stream)?;
            let mut outcomes = timed.poisoned(POISON, n)?;
            let mut found = timed.poisoned(T::poison(), n)?;
            let mut missed = timed.poisoned(T::poison(), n)?;
            let mut deleted = timed.poisoned(POISON, n / 2)?;
            let mut took = [0.0; 8];
            took[0] = timed.time(|| table.insert(stream, &on_keys, &on_values, &mut outcomes))?;
            let stored = self.stored::<T>(&outcomes)?;
            let live = stored.iter().filter(|stored| **stored == Some(true)).count() as u64;
            right[0] &= stored.iter().all(Option::is_some) && table.live()? == live;
            full = full.max(n as u64 - live);
            memory = Some(Memory::new(entry, (self.size, self.load), size, &table.contents()?));
            took[1] = timed.time(|| table.search(stream, &on_keys, &mut found))?;
            let answer = |i: usize| if stored[i] == Some(true) { answers[i] } else { T::found(None) };
            right[1] &= stream.clone_dtoh(&found)?.iter().enumerate().all(|(i, found)| *found == answer(i));
            took[2] = timed.time(|| table.search(stream, &absent, &mut missed))?;
            right[2] &= stream.clone_dtoh(&missed)?.iter().all(|missed| *missed == T::found(None));
            for in_order in [false, true].into_iter().filter(|_| T::RETRIEVES) {
                let (at, mut out) = (4 + in_order as usize, self.retrieved(n)?);
                took[at] = timed.time(|| table.retrieve(stream, in_order, &mut out))?;
                right[at] &= self.holds::<T>(&out, &present, &stored)?;
            }
            took[3] = timed.time(|| table.delete(stream, &half, &mut deleted))?;
            let gone = |i: usize| if stored[i] == Some(true) { Delete::Deleted } else { Delete::Absent };
            right[3] &=
                stream.clone_dtoh(&deleted)?.iter().enumerate().all(|(i, code)| *code == gone(i).code());
            let left = stored[n / 2..].iter().filter(|stored| **stored == Some(true)).count() as u64;
            right[3] &= table.live()? == left;
            for told in [false, true] {
                let Some(mut partitions) = table.partitions(stream, n, told)? else { continue };
                let at = 6 + told as usize;
                table.clear_on(stream)?;
                if told {
                    let mut outcomes = timed.poisoned(POISON, n)?;
                    took[at] = timed.time(|| {
                        let (keys, values) = (&on_keys, &on_values);
                        table.insert_partitioned_with_outcomes(
                            stream,
                            keys,
                            values,
                            &mut partitions,
                            &mut outcomes,
                        )
                    })?;
                    right[at] &= self.stored::<T>(&outcomes)?.iter().all(|stored| *stored == Some(true));
                } else {
                    let mut tally = timed.poisoned(0, TALLY)?;
                    took[at] = timed.time(|| {
                        table.insert_partitioned(stream, &on_keys, &on_values, &mut partitions, &mut tally)
                    })?;
                    let said = stream.clone_dtoh(&tally)?.try_into().map(Tally::of);
                    right[at] &= said == Ok(Tally { inserted: n as u64, ..Tally::default() });
                }
                let mut found = timed.poisoned(T::poison(), n)?;
                table.search(stream, &on_keys, &mut found)?;
                right[at] &= table.live()? == n as u64 && stream.clone_dtoh(&found)? == answers;
            }
            if round > 0 {
                let ran = times.iter_mut().zip(took).filter(|(_, took)| *took > 0.0);
                ran.for_each(|(times, took)| times.push(took));
            }
        }
        if let Some(memory) = &mut memory {
            memory.left_out("build", full);
        }
        let names = [
            "build",
            "search present",
            "search absent",
            "delete half",
            "retrieve all",
            "retrieve in order",
            "build by bins",
            "build by bins, with outcomes",
        ];
        let ops = [n, n, n, n / 2, n, n, n, n];
        for (i, times) in times.into_iter().enumerate().filter(|(_, times)| !times.is_empty()) {
            rows.push(self.row(names[i], ops[i], times, right[i]));
        }
        self.staged(&mut table, &present, rounds, rows)?;
        memory.ok_or_else(|| "no round".into())
    }

    /// Room for all entries of a table, poisoned.
    fn retrieved<K: DeviceRepr + Number>(&self, n: usize) -> Fallible<Retrieved<K>> {
        let (keys, values) = (self.timed.poisoned(K::key(0), n)?, self.timed.poisoned(K::key(0), n)?);
        Ok(Retrieved { keys, values, count: self.timed.poisoned(0, 1)? })
    }

    /// Whether these are the entries that were stored, each once, in any order.
    fn holds<T: Subject>(
        &self,
        out: &Retrieved<T::Key>,
        keys: &[T::Key],
        stored: &[Option<bool>],
    ) -> Fallible<bool> {
        let stream = &self.timed.stream;
        let is_stored = |(&key, stored): (&T::Key, &Option<bool>)| (*stored == Some(true)).then_some(key);
        let mut expected: Vec<_> = keys.iter().zip(stored).filter_map(is_stored).collect();
        if stream.clone_dtoh(&out.count)? != [expected.len() as u64] {
            return Ok(false);
        }
        let mut found = stream.clone_dtoh(&out.keys.slice(..expected.len()))?;
        // A search of a set finds no value, and so does the whole of it.
        let pairs = size_of::<T::Found>() == size_of::<T::Key>();
        let values = stream.clone_dtoh(&out.values.slice(..expected.len()))?;
        let beside = !pairs || found.par_iter().zip(&values).all(|(key, value)| *value == key.value());
        found.par_sort_unstable();
        expected.par_sort_unstable();
        Ok(beside && found == expected)
    }

    /// Whether each key of a build was stored; `None` where the outcome is neither that nor that there was no room, if
    /// such a table may have none.
    fn stored<T: Subject>(&self, outcomes: &CudaSlice<u8>) -> Fallible<Vec<Option<bool>>> {
        let stored = |code: &u8| match Insert::from_code(*code) {
            Some(Insert::Inserted) => Some(true),
            Some(Insert::Full) if T::MAY_BE_FULL => Some(false),
            _ => None,
        };
        Ok(self.timed.stream.clone_dtoh(outcomes)?.iter().map(stored).collect())
    }
}
