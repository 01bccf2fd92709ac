//! The stateful engine: explores every interleaving of single accesses and visits each state once. The README
//! of this folder explains how and why.

#[cfg(test)]
mod canaries;
#[cfg(test)]
mod lies;
mod memories;
mod program;
mod replay;
mod search;
mod step;

use crate::check::{AnySubject, Loads, Reads, Report, Scenario, ScenarioError};
use crate::engine::{Engine, Exploration, Found, Options, fits};
use program::WARPS;
use search::{Limit, Search};
use std::sync::Arc;

/// The engine. The documentation of the module describes it.
#[derive(Clone, Copy, Debug)]
pub struct Stateful;

/// The name of this engine.
const NAME: &str = "stateful";

/// Reads see the newest value.
const LOADS: Loads = Loads::AsRmw;

impl Engine for Stateful {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        "every interleaving, each state once: larger programs than explore, sequentially consistent memory"
    }

    fn model(&self) -> &'static str {
        "sequentially consistent, warps as threads"
    }

    fn counts(&self) -> &'static str {
        "states"
    }

    fn explore_any(
        &self,
        subject: &Arc<dyn AnySubject>,
        scenario: &Scenario,
        options: &Options,
    ) -> Result<Report, ScenarioError> {
        fits(&**subject, scenario, WARPS)?;
        if scenario.reads == Reads::Snapshot {
            return Err(ScenarioError::Snapshot);
        }
        let mut exploration = Exploration::new(scenario, NAME);
        let started = exploration.started;
        exploration.pass(LOADS, |after, before| {
            Found::of((subject, scenario), (NAME, LOADS), after, |case| {
                let limit = Limit { cap: options.cap(), before, started };
                let verdict = Search::new(&case, options).explore(&limit);
                Found::in_all(&case, verdict)
            })
        });
        Ok(exploration.finish())
    }
}

/// After how many steps of a call a test has planted a mark that lies.
fn planted() -> Option<usize> {
    #[cfg(test)]
    return lies::planted();
    #[cfg(not(test))]
    None
}
