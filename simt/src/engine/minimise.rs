//! Smaller scenarios with the same kind of violation, and the shortest trace of the smallest.

use super::{Mode, Options};
use crate::check::{Reduced, Report, Sample, Scenario, ScenarioError, Verdict, Violation};
use std::time::{Duration, Instant};
use warpproof_model::spec::{Call, Op};

/// Explores a scenario, as [`super::Engine::explore`] does.
pub type Explore<'a> = dyn Fn(&Scenario, &Options) -> Result<Report, ScenarioError> + 'a;

/// How much longer [`explore_again`] runs after the executions in which the violation was found before.
pub const AGAIN: Duration = Duration::from_secs(60);

/// Limits of the search for a smaller scenario.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Executions of each pass of one candidate, and of the search for the shortest trace.
    pub executions: u64,
    /// The time after which no further candidate is tried.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { executions: 10_000, time: Duration::from_secs(10) }
    }
}

/// Reduces the scenario of a violation. Leaves out the warps, calls of programs, calls of the preload and
/// final calls (in this order) that the violation does not need, and then finds the fewest steps. A warp is
/// also left out if another one can make its calls: a mistake that shows without concurrency is shown
/// without. If time does not run out, the result depends only on the arguments. Lanes, slots and the pool are
/// not changed.
///
/// A scenario that frees slabs keeps its calls: without the call that took a slab, its free would be the
/// caller's mistake.
pub fn minimise(found: &Violation, options: &Options, limits: &Limits, explore: &Explore<'_>) -> Violation {
    let options = Options { deadline: None, shortest: false, ..options.clone() };
    let mut search = Search {
        explore,
        options: Options { max_executions: Some(limits.executions), ..options },
        end: Instant::now() + limits.time,
        complete: true,
        best: found.clone(),
    };
    if !found.scenario.calls().any(|call| call.op == Op::Free) {
        while search.smaller() {}
        search.show_finally();
    }
    let complete = search.complete;
    let mut best = search.shortest();
    best.context.reduced = Some(Reduced {
        scenario: found.scenario.name.clone(),
        warps: found.scenario.programs.len(),
        calls: found.scenario.calls().count(),
        executions: limits.executions,
        complete,
    });
    best
}

/// Explores the scenario of a violation in the same way as when it was found, so that the report contains the
/// same violation. If this finds none, the code has changed since: then the whole scenario is explored, for
/// at most [`AGAIN`].
///
/// # Errors
/// If the scenario cannot be run.
pub fn explore_again(violation: &Violation, explore: &Explore<'_>) -> Result<Report, ScenarioError> {
    let mut options = Options::default();
    if let Some(Sample { seed, schedules, .. }) = violation.sample {
        options = Options { mode: Mode::Random, seed, schedules, ..options };
    }
    if let Some(reduced) = &violation.context.reduced {
        options = shortest_options(&options, reduced.executions);
    }
    let report = explore(&violation.scenario, &options)?;
    if report.verdict != Verdict::Capped {
        return Ok(report);
    }
    let whole = Options { shortest: false, max_executions: None, max_time: Some(AGAIN), ..options };
    explore(&violation.scenario, &whole)
}

fn shortest_options(options: &Options, executions: u64) -> Options {
    Options { shortest: true, max_executions: Some(executions), max_time: None, ..options.clone() }
}

struct Search<'a> {
    explore: &'a Explore<'a>,
    options: Options,
    end: Instant,
    complete: bool,
    best: Violation,
}

impl Search<'_> {
    /// Leaves out everything that can be left out, once. Returns whether anything was left out.
    fn smaller(&mut self) -> bool {
        let mut any = self.leave_out(|s| s.programs.len(), without_warp);
        any |= self.leave_out(|s| s.programs.len() * s.programs.len(), merged);
        for warp in 0..self.best.scenario.programs.len() {
            any |= self.leave_out(
                |s| s.programs[warp].len(),
                |s, call| {
                    // A warp without calls would have been left out as a whole.
                    s.programs[warp].len() > 1 && take(&mut s.programs[warp], call)
                },
            );
        }
        any |= self.leave_out(|s| s.preload.len(), |s, call| take(&mut s.preload, call));
        any |= self.leave_out(|s| s.finally.len(), |s, call| take(&mut s.finally, call));
        any
    }

    /// If there is only one warp, makes the final calls a part of its program, so that their steps are seen.
    fn show_finally(&mut self) {
        let mut candidate = self.best.scenario.clone();
        if let ([program], false) = (candidate.programs.as_mut_slice(), candidate.finally.is_empty()) {
            program.append(&mut candidate.finally);
            self.violates(&candidate);
        }
    }

    /// Leaves out one thing after the other, as long as the violation remains.
    fn leave_out(
        &mut self,
        count: impl Fn(&Scenario) -> usize,
        without: impl Fn(&mut Scenario, usize) -> bool,
    ) -> bool {
        let (mut at, mut any) = (0, false);
        while at < count(&self.best.scenario) {
            let mut candidate = self.best.scenario.clone();
            candidate.expects.clear();
            if without(&mut candidate, at) && self.violates(&candidate) {
                any = true;
            } else {
                at += 1;
            }
        }
        any
    }

    /// Returns whether `candidate` has a violation of the same kind, which then becomes the best one.
    fn violates(&mut self, candidate: &Scenario) -> bool {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.complete = false;
            return false;
        }
        let options = Options { max_time: Some(left), ..self.options.clone() };
        let Ok(report) = (self.explore)(candidate, &options) else { return false };
        match report.violation {
            Some(violation) if violation.kind == self.best.kind => self.best = *violation,
            Some(_) => return false,
            None => {
                self.complete &= report.is_clean() || report.verdict == Verdict::Blind;
                return false;
            }
        }
        true
    }

    /// The violation of the best scenario with the fewest steps.
    fn shortest(mut self) -> Violation {
        self.best.scenario.expects.clear();
        let options = shortest_options(&self.options, self.options.max_executions.unwrap_or(u64::MAX));
        match (self.explore)(&self.best.scenario, &options).ok().and_then(|report| report.violation) {
            Some(violation) if violation.kind == self.best.kind => *violation,
            _ => self.best,
        }
    }
}

/// Removes a call.
fn take(calls: &mut Vec<Call>, at: usize) -> bool {
    calls.remove(at);
    true
}

/// Removes a warp. The warp that stops for ever is kept.
fn without_warp(scenario: &mut Scenario, warp: usize) -> bool {
    if scenario.programs.len() == 1 || scenario.stall.is_some_and(|stall| stall.warp == warp) {
        return false;
    }
    scenario.programs.remove(warp);
    if let Some(stall) = scenario.stall.as_mut().filter(|stall| stall.warp > warp) {
        stall.warp -= 1;
    }
    true
}

/// Gives the calls of one warp to another one, after its own: `pair` numbers the pairs of warps. A warp that
/// stops for ever keeps its program.
fn merged(scenario: &mut Scenario, pair: usize) -> bool {
    let warps = scenario.programs.len();
    let (to, from) = (pair / warps, pair % warps);
    if to == from || scenario.stall.is_some() {
        return false;
    }
    let mut calls = std::mem::take(&mut scenario.programs[from]);
    scenario.programs[to].append(&mut calls);
    scenario.programs.remove(from);
    true
}
