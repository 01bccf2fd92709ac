//! The dynamic experiment: mixes of unique inserts, deletes and searches on a range of keys, half of it inserted before.

use super::chained::CpuChained;
use super::contender::{Bulk, Contender, Fallible, Single};
use super::locked::Locked;
use super::{Row, Scale};
use crate::backend::Backend;
use crate::bench::MIXES;
use crate::failure::Failure;
use crate::output::Progress;
use crate::run::account::Account;
use crate::run::phase::timed;
use crate::run::workload::{Mix, Workload};
use std::collections::HashSet;
use warpproof::model::hopscotch::{GROUP_WORDS, REACH};
use warpproof::simt::cpu;
use warpproof::{HopscotchGeometry, Insert};

/// Sizes of the key ranges.
const RANGES: [u32; 5] = [100, 1_000, 10_000, 100_000, 10_000_000];
/// Numbers of operations.
const OPERATIONS: [usize; 2] = [100_000, 100_000_000];
/// The most operations of a table on the CPU.
pub(super) const MOST_ON_CPU: usize = 10_000_000;
/// Pairs per slot if the whole range were there; half of that is what there mostly is.
pub(super) const LOAD: f64 = 0.8;

/// What is measured at one point.
pub(super) struct Point {
    name: &'static str,
    pub(super) work: Workload,
    first: (Vec<u32>, Vec<u32>),
    rounds: usize,
}

impl Point {
    fn new((name, mix): (&'static str, Mix), range: u32, ops: usize) -> Self {
        let work = Workload::new(mix, range, ops, 1);
        let first = work.prefill();
        let rounds = match ops {
            0..=1_000_000 => 9,
            1_000_001..=MOST_ON_CPU => 3,
            // The answers of one round take seconds to check.
            _ => 1,
        };
        Self { name, work, first, rounds }
    }

    /// Slots for the whole range.
    pub(super) fn slots(&self) -> u32 {
        (self.work.keys as f64 / LOAD).ceil() as u32
    }

    /// Nodes for all inserts: none is waited for.
    pub(super) fn nodes(&self) -> usize {
        self.first.0.len() + self.work.inserts() as usize
    }

    /// The size of a hopscotch table.
    pub(super) fn geometry(&self) -> Fallible<HopscotchGeometry> {
        Ok(HopscotchGeometry::new(self.work.keys as u64, LOAD, GROUP_WORDS as u32, REACH)?)
    }

    /// Measures a table: its rows by the time of the operations alone, and, if there is a name for that, with the time
    /// that it took to make the table.
    pub(super) fn measure<C: Contender>(
        &self,
        (name, with_allocation): (&'static str, Option<&'static str>),
        make: impl Fn() -> Fallible<C>,
        rows: &mut Vec<Row>,
    ) -> Result<(), Failure> {
        let (mut alone, mut whole, mut wrong, mut full) = (Vec::new(), Vec::new(), None, 0);
        for _ in 0..self.rounds {
            let round = self.round(&make).map_err(|error| Failure::input(format_args!("{name}: {error}")))?;
            let (made, took, verdict) = round;
            alone.push(took);
            whole.push(made + took);
            match verdict {
                Ok(found) => full = full.max(found),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        let row = |table, times| {
            let (keys, ops) = (self.work.keys as u64, self.work.ops.len() as u64);
            Row::new("dynamic", table, self.name, keys, ops, times).with(full, wrong.clone())
        };
        rows.push(row(name, alone));
        rows.extend(with_allocation.map(|name| row(name, whole)));
        Ok(())
    }

    /// The seconds of making a table and of the operations, and how many inserts found no room, or what is wrong.
    fn round<C: Contender>(
        &self,
        make: impl Fn() -> Fallible<C>,
    ) -> Fallible<(f64, f64, Result<u64, String>)> {
        let (keys, values) = &self.first;
        let mut made = 0.0;
        let mut table = timed(&mut made, make)?;
        let filled = table.fill(keys, values)?;
        let right = |said: &Insert| *said == Insert::Inserted || C::MAY_BE_FULL && *said == Insert::Full;
        if filled.len() != keys.len() || !filled.iter().all(right) {
            return Ok((made, 0.0, Err("an insert of a new key did not say so".into())));
        }
        let none = keys.iter().zip(filled).filter(|(_, said)| *said == Insert::Full).map(|(&key, _)| key);
        let left_out: HashSet<u32> = none.collect();
        let (took, answers) = table.mixed(&self.work)?;
        let verdict = match Account::new(&self.work, &answers, C::MAY_BE_FULL.then_some(&left_out)) {
            Ok(account) => {
                let all: Vec<u32> = (0..self.work.keys).collect();
                account.check_end(&table.search(&all)?).map(|()| account.full() + left_out.len() as u64)
            }
            Err(wrong) => Err(wrong),
        };
        Ok((made, took, verdict))
    }
}

/// Measures all points.
pub(super) fn run<B: Backend>(backend: &B, scale: Scale, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let quick = scale == Scale::Quick;
    let ranges: Vec<u32> = RANGES.into_iter().filter(|&range| !quick || range <= 100_000).collect();
    let operations: Vec<usize> = OPERATIONS.into_iter().filter(|&ops| !quick || ops <= 100_000).collect();
    let mut progress = Progress::new("dynamic", (MIXES.len() * ranges.len() * operations.len()) as u64);
    let mut done = 0;
    for mix in MIXES {
        for &ops in &operations {
            for &range in &ranges {
                point(backend, (mix, range, ops), rows)?;
                done += 1;
                progress.at(done);
            }
        }
    }
    Ok(())
}

/// One point, on the GPU if that is the backend, and on the CPU with as many operations as that can do.
fn point<B: Backend>(
    backend: &B,
    (mix, range, ops): ((&'static str, Mix), u32, usize),
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    #[cfg(feature = "gpu")]
    if let Some(device) = backend.kernels() {
        super::device::point(device, &Point::new(mix, range, ops), rows)?;
    }
    let _ = backend;
    let point = Point::new(mix, range, ops.min(MOST_ON_CPU));
    let slots = point.slots();
    point.measure(
        ("hopscotch (CPU)", None),
        || Ok(Bulk(cpu::HopscotchMap::<u32, u32>::with_geometry(point.geometry()?)?)),
        rows,
    )?;
    point.measure(
        ("hopscotch with locks (CPU)", None),
        || Ok(Single::<_, true>(Locked::new(slots))),
        rows,
    )?;
    point.measure(
        ("chaining (CPU)", Some("chaining, allocation counted (CPU)")),
        || Ok(Single::<_, false>(CpuChained::new(slots as usize, point.nodes()).map_err(text)?)),
        rows,
    )
}

fn text(failure: Failure) -> String {
    match failure {
        Failure::Input(why) | Failure::Violation(why) => why,
        Failure::Closed => String::new(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::contender::Table;
    use super::*;
    use crate::run::workload::Random;
    use std::collections::HashMap;
    use warpproof::{Answer, Delete, Op};

    /// Compares a table that has room for all `keys` with a map of std.
    pub(in super::super) fn does_what_a_map_does(table: &impl Table, keys: u32) {
        let (mut random, mut map) = (Random(5), HashMap::new());
        for number in 0..50_000 {
            let key = random.below(keys);
            let (op, expected) = match random.below(3) {
                0 if map.contains_key(&key) => (Op::InsertUnique, Answer::Insert(Insert::Present)),
                0 => {
                    map.insert(key, number);
                    (Op::InsertUnique, Answer::Insert(Insert::Inserted))
                }
                1 => match map.remove(&key) {
                    Some(_) => (Op::Delete, Answer::Delete(Delete::Deleted)),
                    None => (Op::Delete, Answer::Delete(Delete::Absent)),
                },
                _ => (Op::Search, Answer::Search(map.get(&key).copied())),
            };
            assert_eq!(table.run(op, key, number), expected, "operation {number}, {op:?} of key {key}");
        }
    }

    /// Runs mixes by all threads of a pool that has more than one, on small ranges.
    pub(in super::super) fn races_add_up<T: Table>(make: impl Fn(u32) -> T + Sync, may_be_full: bool) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        for mix in MIXES {
            for range in [10, 100, 5_000] {
                let mut point = Point::new(mix, range, 200_000);
                point.rounds = 2;
                let mut rows = Vec::new();
                let made = &make;
                pool.install(|| match may_be_full {
                    true => point.measure(("it", None), || Ok(Single::<_, true>(made(range))), &mut rows),
                    false => point.measure(("it", None), || Ok(Single::<_, false>(made(range))), &mut rows),
                })
                .unwrap();
                assert!(rows.len() == 1 && rows[0].wrong().is_none(), "{range} keys: {:?}", rows[0].wrong());
            }
        }
    }

    /// A table that forgets its deletes.
    struct Forgets(Locked);

    impl Table for Forgets {
        fn run(&self, op: Op, key: u32, value: u32) -> Answer<u32> {
            match op {
                Op::Delete if key == 4 => Answer::Delete(Delete::Deleted),
                _ => self.0.run(op, key, value),
            }
        }
    }

    #[test]
    fn wrong_answers_are_found() {
        let point = Point::new(MIXES[0], 100, 10_000);
        let mut rows = Vec::new();
        point.measure(("it", None), || Ok(Single::<_, true>(Forgets(Locked::new(200)))), &mut rows).unwrap();
        assert!(rows[0].wrong().is_some());
    }
}
