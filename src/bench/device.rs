//! Kernels on device slices, timed by events.
//!
//! Inputs and outputs are in device memory. Every round starts with a fresh table and poisoned outputs, and
//! every output is checked on the host after its round.

use super::cells::Cells;
use super::keys::{keys, values};
use super::memory::Memory;
use super::row::{Fallible, Row};
use super::timed::Timed;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::output;
use crate::registry::room::{Room, Rooms};
use calls::{Entries, Word};
use rayon::prelude::*;
use warpproof::gpu::cudarc::driver::{CudaSlice, DeviceRepr};
use warpproof::gpu::{Device, Error, Tuning};
use warpproof::model::outcome::Insert;

pub(crate) mod calls;
mod fixed;
mod growing;
mod map32;
mod partitioned;
mod retrieved;
mod staged;
mod summed;

/// Measures the kernels on tables of one structure and one kind of entries.
pub(crate) type Measure = fn(&Bench<'_>, &mut Vec<Row>) -> Fallible<Memory>;

/// One size and load.
pub(crate) struct Bench<'a> {
    device: &'a Device,
    timed: Timed,
    rooms: Rooms,
    entry: Entry,
    size: u32,
    load: f64,
    /// The range of keys of the mixes.
    keys: u32,
    /// Rounds that are measured.
    rounds: usize,
    tuning: Tuning,
    cells: &'a Cells<'a>,
}

impl<'a> Bench<'a> {
    /// A bench for tables of such entries, at a size and a load, with mixes on so many keys. Measures the
    /// rows that are asked for.
    pub(super) fn new(
        device: &'a Device,
        rooms: Rooms,
        entry: Entry,
        ((size, load), keys): ((u32, f64), u32),
        rounds: usize,
        (tuning, cells): (Tuning, &'a Cells<'a>),
    ) -> Result<Self, Failure> {
        let timed = Timed::new(device).map_err(Failure::backend)?;
        Ok(Self { device, timed, rooms, entry, size, load, keys, rounds, tuning, cells })
    }

    /// Whether any of these rows is asked for.
    pub(crate) fn measures(&self, names: &[&str]) -> bool {
        self.cells.has_any(names)
    }

    /// The memory of a table that no row needs.
    pub(crate) fn no_memory(&self) -> Memory {
        Memory::unknown((self.size, self.load))
    }

    /// The rounds of a workload that have still to run.
    fn series(&self, workload: &'static str, ops: usize) -> Series {
        Series { workload, ops, asked: self.cells.has(workload), times: Vec::new(), right: true }
    }

    /// A table into which as many entries are inserted as its size says.
    pub(crate) fn table<T>(
        &self,
        make: &impl Fn(&Device, Room, Tuning) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let size = self.size.into();
        make(self.device, self.rooms.room(size, size, self.load), self.tuning)
    }

    /// The entries of a table.
    pub(crate) fn entries<K: Word>(&self) -> Fallible<Entries<K>> {
        self.some_entries(0, self.size)
    }

    /// The entries number `from..to`.
    fn some_entries<K: Word>(&self, from: u32, to: u32) -> Fallible<Entries<K>> {
        let keys = keys(from, to);
        let values = values(&keys);
        Ok(Entries::new(&self.timed.stream, keys, values)?)
    }

    /// Whether each key of a build was stored. `None` if an outcome is neither *inserted* nor, where the
    /// table may get full, *full*.
    fn stored(&self, outcomes: &CudaSlice<u8>) -> Fallible<Vec<Option<bool>>> {
        let stored = |code: &u8| match Insert::from_code(*code) {
            Some(Insert::Inserted) => Some(true),
            Some(Insert::Full) if self.rooms.capacity.may_be_full => Some(false),
            _ => None,
        };
        Ok(self.timed.stream.clone_dtoh(outcomes)?.par_iter().map(stored).collect())
    }

    /// A row for each workload that ran and is asked for. The others have prepared those: if one of them
    /// had a wrong answer, no row is verified.
    fn report<const N: usize>(&self, workloads: [Series; N], rows: &mut Vec<Row>) {
        let prepared = workloads.iter().all(|series| series.asked || series.right);
        for Series { workload, ops, mut times, right, .. } in workloads.into_iter().filter(|s| s.asked) {
            let verified = right && prepared;
            times.sort_by(f64::total_cmp);
            let Some(&seconds) = times.get(times.len() / 2) else { continue };
            let (ops, size, load) = (ops as u64, self.size, self.load);
            rows.push(Row { size, load, workload, ops, seconds, mops: output::mops(ops, seconds), verified });
        }
    }
}

/// A value that a search writes.
pub(crate) trait Found: DeviceRepr + Copy + PartialEq + Send + Sync {}

impl<T: DeviceRepr + Copy + PartialEq + Send + Sync> Found for T {}

/// The rounds of a workload.
struct Series {
    workload: &'static str,
    ops: usize,
    /// Whether its row is asked for.
    asked: bool,
    /// In seconds.
    times: Vec<f64>,
    /// Whether every answer so far was right.
    right: bool,
}

impl Series {
    /// Adds a round; the first one only warms up.
    fn add(&mut self, round: usize, seconds: f64, right: bool) {
        self.right &= right;
        if round > 0 {
            self.times.push(seconds);
        }
    }
}
