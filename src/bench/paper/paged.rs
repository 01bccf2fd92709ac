//! Tables larger than a budget of device memory, on a GPU: the paged table, and the published Starfish with
//! two and with four child tables in device memory. All of them get the same keys on host slices, and return
//! their answers there. The time is wall-clock time of whole calls.

use super::point::LOAD;
use super::{Row, Scale};
use crate::bench::keys::key;
use crate::bench::row::Fallible;
use crate::failure::Failure;
use crate::output::Progress;
use crate::run::phase::timed;
use rayon::prelude::*;
use warpproof::gpu::bench::{Baselines, StarfishMap, StarfishSize};
use warpproof::gpu::{Device, PagedMap};
use warpproof::model::Insert;
use warpproof::{BulkMap, PagedGeometry};

/// Bytes of the slots of tables, 8 bytes each.
const TABLES: [u64; 3] = [1 << 30, 4 << 30, 8 << 30];
/// The size of a quick run: some child tables, more than frames.
const QUICK: u64 = 512 << 20;
/// Frames of the published tables.
const FRAMES: [(&str, u32); 2] = [("Starfish-2", 2), ("Starfish-4", 4)];
/// Device memory of the paged table: for frames and batches.
const BUDGET: u64 = 512 << 20;
/// Pairs of a call while a table is built in parts.
const PART: usize = 1 << 27;
/// Rounds of a search. The first one warms up and loads child tables.
const ROUNDS: usize = 3;

/// The measured batches: operations, and the names of the rows for searches of present keys, of absent keys,
/// and for inserts.
const BATCHES: [(u32, [&str; 3]); 3] = [
    (1_000_000, ["search 10^6", "search absent 10^6", "insert 10^6"]),
    (10_000_000, ["search 10^7", "search absent 10^7", "insert 10^7"]),
    (100_000_000, ["search 10^8", "search absent 10^8", "insert 10^8"]),
];

/// A table of the experiment. A key is its own value.
trait Paged {
    /// The seconds of an insert of absent keys, and its error.
    fn insert(&mut self, keys: &[u32]) -> Fallible<(f64, Option<String>)>;
    /// The seconds of a search, and its error: all keys are there, or none is.
    fn search(&mut self, keys: &[u32], there: bool) -> Fallible<(f64, Option<String>)>;
    /// The number of pairs.
    fn len(&self) -> Fallible<u64>;
}

/// The error of answers to searches.
fn wrong<T: Sync>(
    found: &[T],
    keys: &[u32],
    there: bool,
    value: impl Fn(&T) -> Option<u32> + Sync,
) -> Option<String> {
    let right = |at: &usize| value(&found[*at]) == there.then_some(keys[*at]);
    if found.len() != keys.len() {
        return Some(format!("{} answers to {} keys", found.len(), keys.len()));
    }
    let first = (0..keys.len()).into_par_iter().find_first(|at| !right(at))?;
    Some(format!("key {}: found {:?}", keys[first], value(&found[first])))
}

impl Paged for StarfishMap {
    fn insert(&mut self, keys: &[u32]) -> Fallible<(f64, Option<String>)> {
        let mut seconds = 0.0;
        let left = timed(&mut seconds, || self.insert_unique(keys, keys))?;
        Ok((
            seconds,
            left.first().map(|(key, _)| format!("no place for {} keys, {key} among them", left.len())),
        ))
    }

    fn search(&mut self, keys: &[u32], there: bool) -> Fallible<(f64, Option<String>)> {
        // Neither a value nor the answer for an absent key.
        const POISON: u32 = 0xa5a5_a5a5;
        let (mut seconds, mut found) = (0.0, vec![POISON; keys.len()]);
        timed(&mut seconds, || StarfishMap::search(self, keys, &mut found))?;
        let value = |&value: &u32| (value != StarfishMap::MISSING).then_some(value);
        Ok((seconds, wrong(&found, keys, there, value)))
    }

    fn len(&self) -> Fallible<u64> {
        Ok(StarfishMap::len(self))
    }
}

impl Paged for PagedMap<u32, u32> {
    fn insert(&mut self, keys: &[u32]) -> Fallible<(f64, Option<String>)> {
        let mut seconds = 0.0;
        let said = timed(&mut seconds, || self.insert_unique(keys, keys))?;
        let first = said.par_iter().position_first(|&said| said != Insert::Inserted);
        Ok((seconds, first.map(|at| format!("key {} is new: {:?}", keys[at], said[at]))))
    }

    fn search(&mut self, keys: &[u32], there: bool) -> Fallible<(f64, Option<String>)> {
        let mut seconds = 0.0;
        let found = timed(&mut seconds, || BulkMap::search(self, keys))?;
        Ok((seconds, wrong(&found, keys, there, |&value| value)))
    }

    fn len(&self) -> Fallible<u64> {
        Ok(warpproof::BulkTable::len(self)?)
    }
}

/// Measures all sizes.
pub(super) fn run(device: &Device, scale: Scale) -> Result<Vec<Row>, Failure> {
    let tables = if scale == Scale::Quick { &[QUICK][..] } else { &TABLES };
    let mut rows = Vec::new();
    let mut progress = Progress::new("paged", tables.len() as u64);
    for (done, &bytes) in (1..).zip(tables) {
        size(device, scale, bytes, &mut rows).map_err(|error| Failure::input(error.to_string()))?;
        progress.at(done);
    }
    Ok(rows)
}

fn size(device: &Device, scale: Scale, bytes: u64, rows: &mut Vec<Row>) -> Fallible<()> {
    let pairs = (bytes as f64 / 8.0 * LOAD) as u32;
    let largest = if scale == Scale::Quick { 10_000_000 } else { 100_000_000 };
    let work = Work::new(pairs, largest);
    let baselines = Baselines::new(device)?;
    for (name, frames) in FRAMES {
        let table = baselines.starfish(StarfishSize::for_pairs(pairs.into(), LOAD, frames)?)?;
        work.measure(name, table, rows)?;
    }
    type Ours = PagedMap<u32, u32>;
    let size = Ours::size(pairs.into(), LOAD, PagedGeometry::CHILD_BYTES, BUDGET)?;
    work.measure("paged", Ours::with_geometry(device, size)?, rows)
}

/// The batches of one size.
struct Work {
    /// Pairs at the end.
    pairs: u32,
    batches: Vec<(u32, [&'static str; 3])>,
}

impl Work {
    /// Batches of at most so many operations; all of them have at most half of the pairs.
    fn new(pairs: u32, largest: u32) -> Self {
        let mut batches: Vec<(u32, _)> = Vec::new();
        for (n, names) in BATCHES {
            if n <= largest && batches.iter().map(|(n, _)| n).sum::<u32>() + n <= pairs / 2 {
                batches.push((n, names));
            }
        }
        Self { pairs, batches }
    }

    /// Measures a table: it is built, with the last pairs in measured batches; then it is searched.
    fn measure(&self, name: &'static str, mut table: impl Paged, rows: &mut Vec<Row>) -> Fallible<()> {
        let row = |workload, ops: usize, times, wrong| {
            Row::new("paged", name, workload, self.pairs.into(), ops as u64, times).with(0, wrong)
        };
        let measured: u32 = self.batches.iter().map(|(n, _)| n).sum();
        let mut at = self.pairs - measured;
        let (mut seconds, mut wrong) = (0.0, None);
        for first in (0..at).step_by(PART) {
            let keys = keys(first, at.min(first.saturating_add(PART as u32)));
            let (took, error) = table.insert(&keys)?;
            seconds += took;
            wrong = wrong.or(error);
        }
        rows.push(row("build", at as usize, vec![seconds], wrong));
        for &(n, [.., insert]) in &self.batches {
            let (took, mut wrong) = table.insert(&keys(at, at + n))?;
            at += n;
            let len = table.len()?;
            if len != u64::from(at) {
                wrong = wrong.or_else(|| Some(format!("{len} pairs, not {at}")));
            }
            rows.push(row(insert, n as usize, vec![took], wrong));
        }
        for &(n, [present, absent, _]) in &self.batches {
            let among: Vec<u32> = (0..n).into_par_iter().map(|i| key(self.among(i))).collect();
            let none = keys(self.pairs, self.pairs + n);
            for (workload, keys, there) in [(present, among, true), (absent, none, false)] {
                let (mut times, mut wrong) = (Vec::new(), None);
                for round in 0..=ROUNDS {
                    let (took, error) = table.search(&keys, there)?;
                    wrong = wrong.or(error);
                    if round > 0 {
                        times.push(took);
                    }
                }
                rows.push(row(workload, keys.len(), times, wrong));
            }
        }
        Ok(())
    }

    /// The number of a random pair that is there.
    fn among(&self, i: u32) -> u32 {
        let random = warpproof::model::Seed::new(7).hash(u64::from(i)).bits();
        (random % u64::from(self.pairs)) as u32
    }
}

/// The keys number `from..to`.
fn keys(from: u32, to: u32) -> Vec<u32> {
    (from..to).into_par_iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_leave_half_of_the_pairs_to_build_and_keys_for_absent_ones() {
        for (bytes, batches) in [(QUICK, 2), (TABLES[0], 2), (TABLES[1], 3), (TABLES[2], 3)] {
            let pairs = (bytes as f64 / 8.0 * LOAD) as u32;
            let work = Work::new(pairs, 100_000_000);
            assert_eq!(work.batches.len(), batches, "{bytes}");
            let largest = work.batches.iter().map(|(n, _)| n).max().unwrap();
            // Keys are distinct below 2^31.
            assert!(pairs + largest < 1 << 31);
            assert!((0..1000).all(|i| work.among(i) < pairs));
        }
        assert!(Work::new(1000, 100_000_000).batches.is_empty());
    }

    #[test]
    fn wrong_answers_are_found() {
        let (keys, value) = ([5, 6], |&value: &Option<u32>| value);
        assert_eq!(wrong(&[Some(5), Some(6)], &keys, true, value), None);
        assert_eq!(wrong(&[None, None], &keys, false, value), None);
        for (found, there) in [([Some(5), Some(5)], true), ([Some(5), None], true), ([None, Some(6)], false)]
        {
            assert!(wrong(&found, &keys, there, value).is_some(), "{found:?}");
        }
        assert!(wrong(&[Some(5)], &keys, true, value).is_some());
    }
}
