//! What all executions of one exploration by loom share.

use crate::check::{Case, Loads, Reads};
use std::sync::Arc;

pub(super) struct Plan {
    pub(super) case: Arc<Case>,
    pub(super) step_bound: u32,
    /// Which loads, by warp and word, commute with the loads of others when loads are read-modify-writes.
    pub(super) commutes: Vec<Vec<bool>>,
}

impl Plan {
    /// `writers`: which warps are known to write each word.
    pub(super) fn new(case: Case, step_bound: u32, writers: &[u8]) -> Self {
        let (warps, words) = (case.scenario.programs.len(), case.initial.len());
        Self { step_bound, commutes: commuting(warps, words, writers), case: Arc::new(case) }
    }

    /// Whether memory is as weak as loom's. Otherwise every access sees the newest value.
    pub(super) fn weak(&self) -> bool {
        self.case.loads == Loads::AsLoads && self.case.scenario.reads == Reads::Torn
    }
}

/// The loads that need not be ordered among each other, given the warps that write each word.
///
/// Loom remembers only the last access to a word, so a write races with the last load alone, and a load of
/// another warp before that one is forgotten (issue 166). Loads of words that nothing writes cannot be raced
/// with. Of two warps, the load that hides the other's is one of the writer itself. Of more, any load can.
fn commuting(warps: usize, words: usize, writers: &[u8]) -> Vec<Vec<bool>> {
    let written = |at: usize| writers.get(at).copied().unwrap_or(0);
    let commutes = |warp: usize, at: usize| {
        if warps <= 2 { written(at) & 1 << warp == 0 } else { written(at) == 0 }
    };
    (0..warps).map(|warp| (0..words).map(|at| commutes(warp, at)).collect()).collect()
}
