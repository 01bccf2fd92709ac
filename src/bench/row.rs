//! Measurements: a row for each workload. The names of all rows are here, in the groups that are measured
//! together.

use crate::run::workload::Mix;
use serde::Serialize;
use std::error::Error;

/// The calls of every table.
pub(crate) const CALLS: [&str; 4] = ["build", "search present", "search absent", "delete half"];

/// The kernels of a table that grows.
pub(crate) const GROWING: [&str; 3] = [CALLS[0], CALLS[1], "build, memory kept"];

/// Builds by partitions of the batch.
pub(crate) const PARTITIONED: [&str; 2] = ["build by bins", "build by bins, with outcomes"];

/// Copies of all entries.
pub(crate) const RETRIEVED: [&str; 2] = ["retrieve all", "retrieve in order"];

/// Sums.
pub(crate) const SUMMED: [&str; 4] =
    ["add: each key once", "add: uniform keys", "add: zipf 0.99", "add: 100 keys"];

/// Calls on host slices.
pub(crate) const FROM_HOST: [&str; 2] = ["insert from host", "find from host"];

/// Calls on slices that the device copies by itself.
pub(crate) const FROM_LOCKED: [&str; 2] = ["insert from page-locked memory", "find from page-locked memory"];

/// Searches of a map that write to such slices, too.
pub(crate) const BETWEEN_LOCKED: [&str; 1] = ["find between page-locked memory"];

/// Random access without a protocol.
pub(crate) const FLOORS: [&str; 3] = ["floor: find", "floor: insert", "floor: look, insert"];

/// Mixed batches.
pub(crate) const MIXED: [&str; 2] = [MIXES[0].0, MIXES[1].0];

/// All groups.
pub(super) const GROUPS: [&[&str]; 10] = [
    &CALLS,
    &GROWING,
    &PARTITIONED,
    &RETRIEVED,
    &SUMMED,
    &FROM_HOST,
    &FROM_LOCKED,
    &BETWEEN_LOCKED,
    &FLOORS,
    &MIXED,
];

/// The mixes, by the names of their workloads.
pub(super) const MIXES: [(&str, Mix); 2] = [
    ("mix 20,20,60", Mix { insert: 20, delete: 20, search: 60 }),
    ("mix 40,40,20", Mix { insert: 40, delete: 40, search: 20 }),
];

/// The result of a call that may fail on any backend.
pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

/// One measurement.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(super) size: u32,
    pub(super) load: f64,
    pub(super) workload: &'static str,
    pub(super) ops: u64,
    pub(super) seconds: f64,
    pub(super) mops: f64,
    pub(super) verified: bool,
}
