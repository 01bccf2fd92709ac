//! Canaries: loom's known holes, shown, and that the engine does not fall into them.

use super::explore_subject;
use crate::check::{Array, Config, Kind, Loads, Memory, Reads, Scenario, SimWarp, Stall, Subject, Verdict};
use crate::engine::Options;
use ::loom::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// A subject whose operations are small programs over two words; every return is allowed.
#[derive(Clone)]
struct Litmus;

#[derive(Clone, Copy)]
struct Anything;

impl Spec for Anything {
    type State = ();

    fn initial(&self, _key: u64) {}

    fn step(&self, (): &(), _call: &Call, _ret: Option<&Ret>, next: &mut Vec<()>) {
        next.push(());
    }
}

/// The operations of [`Litmus`].
const LOAD_THEN_STORE: Op = Op::Other(0);
const LOAD: Op = Op::Other(1);
const PULSE: Op = Op::Other(2);
const LOOK: Op = Op::Other(3);
const STORE_FENCE_LOAD: Op = Op::Other(4);
const STORE_LOAD: Op = Op::Other(5);
const WILD: Op = Op::Other(6);
const WAIT: Op = Op::Other(7);
const MEET: Op = Op::Other(8);
const SEND: Op = Op::Other(9);
const RECEIVE: Op = Op::Other(10);
const SEND_RELAXED: Op = Op::Other(11);

impl Subject for Litmus {
    type Spec = Anything;

    fn spec(&self) -> Anything {
        Anything
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("word", 64, vec![0, 0])]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let words = m.w64(0);
        let load = |at| words.load(at, ReadOrder::Relaxed);
        let store = |at, value| words.store(at, value, WriteOrder::Relaxed);
        let me = call.key as usize;
        match call.op {
            LOAD_THEN_STORE => {
                load(0);
                store(0, 1);
            }
            LOAD => return Ret::Count(load(0)),
            PULSE => {
                store(0, 1);
                store(1, 1);
                store(1, 0);
                load(0);
                store(0, 0);
            }
            LOOK => return Ret::Count(10 * load(1) + load(0)),
            STORE_FENCE_LOAD => {
                store(me, 1);
                w.fence();
                return Ret::Count(load(1 - me));
            }
            STORE_LOAD => {
                store(me, 1);
                return Ret::Count(load(1 - me));
            }
            WILD => return Ret::Count(load(2)),
            WAIT => {
                while load(0) == 0 {
                    w.pause();
                }
            }
            MEET => w.block().sync(),
            SEND => {
                store(0, 7);
                words.fetch_add(1, 1, Order::Release);
            }
            SEND_RELAXED => {
                store(0, 7);
                words.fetch_add(1, 1, Order::Relaxed);
            }
            RECEIVE => {
                let flag = words.load(1, ReadOrder::Acquire);
                return Ret::Values(vec![flag, load(0)]);
            }
            _ => {}
        }
        Ret::Done
    }
}

fn scenario(programs: &[&[(Op, u64)]]) -> Scenario {
    let config = Config { lanes: 1, ..Config::default() };
    let call = |&(op, key): &(Op, u64)| Call::new(op, key, 0);
    let programs = programs.iter().map(|calls| calls.iter().map(call).collect());
    Scenario::new("litmus", "litmus", config, programs.collect())
}

fn outcomes(scenario: &Scenario, loads: Loads) -> BTreeSet<String> {
    let options = Options { loads: vec![loads], ..Options::default() };
    let report = explore_subject(Litmus, scenario, &options).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.violation);
    report.outcomes
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// Loom itself, with one program on the main thread: an outcome is lost (issue 392).
#[test]
fn loom_does_not_explore_its_main_thread() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let outcomes = Arc::clone(&seen);
    ::loom::model(move || {
        let word = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&word);
        let thread = ::loom::thread::spawn(move || {
            other.load(Ordering::Relaxed);
            other.store(1, Ordering::Relaxed);
        });
        let read = word.load(Ordering::Relaxed);
        thread.join().expect("a thread that ends");
        outcomes.lock().expect("one thread").insert(read);
    });
    assert_eq!(seen.lock().expect("one thread").len(), 1, "the hole is closed: the engine could be simpler");
}

#[test]
fn every_outcome_of_issue_392_is_seen() {
    let scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(LOAD, 0)]]);
    for loads in [Loads::AsLoads, Loads::AsRmw] {
        assert_eq!(outcomes(&scenario, loads), set(&["done | count 0", "done | count 1"]), "{loads}");
    }
}

#[test]
fn every_outcome_of_issue_166_is_seen_with_loads_as_rmw() {
    let scenario = scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]);
    let all = set(&["done | count 0", "done | count 1", "done | count 10", "done | count 11"]);
    assert_eq!(outcomes(&scenario, Loads::AsRmw), all);
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
        explore_subject(Litmus, &scenario(&[&[(WILD, 0)]]), &Options::default()).expect("a scenario");
    let violation = report.violation.expect("a violation");
    assert_eq!((report.verdict, violation.kind), (Verdict::Violated, Kind::OutOfBounds));
}

#[test]
fn waiting_for_a_stalled_warp_exceeds_the_step_bound_unless_it_is_allowed() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(WAIT, 0)]]);
    assert_eq!(outcomes(&scenario, Loads::AsLoads), set(&["done | done"]));
    scenario.stall = Some(Stall { warp: 0, after: Some(1) });
    let report = explore_subject(Litmus, &scenario, &Options::default()).expect("a scenario");
    let violation = report.violation.expect("a violation");
    assert_eq!(violation.kind, Kind::StepBound);
    scenario.allows.blocking = true;
    let report = explore_subject(Litmus, &scenario, &Options::default()).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.violation);
}

#[test]
fn a_warp_that_is_missing_at_a_barrier_is_found() {
    let together = scenario(&[&[(MEET, 0)], &[(MEET, 0)], &[(MEET, 0)]]);
    assert_eq!(outcomes(&together, Loads::AsLoads), set(&["done | done | done"]));
    let missing = scenario(&[&[(MEET, 0)], &[(LOAD, 0)]]);
    let report = explore_subject(Litmus, &missing, &Options::default()).expect("a scenario");
    assert_eq!(report.violation.expect("a violation").kind, Kind::BarrierDivergence);
}

#[test]
fn a_capped_exploration_is_not_passed() {
    let options = Options { max_executions: Some(2), ..Options::default() };
    let report = explore_subject(Litmus, &scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]), &options);
    assert_eq!(report.expect("a scenario").verdict, Verdict::Capped);
}

#[test]
fn an_expected_outcome_that_is_not_seen_is_blindness() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(LOAD, 0)]]);
    scenario.expects = vec!["done | count 2".to_string()];
    let report = explore_subject(Litmus, &scenario, &Options::default()).expect("a scenario");
    assert_eq!(report.verdict, Verdict::Blind);
    assert_eq!(report.unseen, set(&["done | count 2"]));
}

#[test]
fn snapshots_have_no_stale_values() {
    let mut scenario = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    scenario.reads = Reads::Snapshot;
    assert_eq!(outcomes(&scenario, Loads::AsLoads).len(), 3);
}
