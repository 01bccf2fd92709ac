//! The exhaustive engine. It explores every execution of a small program once, under a scoped weak memory
//! model in which the lanes of a warp are threads. The README of this folder explains how and why.

mod add;
#[cfg(test)]
mod asked;
mod bound;
mod branch;
#[cfg(test)]
mod buffering;
mod clock;
#[cfg(all(test, feature = "loom"))]
mod compared;
mod cuts;
mod fences;
mod graph;
mod judge;
#[cfg(test)]
mod litmus;
mod local;
mod model;
mod order;
mod prefix;
mod revisit;
mod run;
mod runner;
mod sample;
mod search;
mod share;
mod states;
mod trace;
mod twins;
mod walk;

use crate::check::{AnySubject, Case, Loads, Reads, Report, Sample, Scenario, ScenarioError, Verdict};
use crate::engine::{Engine, Exploration, Found, Mode, Options, fits};
use bound::Bound;
use search::{Limit, Search};
use share::Share;
use std::panic::resume_unwind;
use std::sync::Arc;

/// The engine: see the module.
#[derive(Clone, Copy, Debug)]
pub struct Explore;

/// The name of this engine.
const NAME: &str = "explore";

impl Engine for Explore {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        "exhaustive exploration of execution graphs: scoped weak memory, every lane a thread"
    }

    fn model(&self) -> &'static str {
        "RC11 without sequentially consistent accesses, lanes as threads, scopes and fences as in PTX"
    }

    fn shares(&self) -> bool {
        true
    }

    fn explore_any(
        &self,
        subject: &Arc<dyn AnySubject>,
        scenario: &Scenario,
        options: &Options,
    ) -> Result<Report, ScenarioError> {
        fits(&**subject, scenario, clock::THREADS / subject.lanes().max(1) as usize)?;
        if scenario.reads == Reads::Snapshot {
            return Err(ScenarioError::Snapshot);
        }
        let mut exploration = Exploration::new(scenario, NAME);
        let started = exploration.started;
        exploration.pass(Loads::AsLoads, |after, before| {
            Found::of((subject, scenario), (NAME, Loads::AsLoads), after, |case| {
                let limit = Limit { cap: options.cap(), before, started };
                match options.mode {
                    Mode::All => Found::in_all(&case, explore(&case, options, None, &limit)),
                    Mode::Preemptions(most) => {
                        let bound = Bound::new(&case, most);
                        let verdict = explore(&case, options, Some(bound), &limit);
                        Found::new(&case, verdict.worse(Verdict::Sampled))
                    }
                    Mode::Random => sample(&case, options, &limit),
                }
            })
        });
        Ok(exploration.finish())
    }
}

/// Explores a case with as many searches as the options say.
fn explore(case: &Case, options: &Options, bound: Option<Bound>, limit: &Limit) -> Verdict {
    let share = Share::new(options.threads.max(1));
    let search = |first: bool| {
        let mut search = Search::new(case, &share, options);
        search.bound = bound;
        search.explore(first, limit);
        search.hand_over();
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..options.threads).map(|_| scope.spawn(|| search(false))).collect();
        search(true);
        for other in others {
            // A search that panics has a bug: it must not look as if it had found nothing.
            other.join().unwrap_or_else(|e| resume_unwind(e));
        }
    });
    // Nothing but executions that others were to cover: there are no others.
    let nothing = bound.is_none() && share.has_unfinished() && case.executions() == 0;
    if share.is_capped() || nothing { Verdict::Capped } else { Verdict::Passed }
}

/// Tries as many executions of a case as the options say.
fn sample(case: &Case, options: &Options, limit: &Limit) -> Found {
    let share = Share::new(1);
    let Options { seed, schedules, .. } = *options;
    // No two executions are alike by plan: there is nothing to gain from twins.
    let mut search = Search::new(case, &share, &Options { symmetry: false, ..options.clone() });
    search.sample(seed, schedules, limit);
    search.hand_over();
    let mut found = Found::new(case, if share.is_capped() { Verdict::Capped } else { Verdict::Sampled });
    if let Some(violation) = &mut found.violation {
        violation.sample = Some(Sample { seed, schedules, scheduler: "random executions".to_string() });
    }
    found
}
