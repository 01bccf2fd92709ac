//! Counterexamples are reduced to the smallest scenario that shows the mistake, and found again step by step.

use super::Loom;
use super::mutants::{Mistake, Tiny, program};
use crate::check::{Config, Kind, Report, Scenario, ScenarioError, Stall, Violation};
use crate::engine::{Engine, Limits, Options, explore_again, explore_subject, minimise};
use crate::scenarios::slab;
use std::time::Duration;

fn scenario(preload: &str, programs: &[&str], finally: &str) -> Scenario {
    let config = Config { lanes: 1, ..Config::default() };
    let programs = programs.iter().map(|calls| program(calls)).collect();
    let mut scenario = Scenario::new("tiny/large", "tiny", config, programs);
    scenario.preload = program(preload);
    scenario.finally = program(finally);
    scenario
}

fn explorer(mistake: Mistake) -> impl Fn(&Scenario, &Options) -> Result<Report, ScenarioError> {
    move |scenario, options| explore_subject(&Loom, Tiny { mistake: Some(mistake) }, scenario, options)
}

fn found(mistake: Mistake, scenario: &Scenario, options: &Options) -> Violation {
    *explorer(mistake)(scenario, options).expect("a scenario").violation.expect("a violation")
}

fn programs(violation: &Violation) -> Vec<String> {
    let text = |calls: &Vec<_>| calls.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    violation.scenario.programs.iter().map(text).collect()
}

/// Two inserts that both take the slot that they saw empty: the reduction must leave out everything else.
#[test]
fn three_warps_and_nine_calls_become_two_warps_and_three_calls() {
    let large = scenario(
        "insert_unique 7 70; delete 7",
        &["search 7; insert_unique 5 50", "search 5", "insert_unique 6 60; search 7"],
        "search 5; search 7",
    );
    let mistake = Mistake::StoreForExchange;
    let before = found(mistake, &large, &Options::default());
    let small = minimise(&before, &Options::default(), &Limits::default(), &explorer(mistake));
    assert_eq!((small.kind, before.kind), (Kind::NotLinearizable, Kind::NotLinearizable));
    assert_eq!(programs(&small), ["insert_unique 5 50", "insert_unique 6 60"], "{}", small.timeline());
    assert!(small.scenario.preload.is_empty());
    assert_eq!(small.scenario.finally.iter().map(ToString::to_string).collect::<Vec<_>>(), ["search 5"]);
    let reduced = small.context.reduced.clone().expect("it was reduced");
    assert_eq!((reduced.scenario.as_str(), reduced.warps, reduced.calls), ("tiny/large", 3, 9));
    assert!(reduced.complete);
    // A call, a load, a store and a return of each warp: there is no shorter trace.
    assert_eq!(small.steps.len(), 8, "{}", small.timeline());
    assert!(small.timeline().contains("Reduced from 3 warps and 9 calls to 2 warps and 3 calls."));
    // Nothing more can be left out.
    let again = minimise(&small, &Options::default(), &Limits::default(), &explorer(mistake));
    assert_eq!((again.scenario, again.steps), (small.scenario, small.steps));
}

#[test]
fn one_warp_is_enough_where_one_is_wrong_alone() {
    let large = scenario(
        "insert_unique 6 60; insert_unique 5 50",
        &["search 5", "delete 6; insert_unique 5 51; search 6"],
        "search 5",
    );
    let mistake = Mistake::ReuseWithoutScan;
    let before = found(mistake, &large, &Options::default());
    let small = minimise(&before, &Options::default(), &Limits::default(), &explorer(mistake));
    assert_eq!(programs(&small), ["delete 6; insert_unique 5 51"], "{}", small.timeline());
    assert_eq!(small.scenario.preload, large.preload, "the key must be after the hole");
}

/// Two warps whose calls one warp can make: the mistake needs no concurrency, and the final call is seen step
/// by step.
#[test]
fn what_one_warp_can_do_is_done_by_one() {
    let large =
        scenario("insert_unique 6 60; insert_unique 5 50", &["insert_unique 5 51", "delete 6"], "search 5");
    let mistake = Mistake::ReuseWithoutScan;
    let before = found(mistake, &large, &Options::default());
    assert_eq!(before.scenario.programs.len(), 2);
    let small = minimise(&before, &Options::default(), &Limits::default(), &explorer(mistake));
    assert_eq!(programs(&small), ["delete 6; insert_unique 5 51"], "{}", small.timeline());
}

#[test]
fn the_stalled_warp_stays_and_keeps_its_number() {
    let mut large = scenario("insert_unique 5 50", &["search 5", "delete 5", "delete 5; search 5"], "");
    let mistake = Mistake::EndlessDelete;
    large.stall = Some(Stall { warp: 2, after: Some(5) });
    let before = found(mistake, &large, &Options::default());
    let small = minimise(&before, &Options::default(), &Limits::default(), &explorer(mistake));
    let stall = small.scenario.stall.expect("the stall");
    assert!(stall.warp < small.scenario.programs.len());
    assert_eq!(programs(&small)[stall.warp], "delete 5", "{}", small.timeline());
}

#[test]
fn without_time_the_violation_stays_and_says_so() {
    let large = scenario("", &["insert_unique 5 50; search 5", "insert_unique 6 60"], "search 5; search 6");
    let mistake = Mistake::StoreForExchange;
    let before = found(mistake, &large, &Options::default());
    let limits = Limits { time: Duration::ZERO, ..Limits::default() };
    let same = minimise(&before, &Options::default(), &limits, &explorer(mistake));
    assert_eq!(same.scenario, before.scenario);
    assert!(!same.context.reduced.expect("a note").complete);
}

#[test]
fn a_violation_is_found_again_step_by_step() {
    let large =
        scenario("insert_unique 5 50", &["delete 5", "delete 5; insert_unique 6 60"], "search 5; search 6");
    let mistake = Mistake::BlindDelete;
    let first = found(mistake, &large, &Options::default());
    let small = minimise(&first, &Options::default(), &Limits::default(), &explorer(mistake));
    for violation in [&first, &small] {
        let report = explore_again(violation, &explorer(mistake)).expect("a scenario");
        let again = report.violation.expect("a violation");
        assert_eq!(again.execution, violation.execution);
        assert_eq!((&again.steps, &again.history), (&violation.steps, &violation.history));
    }
}

#[test]
fn the_shortest_trace_is_no_longer_than_the_first() {
    let large =
        scenario("insert_unique 5 50", &["delete 5; search 5", "delete 5; insert_unique 6 60"], "search 6");
    let first = found(Mistake::BlindDelete, &large, &Options::default());
    let shortest = found(Mistake::BlindDelete, &large, &Options { shortest: true, ..Options::default() });
    assert_eq!(shortest.kind, first.kind);
    assert!(!first.improves(&shortest), "{}\n{}", first.timeline(), shortest.timeline());
    let passed = explore_subject(
        &Loom,
        Tiny { mistake: None },
        &large,
        &Options { shortest: true, ..Options::default() },
    );
    assert!(passed.expect("a scenario").passed(), "without a mistake nothing changes");
}

/// Without the call that takes a slab, its free would be a mistake of the caller.
#[test]
fn a_scenario_that_frees_keeps_its_calls() {
    let set = slab::quick();
    let frees =
        set.iter().find(|s| s.name.contains("allocate_then_free")).expect("a scenario of the allocator");
    let mut violation = found(
        Mistake::StoreForExchange,
        &scenario("", &["insert_unique 5 50", "insert_unique 6 60"], "search 5"),
        &Options::default(),
    );
    violation.scenario = frees.clone();
    let same = minimise(&violation, &Options::default(), &Limits::default(), &|scenario, options| {
        Loom.explore(scenario, options)
    });
    assert_eq!(same.scenario.programs, frees.programs);
}
