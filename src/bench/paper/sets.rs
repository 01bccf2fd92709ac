//! Sets of u64 keys on a GPU, by the steps of `warpproof bench waitfree --entry set64`, one after the other:
//! the wait-free set, a list with a lock for each bucket, and open addressing.

use super::dynamic::text;
use super::lock_list::Lists;
use super::{Row, Scale};
use crate::bench::cells::Cells;
use crate::bench::device::Bench;
use crate::bench::device::calls::{Calls, calls, len_of, memory_of};
use crate::bench::memory::Memory;
use crate::bench::row::Fallible;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output::Progress;
use crate::registry::room::{Capacity, Room, Rooms};
use crate::registry::{OPEN, WAITFREE};
use warpproof::gpu::bench::{Baselines, LockSet};
use warpproof::gpu::{Device, Error, OpenSet, Tuning, WaitFreeSet};
use warpproof::{OpenGeometry, WaitFreeGeometry};

/// Keys of the sets.
const SIZES: [u32; 5] = [1 << 20, 1 << 22, 10_000_000, 1 << 24, 1 << 26];
/// Rounds after the first, which warms up.
const ROUNDS: usize = 5;
/// The loads in the names of the sets.
const _: () = assert!(WaitFreeGeometry::DEFAULT_LOAD == 0.4 && OpenGeometry::DEFAULT_LOAD == 0.8);

/// A set of the experiment.
struct Contender<'a, T> {
    name: &'static str,
    capacity: Capacity,
    load: f64,
    make: &'a dyn Fn(&Device, Room, Tuning) -> Result<T, Error>,
    calls: Calls<T, u64, u8>,
}

/// Measures all sizes.
pub(super) fn run(device: &Device, scale: Scale) -> Result<Vec<Row>, Failure> {
    let sizes = if scale == Scale::Quick { &SIZES[..1] } else { &SIZES };
    let mut rows = Vec::new();
    let mut progress = Progress::new("sets", sizes.len() as u64);
    for (done, &size) in (1..).zip(sizes) {
        self::size(device, size, &mut rows).map_err(|error| Failure::input(error.to_string()))?;
        progress.at(done);
    }
    Ok(rows)
}

fn size(device: &Device, size: u32, rows: &mut Vec<Row>) -> Fallible<()> {
    let wait_free = Contender {
        name: "wait-free, load 0.4",
        capacity: WAITFREE.capacity,
        load: WaitFreeGeometry::DEFAULT_LOAD,
        make: &|device, Room { expected, load, .. }, tuning| {
            let size = WaitFreeGeometry::for_batches(expected, load, WaitFreeSet::<u64>::NODE_WORDS)?;
            WaitFreeSet::with_tuning(device, size, tuning)
        },
        calls: calls!(Set WaitFreeSet<u64>, u64),
    };
    wait_free.measure(device, size, rows)?;
    let baselines = Baselines::new(device)?;
    let locks = Contender {
        name: "lock-based list, load 0.4",
        capacity: Capacity { may_be_full: false, grows: false },
        load: WaitFreeGeometry::DEFAULT_LOAD,
        make: &|_, Room { expected, load, .. }, _| {
            let Lists { buckets, pool } = Lists::new(expected, load)?;
            baselines.lock_set(buckets, pool)
        },
        calls: calls_of_locks(),
    };
    locks.measure(device, size, rows)?;
    let open = Contender {
        name: "open addressing, load 0.8",
        capacity: OPEN.capacity,
        load: OpenGeometry::DEFAULT_LOAD,
        make: &|device, Room { expected, load, .. }, tuning| {
            OpenSet::with_tuning(device, OpenGeometry::at_load(expected, load)?, tuning)
        },
        calls: calls!(Set OpenSet<u64>, u64),
    };
    open.measure(device, size, rows)
}

/// The calls of a list with locks, which is not a table of the library.
fn calls_of_locks() -> Calls<LockSet, u64, u8> {
    Calls {
        clear: |set, _| set.clear(),
        insert: |set, on, of, said| set.insert(on, &of.on_keys, said),
        search: |set, on, keys, found| set.contains(on, keys, found),
        delete: |set, on, keys, said| set.delete(on, keys, said),
        found: |value| u8::from(value.is_some()),
        len: LockSet::len,
        memory: |_, _, at| Ok(Memory::unknown(at)),
    }
}

impl<T> Contender<'_, T> {
    /// Measures a set that is made for so many keys.
    fn measure(self, device: &Device, size: u32, rows: &mut Vec<Row>) -> Fallible<()> {
        let entry = Entry::Set64;
        let bench = Bench::new(
            device,
            Rooms { capacity: self.capacity, seed: None, budget: None, ranks: None },
            entry,
            ((size, self.load), size),
            ROUNDS,
            (entry.tuning(), &Cells::ALL),
        );
        let bench = bench.map_err(text)?;
        let mut table = bench.table(&self.make)?;
        let mut measured = Vec::new();
        let memory = bench.fixed(&mut table, &self.calls, &bench.entries()?, &mut measured)?;
        bench.add(&mut table, &self.calls, &mut measured)?;
        rows.extend(measured.into_iter().map(|row| {
            let wrong = (!row.verified).then(|| format!("{}: an answer is wrong", row.workload));
            let new = Row::new("sets", self.name, row.workload, size.into(), row.ops, vec![row.seconds]);
            let full = memory.number_left_out(row.workload);
            Row { rounds: ROUNDS, ..new }.with(full, wrong)
        }));
        Ok(())
    }
}
