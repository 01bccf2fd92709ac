//! The dynamic experiment: mixes of unique inserts, deletes and searches on a range of keys, half of it
//! inserted before. Each contender is made for the range.

use super::chained::CpuChained;
use super::contender::{Bulk, Single};
use super::lock_list::CpuLockList;
use super::locked::Locked;
use super::point::{MOST_ON_CPU, Point};
use super::{Mixed, Report, Row, Scale};
use crate::backend::Opened;
use crate::bench::row::MIXES;
use crate::failure::Failure;
use crate::output::Progress;
use crate::run::workload::Mix;
use warpproof::WaitFreeGeometry;
use warpproof::simt::cpu;

/// Sizes of the key ranges.
const RANGES: [u32; 5] = [100, 1_000, 10_000, 100_000, 10_000_000];
/// Numbers of operations.
const fn operations(subject: Mixed) -> [usize; 2] {
    match subject {
        Mixed::Hopscotch => [100_000, 100_000_000],
        // On 10^7 keys, as many as `bench waitfree --pairs 10000000` runs of a mix.
        Mixed::WaitFree => [100_000, 10_000_000],
    }
}

/// Measures all points.
pub(super) fn run(subject: Mixed, on: &Opened, scale: Scale, report: &mut Report<'_>) -> Result<(), Failure> {
    let quick = scale == Scale::Quick;
    let ranges: Vec<u32> = RANGES.into_iter().filter(|&range| !quick || range <= 100_000).collect();
    let operations: Vec<usize> =
        operations(subject).into_iter().filter(|&ops| !quick || ops <= 100_000).collect();
    let mut progress = Progress::new("dynamic", (MIXES.len() * ranges.len() * operations.len()) as u64);
    let mut done = 0;
    for mix in MIXES {
        for &ops in &operations {
            let mut rows = Vec::new();
            for &range in &ranges {
                point(subject, on, (mix, range, ops), &mut rows)?;
                done += 1;
                progress.at(done);
            }
            progress.above(|| report.add(rows))?;
        }
    }
    Ok(())
}

/// One point: on the GPU if that is the backend, and on the CPU with fewer operations.
fn point(
    subject: Mixed,
    on: &Opened,
    (mix, range, ops): ((&'static str, Mix), u32, usize),
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    #[cfg(feature = "gpu")]
    if let Some(device) = on.kernels() {
        super::device::point(subject, device, &Point::new(mix, range, ops), rows)?;
    }
    let _ = on;
    let point = Point::new(mix, range, ops.min(MOST_ON_CPU));
    match subject {
        Mixed::Hopscotch => hopscotch(&point, rows),
        Mixed::WaitFree => wait_free(&point, rows),
    }
}

/// The wait-free table and a list with locks, on the CPU.
fn wait_free(point: &Point, rows: &mut Vec<Row>) -> Result<(), Failure> {
    type Map = cpu::WaitFreeMap<u32, u32>;
    point.measure(
        ("wait-free (CPU)", None),
        || Ok(Bulk(Map::with_geometry(point.nodes_of(Map::NODE_WORDS, WaitFreeGeometry::new)?)?)),
        rows,
    )?;
    point.measure(
        ("lock-based list (CPU)", None),
        || Ok(Single::<_, false>(CpuLockList::new(point.lists()?).map_err(text)?)),
        rows,
    )
}

/// The hopscotch table, hopscotch with locks, and chaining, on the CPU.
fn hopscotch(point: &Point, rows: &mut Vec<Row>) -> Result<(), Failure> {
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

/// The text of an error.
pub(super) fn text(failure: Failure) -> String {
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
    use warpproof::Insert;
    use warpproof::{Answer, Delete, Op};

    /// Compares a table with room for all `keys` with a map of std.
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
