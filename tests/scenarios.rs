//! Random scenarios, with shrinking: the tables hold in all of them, and a planted fault is found and shrinks to the
//! smallest scenario that shows it.

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::{Config as Cases, TestError, TestRunner};
use std::sync::atomic::{AtomicU64, Ordering};
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Multimap, Op, Ret};
use warpproof::simt::check::{Array, Breach, Config, Memory, Report, Scenario, SimWarp, Subject, Verdict};
use warpproof::simt::engine::{Engine, Options, explore_subject};
use warpproof::simt::loom::Loom;
use warpproof::simt::scenarios::random;
use warpproof::simt::scenarios::slab::{Map32, SlabSubject, Structure};

/// Random scenarios, of one kind of table or of everything.
#[derive(Clone, Copy, Debug)]
struct Scenarios(Option<Structure>);

impl Strategy for Scenarios {
    type Tree = Shrinking;
    type Value = Scenario;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let below = |n| runner.rng().random_range(0..n);
        let current = match self.0 {
            Some(structure) => random::table(structure, below),
            None => random::scenario(below),
        };
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
    Options { max_executions: Some(executions), step_bound: 4000, ..Options::default() }
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
    let done = runner(100).run(&Scenarios(None), |scenario| {
        let report = Loom.explore(&scenario, &options(100)).expect("a scenario");
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
        explored - capped >= 20,
        "only {} of {explored} scenarios were explored to the end",
        explored - capped
    );
}

/// A multimap of u32 pairs with one fault.
#[derive(Clone, Debug)]
struct Faulty<const S: usize> {
    table: SlabSubject<Map32, Multi, S>,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A unique insert looks for the key, then inserts.
    LooksFirst,
    /// A delete says that it deleted what it found.
    DeletesBlindly,
}

impl<const S: usize> Subject for Faulty<S> {
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

    fn exhausted<M: Memory>(&self, m: M, key: u64) -> bool {
        Subject::exhausted(&self.table, m, key)
    }
}

fn explore_faulty(fault: Fault, scenario: &Scenario) -> Report {
    fn explore<const S: usize>(fault: Fault, scenario: &Scenario) -> Report {
        let table = SlabSubject::new(scenario.config.clone(), false, true);
        explore_subject(&Loom, Faulty::<S> { table, fault }, scenario, &options(300)).expect("a scenario")
    }
    match scenario.config.slots {
        1 => explore::<1>(fault, scenario),
        2 => explore::<2>(fault, scenario),
        3 => explore::<3>(fault, scenario),
        _ => explore::<4>(fault, scenario),
    }
}

/// The scenario that a failing run shrinks to.
fn shrunk(fault: Fault) -> Scenario {
    let done = runner(1_000).run(&Scenarios(Some(Structure::MULTIMAP32)), |scenario| {
        prop_assert!(explore_faulty(fault, &scenario).violation.is_none(), "found");
        Ok(())
    });
    match done {
        Err(TestError::Fail(_, scenario)) => {
            println!("{fault:?}: {scenario:#?}");
            scenario
        }
        other => panic!("{fault:?} is not found: {other:?}"),
    }
}

fn calls(calls: &[Call]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

/// What is left: a table of one lane, one bucket and room for so many pairs; two calls.
fn is_smallest(scenario: &Scenario, pairs: u32) {
    let Config { lanes, slots, buckets, pool, .. } = scenario.config;
    assert_eq!((lanes, buckets, slots - 1 + pool), (1, 1, pairs));
    assert_eq!(scenario.programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    let report = Loom.explore(scenario, &options(50_000)).expect("a scenario");
    assert!(report.passed(), "without the fault: {} {:?}", report.verdict, report.violation);
}

#[test]
fn a_look_before_the_insert_shrinks_to_two_inserts() {
    let scenario = shrunk(Fault::LooksFirst);
    is_smallest(&scenario, 2);
    assert!(scenario.preload.is_empty());
    let calls = calls(&scenario.programs.concat());
    // One looks and then inserts what the other, of whatever kind, has inserted meanwhile.
    assert!(calls.iter().any(|call| call.starts_with("insert_unique 1 ")), "{calls:?}");
    assert!(calls.iter().all(|call| call.starts_with("insert")), "{calls:?}");
}

#[test]
fn a_blind_delete_shrinks_to_two_deletes_of_one_pair() {
    let scenario = shrunk(Fault::DeletesBlindly);
    is_smallest(&scenario, 1);
    assert_eq!(scenario.preload.len(), 1);
    let calls = calls(&scenario.programs.concat());
    assert!(calls.iter().any(|call| call == "delete 1"), "{calls:?}");
    assert!(calls.iter().all(|call| call.starts_with("delete")), "{calls:?}");
}
