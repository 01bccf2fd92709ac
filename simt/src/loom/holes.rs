//! Loom's known holes. A test shows each with loom itself, and what the engine does about it. If loom closes
//! a hole one day, the test fails, and the engine can be made simpler.

use super::Loom;
use super::canaries::outcomes;
use crate::check::litmus::*;
use crate::check::panics::explored;
use crate::check::{Array, Config, Kind, Loads, Memory, Scenario, ScenarioError, SimWarp, Subject, Verdict};
use crate::engine::{Options, explore_subject};
use ::loom::model::Builder;
use ::loom::sync::atomic::{AtomicU64, Ordering::*};
use ::loom::thread;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};

/// A program on two words of loom's.
type Program = fn(&[AtomicU64; 2]) -> u64;

/// What loom itself sees: what the programs return, and what a load of the first word gives in the end. A
/// thread per program, and none on the main thread.
fn seen(programs: Vec<Program>) -> BTreeSet<(Vec<u64>, u64)> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&seen);
    ::loom::model(move || {
        let words = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let start = |program: &Program| {
            let (words, program) = (Arc::clone(&words), *program);
            thread::spawn(move || program(&words))
        };
        let threads: Vec<_> = programs.iter().map(start).collect();
        let returns = threads.into_iter().map(|thread| thread.join().expect("a thread that ends"));
        let returns = returns.collect();
        all.lock().expect("one thread").insert((returns, words[0].load(Relaxed)));
    });
    Arc::try_unwrap(seen).expect("loom has ended").into_inner().expect("one thread")
}

/// The answers of the programs in all executions of loom, without the word that is loaded at the end.
fn returns(programs: Vec<Program>) -> BTreeSet<Vec<u64>> {
    seen(programs).into_iter().map(|(returns, _)| returns).collect()
}

// Issue 392: what the main thread does is not explored.

#[test]
fn loom_does_not_explore_its_main_thread() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    ::loom::model(move || {
        let word = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&word);
        let thread = thread::spawn(move || {
            other.load(Relaxed);
            other.store(1, Relaxed);
        });
        let read = word.load(Relaxed);
        thread.join().expect("a thread that ends");
        outcomes.lock().expect("one thread").insert(read);
    });
    assert_eq!(seen.lock().expect("one thread").len(), 1);
}

#[test]
fn every_outcome_of_issue_392_is_seen() {
    let scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(LOAD, 0)]]);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        assert_eq!(outcomes(&scenario, loads), set(&["done | count 0", "done | count 1"]), "{loads}");
    }
}

// Issue 166: a load of a word that the thread just stored removes outcomes.

#[test]
fn loom_loses_an_outcome_to_a_load_of_the_own_store() {
    let look: Program = |words| 10 * words[1].load(SeqCst) + words[0].load(SeqCst);
    let pulse: Program = |words| {
        words[0].store(1, SeqCst);
        words[1].store(1, SeqCst);
        words[1].store(0, SeqCst);
        words[0].load(SeqCst);
        words[0].store(0, SeqCst);
        0
    };
    let seen = returns(vec![pulse, look]);
    assert_eq!(seen, BTreeSet::from([vec![0, 0], vec![0, 1], vec![0, 11]]), "10 exists too");
}

#[test]
fn every_outcome_of_issue_166_is_seen_with_loads_as_rmw() {
    let scenario = scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]);
    let all = set(&["done | count 0", "done | count 1", "done | count 10", "done | count 11"]);
    assert_eq!(outcomes(&scenario, Loads::AsRmw), all);
}

// Issue 254: a store can come between the two halves of a read-modify-write.

#[test]
fn loom_lets_a_store_into_a_swap() {
    let swap: Program = |words| words[0].swap(2, Relaxed);
    let store: Program = |words| {
        words[0].store(1, Relaxed);
        0
    };
    let seen = seen(vec![swap, store]);
    assert!(seen.contains(&(vec![0, 0], 2)), "the swap came first, and last: {seen:?}");
}

/// The pass with loads as loads raises that false alarm; the pass with loads as read-modify-writes does not.
/// So doubt a violation of the first pass alone on a word that is stored and exchanged at the same time.
#[test]
fn a_store_comes_before_a_swap_or_after_it_with_loads_as_rmw() {
    let mut scenario = scenario(&[&[(SWAP, 2)], &[(STORE, 1)]]);
    scenario.finally = vec![Call::new(LOAD, 0, 0)];
    let both = set(&["count 0 | done => count 1", "count 1 | done => count 2"]);
    assert_eq!(outcomes(&scenario, Loads::AsRmw), both);
    let seen = outcomes(&scenario, Loads::AsLoads);
    assert!(seen.is_superset(&both) && seen.contains("count 0 | done => count 2"), "{seen:?}");
}

// Issue 282: a word's modifications are not in one order for all.

#[test]
fn loom_shows_a_reader_another_order_of_modifications() {
    let store: Program = |words| {
        words[0].store(1, Relaxed);
        0
    };
    let swap: Program = |words| words[0].swap(2, Relaxed);
    let look: Program = |words| 10 * words[0].load(Relaxed) + words[0].load(Relaxed);
    let seen = returns(vec![store, swap, look]);
    assert!(seen.contains(&vec![0, 0, 12]), "the swap read 0, so 2 came before 1: {seen:?}");
}

#[test]
fn modifications_are_in_one_order_with_loads_as_rmw() {
    let scenario = scenario(&[&[(STORE, 1)], &[(SWAP, 2)], &[(LOAD_TWICE, 0)]]);
    let wrong = ["done | count 0 | values 1 2", "done | count 1 | values 2 1"];
    let right = ["done | count 0 | values 2 1", "done | count 1 | values 1 2"];
    let seen = outcomes(&scenario, Loads::AsRmw);
    assert!(wrong.iter().all(|outcome| !seen.contains(*outcome)), "{seen:?}");
    assert!(right.iter().all(|outcome| seen.contains(*outcome)), "{seen:?}");
    assert!(outcomes(&scenario, Loads::AsLoads).contains(wrong[0]), "loads as loads raise the false alarm");
}

// SeqCst accesses are AcqRel.

#[test]
fn loom_takes_seqcst_for_acqrel() {
    let first: Program = |words| {
        words[0].store(1, SeqCst);
        words[1].load(SeqCst)
    };
    let second: Program = |words| {
        words[1].store(1, SeqCst);
        words[0].load(SeqCst)
    };
    let seen = returns(vec![first, second]);
    assert!(seen.contains(&vec![0, 0]), "{seen:?}");
}

/// The structures have no `SeqCst` access; the one sequentially consistent operation is a fence, and it
/// holds.
#[test]
fn a_fence_forbids_store_buffering_and_its_absence_shows_it() {
    let both_old = "count 0 | count 0";
    let fenced = scenario(&[&[(STORE_FENCE_LOAD, 0)], &[(STORE_FENCE_LOAD, 1)]]);
    let plain = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    assert!(!outcomes(&fenced, Loads::AsLoads).contains(both_old));
    assert!(outcomes(&plain, Loads::AsLoads).contains(both_old));
    assert!(!outcomes(&plain, Loads::AsRmw).contains(both_old), "this pass has no stale values");
    assert_eq!(outcomes(&fenced, Loads::AsLoads).len(), 3);
}

// No engine here models load buffering.

#[test]
fn loom_buffers_no_loads() {
    let first: Program = |words| {
        let seen = words[0].load(Relaxed);
        words[1].store(1, Relaxed);
        seen
    };
    let second: Program = |words| {
        let seen = words[1].load(Relaxed);
        words[0].store(1, Relaxed);
        seen
    };
    let seen = returns(vec![first, second]);
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(!seen.contains(&vec![1, 1]), "a GPU may do that");
}

/// What a GPU may do and this engine does not show: the protocols' READMEs argue it.
#[test]
fn the_engine_is_blind_for_load_buffering() {
    let scenario = scenario(&[&[(LOAD_THEN_STORE_OTHER, 0)], &[(LOAD_THEN_STORE_OTHER, 1)]]);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        let all = set(&["count 0 | count 0", "count 0 | count 1", "count 1 | count 0"]);
        assert_eq!(outcomes(&scenario, loads), all, "{loads}");
    }
}

// Five threads in all.

#[test]
fn loom_gives_up_beyond_five_threads() {
    let five = || (0..5).map(|_| thread::spawn(|| ())).for_each(drop);
    assert!(catch_unwind(AssertUnwindSafe(|| explored(|| ::loom::model(five)))).is_err());
}

#[test]
fn the_engine_says_that_five_warps_are_too_many() {
    let one: &[(Op, u64)] = &[(LOAD, 0)];
    let error =
        explore_subject(&Loom, Litmus, &scenario(&[one; 5]), &Options::default()).expect_err("too many");
    assert_eq!(error, ScenarioError::Warps { warps: 5, most: 4 });
}

// A limit ends an exploration silently, as if all had been seen.

/// The assertion fails in every execution.
fn always_fails() {
    thread::spawn(|| {
        assert_eq!(AtomicU64::new(0).load(Relaxed), 1);
    });
}

#[test]
fn loom_passes_silently_at_a_limit() {
    let passes = |limit: fn(&mut Builder)| {
        let mut builder = Builder::new();
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.checkpoint_interval = 1;
        limit(&mut builder);
        catch_unwind(AssertUnwindSafe(|| explored(|| builder.check(always_fails)))).is_ok()
    };
    assert!(!passes(|_| ()), "the fault is there");
    assert!(passes(|builder| builder.max_permutations = Some(1)));
    assert!(passes(|builder| builder.max_duration = Some(std::time::Duration::ZERO)));
}

#[test]
fn a_capped_exploration_is_not_passed() {
    let options = Options { max_executions: Some(2), ..Options::default() };
    let report = explore_subject(&Loom, Litmus, &scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]), &options);
    assert_eq!(report.expect("a scenario").verdict, Verdict::Capped);
}

// Real time: executions in which calls begin and return in another order, but which loom takes for one.

/// A register whose reads look at the wrong word. Nothing is wrong unless a read begins after a write has
/// returned.
#[derive(Clone)]
struct Forgetful;

impl Subject for Forgetful {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("word", 64, vec![0, 0])]
    }

    fn run<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M, call: &Call) -> Ret {
        // Relaxed, both: nothing is published.
        match call.op {
            Op::InsertUnique => {
                m.w64(0).store(0, call.value, WriteOrder::Relaxed);
                Ret::Inserted
            }
            _ => Ret::Value(Some(m.w64(0).load(1, ReadOrder::Relaxed)).filter(|value| *value != 0)),
        }
    }
}

/// The programs of the scenario below on loom itself, stamped by a clock that loom does not see. Returns
/// whether any execution has the read begin after the write has returned.
fn read_after_write_without_stamps() -> bool {
    let found = Arc::new(Mutex::new(false));
    let any = Arc::clone(&found);
    ::loom::model(move || {
        let words = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let written = Arc::new(Mutex::new(false));
        let (read, any, done) = (Arc::clone(&words), Arc::clone(&any), Arc::clone(&written));
        thread::spawn(move || {
            *any.lock().unwrap_or_else(PoisonError::into_inner) |= *done.lock().expect("one thread");
            read[1].load(Relaxed);
        });
        thread::spawn(move || {
            words[0].store(1, Relaxed);
            *written.lock().expect("one thread") = true;
        });
    });
    *found.lock().expect("one thread")
}

#[test]
fn real_time_is_lost_without_stamps_and_seen_with_them() {
    assert!(!read_after_write_without_stamps(), "loom runs both orders of accesses that commute");
    let config = Config { lanes: 1, ..Config::default() };
    let programs = vec![vec![Call::new(Op::Search, 5, 0)], vec![Call::new(Op::InsertUnique, 5, 50)]];
    let scenario = Scenario::new("forgetful", "forgetful", config, programs);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        let options = Options { loads: vec![loads], ..Options::default() };
        let report = explore_subject(&Loom, Forgetful, &scenario, &options).expect("a scenario");
        let violation = report.violation.expect("a violation");
        assert_eq!((report.verdict, violation.kind), (Verdict::Violated, Kind::NotLinearizable), "{loads}");
    }
}
