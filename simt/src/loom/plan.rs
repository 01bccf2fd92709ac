//! What all executions of one exploration by loom share.

use crate::check::{AnySubject, Breach, Case, Loads, Reads, Scenario};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct Plan {
    pub(super) case: Case,
    pub(super) step_bound: u32,
    /// Which loads, by warp and word, commute with the loads of others when loads are read-modify-writes.
    pub(super) commutes: Vec<Vec<bool>>,
    pub(super) executions: AtomicU64,
    stall_reached: AtomicBool,
    writers: Mutex<Vec<u8>>,
}

impl Plan {
    pub(super) fn new(
        subject: Arc<dyn AnySubject>,
        scenario: Scenario,
        loads: Loads,
        stall_after: Option<u32>,
        step_bound: u32,
        writers: &[u8],
    ) -> Result<Self, Breach> {
        let case = Case::new(subject, scenario, super::explore::NAME, loads, stall_after)?;
        let words = case.initial.len();
        Ok(Self {
            step_bound,
            commutes: commuting(case.scenario.programs.len(), words, writers),
            executions: AtomicU64::new(0),
            stall_reached: AtomicBool::new(false),
            writers: Mutex::new(vec![0; words]),
            case,
        })
    }

    /// Whether memory is as weak as loom's. Otherwise every access sees the newest value.
    pub(super) fn weak(&self) -> bool {
        self.case.loads == Loads::AsLoads && self.case.scenario.reads == Reads::Torn
    }

    /// Notes that `warp` wrote word `at`.
    pub(super) fn written(&self, warp: usize, at: usize) {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)[at] |= 1 << warp;
    }

    /// Which warps wrote each word, in any execution.
    pub(super) fn writers(&self) -> Vec<u8> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn stall_reached(&self) {
        // Relaxed: read when the exploration is over, on the same thread.
        self.stall_reached.store(true, Ordering::Relaxed);
    }

    /// Whether any execution got as far as the stall.
    pub(super) fn was_stall_reached(&self) -> bool {
        // Relaxed: as above.
        self.stall_reached.load(Ordering::Relaxed)
    }
}

/// Which loads need not be ordered among each other, given who writes each word.
///
/// Loom remembers only the last access to a word, so a write races with the last load alone, and a load of
/// another warp before that one is forgotten (issue 166). Loads of words that nobody writes cannot be raced
/// with. Of two warps, the load that hides the other's is one of the writer itself. Of more, any load can.
fn commuting(warps: usize, words: usize, writers: &[u8]) -> Vec<Vec<bool>> {
    let written = |at: usize| writers.get(at).copied().unwrap_or(0);
    let commutes = |warp: usize, at: usize| {
        if warps <= 2 { written(at) & 1 << warp == 0 } else { written(at) == 0 }
    };
    (0..warps).map(|warp| (0..words).map(|at| commutes(warp, at)).collect()).collect()
}
