//! `warpproof check --both`: two exhaustive engines on the same scenarios, and whether they saw the same
//! outcomes.

use crate::failure::Failure;
use crate::output::{self, grouped};
use serde::Serialize;
use std::collections::BTreeSet;
use warpproof::simt::check::{Report, Verdict};
use warpproof::simt::engine::Engine;

/// The results of two engines.
#[derive(Serialize)]
pub(crate) struct Comparison {
    engines: [&'static str; 2],
    /// What the executions of each engine are.
    counts: [&'static str; 2],
    executions: [u64; 2],
    seconds: [f64; 2],
    scenarios: usize,
    /// Scenarios in which both saw the same outcomes and came to the same verdict.
    same: usize,
    /// Scenarios that one of them did not explore to the end; the other saw all outcomes that it saw.
    capped: usize,
    differences: Vec<Difference>,
}

/// A scenario in which they differ.
#[derive(Serialize)]
struct Difference {
    scenario: String,
    verdicts: [String; 2],
    /// Outcomes that only one of them saw.
    only: [BTreeSet<String>; 2],
}

impl Comparison {
    /// Compares the reports of the same scenarios, in the same order.
    pub(crate) fn of(engines: [&dyn Engine; 2], reports: [&[Report]; 2]) -> Self {
        let sum = |reports: &[Report]| reports.iter().map(|report| report.executions).sum();
        let time = |reports: &[Report]| reports.iter().map(|report| report.seconds).sum();
        let differences: Vec<_> =
            reports[0].iter().zip(reports[1]).filter_map(|(one, other)| Difference::of(one, other)).collect();
        let capped = reports[0].iter().zip(reports[1]).filter(|(one, other)| is_part(one, other)).count();
        Self {
            engines: engines.map(Engine::name),
            counts: engines.map(Engine::counts),
            executions: reports.map(sum),
            seconds: reports.map(time),
            scenarios: reports[0].len(),
            same: reports[0].len() - differences.len() - capped,
            capped,
            differences,
        }
    }

    /// Prints the comparison. The exit code tells whether there is a difference.
    pub(crate) fn show(&self, json: bool) -> Result<(), Failure> {
        if json {
            output::json(self)?;
        } else {
            for difference in &self.differences {
                output::line(difference.text(self.engines))?;
            }
            output::line(self.text())?;
        }
        match self.differences.len() {
            0 => Ok(()),
            some => Err(Failure::Violation(format!("the engines differ in {some} scenarios"))),
        }
    }

    fn text(&self) -> String {
        let row = |at: usize| {
            let Self { engines, counts, executions, seconds, .. } = self;
            let executions = grouped(executions[at]);
            format!("{:<8} {executions:>14} {:<10} {:>8.2} s", engines[at], counts[at], seconds[at])
        };
        let Self { scenarios, same, capped, .. } = self;
        let mut text =
            format!("{}\n{}\n{scenarios} scenarios, {same} with the same outcomes", row(0), row(1));
        if *capped > 0 {
            text +=
                &format!(", {capped} CAPPED: one engine was stopped, and the other saw all that it had seen");
        }
        text
    }
}

/// Whether one of two reports ends early, and the other has all of its outcomes.
fn is_part(one: &Report, other: &Report) -> bool {
    match (one.verdict, other.verdict) {
        (Verdict::Capped, Verdict::Passed) => one.outcomes.is_subset(&other.outcomes),
        (Verdict::Passed, Verdict::Capped) => other.outcomes.is_subset(&one.outcomes),
        _ => false,
    }
}

impl Difference {
    fn of(one: &Report, other: &Report) -> Option<Self> {
        let only = [&one.outcomes - &other.outcomes, &other.outcomes - &one.outcomes];
        let same = one.verdict == other.verdict && only.iter().all(BTreeSet::is_empty);
        let verdicts = [one, other].map(|report| report.verdict.to_string().to_lowercase());
        (!same && !is_part(one, other)).then(|| Self { scenario: one.scenario.clone(), verdicts, only })
    }

    fn text(&self, engines: [&str; 2]) -> String {
        let Self { scenario, verdicts, only } = self;
        let mut text = format!("{scenario}: {} {}, {} {}", engines[0], verdicts[0], engines[1], verdicts[1]);
        for (engine, outcomes) in engines.iter().zip(only).filter(|(_, outcomes)| !outcomes.is_empty()) {
            let outcomes: Vec<_> = outcomes.iter().map(String::as_str).collect();
            text += &format!("\n    only {engine} saw {}", outcomes.join("; "));
        }
        text
    }
}
