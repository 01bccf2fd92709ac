//! Tests of the checks on complete graphs, with a structure of one word.

use super::Explore;
use crate::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject, Verdict};
use crate::engine::{Options, explore_subject};
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{ReadOrder, Words, WriteOrder};

const WRITE: Op = Op::Other(0);
const READ: Op = Op::Other(1);
const NOTHING: Op = Op::Other(2);
/// Says that there was no room.
const FULL: Op = Op::Other(3);

/// Panics.
const PANIC: Op = Op::Other(4);

/// A register. There is no room where it holds 1.
#[derive(Clone)]
struct Register;

impl Spec for Register {
    type State = u64;
    fn initial(&self, _key: u64) -> u64 {
        0
    }
    fn step(&self, state: &u64, call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        match call.op {
            WRITE => next.push(1),
            READ if ret.is_some_and(|ret| *ret != Ret::Count(*state)) => {}
            _ => next.push(*state),
        }
    }
}

impl Subject for Register {
    type Spec = Self;
    fn spec(&self) -> Self {
        Self
    }
    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("register", 64, vec![0])]
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let word = m.w64(0);
        match call.op {
            WRITE => {
                word.store(0, 1, WriteOrder::Relaxed);
                Ret::Done
            }
            READ => Ret::Count(w.elect(0, || word.load(0, ReadOrder::Relaxed))),
            FULL => Ret::Full,
            PANIC => panic!("as asked"),
            _ => Ret::Done,
        }
    }
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        Some(m.w64(0).load(0, ReadOrder::Relaxed) == 1)
    }
}

fn verdict(programs: &[&[Op]]) -> (Verdict, Option<Kind>) {
    verdict_of(&scenario(programs))
}

fn scenario(programs: &[&[Op]]) -> Scenario {
    let calls = |ops: &&[Op]| ops.iter().map(|op| Call::new(*op, 0, 0)).collect();
    let config = Config { lanes: 1, ..Config::default() };
    Scenario::new("register", "register", config, programs.iter().map(calls).collect())
}

fn verdict_of(scenario: &Scenario) -> (Verdict, Option<Kind>) {
    let report = explore_subject(&Explore, Register, scenario, &Options::default()).expect("a scenario");
    (report.verdict, report.violation.map(|violation| violation.kind))
}

const PASSED: (Verdict, Option<Kind>) = (Verdict::Passed, None);
const FULL_WITH_ROOM: (Verdict, Option<Kind>) = (Verdict::Violated, Some(Kind::FullWithRoom));

/// If the write returned before the second call began, and that one returned before the read began, the read
/// sees it.
#[test]
fn real_time_goes_through_a_call_without_accesses() {
    assert_eq!(verdict(&[&[WRITE], &[NOTHING], &[READ]]), PASSED);
    assert_eq!(verdict(&[&[WRITE], &[NOTHING, READ]]), PASSED);
}

/// A `Full` is excused by a state that can have come before its return, and by no other.
#[test]
fn a_later_state_excuses_no_full() {
    assert_eq!(verdict(&[&[FULL]]), FULL_WITH_ROOM);
    assert_eq!(verdict(&[&[FULL, WRITE]]), FULL_WITH_ROOM);
    assert_eq!(verdict(&[&[WRITE, FULL]]), PASSED);
    assert_eq!(verdict(&[&[FULL], &[WRITE]]), PASSED);
    assert_eq!(verdict(&[&[WRITE], &[FULL]]), PASSED);
}

/// Wherever the structure panics, that is a violation, not the end of the checker.
#[test]
fn a_panic_is_a_violation() {
    let panics = (Verdict::Violated, Some(Kind::Panic));
    assert_eq!(verdict(&[&[PANIC]]), panics);
    for at in 0..2 {
        let mut scenario = scenario(&[&[READ]]);
        let calls = if at == 0 { &mut scenario.preload } else { &mut scenario.finally };
        calls.push(Call::new(PANIC, 0, 0));
        assert_eq!(verdict_of(&scenario), panics);
    }
}
