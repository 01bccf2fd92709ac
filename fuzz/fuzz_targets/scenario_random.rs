//! Random scenarios of any structure, explored by every engine of this build within a small budget.
//!
//! A violation is made minimal and printed as a scenario. A capped exploration proves nothing, so they are
//! counted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use warpproof_simt::check::{Report, Scenario, Verdict};
use warpproof_simt::engine::{Engine, Options};
use warpproof_simt::engines::engines;
use warpproof_simt::scenarios::random;

/// Inputs between two lines about what became of them.
const EVERY: u64 = 1000;

static EXPLORED: AtomicU64 = AtomicU64::new(0);
static CAPPED: AtomicU64 = AtomicU64::new(0);
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

fuzz_target!(|bytes: &[u8]| {
    let scenario = random::from_bytes(bytes);
    for report in explore(&scenario) {
        if report.violation.is_some() || report.verdict == Verdict::Blind {
            fail(scenario, report.verdict);
        }
        count(&report);
    }
});

fn explore(scenario: &Scenario) -> Vec<Report> {
    let options = |engine: &dyn Engine| Options {
        // A state is much less than an execution.
        max_executions: Some(if engine.counts() == "states" { 30_000 } else { 300 }),
        max_time: Some(Duration::from_millis(100)),
        // Wide warps on a long chain make many accesses.
        step_bound: 4000,
        ..Options::default()
    };
    let explore = |engine: &&dyn Engine| engine.explore(scenario, &options(*engine)).expect("a scenario");
    engines().iter().map(explore).collect()
}

fn fail(scenario: Scenario, verdict: Verdict) -> ! {
    let has = |s: &Scenario| explore(s).into_iter().find(|report| report.verdict == verdict);
    let minimal = random::minimal(scenario, |s| has(s).is_some());
    let json = serde_json::to_string_pretty(&minimal).expect("a scenario is data");
    match has(&minimal).and_then(|report| report.violation) {
        Some(violation) => panic!("{}\n{json}", violation.timeline()),
        None => panic!("{verdict}\n{json}"),
    }
}

fn count(report: &Report) {
    // Relaxed, all: counters, nothing is published by them.
    CAPPED.fetch_add(u64::from(report.verdict == Verdict::Capped), Ordering::Relaxed);
    EXECUTIONS.fetch_add(report.executions, Ordering::Relaxed);
    let explored = EXPLORED.fetch_add(1, Ordering::Relaxed) + 1;
    if explored.is_multiple_of(EVERY) {
        let (capped, executions) = (CAPPED.load(Ordering::Relaxed), EXECUTIONS.load(Ordering::Relaxed));
        eprintln!("{explored} explorations, {capped} of them capped, {executions} executions");
    }
}
