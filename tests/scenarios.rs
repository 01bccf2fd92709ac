//! Random scenarios, with shrinking: the tables hold in all of them, and a planted fault is found and shrinks to the
//! smallest scenario that shows it.

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::{Config as Cases, TestError, TestRunner};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Multimap, Op, Ret};
use warpproof::simt::check::{Array, Breach, Memory, Report, Scenario, SimWarp, Subject, Verdict};
use warpproof::simt::engine::Options;
use warpproof::simt::loom::{explore, explore_subject};
use warpproof::simt::scenarios::random;
use warpproof::simt::scenarios::slab::{Map32, SlabSubject};

/// Random scenarios.
#[derive(Clone, Copy, Debug)]
struct Scenarios;

impl Strategy for Scenarios {
    type Tree = Shrinking;
    type Value = Scenario;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let current = random::scenario(|n| runner.rng().random_range(0..n));
        Ok(Shrinking { failing: current.clone(), current, open: Vec::new() })
    }
}

/// A scenario and those that are a step smaller than the last one that failed.
#[derive(Debug)]
struct Shrinking {
    current: Scenario,
    failing: Scenario,
    /// Not tried yet, the next one last.
    open: Vec<Scenario>,
}

impl ValueTree for Shrinking {
    type Value = Scenario;

    fn current(&self) -> Scenario {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.failing = self.current.clone();
        self.open = random::simpler(&self.failing);
        self.open.reverse();
        self.complicate()
    }

    fn complicate(&mut self) -> bool {
        let next = self.open.pop();
        let more = next.is_some();
        self.current = next.unwrap_or_else(|| self.failing.clone());
        more
    }
}

/// A budget for one scenario.
fn options(executions: u64) -> Options {
    // Wide warps on a long chain make many accesses.
    let max_time = Some(Duration::from_millis(200));
    Options { max_executions: Some(executions), max_time, step_bound: 4000, ..Options::default() }
}

/// As many cases, always the same ones.
fn runner(cases: u32) -> TestRunner {
    let config = Cases { cases, max_shrink_iters: 2_000, failure_persistence: None, ..Cases::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    TestRunner::new_with_rng(config, rng)
}

#[test]
fn every_table_holds_in_random_scenarios() {
    let (explored, capped) = (AtomicU64::new(0), AtomicU64::new(0));
    let done = runner(150).run(&Scenarios, |scenario| {
        let report = explore(&scenario, &options(100)).expect("a scenario");
        // Relaxed, both: one thread counts.
        explored.fetch_add(1, Ordering::Relaxed);
        capped.fetch_add(u64::from(report.verdict == Verdict::Capped), Ordering::Relaxed);
        prop_assert!(
            matches!(report.verdict, Verdict::Passed | Verdict::Capped),
            "{}: {}",
            report.verdict,
            report.violation.map_or(String::new(), |violation| violation.timeline())
        );
        Ok(())
    });
    if let Err(failure) = done {
        panic!("{failure}");
    }
    let (explored, capped) = (explored.into_inner(), capped.into_inner());
    println!("{explored} scenarios, {capped} of them capped");
    assert!(
        explored - capped >= 30,
        "only {} of {explored} scenarios were explored to the end",
        explored - capped
    );
}

/// A multimap of u32 pairs with one fault.
#[derive(Clone, Debug)]
struct Faulty {
    table: SlabSubject<Map32, Multi, 3>,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A unique insert looks for the key, then inserts.
    LooksFirst,
    /// A delete says that it deleted what it found.
    DeletesBlindly,
}

impl Subject for Faulty {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        self.table.spec()
    }

    fn arrays(&self) -> Vec<Array> {
        Subject::arrays(&self.table)
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let mut run = |op| Subject::run(&self.table, w, m, &Call { op, ..call.clone() });
        match (self.fault, call.op) {
            (Fault::LooksFirst, Op::InsertUnique) => match run(Op::Count) {
                Ret::Count(0) => run(Op::Insert),
                _ => Ret::Present,
            },
            (Fault::DeletesBlindly, Op::Delete) => match run(Op::Count) {
                Ret::Count(0) => Ret::Absent,
                _ => {
                    run(Op::Delete);
                    Ret::Deleted
                }
            },
            (_, op) => run(op),
        }
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        Subject::check_state(&self.table, w, m)
    }

    fn exhausted<M: Memory>(&self, m: M) -> bool {
        Subject::exhausted(&self.table, m)
    }
}

fn explore_faulty(fault: Fault, scenario: &Scenario) -> Report {
    let table = SlabSubject::new(scenario.config.clone(), false, true);
    explore_subject(Faulty { table, fault }, scenario, &options(2_000)).expect("a scenario")
}

/// The scenario that a failing run shrinks to. Those of other tables, or with other slabs, are not run.
fn shrunk(fault: Fault) -> Scenario {
    let fits = |s: &Scenario| s.structure == "multimap32" && s.config.slots == 3 && s.stall.is_none();
    let done = runner(3_000).run(&Scenarios, |scenario| {
        let violated = fits(&scenario) && explore_faulty(fault, &scenario).violation.is_some();
        prop_assert!(!violated, "found");
        Ok(())
    });
    match done {
        Err(TestError::Fail(_, scenario)) => scenario,
        other => panic!("{fault:?} is not found: {other:?}"),
    }
}

fn calls(calls: &[Call]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

#[test]
fn a_look_before_the_insert_shrinks_to_two_inserts() {
    let scenario = shrunk(Fault::LooksFirst);
    println!("{scenario:#?}");
    assert!(scenario.preload.is_empty());
    assert_eq!((scenario.config.lanes, scenario.config.buckets, scenario.config.pool), (1, 1, 0));
    let programs: Vec<_> = scenario.programs.iter().map(|program| calls(program)).collect();
    assert_eq!(programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    // One looks and then inserts what the other, of whatever kind, has inserted meanwhile.
    assert!(programs.iter().flatten().any(|call| call.starts_with("insert_unique 1 ")), "{programs:?}");
    assert!(programs.iter().flatten().all(|call| call.starts_with("insert")), "{programs:?}");
}

#[test]
fn a_blind_delete_shrinks_to_two_deletes_of_one_pair() {
    let scenario = shrunk(Fault::DeletesBlindly);
    println!("{scenario:#?}");
    assert_eq!(scenario.preload.len(), 1);
    assert_eq!((scenario.config.lanes, scenario.config.buckets, scenario.config.pool), (1, 1, 0));
    let programs: Vec<_> = scenario.programs.iter().map(|program| calls(program)).collect();
    assert_eq!(programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    assert!(programs.iter().flatten().all(|call| call.starts_with("delete")), "{programs:?}");
    assert!(programs.iter().flatten().any(|call| call == "delete 1"), "{programs:?}");
}

#[test]
fn without_the_faults_the_smallest_scenarios_hold() {
    for fault in [Fault::LooksFirst, Fault::DeletesBlindly] {
        let scenario = shrunk(fault);
        let report = explore(&scenario, &options(50_000)).expect("a scenario");
        assert!(report.passed(), "{}: {:?}", report.verdict, report.violation);
    }
}
