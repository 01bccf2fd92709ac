//! Runs many scenarios side by side.

use super::worker::{Process, Worker};
use super::{Engine, Mode, Options};
use crate::check::{Report, Scenario, ScenarioError, Verdict};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The threads or processes that explore. An exploration keeps its state to itself, so that any number can go
/// on side by side.
#[derive(Clone, Debug)]
pub enum Workers {
    /// This number of threads of this process. Loom maps and unmaps a stack per warp and execution, and
    /// threads of one process get in each other's way there: two of them are slower than one.
    Threads(usize),
    /// Processes of a program that calls [`super::serve`].
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

/// Explores `scenarios`, hands each report to `done` in their order, and returns all; with
/// [`Options::fail_fast`] those up to the first violation. That is the first in their order, and
/// not the one that was found first: the scenarios before it are explored to their end.
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
    let scenarios: Vec<_> = scenarios.iter().collect();
    let run = Run { engine, scenarios: &scenarios, options, workers, at_once: false, done: &done };
    run.explore().into_values().collect()
}

/// Executions after which a scenario is put aside until the others have ended.
const LARGE: u64 = 50_000;

/// Explores `scenarios` and returns all reports in their order; the cheapest are explored first. Large ones
/// come last: side by side where there are more of them than workers, and the last ones one after the other,
/// each by as many threads as there are workers, if the engine can ([`Engine::shares`]). Of a violation that
/// several threads find together the trace may differ from run to run. `done` gets the reports in the order
/// in which the scenarios are explored, which depends on no worker's speed.
///
/// With [`Options::fail_fast`] it returns at the first violation that anybody finds. Processes that explore
/// other scenarios are ended; of these there is no report.
///
/// # Errors
/// As [`run_all`].
pub fn run_set(
    engine: &dyn Engine,
    scenarios: &[Scenario],
    options: &Options,
    workers: &Workers,
    done: impl Fn(&Report) + Sync,
) -> Result<Vec<Report>, RunError> {
    let mut set = Set { engine, scenarios, done: &done, reports: BTreeMap::new() };
    let mut order: Vec<usize> = (0..scenarios.len()).collect();
    order.sort_by_key(|&at| size(&scenarios[at]));
    let count = workers.count();
    let may_be_large = options.max_executions.is_none_or(|most| most > LARGE);
    if engine.shares() && options.mode != Mode::Random && count > 1 && may_be_large {
        let capped = Options { max_executions: Some(LARGE), ..options.clone() };
        let is_large = |report: &Report| report.verdict == Verdict::Capped && report.executions >= LARGE;
        let large = set.explore(&order, &capped, workers, &is_large)?;
        let (some, last) = large.split_at(large.len().saturating_sub(count));
        set.explore(some, options, workers, &|_| false)?;
        let together = Options { threads: count, ..options.clone() };
        set.explore(last, &together, &workers.one(), &|_| false)?;
    } else {
        set.explore(&order, options, workers, &|_| false)?;
    }
    Ok(set.reports.into_values().collect())
}

/// What a scenario costs, beside others: its calls and lanes, warps, and words. No cost is on record.
fn size(scenario: &Scenario) -> (usize, usize, u32) {
    let Scenario { programs, config, .. } = scenario;
    let calls = programs.iter().map(Vec::len).sum::<usize>();
    // One warp has one execution.
    let cost = if programs.len() > 1 { calls * config.lanes as usize } else { 0 };
    (cost, programs.len(), config.slots)
}

/// A set of scenarios, of which some are explored.
struct Set<'a> {
    engine: &'a dyn Engine,
    scenarios: &'a [Scenario],
    done: &'a (dyn Fn(&Report) + Sync),
    reports: BTreeMap<usize, Report>,
}

impl Set<'_> {
    /// Explores some of the scenarios, unless a violation has ended the run; returns those that are large, of
    /// which no report is kept.
    fn explore(
        &mut self,
        some: &[usize],
        options: &Options,
        workers: &Workers,
        is_large: &(dyn Fn(&Report) -> bool + Sync),
    ) -> Result<Vec<usize>, RunError> {
        let is_violated = self.reports.values().any(|report| report.violation.is_some());
        if some.is_empty() || options.fail_fast && is_violated {
            return Ok(Vec::new());
        }
        let scenarios: Vec<_> = some.iter().map(|&at| &self.scenarios[at]).collect();
        let done = |report: &Report| {
            if !is_large(report) {
                (self.done)(report);
            }
        };
        let run =
            Run { engine: self.engine, scenarios: &scenarios, options, workers, at_once: true, done: &done };
        let mut large = Vec::new();
        for (number, result) in run.explore() {
            let report = result?;
            if is_large(&report) {
                large.push(some[number]);
            } else {
                self.reports.insert(some[number], report);
            }
        }
        Ok(large)
    }
}

/// Scenarios that workers take in their order.
#[derive(Clone, Copy)]
struct Run<'a> {
    engine: &'a dyn Engine,
    scenarios: &'a [&'a Scenario],
    options: &'a Options,
    workers: &'a Workers,
    /// What ends the run does so at once; otherwise the scenarios before it are explored to their end.
    at_once: bool,
    done: &'a (dyn Fn(&Report) + Sync),
}

/// How far a run is.
#[derive(Default)]
struct State {
    /// The scenario that is taken next.
    next: usize,
    results: BTreeMap<usize, Result<Report, RunError>>,
    /// How many reports `done` has got.
    handed: usize,
    /// The scenario that has ended the run.
    end: Option<usize>,
    /// The processes that explore, each with its scenario.
    processes: Vec<(usize, Process)>,
}

impl Run<'_> {
    /// Explores the scenarios; returns what became of each that the run needs.
    fn explore(self) -> BTreeMap<usize, Result<Report, RunError>> {
        let state = Mutex::new(State::default());
        let work = || {
            let mut worker = None;
            while let Some(at) = self.take(&state) {
                if let Some(result) = self.explore_one(&state, at, &mut worker) {
                    self.put(&state, at, result);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.workers.count().min(self.scenarios.len()).max(1) {
                scope.spawn(work);
            }
        });
        let State { results, handed, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Some after one that was not explored to its end.
        results.range(handed..).filter_map(|(_, result)| result.as_ref().ok()).for_each(self.done);
        results
    }

    fn take(&self, state: &Mutex<State>) -> Option<usize> {
        let mut state = lock(state);
        let at = state.next;
        state.next += 1;
        (at < self.scenarios.len() && self.needs(&state, at)).then_some(at)
    }

    /// Whether a scenario is to be explored.
    fn needs(&self, state: &State, at: usize) -> bool {
        state.end.is_none_or(|end| !self.at_once && at < end)
    }

    /// Explores a scenario here, or has a process do so; nothing if the run does not need it any more.
    fn explore_one(
        &self,
        state: &Mutex<State>,
        at: usize,
        worker: &mut Option<Worker>,
    ) -> Option<Result<Report, RunError>> {
        let (scenario, options) = (self.scenarios[at], self.options.from_now());
        let Workers::Processes { program, arguments, .. } = self.workers else {
            return Some(self.engine.explore(scenario, &options).map_err(RunError::Scenario));
        };
        let worker = match worker {
            Some(worker) => worker,
            None => match Worker::start(Command::new(program).args(arguments)) {
                Ok(started) => worker.insert(started),
                Err(error) => return Some(Err(RunError::Worker(error))),
            },
        };
        {
            let mut state = lock(state);
            if !self.needs(&state, at) {
                return None;
            }
            state.processes.push((at, worker.process()));
        }
        let answer = worker.explore(self.engine.name(), scenario, &options);
        Some(answer.map_err(RunError::Worker).and_then(|answer| answer.map_err(RunError::Scenario)))
    }

    /// Takes what became of a scenario. If that ends the run, so do the processes that explore what is not
    /// needed any more.
    fn put(&self, state: &Mutex<State>, at: usize, result: Result<Report, RunError>) {
        let mut state = lock(state);
        state.processes.retain(|(of, _)| *of != at);
        if !self.needs(&state, at) {
            return;
        }
        let is_violated = |report: &Report| report.violation.is_some();
        if result.as_ref().map_or(true, |report| self.options.fail_fast && is_violated(report)) {
            state.end = Some(at);
            state.processes.iter().filter(|(of, _)| !self.needs(&state, *of)).for_each(|(_, it)| it.end());
            if !self.at_once {
                state.results.retain(|&of, _| of < at);
            }
        }
        let State { results, handed, .. } = &mut *state;
        results.insert(at, result);
        while let Some(Ok(report)) = results.get(handed) {
            (self.done)(report);
            *handed += 1;
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// One of them.
    fn one(&self) -> Self {
        match self.clone() {
            Self::Threads(_) => Self::Threads(1),
            Self::Processes { program, arguments, .. } => Self::Processes { count: 1, program, arguments },
        }
    }

    /// How many.
    pub const fn count(&self) -> usize {
        match self {
            Self::Threads(count) | Self::Processes { count, .. } => *count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{AnySubject, Config};
    use crate::engine::Exploration;
    use std::sync::Arc;
    use std::time::Duration;
    use warpproof_model::spec::{Call, Op};

    /// A scenario of so many calls by each warp.
    fn scenario(name: &str, calls: &[usize]) -> Scenario {
        let program = |&calls: &usize| vec![Call::new(Op::Search, 1, 0); calls];
        let config = Config { lanes: 1, ..Config::default() };
        Scenario::new(name, "none", config, calls.iter().map(program).collect())
    }

    /// An engine that notes what it is asked, and takes scenarios named `large` for large ones.
    #[derive(Default)]
    struct Asked(Mutex<Vec<(String, usize)>>);

    impl Engine for Asked {
        fn name(&self) -> &'static str {
            "asked"
        }
        fn what(&self) -> &'static str {
            "nothing"
        }
        fn model(&self) -> &'static str {
            "none"
        }
        fn shares(&self) -> bool {
            true
        }
        fn explore_any(
            &self,
            _: &Arc<dyn AnySubject>,
            scenario: &Scenario,
            options: &Options,
        ) -> Result<Report, ScenarioError> {
            self.explore(scenario, options)
        }
        fn explore(&self, scenario: &Scenario, options: &Options) -> Result<Report, ScenarioError> {
            self.0.lock().expect("a list").push((scenario.name.clone(), options.threads));
            let mut report = Exploration::new(scenario, "asked").finish();
            if let (true, Some(most)) = (scenario.name.starts_with("large"), options.max_executions) {
                (report.verdict, report.executions) = (Verdict::Capped, most);
            }
            if scenario.name == "none" {
                return Err(ScenarioError::Structure("none".to_string()));
            }
            // The first in order need not be ready first.
            std::thread::sleep(Duration::from_millis(if scenario.name == "slow" { 50 } else { 0 }));
            Ok(report)
        }
    }

    fn run(names: &[(&str, &[usize])], workers: usize) -> (Vec<String>, Vec<String>, Vec<(String, usize)>) {
        let scenarios: Vec<_> = names.iter().map(|(name, calls)| scenario(name, calls)).collect();
        let (engine, done) = (Asked::default(), Mutex::new(Vec::new()));
        let note = |report: &Report| done.lock().expect("a list").push(report.scenario.clone());
        let reports = run_set(&engine, &scenarios, &Options::default(), &Workers::Threads(workers), note)
            .expect("reports");
        assert!(reports.iter().all(Report::passed));
        let names = reports.into_iter().map(|report| report.scenario).collect();
        (names, done.into_inner().expect("a list"), engine.0.into_inner().expect("a list"))
    }

    #[test]
    fn the_cheapest_scenario_comes_first_and_large_ones_are_shared() {
        let set: &[(&str, &[usize])] =
            &[("large", &[2, 2]), ("three", &[2, 1]), ("slow", &[1, 1]), ("one", &[9]), ("two", &[1, 1])];
        let (names, done, mut asked) = run(set, 2);
        assert_eq!(names, ["large", "three", "slow", "one", "two"]);
        assert_eq!(done, ["one", "slow", "two", "three", "large"]);
        assert_eq!(asked.pop(), Some(("large".to_string(), 2)));
        assert!(asked.iter().all(|(_, threads)| *threads == 1) && asked.len() == 5, "{asked:?}");
        // One worker has no other to share with.
        let asked = run(set, 1).2;
        assert_eq!(asked.len(), 5, "{asked:?}");
        assert!(asked.iter().all(|(_, threads)| *threads == 1), "{asked:?}");
    }

    #[test]
    fn of_many_large_scenarios_as_many_as_there_are_workers_are_shared() {
        let (names, done, asked) =
            run(&[("large_3", &[3, 1]), ("large_1", &[1, 1]), ("large_2", &[2, 1]), ("large_4", &[4, 1])], 2);
        assert_eq!(names, ["large_3", "large_1", "large_2", "large_4"]);
        assert_eq!(done, ["large_1", "large_2", "large_3", "large_4"]);
        let shared: Vec<_> =
            asked.iter().filter(|(_, threads)| *threads == 2).map(|(name, _)| name).collect();
        assert_eq!(shared, ["large_3", "large_4"]);
    }

    #[test]
    fn a_scenario_that_is_none_ends_the_run() {
        let scenarios = [scenario("one", &[1]), scenario("none", &[1, 1]), scenario("two", &[2, 2])];
        let (engine, options, workers) = (Asked::default(), Options::default(), Workers::Threads(1));
        let ran = [
            run_set(&engine, &scenarios, &options, &workers, |_| ()),
            run_all(&engine, &scenarios, &options, &workers, |_| ()),
        ];
        for ran in ran {
            assert!(matches!(ran, Err(RunError::Scenario(ScenarioError::Structure(_)))));
        }
        assert_eq!(engine.0.into_inner().expect("a list").len(), 4, "one and none, twice");
    }
}
