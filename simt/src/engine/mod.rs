//! Engines, all with one interface, and how many scenarios are explored side by side.
//!
//! An engine decides what every read returns and which warp goes next. To add one, implement [`Engine`] in a
//! new file and add it to [`crate::engines`]; nothing else changes.

mod exploration;
mod minimise;
mod runner;
mod worker;

pub use minimise::{AGAIN, Explore, Limits, explore_again, minimise};
pub use runner::{RunError, Workers, run_all, run_set};
pub use worker::serve;

pub(crate) use exploration::{Exploration, Found, fits};

use crate::check::{AnySubject, Loads, Report, Scenario, ScenarioError, Subject, of_lanes};
use crate::scenarios::subject;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Explores scenarios.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it explores, in one line.
    fn what(&self) -> &'static str;

    /// The memory model that it explores, in one line.
    fn model(&self) -> &'static str;

    /// Whether it tries [`Options::schedules`] schedules of a scenario instead of all.
    fn samples(&self) -> bool {
        false
    }

    /// Whether several threads can explore one scenario together ([`Options::threads`]).
    fn shares(&self) -> bool {
        false
    }

    /// What the executions of its reports are.
    fn counts(&self) -> &'static str {
        "executions"
    }

    /// Explores a scenario of any subject. `Scenario::structure` is only a name here.
    ///
    /// # Errors
    /// If the scenario has no warp or more than the engine knows, or not the lanes of the subject.
    fn explore_any(
        &self,
        subject: &Arc<dyn AnySubject>,
        scenario: &Scenario,
        options: &Options,
    ) -> Result<Report, ScenarioError>;

    /// Explores a scenario of a structure that this crate knows (see [`crate::scenarios`]).
    ///
    /// # Errors
    /// If the structure or its configuration is not known; as [`Engine::explore_any`].
    fn explore(&self, scenario: &Scenario, options: &Options) -> Result<Report, ScenarioError> {
        self.explore_any(&subject(scenario)?, scenario, options)
    }
}

/// Explores a scenario of a subject from elsewhere, with the lanes that the scenario names.
///
/// # Errors
/// If these are not among [`crate::check::LANES`]; as [`Engine::explore_any`].
pub fn explore_subject<S: Subject>(
    engine: &dyn Engine,
    subject: S,
    scenario: &Scenario,
    options: &Options,
) -> Result<Report, ScenarioError> {
    let lanes = scenario.config.lanes;
    let subject = of_lanes(subject, lanes).ok_or(ScenarioError::Lanes(lanes))?;
    engine.explore_any(&subject, scenario, options)
}

/// Which executions an engine explores that can do either.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Mode {
    /// All.
    #[default]
    All,
    /// Those in which warps are interrupted at most so often though they could go on.
    Preemptions(u32),
    /// [`Options::schedules`] at random.
    Random,
}

/// How to explore.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Which executions of a scenario.
    #[serde(default)]
    pub mode: Mode,
    /// The passes of an engine that knows weak memory.
    pub loads: Vec<Loads>,
    /// How many schedules an engine tries that samples.
    pub schedules: u64,
    /// Where it begins: the same seed and number of schedules give the same schedules.
    pub seed: u64,
    /// Executions after which a scenario is capped.
    pub max_executions: Option<u64>,
    /// Time after which a scenario is capped.
    pub max_time: Option<Duration>,
    /// When all scenarios are capped.
    #[serde(skip)]
    pub deadline: Option<Instant>,
    /// Accesses that one warp may make in one execution.
    pub step_bound: u32,
    /// Threads that explore one scenario together, if the engine can. With more than one, which violation is
    /// found first is not always the same.
    #[serde(default = "one")]
    pub threads: usize,
    /// Of executions that differ only in which of several warps with the same program is which, explore one,
    /// if the engine can and the structure allows it ([`Subject::exchangeable`]).
    #[serde(default = "yes")]
    pub symmetry: bool,
    /// Take states with the same [`Warp::mark`](warpproof_model::Warp::mark) for one, if the engine can.
    #[serde(default = "yes")]
    pub marks: bool,
    /// End the run of many scenarios once a violation was found: [`run_all`] and [`run_set`] say which one.
    pub fail_fast: bool,
    /// Go on after a violation, and keep the shortest of its kind. An engine that cannot keeps the first.
    #[serde(default)]
    pub shortest: bool,
}

const fn one() -> usize {
    1
}

const fn yes() -> bool {
    true
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::All,
            loads: vec![Loads::AsLoads, Loads::AsRmw],
            schedules: 200,
            seed: 1,
            max_executions: None,
            max_time: None,
            deadline: None,
            step_bound: 300,
            threads: one(),
            symmetry: yes(),
            marks: yes(),
            fail_fast: false,
            shortest: false,
        }
    }
}

impl Options {
    /// When one scenario is capped.
    pub(crate) fn cap(&self) -> Cap {
        Cap { executions: self.max_executions, time: self.max_time }
    }

    /// The options of a scenario that begins now: what is left until the deadline is its time.
    pub fn from_now(&self) -> Self {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let max_time = [self.max_time, left].into_iter().flatten().min();
        Self { max_time, deadline: None, ..self.clone() }
    }
}

/// When a scenario is capped.
#[derive(Clone, Copy)]
pub(crate) struct Cap {
    executions: Option<u64>,
    time: Option<Duration>,
}

impl Cap {
    /// Whether no execution may begin after so many of a scenario that began at `started`.
    pub(crate) fn reached(self, executions: u64, started: Instant) -> bool {
        self.executions.is_some_and(|most| executions >= most)
            || executions.is_multiple_of(64) && self.is_late(started)
    }

    /// Whether the time is over of a scenario that began at `started`.
    pub(crate) fn is_late(self, started: Instant) -> bool {
        self.time.is_some_and(|time| started.elapsed() >= time)
    }
}
