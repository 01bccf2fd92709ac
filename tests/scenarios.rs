//! Random scenarios, with shrinking: every structure holds in all of them, and a planted fault is found and
//! shrinks to the smallest scenario that shows it.

#[path = "support/scenarios.rs"]
mod drawn;

use drawn::Drawn;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestError, TestRunner};
use std::sync::atomic::{AtomicU64, Ordering};
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Op, Ret};
use warpproof::simt::check::{Array, Breach, Config, Memory, Report, Scenario, SimWarp, Subject, Verdict};
use warpproof::simt::engine::{Engine, Options, explore_subject};
use warpproof::simt::explore::Explore;
use warpproof::simt::loom::Loom;
use warpproof::simt::scenarios::hopscotch::{self, HopscotchSubject};
use warpproof::simt::scenarios::open::{self, OpenSubject};
use warpproof::simt::scenarios::slab::{MULTIMAP32, Map32, SlabSubject};
use warpproof::simt::scenarios::{STRUCTURES, Table, random};

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

/// Scenarios of each structure.
const CASES: u32 = 20;

#[test]
fn every_structure_holds_in_random_scenarios() {
    for structure in &STRUCTURES {
        let (explored, capped) = (AtomicU64::new(0), AtomicU64::new(0));
        let drawn = Drawn(|below: &mut dyn FnMut(u32) -> u32| random::of_structure(structure, below));
        let done = runner(CASES).run(&drawn, |scenario| {
            // Loom does not end where four warps wait for each other, or ranks do.
            let waits = scenario.programs.len() > 3 || structure.name == "sharded";
            let engine: &dyn Engine = if waits { &Explore } else { &Loom };
            let report = engine.explore(&scenario, &options(400)).expect("a scenario");
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
        println!("{}: {explored} scenarios, {capped} of them capped", structure.name);
        assert!(5 * (explored - capped) >= explored, "{}: {capped} of {explored} capped", structure.name);
    }
}

/// A table with one fault.
#[derive(Clone, Debug)]
struct Faulty<T> {
    table: T,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A unique insert looks for the key, then inserts by this operation.
    LooksFirst(Op),
    /// A delete says that it deleted what it found.
    DeletesBlindly,
}

impl<T: Subject> Subject for Faulty<T> {
    type Spec = T::Spec;

    fn spec(&self) -> T::Spec {
        self.table.spec()
    }

    fn arrays(&self) -> Vec<Array> {
        Subject::arrays(&self.table)
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let mut run = |op| Subject::run(&self.table, w, m, &Call { op, ..call.clone() });
        match (self.fault, call.op) {
            (Fault::LooksFirst(inserts), Op::InsertUnique) => match run(Op::Search) {
                Ret::Value(None) if run(inserts) == Ret::Full => Ret::Full,
                Ret::Value(None) => Ret::Inserted,
                _ => Ret::Present,
            },
            (Fault::DeletesBlindly, Op::Delete) => match run(Op::Search) {
                Ret::Value(None) => Ret::Absent,
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

    fn exhausted<M: Memory>(&self, m: M, key: u64) -> Option<bool> {
        Subject::exhausted(&self.table, m, key)
    }
}

/// What is found in a scenario where the table has a fault.
fn explore<T: Subject>(table: T, fault: Fault, scenario: &Scenario) -> Report {
    explore_subject(&Loom, Faulty { table, fault }, scenario, &options(300)).expect("a scenario")
}

fn explore_slab(fault: Fault, scenario: &Scenario) -> Report {
    fn of<const S: usize>(config: Config) -> SlabSubject<Map32, Multi, S> {
        SlabSubject::new(config, false, true)
    }
    let config = scenario.config.clone();
    match config.slots {
        1 => explore(of::<1>(config), fault, scenario),
        2 => explore(of::<2>(config), fault, scenario),
        3 => explore(of::<3>(config), fault, scenario),
        _ => explore(of::<4>(config), fault, scenario),
    }
}

/// The scenario that a failing run shrinks to. What is explored is a table with a fault.
fn shrunk(table: &Table, explore: impl Fn(&Scenario) -> Report) -> Scenario {
    let drawn = Drawn(|below: &mut dyn FnMut(u32) -> u32| random::of_table(table, below));
    let done = runner(1_000).run(&drawn, |scenario| {
        prop_assert!(explore(&scenario).violation.is_none(), "found");
        Ok(())
    });
    match done {
        Err(TestError::Fail(_, scenario)) => {
            println!("{scenario:#?}");
            scenario
        }
        other => panic!("{} holds, with a fault: {other:?}", table.name),
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
    let scenario = shrunk(&MULTIMAP32, |scenario| explore_slab(Fault::LooksFirst(Op::Insert), scenario));
    is_smallest(&scenario, 2);
    assert!(scenario.preload.is_empty());
    let calls = calls(&scenario.programs.concat());
    // One looks and then inserts what the other, of whatever kind, has inserted meanwhile.
    assert!(calls.iter().any(|call| call.starts_with("insert_unique 1 ")), "{calls:?}");
    assert!(calls.iter().all(|call| call.starts_with("insert")), "{calls:?}");
}

#[test]
fn a_blind_delete_shrinks_to_two_deletes_of_one_pair() {
    let scenario = shrunk(&MULTIMAP32, |scenario| explore_slab(Fault::DeletesBlindly, scenario));
    is_smallest(&scenario, 1);
    assert_eq!(scenario.preload.len(), 1);
    let calls = calls(&scenario.programs.concat());
    assert!(calls.iter().any(|call| call == "delete 1"), "{calls:?}");
    assert!(calls.iter().all(|call| call.starts_with("delete")), "{calls:?}");
}

/// Two warps and two calls are left, without any before, of which one looks and then assigns what the other
/// has inserted meanwhile.
fn is_two_inserts(scenario: &Scenario) {
    assert_eq!(scenario.programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    assert!(scenario.preload.is_empty() && scenario.config.lanes == 1, "{scenario:?}");
    let calls = calls(&scenario.programs.concat());
    assert!(calls.iter().any(|call| call.starts_with("insert_unique 1 ")), "{calls:?}");
    assert!(calls.iter().all(|call| call.starts_with("insert")), "{calls:?}");
    let report = Loom.explore(scenario, &options(50_000)).expect("a scenario");
    assert!(report.passed(), "without the fault: {} {:?}", report.verdict, report.violation);
}

#[test]
fn a_look_before_the_insert_is_found_in_open_addressing() {
    fn of<const S: usize>(scenario: &Scenario) -> Report {
        let table = OpenSubject::<Map32, S>::new(scenario.config.clone(), true);
        explore(table, Fault::LooksFirst(Op::InsertOrAssign), scenario)
    }
    is_two_inserts(&shrunk(&open::MAP32, |scenario| match scenario.config.slots {
        1 => of::<1>(scenario),
        2 => of::<2>(scenario),
        _ => of::<4>(scenario),
    }));
}

#[test]
fn a_look_before_the_insert_is_found_in_the_hopscotch_table() {
    fn of<const S: usize, const N: u32>(scenario: &Scenario) -> Report {
        let table = HopscotchSubject::<Map32, S, N>::new(scenario.config.clone(), true);
        explore(table, Fault::LooksFirst(Op::InsertOrAssign), scenario)
    }
    is_two_inserts(&shrunk(&hopscotch::MAP32, |scenario| {
        match (scenario.config.slots, scenario.config.reach) {
            (1, 2) => of::<1, 2>(scenario),
            (1, _) => of::<1, 3>(scenario),
            (2, 2) => of::<2, 2>(scenario),
            (2, _) => of::<2, 3>(scenario),
            (3, _) => of::<3, 2>(scenario),
            _ => of::<4, 2>(scenario),
        }
    }));
}
