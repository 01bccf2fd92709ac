//! One scenario fails at once while another would take minutes: a run that stops at the first violation must
//! not wait for the other one.

use std::time::{Duration, Instant};
use warpproof::model::spec::{Call, Op};
use warpproof::simt::check::{Report, Scenario, Verdict};
use warpproof::simt::engine::{Engine, Options, Workers, run_all, run_set};
use warpproof::simt::explore::Explore;
use warpproof::simt::scenarios::open;

/// Far less than the long scenario takes, and far more than the others.
const SOON: Duration = Duration::from_secs(10);

fn workers() -> Workers {
    let program = env!("CARGO_BIN_EXE_warpproof").into();
    Workers::Processes { count: 2, program, arguments: vec!["worker".to_string()] }
}

/// Three scenarios: one that holds, one that fails because the table is full and may not be, and one that
/// takes minutes.
fn scenarios() -> [Scenario; 3] {
    let set = open::default_set();
    let forbidden = |scenario: &Scenario| {
        let mut scenario = scenario.clone();
        scenario.allows.full = false;
        let report = Explore.explore(&scenario, &Options::default()).expect("a scenario");
        report.violation.is_some().then_some(scenario)
    };
    let small = |scenario: &&Scenario| scenario.config.lanes == 1 && scenario.programs.len() == 2;
    let holds = set.iter().find(small).expect("a scenario");
    let fails = set.iter().filter(small).find_map(forbidden).expect("a scenario that fills its table");
    let insert = |key| Call::new(Op::InsertUnique, key, 10 * key);
    let programs = (0..4).map(|warp| (1..4).map(|key| insert(1 + (key + warp) % 4)).collect()).collect();
    let long = Scenario { name: "long".to_string(), programs, ..holds.clone() };
    [holds.clone(), fails, long]
}

fn fast() -> Options {
    Options { fail_fast: true, ..Options::default() }
}

#[test]
fn a_set_ends_at_the_first_violation_that_is_found() {
    let [_, fails, long] = scenarios();
    let capped = Options { max_time: Some(SOON), ..Options::default() };
    assert_eq!(Explore.explore(&long, &capped).expect("a scenario").verdict, Verdict::Capped, "it is long");
    // Twice the long one: both workers would be busy with it if it were not dearer.
    let begun = Instant::now();
    let reports =
        run_set(&Explore, &[long.clone(), fails, long], &fast(), &workers(), |_| ()).expect("reports");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(reports.iter().map(|report| report.verdict).collect::<Vec<_>>(), [Verdict::Violated]);
}

#[test]
fn a_run_in_order_ends_what_comes_after_the_first_violation_and_nothing_before() {
    let [holds, fails, long] = scenarios();
    let verdicts = |reports: &[Report]| reports.iter().map(|report| report.verdict).collect::<Vec<_>>();
    for set in [[&holds, &fails, &long, &fails], [&fails, &long, &long, &holds]] {
        let set = set.map(Clone::clone);
        let begun = Instant::now();
        let reports = run_all(&Explore, &set, &fast(), &workers(), |_| ()).expect("reports");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        let expected = [Verdict::Passed, Verdict::Violated];
        assert_eq!(verdicts(&reports), expected[usize::from(set[0] == fails)..]);
    }
}
