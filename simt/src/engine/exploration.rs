//! A report under construction: the work that every engine does around its explorations.

use crate::check::{
    AnySubject, Breach, Case, Context, Event, Loads, Pass, Report, Scenario, ScenarioError, Verdict,
    Violation,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Checks that an engine for so many warps can explore the scenario of `subject`.
///
/// # Errors
/// The reason why it cannot.
pub(crate) fn fits(subject: &dyn AnySubject, scenario: &Scenario, most: usize) -> Result<(), ScenarioError> {
    let warps = scenario.programs.len();
    if warps == 0 || warps > most {
        return Err(ScenarioError::Warps { warps, most });
    }
    if let Some(stall) = scenario.stall.filter(|stall| stall.warp >= warps) {
        return Err(ScenarioError::Stall(stall.warp));
    }
    match scenario.config.lanes {
        lanes if subject.lanes() == lanes => Ok(()),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}

/// A report under construction.
pub(crate) struct Exploration<'a> {
    scenario: &'a Scenario,
    pub(crate) started: Instant,
    report: Report,
}

/// The result of one exploration: of the scenario, or of the scenario with a stall at one place.
pub(crate) struct Found {
    executions: u64,
    verdict: Verdict,
    outcomes: BTreeSet<String>,
    /// Outcomes that exist but were not seen.
    unseen: BTreeSet<String>,
    pub(crate) violation: Option<Box<Violation>>,
    stall_reached: bool,
    longest: u32,
}

impl Found {
    /// Makes a case of the scenario and explores it, if the preload is right.
    pub(crate) fn of(
        (subject, scenario): (&Arc<dyn AnySubject>, &Scenario),
        (engine, loads): (&'static str, Loads),
        after: Option<u32>,
        explore: impl FnOnce(Case) -> Self,
    ) -> Self {
        match Case::new(Arc::clone(subject), scenario.clone(), engine, loads, after) {
            Ok(case) => explore(case),
            Err((breach, calls)) => Self::in_preload((&**subject, scenario), (engine, loads), breach, calls),
        }
    }

    /// The result of all executions of `case`. If no violation was found, the outcomes of the programs run
    /// one call at a time must be among theirs; otherwise the engine is blind.
    pub(crate) fn in_all(case: &Case, verdict: Verdict) -> Self {
        let mut found = Self::new(case, verdict);
        if found.verdict == Verdict::Passed && case.stall.is_none() {
            found.unseen = case.expected().difference(&found.outcomes).cloned().collect();
        }
        found
    }

    /// The result of the executions of `case`, which ended with `verdict`.
    pub(crate) fn new(case: &Case, verdict: Verdict) -> Self {
        let violation = case.take_violation();
        Self {
            executions: case.executions(),
            verdict: if violation.is_some() { Verdict::Violated } else { verdict },
            outcomes: case.outcomes(),
            unseen: BTreeSet::new(),
            violation,
            stall_reached: case.was_stall_reached(),
            longest: case.longest(),
        }
    }

    /// The result if nothing was explored because these calls of the preload are already wrong.
    fn in_preload(
        (subject, scenario): (&dyn AnySubject, &Scenario),
        (engine, loads): (&str, Loads),
        breach: Breach,
        calls: Vec<Event>,
    ) -> Self {
        let violation = Violation {
            kind: breach.kind,
            detail: format!("{} (in the preload)", breach.detail),
            engine: engine.to_string(),
            sample: None,
            loads,
            stalled_after: None,
            execution: 0,
            scenario: scenario.clone(),
            steps: Vec::new(),
            history: calls,
            context: Context { about: subject.about(), ..Context::default() },
        };
        Self {
            executions: 0,
            verdict: Verdict::Violated,
            outcomes: BTreeSet::new(),
            unseen: BTreeSet::new(),
            violation: Some(Box::new(violation)),
            stall_reached: false,
            longest: 0,
        }
    }
}

impl<'a> Exploration<'a> {
    pub(crate) fn new(scenario: &'a Scenario, engine: &str) -> Self {
        let report = Report {
            scenario: scenario.name.clone(),
            structure: scenario.structure.clone(),
            engine: engine.to_string(),
            executions: 0,
            seconds: 0.0,
            verdict: Verdict::Passed,
            passes: Vec::new(),
            outcomes: BTreeSet::new(),
            unseen: BTreeSet::new(),
            violation: None,
            longest: 0,
        };
        Self { scenario, started: Instant::now(), report }
    }

    /// Whether a violation was found: no further pass is needed.
    #[cfg(feature = "loom")]
    pub(crate) fn is_violated(&self) -> bool {
        self.report.violation.is_some()
    }

    /// Makes one pass. `explore` gets the number of accesses after which the stalled warp stops, and the
    /// number of executions so far. If the scenario gives no place to stop, it is called for each place that
    /// the warp reaches.
    pub(crate) fn pass(&mut self, loads: Loads, mut explore: impl FnMut(Option<u32>, u64) -> Found) {
        let mut pass = Pass { loads, executions: 0, verdict: Verdict::Passed, outcomes: BTreeSet::new() };
        let everywhere = self.scenario.stall.is_some_and(|stall| stall.after.is_none());
        let mut after = self.scenario.stall.map(|stall| stall.after.unwrap_or(0));
        loop {
            let found = explore(after, pass.executions);
            pass.executions += found.executions;
            pass.verdict = pass.verdict.worse(found.verdict);
            pass.outcomes.extend(found.outcomes);
            self.report.longest = self.report.longest.max(found.longest);
            if !found.unseen.is_empty() {
                pass.verdict = pass.verdict.worse(Verdict::Blind);
                self.report.unseen.extend(found.unseen);
            }
            if let Some(violation) = found.violation
                && self.report.violation.as_ref().is_none_or(|best| violation.improves(best))
            {
                self.report.violation = Some(violation);
            }
            let over = !matches!(pass.verdict, Verdict::Passed | Verdict::Sampled);
            if !everywhere || !found.stall_reached || over {
                break;
            }
            after = after.map(|after| after + 1);
        }
        self.report.executions += pass.executions;
        self.report.verdict = self.report.verdict.worse(pass.verdict);
        self.report.outcomes.extend(pass.outcomes.iter().cloned());
        self.report.passes.push(pass);
    }

    pub(crate) fn finish(mut self) -> Report {
        self.report.seconds = self.started.elapsed().as_secs_f64();
        self.report
    }
}
