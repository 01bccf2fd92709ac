//! Tries schedules of one scenario.

use super::machine::ShuttleMachine;
use super::portfolio::{Guide, PORTFOLIO, Strategy};
use crate::check::{
    AnySubject, Breach, Case, Kind, Loads, Record, Report, Sample, Scenario, ScenarioError, Verdict, message,
    panics, run_warp,
};
use crate::engine::{Engine, Exploration, Found, Options, fits};
use ::shuttle::scheduler::RandomScheduler;
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};
use std::time::Instant;

/// The engine. The documentation of the module describes it.
#[derive(Clone, Copy, Debug)]
pub struct Shuttle;

impl Engine for Shuttle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        "random schedules (uniform, uniform walk, PCT) of larger programs, sequentially consistent memory"
    }

    fn model(&self) -> &'static str {
        "sequentially consistent, warps as threads"
    }

    fn samples(&self) -> bool {
        true
    }

    fn explore_any(
        &self,
        subject: &Arc<dyn AnySubject>,
        scenario: &Scenario,
        options: &Options,
    ) -> Result<Report, ScenarioError> {
        fits(&**subject, scenario, WARPS)?;
        let mut exploration = Exploration::new(scenario, NAME);
        let started = exploration.started;
        exploration.pass(LOADS, |after, before| {
            Found::of((subject, scenario), (NAME, LOADS), after, |case| {
                sample(&Arc::new(case), options, before, started)
            })
        });
        Ok(exploration.finish())
    }
}

/// The name of this engine.
const NAME: &str = "shuttle";
/// The most warps: the writer of a word is stored in a byte.
const WARPS: usize = 8;
/// Stack of a warp's thread, in bytes. A row of 32 lanes is some kilobytes, and a warp judges what it wrote.
const STACK: usize = 0x4_0000;

/// Reads see the newest value.
const LOADS: Loads = Loads::AsRmw;

/// Tries schedules, after `before` others of this pass.
fn sample(case: &Arc<Case>, options: &Options, before: u64, started: Instant) -> Found {
    // One warp has one schedule.
    let schedules = if case.scenario.programs.len() == 1 { 1 } else { options.schedules };
    for (at, strategy) in PORTFOLIO.into_iter().enumerate() {
        let share = Strategy::share(at, schedules);
        let guided = (strategy, options.seed, share);
        let guide = || Guide::new(guided, Arc::clone(case), before, options.cap(), started);
        run(case, guide, step_bound(&case.scenario, options));
        if case.is_violated() {
            let mut found = Found::new(case, Verdict::Violated);
            if let Some(violation) = &mut found.violation {
                let Options { seed, schedules, .. } = *options;
                violation.sample = Some(Sample { seed, schedules, scheduler: strategy.to_string() });
            }
            return found;
        }
    }
    let verdict = if case.executions() < schedules { Verdict::Capped } else { Verdict::Sampled };
    Found::new(case, verdict)
}

/// A row of a wide warp is many accesses, and many warps get in each other's way.
fn step_bound(scenario: &Scenario, options: &Options) -> u32 {
    let warps = scenario.programs.len() as u32;
    options.step_bound.saturating_mul(scenario.config.lanes).saturating_mul(warps)
}

/// Shuttle installs a panic hook when it first runs, and prints every panic. Our hook is called before it.
fn be_silent() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Runner::new(RandomScheduler::new(1), Config::new()).run(|| ());
        panics::be_silent();
    });
}

/// Lets one scheduler run the scenario.
fn run(case: &Arc<Case>, guide: impl FnOnce() -> Guide, step_bound: u32) {
    be_silent();
    let mut config = Config::new();
    config.stack_size = STACK;
    // The trace of a violation is ours, and so is the bound.
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::None;
    let shared = Arc::clone(case);
    let body = move || {
        shared.begin_execution();
        let machine = Arc::new(ShuttleMachine::new(Arc::clone(&shared), step_bound));
        let start = |warp| {
            let machine = Arc::clone(&machine);
            ::shuttle::thread::spawn(move || run_warp(&*machine, warp))
        };
        let warps: Vec<_> = (0..shared.scenario.programs.len()).map(start).collect();
        for warp in warps {
            // A warp's panic is a violation already.
            let _ = warp.join();
        }
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| Runner::new(guide(), config).run(body))) {
        let breach = Breach::new(Kind::Panic, format!("the engine gave up: {}", message(&*payload)));
        case.violated(breach, &Record::new(case));
    }
}
