//! Measurements: a row for each workload.

use crate::run::workload::Mix;
use serde::Serialize;
use std::error::Error;

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
