//! Many scenarios side by side.

use super::worker::Worker;
use super::{Engine, Options};
use crate::check::{Report, Scenario, ScenarioError};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Who explores. An exploration keeps its state to itself, so that any number can go on side by side.
#[derive(Clone, Debug)]
pub enum Workers {
    /// So many threads of this process. Loom maps and unmaps a stack per warp and execution, and threads of
    /// one process get in each other's way there: two of them are slower than one.
    Threads(usize),
    /// So many processes of a program that calls [`super::serve`].
    Processes {
        /// How many.
        count: usize,
        /// The program.
        program: PathBuf,
        /// What makes it a worker.
        arguments: Vec<String>,
    },
}

/// Why scenarios could not be explored.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// One of them is none.
    Scenario(ScenarioError),
    /// A worker could not be started, or ended early.
    Worker(std::io::Error),
}

impl core::fmt::Display for RunError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Scenario(error) => error.fmt(f),
            Self::Worker(error) => write!(f, "a process that explores failed: {error}"),
        }
    }
}

impl core::error::Error for RunError {}

/// Explores `scenarios`, hands each report to `done` as it comes, and returns all in the order of
/// `scenarios`; with [`Options::fail_fast`] those up to the first violation, and perhaps some that were under
/// way then.
///
/// # Errors
/// The first scenario that is none, or a worker that failed.
pub fn run_all(
    engine: &dyn Engine,
    scenarios: &[Scenario],
    options: &Options,
    workers: &Workers,
    done: impl Fn(&Report) + Sync,
) -> Result<Vec<Report>, RunError> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        let mut hand = Hand { engine, options, workers, worker: None };
        // Relaxed: a counter, nothing is published by it.
        let take = || next.fetch_add(1, Ordering::Relaxed);
        for (at, scenario) in std::iter::repeat_with(take).map_while(|at| Some((at, scenarios.get(at)?))) {
            let result = hand.explore(scenario);
            if let Ok(report) = &result {
                done(report);
            }
            if result.as_ref().map_or(true, |report| options.fail_fast && report.violation.is_some()) {
                // Relaxed: as above. Nobody takes another; those before this one are taken, and will end.
                next.store(scenarios.len(), Ordering::Relaxed);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.count().min(scenarios.len()).max(1) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// One of those that explore: a thread, or a thread that asks a process.
struct Hand<'a> {
    engine: &'a dyn Engine,
    options: &'a Options,
    workers: &'a Workers,
    worker: Option<Worker>,
}

impl Hand<'_> {
    fn explore(&mut self, scenario: &Scenario) -> Result<Report, RunError> {
        let Workers::Processes { program, arguments, .. } = self.workers else {
            return self.engine.explore(scenario, &self.options.from_now()).map_err(RunError::Scenario);
        };
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(Command::new(program).args(arguments)).map_err(RunError::Worker)?,
        };
        let answer = worker.explore(self.engine.name(), scenario, &self.options.from_now());
        self.worker = Some(worker);
        answer.map_err(RunError::Worker)?.map_err(RunError::Scenario)
    }
}

impl Workers {
    /// A process per core, of the program that runs now, started with `arguments`.
    ///
    /// # Errors
    /// If the system does not tell where that program is.
    pub fn processes(arguments: &[&str]) -> Result<Self, RunError> {
        Ok(Self::Processes {
            count: std::thread::available_parallelism().map_or(1, usize::from),
            program: std::env::current_exe().map_err(RunError::Worker)?,
            arguments: arguments.iter().map(ToString::to_string).collect(),
        })
    }

    /// How many.
    pub const fn count(&self) -> usize {
        match self {
            Self::Threads(count) | Self::Processes { count, .. } => *count,
        }
    }
}
