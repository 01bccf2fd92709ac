//! Canaries: small programs whose outcomes are known. The engine must see all of them, in spite of loom's
//! known holes (see `holes`).

use super::Loom;
use crate::check::litmus::*;
use crate::check::{Kind, Loads, Reads, Scenario, Stall, Verdict};
use crate::engine::{Options, explore_subject};
use std::collections::BTreeSet;

/// What the engine sees of a scenario that holds.
pub(super) fn outcomes(scenario: &Scenario, loads: Loads) -> BTreeSet<String> {
    let options = Options { loads: vec![loads], ..Options::default() };
    let report = explore_subject(&Loom, Litmus, scenario, &options).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.violation);
    report.outcomes
}

#[test]
fn a_relaxed_publication_is_seen_with_loads_as_loads_only() {
    let scenario = scenario(&[&[(SEND_RELAXED, 0)], &[(RECEIVE, 0)]]);
    assert!(outcomes(&scenario, Loads::AsLoads).contains("done | values 1 0"));
    assert!(!outcomes(&scenario, Loads::AsRmw).contains("done | values 1 0"));
}

#[test]
fn what_returned_is_visible_to_what_begins_later() {
    let scenario = scenario(&[&[(SEND, 0)], &[(RECEIVE, 0)]]);
    let seen = outcomes(&scenario, Loads::AsLoads);
    assert!(!seen.contains("done | values 1 0"), "acquire must see what was released");
    assert!(seen.contains("done | values 0 7") && seen.contains("done | values 1 7"));
}

#[test]
fn three_readers_and_a_writer_see_every_order() {
    let scenario = scenario(&[&[(LOAD, 0)], &[(LOAD, 0)], &[(LOAD_THEN_STORE, 0)]]);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        assert_eq!(outcomes(&scenario, loads).len(), 4, "{loads}");
    }
}

#[test]
fn a_wild_index_is_out_of_bounds() {
    let report =
        explore_subject(&Loom, Litmus, &scenario(&[&[(WILD, 0)]]), &Options::default()).expect("a scenario");
    let violation = report.violation.expect("a violation");
    assert_eq!((report.verdict, violation.kind), (Verdict::Violated, Kind::OutOfBounds));
}

#[test]
fn waiting_for_a_stalled_warp_exceeds_the_step_bound_unless_it_is_allowed() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(WAIT, 0)]]);
    assert_eq!(outcomes(&scenario, Loads::AsLoads), set(&["done | done"]));
    scenario.stall = Some(Stall { warp: 0, after: Some(1) });
    let report = explore_subject(&Loom, Litmus, &scenario, &Options::default()).expect("a scenario");
    let violation = report.violation.expect("a violation");
    assert_eq!(violation.kind, Kind::StepBound);
    scenario.allows.blocking = true;
    let report = explore_subject(&Loom, Litmus, &scenario, &Options::default()).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.violation);
}

#[test]
fn a_warp_that_is_missing_at_a_barrier_is_found() {
    let together = scenario(&[&[(MEET, 0)], &[(MEET, 0)], &[(MEET, 0)]]);
    assert_eq!(outcomes(&together, Loads::AsLoads), set(&["done | done | done"]));
    let missing = scenario(&[&[(MEET, 0)], &[(LOAD, 0)]]);
    let report = explore_subject(&Loom, Litmus, &missing, &Options::default()).expect("a scenario");
    assert_eq!(report.violation.expect("a violation").kind, Kind::BarrierDivergence);
}

#[test]
fn an_expected_outcome_that_is_not_seen_is_blindness() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(LOAD, 0)]]);
    scenario.expects = vec!["done | count 2".to_string()];
    let report = explore_subject(&Loom, Litmus, &scenario, &Options::default()).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Blind);
    assert_eq!(report.unseen, set(&["done | count 2"]));
}

#[test]
fn snapshots_have_no_stale_values() {
    let mut scenario = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    scenario.reads = Reads::Snapshot;
    assert_eq!(outcomes(&scenario, Loads::AsLoads).len(), 3);
}
