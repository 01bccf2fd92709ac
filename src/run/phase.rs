//! One phase of a run: its time and whether its answers are right.

use crate::output::mops;
use serde::Serialize;
use std::time::Instant;

/// A phase that ran.
#[derive(Serialize, Debug)]
pub(crate) struct Phase {
    /// Its name.
    pub(crate) name: &'static str,
    /// Number of operations.
    pub(crate) ops: u64,
    /// Time of the bulk calls, verification not counted.
    pub(crate) seconds: f64,
    /// Millions of operations per second.
    pub(crate) mops: f64,
    /// Inserts that found no room, and stored nothing.
    pub(crate) full: u64,
    /// Whether all answers are right.
    pub(crate) verified: bool,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether this is the main phase of the run.
    #[serde(skip)]
    pub(crate) main: bool,
}

impl Phase {
    /// A phase of `ops` operations that took `seconds`.
    pub(crate) fn new(name: &'static str, ops: u64, seconds: f64, verified: Result<(), String>) -> Self {
        let error = verified.err();
        let verified = error.is_none();
        Self { name, ops, seconds, mops: mops(ops, seconds), full: 0, verified, error, main: false }
    }

    /// This phase, with the number of inserts that found no room.
    pub(crate) fn with_full(mut self, full: u64) -> Self {
        self.full = full;
        self
    }

    /// This phase, with an error.
    pub(crate) fn but(mut self, error: String) -> Self {
        self.verified = false;
        self.error.get_or_insert(error);
        self
    }

    /// This phase as the main one of the run.
    pub(crate) fn into_main(mut self) -> Self {
        self.main = true;
        self
    }

    /// The error, with the name of the phase.
    pub(crate) fn wrong(&self) -> Option<String> {
        self.error.as_ref().map(|error| format!("{}: {error}", self.name))
    }
}

/// Runs `f`, adds its time to `seconds`.
pub(crate) fn timed<T>(seconds: &mut f64, f: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = f();
    *seconds += started.elapsed().as_secs_f64();
    result
}
