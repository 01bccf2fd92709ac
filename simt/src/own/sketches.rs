//! Sketches under the explorer: a filter misses no key of an insert that has returned, and a register keeps
//! the highest rank, whatever runs beside them. Wrong ones are found.

use super::{Failed, Suite, explore};
use crate::arrays;
use crate::check::{Array, Breach, Kind, Memory, Scenario, SimWarp, Subject};
use std::collections::BTreeSet;
use warpproof_model::sketch::{Bloom, Registers};
use warpproof_model::spec::{Call, Filter, Highest, Op, Ret};
use warpproof_model::{IntegerWords, Order, ReadOrder, Seed, Words, WriteOrder};

/// Words of a block in scenarios.
const WORDS: usize = 2;

arrays! { Parts: words: w64 = vec![0; WORDS] }

/// Words whose read-modify-writes are torn: a load, and a store.
#[derive(Clone, Copy)]
struct Torn<H> {
    words: H,
    is_torn: bool,
}

impl<H: Words<u64>> Words<u64> for Torn<H> {
    fn len(self) -> usize {
        self.words.len()
    }
    fn load(self, index: usize, order: ReadOrder) -> u64 {
        self.words.load(index, order)
    }
    fn store(self, index: usize, value: u64, order: WriteOrder) {
        self.words.store(index, value, order);
    }
    fn compare_exchange(self, index: usize, current: u64, new: u64, order: Order) -> u64 {
        if !self.is_torn {
            return self.words.compare_exchange(index, current, new, order);
        }
        let seen = self.words.load(index, ReadOrder::Relaxed);
        if seen == current {
            self.words.store(index, new, WriteOrder::Relaxed);
        }
        seen
    }
    fn swap(self, index: usize, value: u64, order: Order) -> u64 {
        self.words.swap(index, value, order)
    }
}

impl<H: IntegerWords<u64>> IntegerWords<u64> for Torn<H> {
    fn fetch_add(self, index: usize, value: u64, order: Order) -> u64 {
        self.words.fetch_add(index, value, order)
    }
    fn fetch_or(self, index: usize, value: u64, order: Order) -> u64 {
        if !self.is_torn {
            return self.words.fetch_or(index, value, order);
        }
        let seen = self.words.load(index, ReadOrder::Relaxed);
        self.words.store(index, seen | value, WriteOrder::Relaxed);
        seen
    }
    fn fetch_and(self, index: usize, value: u64, order: Order) -> u64 {
        self.words.fetch_and(index, value, order)
    }
}

/// A filter of one block, and the words that all inserts of a scenario leave.
#[derive(Clone)]
struct Blocked {
    is_torn: bool,
    /// The keys that a scenario inserts.
    keys: BTreeSet<u64>,
}

impl Blocked {
    fn of(is_torn: bool, scenarios: &[Scenario]) -> Self {
        let calls = scenarios.iter().flat_map(|scenario| scenario.calls());
        Self { is_torn, keys: calls.filter(|call| call.op == Op::Insert).map(|call| call.key).collect() }
    }

    fn filter<M: Memory>(&self, m: M) -> Bloom<impl IntegerWords<u64> + use<M>, WORDS> {
        Bloom::new(Torn { words: Parts::words(m), is_torn: self.is_torn }, 1, Seed::new(7))
    }
}

impl Subject for Blocked {
    type Spec = Filter;

    fn spec(&self) -> Filter {
        Filter
    }
    fn arrays(&self) -> Vec<Array> {
        Parts::arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::Insert => {
                self.filter(m).insert(w, call.key);
                Ret::Done
            }
            _ if self.filter(m).contains(w, call.key) => Ret::Present,
            _ => Ret::Absent,
        }
    }
    fn transition(&self, _: usize, _: usize, old: u128, new: u128) -> bool {
        self.is_torn || old & !new == 0
    }
    /// No other bits are set than keys have. So keys whose bits differ are not taken for each other.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let bits = |at| Parts::words(m).load(at, ReadOrder::Relaxed).count_ones() as usize;
        if (0..WORDS).any(|at| bits(at) > self.keys.len()) {
            return Err(Breach::new(Kind::Invariant, "a bit is set that no key has"));
        }
        let free = (100..200u64).filter(|&key| self.filter(m).contains(w, key)).count();
        if free > 5 {
            Err(Breach::new(Kind::Invariant, "keys are found that nobody inserted"))
        } else {
            Ok(())
        }
    }
}

/// Every pair and triple of inserts and searches of two keys, and stalls, by so many lanes.
fn of_filter(lanes: u32) -> Vec<Scenario> {
    let suite = Suite::new("filter", &[Op::Insert, Op::Search]).keys(&[1, 2]).values(0).lanes(lanes);
    let then = suite.clone().preload(&[(Op::Insert, 1)]).finally(&[Op::Search]);
    [suite.pairs(), suite.triples(), suite.stalls(), then.pairs()].concat()
}

#[test]
fn no_key_of_an_insert_that_has_returned_is_missed() {
    for lanes in [1, 2, 4] {
        let scenarios = of_filter(lanes);
        let explored = explore(&Blocked::of(false, &scenarios), &scenarios);
        let explored = explored.unwrap_or_else(|failed| panic!("{lanes} lanes: {failed}"));
        assert!(explored.sampled == 0 && explored.scenarios > 50, "{explored}");
    }
}

#[test]
fn a_filter_that_stores_in_place_of_fetch_or_is_found() {
    let scenarios = of_filter(1);
    let Err(Failed::Violated(violation)) = explore(&Blocked::of(true, &scenarios), &scenarios) else {
        panic!("a bit of another key is lost")
    };
    assert_eq!(violation.kind, Kind::NotLinearizable, "{}", violation.headline());
}

/// Two registers of one word, whose numbers are keys and whose ranks are values.
#[derive(Clone)]
struct Raised {
    is_torn: bool,
}

impl Subject for Raised {
    type Spec = Highest;

    fn spec(&self) -> Highest {
        Highest
    }
    fn arrays(&self) -> Vec<Array> {
        Parts::arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let registers = Registers::new(Torn { words: Parts::words(m), is_torn: self.is_torn });
        match call.op {
            Op::Insert => {
                registers.raise(w, call.key as u32, call.value as u8);
                Ret::Done
            }
            _ => Ret::Count(registers.rank(w, call.key as u32).into()),
        }
    }
    fn transition(&self, _: usize, _: usize, old: u128, new: u128) -> bool {
        let bytes = old.to_le_bytes().into_iter().zip(new.to_le_bytes());
        self.is_torn || bytes.into_iter().all(|(old, new)| old <= new)
    }
}

/// Every pair and triple of raises and looks at two registers, and stalls.
fn of_registers(lanes: u32) -> Vec<Scenario> {
    let suite = Suite::new("registers", &[Op::Insert, Op::Count]).keys(&[1, 2]).lanes(lanes);
    let suite = suite.finally(&[Op::Count]);
    let then = suite.clone().preload(&[(Op::Insert, 1)]);
    let mut last = then.pairs();
    // Ranks below the one that is there, and above.
    last.iter_mut().flat_map(|scenario| &mut scenario.preload).for_each(|call| call.value = 15);
    [suite.pairs(), suite.triples(), suite.stalls(), last].concat()
}

#[test]
fn a_register_keeps_the_highest_rank() {
    for lanes in [1, 2] {
        let explored = explore(&Raised { is_torn: false }, &of_registers(lanes));
        let explored = explored.unwrap_or_else(|failed| panic!("{lanes} lanes: {failed}"));
        assert!(explored.sampled == 0 && explored.scenarios > 50, "{explored}");
    }
}

#[test]
fn a_register_that_is_stored_is_found() {
    let Err(Failed::Violated(violation)) = explore(&Raised { is_torn: true }, &of_registers(1)) else {
        panic!("a rank is lost")
    };
    assert_eq!(violation.kind, Kind::NotLinearizable, "{}", violation.headline());
}
