//! Loom's known holes: each shown with loom itself, and what the engine does about it. If a hole is closed one day
//! its test fails, and the engine could be simpler.

use super::canaries::outcomes;
use super::explore_subject;
use crate::check::litmus::*;
use crate::check::{Array, Config, Kind, Loads, Memory, Scenario, SimWarp, Subject, Verdict};
use crate::engine::Options;
use crate::scenarios::ScenarioError;
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

/// What loom itself sees: what the programs return, and what a load of the first word gives in the end. A thread per
/// program, and none on the main thread.
fn seen(programs: &'static [Program]) -> BTreeSet<(Vec<u64>, u64)> {
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

/// The same without the last load.
fn returns(programs: &'static [Program]) -> BTreeSet<Vec<u64>> {
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
fn loom_loses_outcomes_to_a_load_of_the_own_store() {
    let seen = returns(&[
        |words| {
            words[0].store(1, Relaxed);
            words[1].store(1, Relaxed);
            words[1].store(0, Relaxed);
            words[0].load(Relaxed);
            words[0].store(0, Relaxed);
            0
        },
        |words| 10 * words[1].load(Relaxed) + words[0].load(Relaxed),
    ]);
    assert_eq!(seen.len(), 3, "four outcomes exist: {seen:?}");
}

#[test]
fn every_outcome_of_issue_166_is_seen_with_loads_as_rmw() {
    let scenario = scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]);
    let all = set(&["done | count 0", "done | count 1", "done | count 10", "done | count 11"]);
    assert_eq!(outcomes(&scenario, Loads::AsRmw), all);
}

// Issue 254: a store can come between the two halves of a read-modify-write.

#[test]
fn loom_tears_a_swap_beside_a_store() {
    let seen = seen(&[
        |words| words[0].swap(2, Relaxed),
        |words| {
            words[0].store(1, Relaxed);
            0
        },
    ]);
    println!("254 {seen:?}");
}

#[test]
fn the_engine_254() {
    let mut scenario = scenario(&[&[(SWAP, 2)], &[(STORE, 1)]]);
    scenario.finally = vec![Call::new(LOAD, 0, 0)];
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        println!("254 {loads} {:?}", outcomes(&scenario, loads));
    }
}

// Issue 282: two readers may see two stores in different orders.

#[test]
fn loom_282() {
    let twice: Program = |words| 10 * words[0].load(Relaxed) + words[0].load(Relaxed);
    let _ = twice;
    let seen = returns(&[
        |words| {
            words[0].store(1, Relaxed);
            0
        },
        |words| {
            words[0].store(2, Relaxed);
            0
        },
        |words| 10 * words[0].load(Relaxed) + words[0].load(Relaxed),
        |words| 10 * words[0].load(Relaxed) + words[0].load(Relaxed),
    ]);
    println!("282 {}", seen.contains(&vec![0, 0, 12, 21]));
}

#[test]
fn the_engine_282() {
    let scenario = scenario(&[&[(STORE, 1)], &[(STORE, 2)], &[(LOAD_TWICE, 0)], &[(LOAD_TWICE, 0)]]);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        println!("282 {loads} {:?}", outcomes(&scenario, loads).contains("done | done | values 1 2 | values 2 1"));
    }
}

// SeqCst accesses are AcqRel.

#[test]
fn loom_takes_seqcst_for_acqrel() {
    let seen = returns(&[
        |words| {
            words[0].store(1, SeqCst);
            words[1].load(SeqCst)
        },
        |words| {
            words[1].store(1, SeqCst);
            words[0].load(SeqCst)
        },
    ]);
    assert!(seen.contains(&vec![0, 0]), "{seen:?}");
}

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

// Load buffering is not modelled, by nobody here.

#[test]
fn loom_buffers_no_loads() {
    let seen = returns(&[
        |words| {
            let seen = words[0].load(Relaxed);
            words[1].store(1, Relaxed);
            seen
        },
        |words| {
            let seen = words[1].load(Relaxed);
            words[0].store(1, Relaxed);
            seen
        },
    ]);
    assert!(!seen.contains(&vec![1, 1]), "{seen:?}");
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
    assert!(catch_unwind(AssertUnwindSafe(|| ::loom::model(five))).is_err());
}

#[test]
fn the_engine_says_that_five_warps_are_too_many() {
    let one: &[(Op, u64)] = &[(LOAD, 0)];
    let error = explore_subject(Litmus, &scenario(&[one; 5]), &Options::default()).expect_err("too many");
    assert_eq!(error, ScenarioError::Warps { warps: 5, most: 4 });
}

// A limit ends an exploration silently, as if all had been seen.

/// Two increments that lose one if they interleave; loom runs them one after the other first.
fn lost_update() {
    let word = Arc::new(AtomicU64::new(0));
    let ended = Arc::new(AtomicU64::new(0));
    for _ in 0..2 {
        let (word, ended) = (Arc::clone(&word), Arc::clone(&ended));
        thread::spawn(move || {
            let seen = word.load(Relaxed);
            word.store(seen + 1, Relaxed);
            if ended.fetch_add(1, AcqRel) == 1 {
                assert_eq!(word.load(Relaxed), 2, "an update was lost");
            }
        });
    }
}

#[test]
fn loom_passes_silently_at_a_limit() {
    let check = |limit: fn(&mut Builder)| {
        let mut builder = Builder::new();
        builder.max_permutations = None;
        builder.max_duration = None;
        limit(&mut builder);
        catch_unwind(AssertUnwindSafe(|| builder.check(lost_update))).is_ok()
    };
    assert!(!check(|_| ()), "the fault is there");
    assert!(check(|builder| builder.max_permutations = Some(1)));
    assert!(check(|builder| builder.max_duration = Some(std::time::Duration::ZERO)));
}

#[test]
fn a_capped_exploration_is_not_passed() {
    let options = Options { max_executions: Some(2), ..Options::default() };
    let report = explore_subject(Litmus, &scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]), &options);
    assert_eq!(report.expect("a scenario").verdict, Verdict::Capped);
}

// Real time: what the explorer takes for one class although calls begin and return in another order.

/// A register whose reads look at the wrong word. Nothing is wrong unless a read begins after a write has returned.
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

/// The programs of the scenario below on loom itself, stamped by a clock that loom does not see. Returns whether any
/// execution has the read begin after the write has returned.
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
    let found = *found.lock().expect("one thread");
    found
}

#[test]
fn real_time_is_lost_without_stamps_and_seen_with_them() {
    assert!(!read_after_write_without_stamps(), "loom runs both orders of accesses that commute");
    let config = Config { lanes: 1, ..Config::default() };
    let programs = vec![vec![Call::new(Op::Search, 5, 0)], vec![Call::new(Op::InsertUnique, 5, 50)]];
    let scenario = Scenario::new("forgetful", "forgetful", config, programs);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        let options = Options { loads: vec![loads], ..Options::default() };
        let report = explore_subject(Forgetful, &scenario, &options).expect("a scenario");
        let violation = report.violation.expect("a violation");
        assert_eq!((report.verdict, violation.kind), (Verdict::Violated, Kind::NotLinearizable), "{loads}");
    }
}
