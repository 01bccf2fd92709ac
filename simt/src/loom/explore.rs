//! Explores one scenario.

use super::machine::LoomMachine;
use super::plan::Plan;
use crate::check::{
    AnySubject, Breach, Kind, Loads, Record, Report, Scenario, ScenarioError, Verdict, message, run_warp,
};
use crate::engine::{Engine, Exploration, Found, Options, fits};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Instant;

/// The engine. The documentation of the module describes it.
#[derive(Clone, Copy, Debug)]
pub struct Loom;

impl Engine for Loom {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        "exhaustive exploration of small programs, weak memory included"
    }

    fn model(&self) -> &'static str {
        "C11 as loom has it, warps as threads"
    }

    fn explore_any(
        &self,
        subject: &Arc<dyn AnySubject>,
        scenario: &Scenario,
        options: &Options,
    ) -> Result<Report, ScenarioError> {
        fits(&**subject, scenario, WARPS)?;
        let mut exploration = Exploration::new(scenario, NAME);
        let mut writers = Vec::new();
        for &loads in &options.loads {
            let mut explorer = Explorer {
                subject,
                scenario,
                options,
                loads,
                started: exploration.started,
                writers: &mut writers,
            };
            exploration.pass(loads, |after, before| explorer.explore(after, before));
            if exploration.is_violated() && !options.shortest {
                break;
            }
        }
        Ok(exploration.finish())
    }
}

/// The name of this engine.
pub(super) const NAME: &str = "loom";

/// The most warps: loom has five threads, one of which is the main one, which only starts the others.
const WARPS: usize = 4;

/// Ends an exploration early.
struct Capped;
/// Ends an exploration that found a violation.
struct Violated;

struct Explorer<'a> {
    subject: &'a Arc<dyn AnySubject>,
    scenario: &'a Scenario,
    options: &'a Options,
    loads: Loads,
    started: Instant,
    /// For each word, the warps that have written it so far.
    writers: &'a mut Vec<u8>,
}

impl Explorer<'_> {
    /// One exploration, after `before` executions of this pass.
    fn explore(&mut self, after: Option<u32>, before: u64) -> Found {
        loop {
            let mut again = false;
            let found = Found::of((self.subject, self.scenario), (NAME, self.loads), after, |case| {
                let plan = Arc::new(Plan::new(case, self.options.step_bound, self.writers));
                let verdict = self.run(&plan, before);
                let known = merge(self.writers, &plan.case.writers());
                // A word was written that was thought to be only read: explored with too few conflicts.
                again = self.loads == Loads::AsRmw && verdict == Verdict::Passed && !known;
                Found::in_all(&plan.case, verdict)
            });
            if !again {
                return found;
            }
        }
    }

    /// Lets loom run the scenario in every way.
    fn run(&self, plan: &Arc<Plan>, before: u64) -> Verdict {
        let mut builder = ::loom::model::Builder::new();
        builder.max_branches = MAX_BRANCHES;
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.preemption_bound = None;
        builder.checkpoint_file = None;
        builder.location = false;
        builder.log = false;
        let (cap, started) = (self.options.cap(), self.started);
        let shared = Arc::clone(plan);
        let shortest = self.options.shortest;
        let body = move || {
            if shared.case.is_violated() && !shortest {
                resume_unwind(Box::new(Violated));
            }
            if cap.reached(before + shared.case.executions(), started) {
                resume_unwind(Box::new(Capped));
            }
            shared.case.begin_execution();
            execute(&shared);
        };
        match catch_unwind(AssertUnwindSafe(|| builder.check(body))) {
            Ok(()) if !plan.case.is_violated() => Verdict::Passed,
            Err(payload) if payload.is::<Capped>() && !plan.case.is_violated() => Verdict::Capped,
            Ok(()) => Verdict::Violated,
            Err(payload) if payload.is::<Capped>() || payload.is::<Violated>() => Verdict::Violated,
            Err(payload) => {
                let breach = Breach::new(Kind::Panic, format!("the engine gave up: {}", message(&*payload)));
                plan.case.violated(breach, &Record::new(&plan.case));
                Verdict::Violated
            }
        }
    }
}

/// More than any execution within its step bound needs.
const MAX_BRANCHES: usize = 20_000;
/// Stack of a warp's thread, in machine words.
const STACK: usize = 0x8000;

/// One execution: a thread per warp. The main thread does not join them: a join is a step of the main thread
/// that conflicts with the end of another, and multiplies the executions by 3 with two warps and by 15 with
/// three.
fn execute(plan: &Arc<Plan>) {
    let machine = Arc::new(LoomMachine::new(Arc::clone(plan)));
    for warp in 0..plan.case.scenario.programs.len() {
        let machine = Arc::clone(&machine);
        // The thread is loom's: starting it does not fail.
        let _ = ::loom::thread::Builder::new().stack_size(STACK).spawn(move || run_warp(&*machine, warp));
    }
}

/// Adds `more` to `writers`; tells whether all of it was known.
fn merge(writers: &mut Vec<u8>, more: &[u8]) -> bool {
    writers.resize(more.len(), 0);
    let mut known = true;
    for (have, new) in writers.iter_mut().zip(more) {
        known &= *have | new == *have;
        *have |= new;
    }
    known
}
