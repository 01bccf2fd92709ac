//! Explores one scenario.

use super::hooks::LoomWarp;
use super::machine::{Halt, Machine};
use super::plan::Plan;
use crate::check::{
    AnySubject, Breach, Context, Kind, LANES, Loads, Pass, Record, Report, Scenario, Subject, Verdict, View,
    Violation,
};
use crate::engine::{Engine, Options};
use crate::scenarios::{ScenarioError, subject};
use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The engine: see the module.
#[derive(Clone, Copy, Debug)]
pub struct Loom;

impl Engine for Loom {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        "exhaustive exploration of small programs, weak memory included"
    }

    fn explore(&self, scenario: &Scenario, options: &Options) -> Result<Report, ScenarioError> {
        explore(scenario, options)
    }
}

/// The name of this engine.
pub(super) const NAME: &str = "loom";

/// Explores a scenario of a structure that this crate knows (see [`crate::scenarios`]).
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn explore(scenario: &Scenario, options: &Options) -> Result<Report, ScenarioError> {
    explore_any(&subject(scenario)?, scenario, options)
}

/// Explores a scenario of any subject. `Scenario::structure` is only a name here.
///
/// # Errors
/// If the scenario has no warp, more than four, or a number of lanes other than 1, 2 or 4.
pub fn explore_subject<S: Subject>(
    subject: S,
    scenario: &Scenario,
    options: &Options,
) -> Result<Report, ScenarioError> {
    let subject: Arc<dyn AnySubject> = Arc::new(subject);
    explore_any(&subject, scenario, options)
}

fn explore_any(
    subject: &Arc<dyn AnySubject>,
    scenario: &Scenario,
    options: &Options,
) -> Result<Report, ScenarioError> {
    scenario_fits(scenario)?;
    let started = Instant::now();
    let mut report = Report {
        scenario: scenario.name.clone(),
        structure: scenario.structure.clone(),
        engine: NAME.to_string(),
        executions: 0,
        seconds: 0.0,
        verdict: Verdict::Passed,
        passes: Vec::new(),
        outcomes: BTreeSet::new(),
        unseen: BTreeSet::new(),
        violation: None,
    };
    let mut writers = Vec::new();
    for &loads in &options.loads {
        let mut explorer =
            Explorer { scenario, options, loads, started, report: &mut report, writers: &mut writers };
        explorer.pass(subject);
        if report.violation.is_some() && !options.shortest {
            break;
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn scenario_fits(scenario: &Scenario) -> Result<(), ScenarioError> {
    let warps = scenario.programs.len();
    if warps == 0 || warps > 4 {
        return Err(ScenarioError::Warps(warps));
    }
    if let Some(stall) = scenario.stall.filter(|stall| stall.warp >= warps) {
        return Err(ScenarioError::Warps(stall.warp + 1));
    }
    match scenario.config.lanes {
        lanes if LANES.contains(&lanes) => Ok(()),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}

/// Ends an exploration early.
struct Capped;
/// Ends an exploration that found a violation.
struct Found;

struct Explorer<'a> {
    scenario: &'a Scenario,
    options: &'a Options,
    loads: Loads,
    started: Instant,
    report: &'a mut Report,
    /// Which warps were seen to write each word so far.
    writers: &'a mut Vec<u8>,
}

impl Explorer<'_> {
    /// One pass; with a stall, one exploration for each place where the warp can stop.
    fn pass(&mut self, subject: &Arc<dyn AnySubject>) {
        let mut pass =
            Pass { loads: self.loads, executions: 0, verdict: Verdict::Passed, outcomes: BTreeSet::new() };
        match self.scenario.stall {
            None => {
                self.explore(subject, None, &mut pass);
            }
            Some(stall) => match stall.after {
                Some(after) => {
                    self.explore(subject, Some(after), &mut pass);
                }
                None => {
                    let mut after = 0;
                    while self.explore(subject, Some(after), &mut pass) && pass.verdict == Verdict::Passed {
                        after += 1;
                    }
                }
            },
        }
        self.report.executions += pass.executions;
        self.report.verdict = worse(self.report.verdict, pass.verdict);
        self.report.outcomes.extend(pass.outcomes.iter().cloned());
        self.report.passes.push(pass);
    }

    /// One exploration. Returns whether the stall, if there is one, was reached.
    fn explore(&mut self, subject: &Arc<dyn AnySubject>, after: Option<u32>, pass: &mut Pass) -> bool {
        loop {
            let (scenario, bound) = (self.scenario.clone(), self.options.step_bound);
            let plan = match Plan::new(Arc::clone(subject), scenario, self.loads, after, bound, self.writers)
            {
                Ok(plan) => Arc::new(plan),
                Err(breach) => {
                    self.found(Box::new(preload_violation(self.scenario, self.loads, breach)), pass);
                    return false;
                }
            };
            let verdict = self.run(&plan, pass.executions);
            let known = merge(self.writers, &plan.writers());
            if self.loads == Loads::AsRmw && verdict == Verdict::Passed && !known {
                // A word was written that was thought to be only read: explored with too few conflicts.
                continue;
            }
            // Relaxed: the exploration ran on this thread.
            pass.executions += plan.executions.load(Ordering::Relaxed);
            pass.outcomes.extend(plan.case.outcomes());
            self.conclude(&plan, verdict, after, pass);
            return plan.was_stall_reached();
        }
    }

    fn conclude(&mut self, plan: &Plan, verdict: Verdict, after: Option<u32>, pass: &mut Pass) {
        match verdict {
            Verdict::Violated => {
                if let Some(violation) = plan.case.take_violation() {
                    self.found(violation, pass);
                }
            }
            Verdict::Passed if after.is_none() => {
                let mut expected = plan.case.sequential_outcomes();
                expected.extend(self.scenario.expects.iter().cloned());
                let unseen: Vec<_> = expected.difference(&pass.outcomes).cloned().collect();
                if !unseen.is_empty() {
                    pass.verdict = Verdict::Blind;
                    self.report.unseen.extend(unseen);
                }
            }
            other => pass.verdict = worse(pass.verdict, other),
        }
    }

    fn found(&mut self, violation: Box<Violation>, pass: &mut Pass) {
        pass.verdict = Verdict::Violated;
        if self.report.violation.as_ref().is_none_or(|best| violation.improves(best)) {
            self.report.violation = Some(violation);
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
        let limits = (self.options.max_executions, self.options.max_time, self.started);
        let shared = Arc::clone(plan);
        let shortest = self.options.shortest;
        let body = move || {
            if shared.case.is_violated() && !shortest {
                resume_unwind(Box::new(Found));
            }
            // Relaxed: one thread counts.
            let count = before + shared.executions.load(Ordering::Relaxed);
            let (executions, time, started): (Option<u64>, Option<Duration>, Instant) = limits;
            let late = || count.is_multiple_of(64) && time.is_some_and(|time| started.elapsed() >= time);
            if executions.is_some_and(|most| count >= most) || late() {
                resume_unwind(Box::new(Capped));
            }
            // Relaxed: as above.
            shared.executions.fetch_add(1, Ordering::Relaxed);
            execute(&shared);
        };
        match catch_unwind(AssertUnwindSafe(|| builder.check(body))) {
            Ok(()) if !plan.case.is_violated() => Verdict::Passed,
            Err(payload) if payload.is::<Capped>() && !plan.case.is_violated() => Verdict::Capped,
            Ok(()) => Verdict::Violated,
            Err(payload) if payload.is::<Capped>() || payload.is::<Found>() => Verdict::Violated,
            Err(payload) => {
                // Relaxed: the exploration ran on this thread.
                let executions = plan.executions.load(Ordering::Relaxed);
                let breach = Breach::new(Kind::Panic, format!("the engine gave up: {}", message(&*payload)));
                plan.case.violated(breach, executions, &Record::new(&plan.case));
                Verdict::Violated
            }
        }
    }
}

/// More than any execution within its step bound needs.
const MAX_BRANCHES: usize = 20_000;
/// Stack of a warp's thread, in machine words.
const STACK: usize = 0x8000;

/// One execution: a thread per warp. Nobody joins them: a join is a step of the main thread that conflicts with
/// the end of another, and multiplies the executions by 3 with two warps and by 15 with three.
fn execute(plan: &Arc<Plan>) {
    let machine = Arc::new(Machine::new(Arc::clone(plan)));
    for warp in 0..plan.case.scenario.programs.len() {
        let machine = Arc::clone(&machine);
        // The thread is loom's: starting it does not fail.
        let _ = ::loom::thread::Builder::new().stack_size(STACK).spawn(move || run_warp(&machine, warp));
    }
}

/// The thread of one warp. The last to end judges the execution.
fn run_warp(machine: &Machine, warp: usize) {
    let case = &machine.plan.case;
    let view = LoomWarp { machine, warp };
    let program = || {
        for (number, call) in case.scenario.programs[warp].iter().enumerate() {
            machine.begin_call(warp, number);
            let ret = case.subject.run(case.scenario.config.lanes, &view, View(&view), call);
            machine.end_call(warp, ret);
        }
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(program))
        && !payload.is::<Halt>()
    {
        if !payload.is::<String>() && !payload.is::<&str>() {
            // Not a panic: the engine takes its threads down.
            resume_unwind(payload);
        }
        let detail = format!("warp {warp}: {}", message(&*payload));
        machine.record(Breach::new(Kind::Panic, detail));
    }
    if !machine.leave() {
        return;
    }
    let mut breach = machine.state().record.breach.take();
    if breach.is_none() {
        machine.settle();
        breach = case.judge(&mut machine.state().record).err();
    }
    if let Some(breach) = breach {
        // Relaxed: one thread counts and reads.
        let execution = machine.plan.executions.load(Ordering::Relaxed);
        case.violated(breach, execution, &machine.state().record);
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

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

fn preload_violation(scenario: &Scenario, loads: Loads, breach: Breach) -> Violation {
    Violation {
        kind: breach.kind,
        detail: format!("{} (in the preload)", breach.detail),
        engine: NAME.to_string(),
        loads,
        stalled_after: None,
        execution: 0,
        scenario: scenario.clone(),
        steps: Vec::new(),
        history: Vec::new(),
        context: Context::default(),
    }
}

fn worse(a: Verdict, b: Verdict) -> Verdict {
    let rank = |verdict| match verdict {
        Verdict::Passed => 0,
        Verdict::Capped => 1,
        Verdict::Blind => 2,
        Verdict::Violated => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}
