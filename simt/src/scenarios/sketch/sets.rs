//! The sets of scenarios.

use super::{ABSORB, FILTER, REGISTERS};
use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, Step, programs};
use crate::scenarios::form;
use warpproof_model::spec::{Call, Op};

/// Programs on two keys or registers of one sketch. Calls that absorb name the first one.
#[derive(Clone)]
struct Family {
    structure: &'static str,
    ops: [Op; 3],
    lanes: u32,
    words: u32,
    keys: [u64; 2],
    /// What the second sketch holds: the first key or register, and one that no call names.
    other: [u32; 2],
    /// The rank of the first register there.
    rank: u64,
    preload: Vec<Call>,
}

/// Lanes, and words of a block: lanes with one word, with several, and without one.
const SHAPES: [(u32, u32); 4] = [(1, 2), (2, 2), (2, 3), (4, 3)];

/// Keys that share a bit of the first word, of the second word, of the third word, and of different blocks.
const PAIRS: [([u64; 2], [u32; 2]); 4] =
    [([6, 30], [6, 1]), ([5, 2], [5, 3]), ([3, 2], [3, 5]), ([6, 2], [6, 1])];

/// Filters of a shape, in which no key is there at first, or the second one is.
fn filters((lanes, words): (u32, u32)) -> impl Iterator<Item = Family> {
    PAIRS.into_iter().filter(move |(keys, _)| words == 3 || *keys != [3, 2]).flat_map(move |(keys, other)| {
        let there = vec![Call::new(Op::Insert, keys[1], 0)];
        let of = move |preload| {
            let ops = [Op::Insert, Op::Search, ABSORB];
            Family { structure: FILTER, ops, lanes, words, keys, other, rank: 0, preload }
        };
        [Vec::new(), there].map(of)
    })
}

/// Registers of one word, and of two. At first all are zero, or the first one has a rank that calls raise.
fn registers(lanes: u32) -> impl Iterator<Item = Family> {
    const RANK: u32 = 15;
    [[1, 2], [9, 1]].into_iter().flat_map(move |keys: [u64; 2]| {
        let first = keys[0] as u32;
        let other = [first << 8 | RANK, (first / 8 * 8 + 7) << 8 | 3];
        let there = vec![Call::new(Op::Insert, keys[0], 12)];
        let of = move |preload| {
            let ops = [Op::Insert, Op::Count, ABSORB];
            Family { structure: REGISTERS, ops, lanes, words: 2, keys, other, rank: RANK.into(), preload }
        };
        [Vec::new(), there].map(of)
    })
}

impl Family {
    /// All programs of a shape, up to symmetry.
    fn of_shape(&self, shape: &[usize]) -> Vec<Scenario> {
        let keys = Keys { fixed: self.keys.to_vec(), free: Vec::new(), most: 2 };
        let all = programs(shape, &self.ops, &keys);
        let steps = |programs: &Programs| {
            programs.iter().flatten().all(|&(op, key)| op != ABSORB || key == self.keys[0])
        };
        all.iter().filter(|programs| steps(programs)).map(|programs| self.scenario(programs)).collect()
    }

    /// Two calls, of which each stops in turn, at each of its steps.
    fn stalls(&self) -> Vec<Scenario> {
        let never = |scenario| form::stalled(scenario, |_| false);
        let first: Vec<_> = self.of_shape(&[1, 1]).into_iter().map(never).collect();
        let second = first.iter().cloned().map(|scenario| form::stalled_second(scenario, |_| false));
        first.iter().cloned().chain(second).collect()
    }

    fn scenario(&self, programs: &Programs) -> Scenario {
        let called = |&(op, key): &Step| {
            if op == ABSORB { format!("absorb@{key}") } else { format!("{op}@{key}") }
        };
        let Self { lanes, words, .. } = *self;
        let place = if self.preload.is_empty() { "empty" } else { "there" };
        let place = format!("{place}_{lanes}_lanes_{words}_words");
        let config =
            Config { lanes, slots: words, buckets: 2, bitmap: self.other.to_vec(), ..Config::default() };
        let has_ranks = self.structure == REGISTERS;
        let mut scenario = form::scenario((self.structure, &place), config, programs, called, has_ranks);
        for call in scenario.programs.iter_mut().flatten().filter(|call| call.op == ABSORB) {
            call.value = self.rank;
        }
        scenario.preload = self.preload.clone();
        scenario.finally = self.keys.map(|key| Call::new(self.ops[1], key, 0)).into();
        scenario
    }
}

/// Those by one lane.
fn small() -> impl Iterator<Item = Family> {
    filters((1, 2)).chain(registers(1))
}

/// Those by several lanes.
fn wider() -> impl Iterator<Item = Family> {
    SHAPES.into_iter().skip(1).flat_map(filters).chain(registers(2))
}

/// The scenarios of shapes of programs.
fn of_shapes(families: impl Iterator<Item = Family>, shapes: &[&[usize]]) -> Vec<Scenario> {
    let of = |family: Family| shapes.iter().flat_map(move |shape| family.of_shape(shape));
    form::once(families.flat_map(of).collect())
}

/// Every pair of calls.
pub fn quick() -> Vec<Scenario> {
    of_shapes(small().chain(wider()), &[&[1, 1]])
}

/// Every pair of calls, and a warp that stops; by one lane also two calls of a warp beside one of another,
/// and three warps.
pub fn default_set() -> Vec<Scenario> {
    let stalls = small().chain(wider()).flat_map(|family| family.stalls());
    let more = of_shapes(small(), &[&[2, 1], &[1, 1, 1]]);
    [quick(), form::once(stalls.collect()), more].concat()
}

/// Four calls, and three of several lanes.
pub fn deep() -> Vec<Scenario> {
    [of_shapes(small(), &[&[2, 2], &[2, 1, 1]]), of_shapes(wider(), &[&[2, 1], &[1, 1, 1]])].concat()
}

/// A family, and random programs of it.
fn random(families: Vec<Family>, below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let family = &families[below(families.len() as u32) as usize];
    let letters = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)];
    let mut step = || {
        let (op, key) = letters[below(letters.len() as u32) as usize];
        (family.ops[op], family.keys[key])
    };
    let mut programs = vec![vec![step()], vec![step()]];
    programs[0].push(step());
    family.scenario(&programs)
}

pub(super) fn random_filter(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    random(SHAPES.into_iter().flat_map(filters).collect(), below)
}

pub(super) fn random_registers(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    random(registers(1).chain(registers(2)).collect(), below)
}
