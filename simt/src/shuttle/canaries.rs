//! Canaries: planted faults that must be found within a fixed number of schedules, and what this engine
//! cannot see.

use super::Shuttle;
use crate::check::litmus::{
    LOAD, LOAD_THEN_STORE, Litmus, MEET, RECEIVE, SEND_RELAXED, STORE_LOAD, WAIT, WILD, scenario, set,
};
use crate::check::{
    Array, Config, Kind, Memory, Reads, Report, Scenario, ScenarioError, SimWarp, Stall, Subject, Verdict,
    Violation,
};
use crate::engine::{Options, explore_again, explore_subject};
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// A counter under a lock, a claim (the first caller gets it), and a pair of flags. Each has a planted fault,
/// or none.
#[derive(Clone)]
struct Planted {
    faulty: bool,
}

/// Adds one; returns what was there.
const ADD: Op = Op::Other(0);
/// Adds one under a lock.
const LOCKED_ADD: Op = Op::Other(1);
/// Claims the one thing that there is.
const CLAIM: Op = Op::Other(2);
/// Raises a flag, looks at the other's, lowers its own.
const RAISE: Op = Op::Other(3);
/// Answers a raised flag for a moment.
const ANSWER: Op = Op::Other(4);

/// The words of [`Planted`].
const COUNT: usize = 0;
const LOCK: usize = 1;
const CLAIMED: usize = 2;
const RAISED: usize = 3;
const ANSWERED: usize = 4;

/// What [`Planted`] is, sequentially: the number of calls of the same operation so far. Of claims, the first
/// gets the thing.
#[derive(Clone, Copy)]
struct Counting;

impl Spec for Counting {
    type State = u64;

    fn initial(&self, _key: u64) -> u64 {
        0
    }

    fn step(&self, state: &u64, call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        let right = match (call.op, ret) {
            (_, None) => true,
            (ADD | LOCKED_ADD, Some(Ret::Count(seen))) => seen == state,
            (CLAIM, Some(ret)) => *ret == if *state == 0 { Ret::Inserted } else { Ret::Present },
            (_, Some(ret)) => *ret == Ret::Done,
        };
        if right {
            next.push(state + 1);
        }
    }
}

impl Planted {
    fn add<M: Memory>(&self, m: M) -> Ret {
        let words = m.w64(0);
        // Relaxed, here and below: memory is sequentially consistent.
        if !self.faulty {
            return Ret::Count(words.fetch_add(COUNT, 1, Order::Relaxed));
        }
        let seen = words.load(COUNT, ReadOrder::Relaxed);
        words.store(COUNT, seen + 1, WriteOrder::Relaxed);
        Ret::Count(seen)
    }

    /// The lock is 0, 1 (held) or 2 (held, and another warp waits). The fault: a warp that unlocks forgets
    /// that one may wait.
    fn locked_add<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Ret {
        let words = m.w64(0);
        while words.compare_exchange(LOCK, 0, 1, Order::Relaxed) != 0 {
            words.compare_exchange(LOCK, 1, 2, Order::Relaxed);
            w.pause();
        }
        let seen = words.load(COUNT, ReadOrder::Relaxed);
        words.store(COUNT, seen + 1, WriteOrder::Relaxed);
        if self.faulty {
            words.compare_exchange(LOCK, 1, 0, Order::Relaxed);
        } else {
            words.swap(LOCK, 0, Order::Relaxed);
        }
        Ret::Count(seen)
    }

    /// The fault, of depth 2: another warp claims between the check and the act.
    fn claim<M: Memory>(&self, m: M) -> Ret {
        let words = m.w64(0);
        let claimed = if self.faulty {
            let seen = words.load(CLAIMED, ReadOrder::Relaxed);
            words.store(CLAIMED, 1, WriteOrder::Relaxed);
            seen
        } else {
            words.swap(CLAIMED, 1, Order::Relaxed)
        };
        if claimed == 0 { Ret::Inserted } else { Ret::Present }
    }

    /// The fault, of depth 3: both flags are up at once only if each warp goes on while the other is in the
    /// middle.
    fn raise<M: Memory>(&self, m: M) -> Ret {
        let words = m.w64(0);
        words.store(RAISED, 1, WriteOrder::Relaxed);
        let answered = words.load(ANSWERED, ReadOrder::Relaxed);
        words.store(RAISED, 0, WriteOrder::Relaxed);
        if self.faulty && answered == 1 { Ret::Absent } else { Ret::Done }
    }

    fn answer<M: Memory>(&self, m: M) -> Ret {
        let words = m.w64(0);
        if words.load(RAISED, ReadOrder::Relaxed) == 1 {
            words.store(ANSWERED, 1, WriteOrder::Relaxed);
            words.store(ANSWERED, 0, WriteOrder::Relaxed);
        }
        Ret::Done
    }
}

impl Subject for Planted {
    type Spec = Counting;

    fn spec(&self) -> Counting {
        Counting
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("word", 64, vec![0; 5])]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            ADD => self.add(m),
            LOCKED_ADD => self.locked_add(w, m),
            CLAIM => self.claim(m),
            RAISE => self.raise(m),
            _ => self.answer(m),
        }
    }
}

/// Schedules in which every planted fault must be found.
const SCHEDULES: u64 = 100;

fn options() -> Options {
    Options { schedules: SCHEDULES, seed: 7, ..Options::default() }
}

fn check(faulty: bool, programs: &[&[Op]]) -> Report {
    let config = Config { lanes: 1, ..Config::default() };
    let call = |op: &Op| match op {
        // Each operation is a history of its own.
        Op::Other(number) => Call::new(*op, u64::from(*number), 0),
        _ => Call::new(*op, 0, 0),
    };
    let programs = programs.iter().map(|ops| ops.iter().map(call).collect());
    let scenario = Scenario::new("planted", "planted", config, programs.collect());
    explore_subject(&Shuttle, Planted { faulty }, &scenario, &options()).expect("a scenario")
}

/// The fault is found as `kind`; without it as many schedules find nothing.
fn expect(kind: Kind, programs: &[&[Op]]) -> Violation {
    let right = check(false, programs);
    assert_eq!(right.verdict, Verdict::Sampled, "{:?}", right.violation.map(|v| v.timeline()));
    assert_eq!(right.executions, SCHEDULES);
    let violation = *check(true, programs).violation.expect("a violation");
    assert_eq!(violation.kind, kind, "{}", violation.timeline());
    violation
}

#[test]
fn a_lost_update_is_found() {
    expect(Kind::NotLinearizable, &[&[ADD], &[ADD]]);
    expect(Kind::NotLinearizable, &[&[ADD, ADD] as &[Op]; 8]);
}

#[test]
fn a_lock_that_is_not_released_is_found() {
    expect(Kind::StepBound, &[&[LOCKED_ADD, LOCKED_ADD], &[LOCKED_ADD], &[LOCKED_ADD]]);
}

#[test]
fn a_check_before_an_act_is_found() {
    expect(Kind::NotLinearizable, &[&[CLAIM] as &[Op]; 5]);
}

#[test]
fn a_fault_that_needs_two_preemptions_is_found() {
    expect(Kind::NotLinearizable, &[&[RAISE], &[ANSWER]]);
    expect(Kind::NotLinearizable, &[&[RAISE], &[ANSWER], &[ADD, ADD], &[ADD]]);
}

#[test]
fn the_seed_decides_everything_and_is_told() {
    let programs: &[&[Op]] = &[&[ADD, CLAIM], &[CLAIM, ADD], &[CLAIM]];
    let [first, second] = [check(true, programs), check(true, programs)].map(|report| report.violation);
    assert_eq!(first, second);
    let violation = first.expect("a violation");
    assert!(
        violation.sample.as_ref().is_some_and(|s| (s.seed, s.schedules) == (7, SCHEDULES)),
        "{:?}",
        violation.sample
    );
    // What `warpproof replay` does.
    let text = serde_json::to_string(&violation).expect("JSON");
    let read: Box<Violation> = serde_json::from_str(&text).expect("a violation");
    assert!(read.timeline().contains("--seed 7 --schedules 100"), "{}", read.timeline());
    assert_eq!(read, violation);
    // And with `--again`: the seed is the violation's.
    let again = explore_again(&read, &|scenario, options| {
        explore_subject(&Shuttle, Planted { faulty: true }, scenario, options)
    });
    assert_eq!(again.expect("a scenario").violation, Some(violation));
    let [first, second] = [1, 2].map(|seed| {
        let options = Options { schedules: 4, seed, ..Options::default() };
        let programs = all_run(&[(LOAD, 0), (STORE_LOAD, 0), (LOAD, 1)], 4);
        explore_subject(&Shuttle, Litmus, &programs, &options).expect("a scenario").outcomes
    });
    assert_ne!(first, second, "another seed, other schedules");
}

/// A scenario of this many warps with the same program.
fn all_run(program: &[(Op, u64)], warps: usize) -> Scenario {
    scenario(&vec![program; warps])
}

fn litmus(scenario: &Scenario) -> Report {
    explore_subject(&Shuttle, Litmus, scenario, &options()).expect("a scenario")
}

/// This engine's memory is sequentially consistent: what a missing release or a missing fence does, it does
/// not show. `loom::canaries` and `loom::holes` show it of the same programs.
#[test]
fn weak_memory_is_not_seen() {
    let relaxed = litmus(&scenario(&[&[(SEND_RELAXED, 0)], &[(RECEIVE, 0)]]));
    assert_eq!(relaxed.verdict, Verdict::Sampled);
    assert!(relaxed.outcomes.contains("done | values 1 7"));
    assert!(!relaxed.outcomes.contains("done | values 1 0"), "{:?}", relaxed.outcomes);
    let buffering = litmus(&scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]));
    assert_eq!(buffering.outcomes, set(&["count 0 | count 1", "count 1 | count 0", "count 1 | count 1"]));
}

#[test]
fn waiting_for_a_stalled_warp_exceeds_the_step_bound_unless_it_is_allowed() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(WAIT, 0)]]);
    assert_eq!(litmus(&scenario).outcomes, set(&["done | done"]));
    scenario.stall = Some(Stall { warp: 0, after: None });
    let violation = litmus(&scenario).violation.expect("a violation");
    assert_eq!((violation.kind, violation.stalled_after), (Kind::StepBound, Some(0)));
    scenario.allows.blocking = true;
    let report = litmus(&scenario);
    assert_eq!(report.verdict, Verdict::Sampled, "{:?}", report.violation);
    assert_eq!(report.executions, 3 * SCHEDULES, "before each of two accesses, and never");
}

#[test]
fn a_warp_that_is_missing_at_a_barrier_is_found() {
    assert_eq!(litmus(&all_run(&[(MEET, 0)], 8)).verdict, Verdict::Sampled);
    let violation = litmus(&scenario(&[&[(MEET, 0)], &[(LOAD, 0)]])).violation.expect("a violation");
    assert_eq!(violation.kind, Kind::BarrierDivergence);
}

#[test]
fn a_wild_index_is_out_of_bounds() {
    let violation = litmus(&scenario(&[&[(WILD, 0)]])).violation.expect("a violation");
    assert_eq!(violation.kind, Kind::OutOfBounds);
}

#[test]
fn snapshots_are_one_step() {
    let mut programs = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    programs.reads = Reads::Snapshot;
    assert_eq!(litmus(&programs).outcomes.len(), 3);
}

#[test]
fn fewer_schedules_than_asked_for_are_capped() {
    let programs = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    let options = Options { max_executions: Some(3), ..options() };
    let report = explore_subject(&Shuttle, Litmus, &programs, &options).expect("a scenario");
    assert_eq!((report.verdict, report.executions), (Verdict::Capped, 3));
}

#[test]
fn nine_warps_are_too_many() {
    let nine = all_run(&[(LOAD, 0)], 9);
    let error = explore_subject(&Shuttle, Litmus, &nine, &options()).expect_err("too many");
    assert_eq!(error, ScenarioError::Warps { warps: 9, most: 8 });
}
