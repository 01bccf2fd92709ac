//! Small structures, right and wrong, in each family.

use super::*;
use crate::arrays;
use crate::check::{Array, Kind, Memory, SimWarp};
use crate::engine::Mode;
use crate::engines::engines;
use warpproof_model::spec::{Call, Counter, Op, Queue, Ret, Set};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

arrays! { Parts: head: w32 = vec![0], tail: w32 = vec![0], cells: w64 = vec![0; 4] }

/// A counter. In its wrong form it reads first and writes later.
#[derive(Clone)]
struct Sum {
    at_once: bool,
}

impl Subject for Sum {
    type Spec = Counter;

    fn spec(&self) -> Counter {
        Counter
    }
    fn arrays(&self) -> Vec<Array> {
        Parts::arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (count, more) = (Parts::head(m), call.value as u32);
        let was = w.elect(0, || match call.op {
            Op::InsertOrAdd if self.at_once => count.fetch_add(0, more, Order::Relaxed),
            Op::InsertOrAdd => {
                let was = count.load(0, ReadOrder::Relaxed);
                count.store(0, was + more, WriteOrder::Relaxed);
                was
            }
            _ => count.load(0, ReadOrder::Relaxed),
        });
        Ret::Count(was.into())
    }
}

const OPS: [Op; 2] = [Op::InsertOrAdd, Op::Count];

#[test]
fn a_counter_is_explored_in_every_family() {
    for lanes in [1, 2] {
        let suite =
            Suite::new("sum", &OPS).lanes(lanes).preload(&[(Op::InsertOrAdd, 1)]).finally(&[Op::Count]);
        let families = [
            (suite.pairs(), 3),
            (suite.triples(), 8 + 4),
            (suite.stalls(), 4),
            (suite.depth(2), 4 + 3),
            (suite.random(7, 20), 20),
        ];
        for (scenarios, expected) in families {
            assert_eq!(scenarios.len(), expected, "{:?}", scenarios.first());
            let explored = explore(&Sum { at_once: true }, &scenarios).expect("no violation");
            assert_eq!(explored.scenarios, expected);
            assert!(explored.executions >= expected as u64);
        }
    }
}

#[test]
fn a_wrong_counter_is_found_and_its_scenario_made_smaller() {
    let suite = Suite::new("sum", &OPS).keys(&[1, 2]);
    let Err(Failed::Violated(violation)) = explore(&Sum { at_once: false }, &suite.triples()) else {
        panic!("two read the same number")
    };
    assert_eq!(violation.kind, Kind::NotLinearizable);
    assert_eq!(violation.scenario.calls().count(), 2, "{}", violation.headline());
    let shown = Failed::Violated(violation).to_string();
    assert!(shown.contains("load Relaxed head[0]: 0"), "{shown}");
}

#[test]
fn what_was_not_explored_is_no_success() {
    let sum = Sum { at_once: true };
    assert!(matches!(explore(&sum, &[]), Err(Failed::Nothing)));
    assert!(
        Suite::new("sum", &[]).pairs().is_empty() && Suite::new("sum", &OPS).keys(&[]).pairs().is_empty()
    );
    let pairs = Suite::new("sum", &OPS).pairs();
    let few = Options { max_executions: Some(1), ..Options::default() };
    let capped = explore_with(&Explore, &sum, (&pairs, &few));
    assert!(matches!(capped, Err(Failed::NotComplete(name)) if name.starts_with("sum/insert_or_add@1")));
    let random = Options { mode: Mode::Random, schedules: 3, ..Options::default() };
    let sampled = explore_with(&Explore, &sum, (&pairs, &random)).expect("no violation");
    assert_eq!(sampled.sampled, pairs.len());
    assert!(sampled.to_string().ends_with("were only sampled"), "{sampled}");
    let wide = Suite::new("sum", &OPS).lanes(3).pairs();
    assert!(matches!(explore(&sum, &wide), Err(Failed::Scenario(_, ScenarioError::Lanes(3)))));
}

#[test]
fn random_programs_are_those_of_their_seed() {
    let suite = Suite::new("sum", &OPS).keys(&[1, 2]);
    assert_eq!(suite.random(3, 9), suite.random(3, 9));
    assert_ne!(suite.random(3, 9), suite.random(4, 9));
    let programs = |s: &Scenario| s.programs.iter().all(|calls| (1..=3).contains(&calls.len()));
    assert!(suite.random(3, 99).iter().all(|s| (2..=4).contains(&s.programs.len()) && programs(s)));
}

/// A set of one key. In one form it returns that it is full at the first attempt, and stores the key at the
/// second.
#[derive(Clone)]
struct One {
    lazy: bool,
    /// Whether it reports when there is no room.
    tells: bool,
}

impl Subject for One {
    type Spec = Set;

    fn spec(&self) -> Set {
        Set { may_fill: true }
    }
    fn arrays(&self) -> Vec<Array> {
        Parts::arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let was = w.elect(0, || {
            if self.lazy && Parts::tail(m).fetch_add(0, 1, Order::Relaxed) == 0 {
                return u32::MAX;
            }
            Parts::head(m).compare_exchange(0, 0, call.key as u32, Order::Relaxed)
        });
        match was {
            0 => Ret::Inserted,
            was if u64::from(was) == call.key => Ret::Present,
            _ => Ret::Full,
        }
    }
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        self.tells.then(|| Parts::head(m).load(0, ReadOrder::Relaxed) != 0)
    }
}

/// A queue of four cells that are never used again: a ticket for each end.
#[derive(Clone)]
struct Tickets;

impl Subject for Tickets {
    type Spec = Queue;

    fn spec(&self) -> Queue {
        Queue { may_fill: true }
    }
    fn arrays(&self) -> Vec<Array> {
        Parts::arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let cells = Parts::cells(m);
        let taken: u64 = w.elect(0, || match call.op {
            Op::Insert => {
                let at = Parts::tail(m).fetch_add(0, 1, Order::AcqRel);
                cells.store(at as usize, call.value, WriteOrder::Release);
                0
            }
            _ => {
                let at = Parts::head(m).load(0, ReadOrder::Acquire);
                let value = cells.load(at as usize, ReadOrder::Acquire);
                let ours = value != 0 && Parts::head(m).compare_exchange(0, at, at + 1, Order::AcqRel) == at;
                if ours { value } else { 0 }
            }
        });
        if call.op == Op::Insert { Ret::Inserted } else { Ret::Value((taken != 0).then_some(taken)) }
    }
}

#[test]
fn a_queue_that_gives_up_is_no_queue() {
    let suite = Suite::new("queue", &[Op::Insert, Op::Delete]);
    assert_eq!(explore(&Tickets, &suite.of_shape(&[3])).expect("alone it is one").scenarios, 8);
    let Err(Failed::Violated(violation)) = explore(&Tickets, &suite.depth(3)) else {
        panic!("an insert may not have stored its value yet, and a delete may lose its exchange")
    };
    assert_eq!(violation.kind, Kind::NotLinearizable);
}

/// The violation found in these scenarios.
fn of_one(one: &One, scenarios: &[Scenario]) -> Option<Kind> {
    match explore(one, scenarios) {
        Ok(_) => None,
        Err(Failed::Violated(violation)) => Some(violation.kind),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_structure_is_full_where_it_or_the_scenario_says_so() {
    let one_key = Suite::new("one", &[Op::InsertUnique]).values(0);
    let two_keys = one_key.clone().keys(&[1, 2]);
    let may_fill = two_keys.clone().may_fill().pairs();
    let two_keys = two_keys.pairs();
    let right = One { lazy: false, tells: false };
    assert_eq!(of_one(&right, &one_key.pairs()), None);
    assert_eq!(of_one(&right, &two_keys), Some(Kind::FullWithRoom), "neither says so");
    assert_eq!(of_one(&right, &may_fill), None, "the scenario says so");
    assert_eq!(of_one(&One { tells: true, ..right }, &two_keys), None, "the structure says so");
}

#[test]
fn full_with_room_left_is_found() {
    let suite = Suite::new("one", &[Op::InsertUnique]).values(0);
    let full = Some(Kind::FullWithRoom);
    assert_eq!(of_one(&One { lazy: true, tells: false }, &suite.pairs()), full);
    let tells = One { lazy: true, tells: true };
    assert_eq!(of_one(&tells, &suite.of_shape(&[2])), full);
    assert_eq!(of_one(&tells, &suite.may_fill().of_shape(&[2])), full, "who tells is asked first");
}

#[test]
fn full_with_room_left_is_found_before_and_after_the_programs() {
    let lazy = One { lazy: true, tells: true };
    let before = Suite::new("one", &[Op::InsertUnique]).values(0).preload(&[(Op::InsertUnique, 1)]);
    let mut after = Suite::new("one", &[Op::InsertUnique]).values(0).of_shape(&[1]);
    let call = after[0].programs[0].pop();
    after[0].finally.extend(call);
    for engine in engines() {
        for scenario in [&before.pairs()[0], &after[0]] {
            let report = explore_subject(*engine, lazy.clone(), scenario, &Options::default());
            let found = report.expect("a scenario").violation.map(|violation| violation.kind);
            assert_eq!(found, Some(Kind::FullWithRoom), "{}: {}", engine.name(), scenario.name);
        }
    }
}
