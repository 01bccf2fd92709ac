//! Families of programs.

use crate::check::{Config, Scenario};
use crate::scenarios::dice::Dice;
use crate::scenarios::family::{self, Keys, Programs};
use crate::scenarios::form;
use warpproof_model::spec::{Call, Op};

/// What a family of scenarios is made of: the operations, the keys, and the table's size.
///
/// Each call that stores has a value of its own, so that a lost or a torn one is seen. Scenarios have names:
/// the suite's, the calls of each warp, and whether calls came before, as in
/// `mine/insert_unique@1+search@1/empty`.
#[derive(Clone, Debug)]
pub struct Suite {
    name: String,
    ops: Vec<Op>,
    keys: Vec<u64>,
    config: Config,
    preload: Vec<family::Step>,
    finally: Vec<Op>,
    full: bool,
    values: Option<u64>,
}

impl Suite {
    /// Of these operations, on key 1, by warps of one lane, on a structure that holds nothing.
    pub fn new(name: &str, ops: &[Op]) -> Self {
        Self {
            name: name.to_owned(),
            ops: ops.to_vec(),
            keys: vec![1],
            config: Config { lanes: 1, ..Config::default() },
            preload: Vec::new(),
            finally: Vec::new(),
            full: false,
            values: None,
        }
    }

    /// On these keys. An object without keys, such as a queue, has one.
    #[must_use]
    pub fn keys(self, keys: &[u64]) -> Self {
        Self { keys: keys.to_vec(), ..self }
    }

    /// By warps of so many lanes: 1, 2 or 4.
    #[must_use]
    pub fn lanes(self, lanes: u32) -> Self {
        Self { config: Config { lanes, ..self.config }, ..self }
    }

    /// Of a structure that these calls, made one after the other, have filled before.
    #[must_use]
    pub fn preload(self, calls: &[(Op, u64)]) -> Self {
        Self { preload: calls.to_vec(), ..self }
    }

    /// In the end, when all warps have finished, each of these operations is called on each key.
    #[must_use]
    pub fn finally(self, ops: &[Op]) -> Self {
        Self { finally: ops.to_vec(), ..self }
    }

    /// A call may find no room. Otherwise that is a violation, unless the structure itself tells that there
    /// was none ([`Subject::exhausted`](crate::check::Subject::exhausted)).
    #[must_use]
    pub fn may_fill(self) -> Self {
        Self { full: true, ..self }
    }

    /// Every call that stores has this value, and not one of its own: 0 for a set, which has no values, or 1
    /// for a counter that hands out tickets.
    #[must_use]
    pub fn values(self, value: u64) -> Self {
        Self { values: Some(value), ..self }
    }

    /// Every pair of calls, by two warps.
    pub fn pairs(&self) -> Vec<Scenario> {
        self.of_shape(&[1, 1])
    }

    /// Every two calls of one warp beside one of another; every three calls by three warps.
    pub fn triples(&self) -> Vec<Scenario> {
        [self.of_shape(&[2, 1]), self.of_shape(&[1, 1, 1])].concat()
    }

    /// Every pair of calls, of which the first stops for ever at each of its steps in turn: the second one
    /// finishes all the same, as in a structure without locks.
    pub fn stalls(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| false)).collect()
    }

    /// Every pair of calls with a first one that stops, of a structure that may wait: the second one need not
    /// finish, and what it answers is checked if it does.
    pub fn stalls_that_block(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| true)).collect()
    }

    /// All programs of so many calls, by four warps at most, up to symmetry.
    pub fn depth(&self, calls: usize) -> Vec<Scenario> {
        family::shapes(calls, WARPS).iter().flat_map(|shape| self.of_shape(shape)).collect()
    }

    /// `n` programs of two to four warps with one to three calls each, drawn at random. A seed gives the same
    /// ones each time.
    pub fn random(&self, seed: usize, n: usize) -> Vec<Scenario> {
        if self.ops.is_empty() || self.keys.is_empty() {
            return Vec::new();
        }
        let mut dice = Dice::new(seed);
        let mut scenario = |number: usize| {
            let mut programs: Programs = vec![Vec::new(); 2 + dice.roll(WARPS - 1)];
            for program in &mut programs {
                let calls = 1 + dice.roll(3);
                let step = |_| (self.ops[dice.roll(self.ops.len())], self.keys[dice.roll(self.keys.len())]);
                program.extend((0..calls).map(step));
            }
            let mut scenario = self.scenario(&programs);
            scenario.name += &format!("/random_{seed}_{number}");
            scenario
        };
        (0..n).map(&mut scenario).collect()
    }

    /// All programs of a shape: how many calls each warp makes, the largest first; up to symmetry.
    pub fn of_shape(&self, shape: &[usize]) -> Vec<Scenario> {
        if self.ops.is_empty() || self.keys.is_empty() {
            return Vec::new();
        }
        let keys = Keys { fixed: self.keys.clone(), free: Vec::new(), most: self.keys.len() };
        family::programs(shape, &self.ops, &keys).iter().map(|programs| self.scenario(programs)).collect()
    }

    /// Pairs in which either call is the first.
    fn ordered_pairs(&self) -> Vec<Scenario> {
        let turned = |scenario: &Scenario| {
            let programs: Programs = scenario.programs.iter().rev().map(|calls| steps(calls)).collect();
            (programs[0] != programs[1]).then(|| self.scenario(&programs))
        };
        let pairs = self.pairs();
        let others: Vec<Scenario> = pairs.iter().filter_map(turned).collect();
        [pairs, others].concat()
    }

    fn scenario(&self, programs: &Programs) -> Scenario {
        let called = |(op, key): &family::Step| format!("{op}@{key}");
        let place = if self.preload.is_empty() { "empty" } else { "filled" };
        let config = self.config.clone();
        let mut scenario = form::scenario((&self.name, place), config, programs, called, true);
        let before = |(number, &(op, key)): (usize, &family::Step)| {
            Call::new(op, key, if form::stores(op) { 100 + number as u64 } else { 0 })
        };
        scenario.preload = self.preload.iter().enumerate().map(before).collect();
        if let Some(value) = self.values {
            let calls = scenario.programs.iter_mut().flatten().chain(&mut scenario.preload);
            calls.filter(|call| form::stores(call.op)).for_each(|call| call.value = value);
        }
        let each = |&key: &u64| self.finally.iter().map(move |&op| Call::new(op, key, 0));
        scenario.finally = self.keys.iter().flat_map(each).collect();
        scenario.allows.full = self.full;
        scenario
    }
}

/// Warps of one scenario, at most.
const WARPS: usize = 4;

fn steps(calls: &[Call]) -> Vec<family::Step> {
    calls.iter().map(|call| (call.op, call.key)).collect()
}
