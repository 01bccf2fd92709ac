//! Engines, all behind one interface, and how many scenarios are explored side by side.
//!
//! An engine decides what every read returns and which warp goes next. A new one implements [`Engine`] in a file of
//! its own and stands in [`engines`]; nothing else changes.

mod minimise;
mod runner;
mod worker;

pub use minimise::{Explore, Limits, explore_again, minimise};
pub use runner::{RunError, Workers, run_all};
pub use worker::serve;

use crate::check::{Loads, Report, Scenario};
use crate::scenarios::ScenarioError;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Explores scenarios.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it explores, in one line.
    fn what(&self) -> &'static str;

    /// Explores one scenario.
    ///
    /// # Errors
    /// If the structure or its configuration is not known.
    fn explore(&self, scenario: &Scenario, options: &Options) -> Result<Report, ScenarioError>;
}

/// The engines of this build.
pub fn engines() -> &'static [&'static dyn Engine] {
    &[
        #[cfg(feature = "loom")]
        &crate::loom::Loom,
    ]
}

/// The engine of that name.
pub fn engine(name: &str) -> Option<&'static dyn Engine> {
    engines().iter().copied().find(|engine| engine.name() == name)
}

/// How to explore.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Options {
    /// The passes.
    pub loads: Vec<Loads>,
    /// Executions after which a scenario is capped.
    pub max_executions: Option<u64>,
    /// Time after which a scenario is capped.
    pub max_time: Option<Duration>,
    /// When all scenarios are capped.
    #[serde(skip)]
    pub deadline: Option<Instant>,
    /// Accesses that one warp may make in one execution.
    pub step_bound: u32,
    /// Begin no scenario once a violation was found.
    pub fail_fast: bool,
    /// Go on after a violation, and keep the shortest of its kind. An engine that cannot keeps the first.
    #[serde(default)]
    pub shortest: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loads: vec![Loads::AsLoads, Loads::AsRmw],
            max_executions: None,
            max_time: None,
            deadline: None,
            step_bound: 300,
            fail_fast: false,
            shortest: false,
        }
    }
}

impl Options {
    /// The options of a scenario that begins now: what is left until the deadline is its time.
    pub fn from_now(&self) -> Self {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let max_time = [self.max_time, left].into_iter().flatten().min();
        Self { max_time, deadline: None, ..self.clone() }
    }
}
