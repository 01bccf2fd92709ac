//! Many scenarios at once: one thread of the machine per scenario under way.

use super::{Options, explore};
use crate::check::{Report, Scenario};
use crate::scenarios::ScenarioError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Explores `scenarios` on `threads` threads (at least one), hands each report to `done` as it comes, and
/// returns all in the order of `scenarios`. An exploration keeps its state in its thread, so that any number
/// can go on side by side.
///
/// # Errors
/// The first scenario that is none.
pub fn run_all(
    scenarios: &[Scenario],
    options: &Options,
    threads: usize,
    done: impl Fn(&Report) + Sync,
) -> Result<Vec<Report>, ScenarioError> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        // Relaxed: a counter, nothing is published by it.
        let take = || next.fetch_add(1, Ordering::Relaxed);
        for (at, scenario) in std::iter::repeat_with(take).map_while(|at| Some((at, scenarios.get(at)?))) {
            let result = explore(scenario, options);
            if let Ok(report) = &result {
                done(report);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
