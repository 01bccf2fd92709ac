//! Families of programs.

use crate::check::{Config, Scenario};
use crate::scenarios::dice::Dice;
use crate::scenarios::family::{self, Keys, Programs};
use crate::scenarios::form;
use warpproof_model::spec::{Call, Op};

/// The parts of a family of scenarios: the operations, the keys, and the table's size.
///
/// Each call that stores has its own value, so that a lost or torn value is seen. The name of a scenario
/// consists of the suite's name, the calls of each warp, and whether there were earlier calls, as in
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
    /// A suite of these operations, on key 1, by warps of one lane, on an empty structure.
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

    /// Sets the keys. An object without keys, such as a queue, has one key.
    #[must_use]
    pub fn keys(self, keys: &[u64]) -> Self {
        Self { keys: keys.to_vec(), ..self }
    }

    /// Sets the number of lanes per warp: 1, 2 or 4.
    #[must_use]
    pub fn lanes(self, lanes: u32) -> Self {
        Self { config: Config { lanes, ..self.config }, ..self }
    }

    /// Sets calls that are made before the programs, one after the other.
    #[must_use]
    pub fn preload(self, calls: &[(Op, u64)]) -> Self {
        Self { preload: calls.to_vec(), ..self }
    }

    /// Sets operations that are called on each key at the end, when all warps have finished.
    #[must_use]
    pub fn finally(self, ops: &[Op]) -> Self {
        Self { finally: ops.to_vec(), ..self }
    }

    /// Allows a call to find no room. Otherwise that is a violation, unless the structure itself reports that
    /// there was none ([`Subject::exhausted`](crate::check::Subject::exhausted)).
    #[must_use]
    pub fn may_fill(self) -> Self {
        Self { full: true, ..self }
    }

    /// Sets one value for every call that stores: 0 for a set, which has no values, or 1 for a counter that
    /// hands out tickets.
    #[must_use]
    pub fn values(self, value: u64) -> Self {
        Self { values: Some(value), ..self }
    }

    /// Every pair of calls, by two warps.
    pub fn pairs(&self) -> Vec<Scenario> {
        self.of_shape(&[1, 1])
    }

    /// Every two calls of one warp together with one call of another; every three calls by three warps.
    pub fn triples(&self) -> Vec<Scenario> {
        [self.of_shape(&[2, 1]), self.of_shape(&[1, 1, 1])].concat()
    }

    /// Every pair of calls, of which the first stops for ever at each of its steps in turn. The second must
    /// finish nevertheless, as in a structure without locks.
    pub fn stalls(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| false)).collect()
    }

    /// Every pair of calls, of which the first stops for ever, for a structure that may wait. The second need
    /// not finish; if it does, its answer is checked.
    pub fn stalls_that_block(&self) -> Vec<Scenario> {
        self.ordered_pairs().into_iter().map(|scenario| form::stalled(scenario, |_| true)).collect()
    }

    /// All programs of so many calls, by at most four warps, up to symmetry.
    pub fn depth(&self, calls: usize) -> Vec<Scenario> {
        family::shapes(calls, WARPS).iter().flat_map(|shape| self.of_shape(shape)).collect()
    }

    /// `n` programs of two to four warps with one to three calls each, drawn at random. Equal seeds give
    /// equal programs.
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

    /// All programs of a shape, up to symmetry. The shape is the number of calls of each warp, the largest
    /// first.
    pub fn of_shape(&self, shape: &[usize]) -> Vec<Scenario> {
        if self.ops.is_empty() || self.keys.is_empty() {
            return Vec::new();
        }
        let keys = Keys { fixed: self.keys.clone(), free: Vec::new(), most: self.keys.len() };
        family::programs(shape, &self.ops, &keys).iter().map(|programs| self.scenario(programs)).collect()
    }

    /// Pairs of calls in both orders.
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

/// The most warps of one scenario.
const WARPS: usize = 4;

fn steps(calls: &[Call]) -> Vec<family::Step> {
    calls.iter().map(|call| (call.op, call.key)).collect()
}
