//! A bucket as a whole: statistics, visits and flushes, each in a phase of its own.
//!
//! One warp runs alone, and its lanes are threads all the same: a flush that lets a lane read what another
//! one has not written for it is found. What a call must return stands in the call, since it depends on where
//! pairs stand and not on keys alone.

use super::subject::{Layout, SlabSubject};
use crate::check::{AnySubject, Array, Breach, Config, Memory, OfLanes, Scenario, SimWarp, Subject};
use crate::scenarios::shape::shapes;
use std::sync::Arc;
use warpproof_model::Word;
use warpproof_model::slab::{Multiplicity, Unique};
use warpproof_model::spec::{Call, Multimap, Op, Ret, Spec};

/// How many slabs a flush gives back.
const FLUSH: Op = Op::Other(0);
/// Live pairs, tombstones and slabs of a bucket, two digits each.
const STATS: Op = Op::Other(1);
/// The pairs of a bucket in chain order, two digits each.
const VISIT: Op = Op::Other(2);
/// Live pairs of the whole table.
const LEN: Op = Op::Other(3);

/// A table of which single buckets are asked.
#[derive(Clone, Debug)]
pub struct FlushSubject<L, U, const S: usize>(SlabSubject<L, U, S>);

impl<L: Layout, U: Multiplicity, const S: usize> FlushSubject<L, U, S> {
    /// The table with phases of their own for its buckets.
    pub const fn new(table: SlabSubject<L, U, S>) -> Self {
        Self(table)
    }
}

/// A multimap, and calls that return the number that they name.
#[derive(Clone, Copy, Debug)]
pub struct Told(Multimap);

impl Spec for Told {
    type State = <Multimap as Spec>::State;

    fn initial(&self, key: u64) -> Self::State {
        self.0.initial(key)
    }

    fn step(&self, state: &Self::State, call: &Call, ret: Option<&Ret>, next: &mut Vec<Self::State>) {
        match (call.op, ret) {
            (Op::Other(_), Some(ret)) if *ret != Ret::Count(call.value) => {}
            (Op::Other(_), _) => next.push(state.clone()),
            _ => self.0.step(state, call, ret, next),
        }
    }

    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        self.0.expand(call, ret)
    }

    fn show(&self, key: u64, state: &Self::State) -> String {
        self.0.show(key, state)
    }
}

/// The two digits of a pair.
fn digits(key: u64, value: u64) -> u64 {
    10 * key + value
}

impl<L: Layout, U: Multiplicity, const S: usize> Subject for FlushSubject<L, U, S> {
    type Spec = Told;

    fn spec(&self) -> Told {
        Told(self.0.spec())
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (table, bucket) = (self.0.table(m), call.key as u32);
        if !matches!(call.op, Op::Other(_)) {
            return self.0.run(w, m, call);
        }
        // A phase begins and ends with its launch.
        w.sync();
        let number = match call.op {
            FLUSH => table.flush(w, bucket).into(),
            STATS => {
                let stats = table.bucket_stats(w, bucket);
                u64::from(stats.live) * 10_000 + u64::from(stats.tombstones) * 100 + u64::from(stats.slabs)
            }
            LEN => (0..table.buckets()).map(|bucket| u64::from(table.bucket_stats(w, bucket).live)).sum(),
            _ => {
                let mut pairs = Vec::new();
                let count = table.visit(w, bucket, |_, number, key, value| {
                    let pair = digits(key.to_bits() as u64, L::number(value));
                    pairs.push((number as usize, pair));
                });
                let in_order = pairs.iter().enumerate().all(|(at, (number, _))| at == *number);
                let whole = in_order && count as usize == pairs.len();
                if whole { pairs.iter().fold(0, |all, (_, pair)| 100 * all + pair) } else { u64::MAX }
            }
        };
        w.sync();
        Ret::Count(number)
    }

    fn arrays(&self) -> Vec<Array> {
        self.0.arrays()
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.0.check_quiescent(w, m)
    }

    fn exhausted<M: Memory>(&self, m: M, key: u64) -> Option<bool> {
        self.0.exhausted(m, key)
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        self.0.show(array, index, value)
    }

    fn word(&self, array: usize, index: usize) -> String {
        Subject::word(&self.0, array, index)
    }

    fn about(&self) -> Vec<String> {
        self.0.about()
    }
}

shapes! {
    /// Lanes, and words that each reads of a slab.
    const SHAPES: (lanes as LANES, slots as S) = [(1, 2), (1, 3), (2, 1), (2, 2), (4, 1)];
    "a slab of {lanes} lanes with {slots} words each: slabs have {:?}";
    pub(super) fn flushed_of<L: Layout> = make::<L, LANES, S>;
}

fn make<L: Layout, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let table = SlabSubject::<L, Unique, S>::new(scenario.config.clone(), true, scenario.allows.full);
    Arc::new(OfLanes::<_, LANES>(FlushSubject::new(table)))
}

/// Which of the pairs of a bucket, in chain order, are alive when it is flushed.
const PAIRS: [(&str, &[bool]); 6] = [
    ("all_alive", &[true, true, true, true]),
    ("all_dead", &[false, false, false]),
    ("first_dead", &[false, true, true, true, true]),
    ("last_dead", &[true, true, true, false]),
    ("every_other_dead", &[true, false, true, false, true, false, true]),
    ("most_dead", &[false, false, true, false, false, false, true]),
];

/// A bucket is looked at, flushed, looked at again, and used.
pub(super) fn flushes() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in ["map32", "lock64"] {
        for &(lanes, slots) in SHAPES {
            for (what, alive) in PAIRS {
                scenarios.push(flushed(structure, (lanes, slots), what, alive));
            }
        }
    }
    scenarios.push(two_buckets());
    scenarios
}

/// The second of two buckets is flushed, and the first is as it was.
fn two_buckets() -> Scenario {
    // Of two buckets, keys 1, 2 and 4 are in the first, 3, 5 and 9 in the second.
    let keys = [1, 3, 2, 5, 4, 9];
    let told = |op, bucket, number| Call::new(op, bucket, number);
    let program = vec![
        told(LEN, 0, 4),
        told(STATS, 0, 3_00_03),
        told(STATS, 1, 1_02_03),
        told(FLUSH, 1, 2),
        told(STATS, 1, 1_00_01),
        told(VISIT, 1, digits(5, 0)),
        told(VISIT, 0, 10_20_40),
        told(LEN, 0, 4),
    ];
    let config = Config { lanes: 1, slots: 2, buckets: 2, pool: 4, ..Config::default() };
    let mut scenario = Scenario::new("flush_map32/two_buckets/1x2", "flush_map32", config, vec![program]);
    scenario.preload = keys.map(|key| Call::new(Op::InsertUnique, key, 0)).to_vec();
    scenario.preload.extend([3, 9].map(|key| Call::new(Op::Delete, key, 0)));
    scenario.finally = keys.map(|key| Call::new(Op::SearchAll, key, 0)).to_vec();
    scenario
}

fn flushed(structure: &str, (lanes, slots): (u32, u32), what: &str, alive: &[bool]) -> Scenario {
    let pairs = alive.len() as u64;
    let (lived, per_slab) =
        (alive.iter().filter(|alive| **alive).count() as u64, u64::from(lanes * slots) - 1);
    let slabs = |pairs: u64| pairs.div_ceil(per_slab).max(1);
    let after = if lived == pairs { slabs(pairs) } else { slabs(lived) };
    let value = |key: u64| 9 - key;
    let keys = || (1..=pairs).filter(|key| alive[*key as usize - 1]);
    let visit = Call::new(VISIT, 0, keys().fold(0, |all, key| 100 * all + digits(key, value(key))));
    let stats = |dead: u64, slabs: u64| Call::new(STATS, 0, lived * 10_000 + dead * 100 + slabs);
    let new = pairs + 1;
    let program = vec![
        stats(pairs - lived, slabs(pairs)),
        visit.clone(),
        Call::new(FLUSH, 0, slabs(pairs) - after),
        stats(0, after),
        visit,
        Call::new(Op::InsertUnique, new, value(new)),
        Call::new(Op::Search, new, 0),
        Call::new(LEN, 0, lived + 1),
    ];
    // A slab for the new pair.
    let pool = slabs(pairs) as u32;
    let config = Config { lanes, slots, buckets: 1, pool, ..Config::default() };
    let name = format!("flush_{structure}/{what}/{lanes}x{slots}");
    let mut scenario = Scenario::new(name, &format!("flush_{structure}"), config, vec![program]);
    scenario.preload = (1..=pairs).map(|key| Call::new(Op::InsertUnique, key, value(key))).collect();
    let dead = (1..=pairs).filter(|key| !alive[*key as usize - 1]);
    scenario.preload.extend(dead.map(|key| Call::new(Op::Delete, key, 0)));
    scenario.finally = (1..=new).map(|key| Call::new(Op::SearchAll, key, 0)).collect();
    scenario
}
