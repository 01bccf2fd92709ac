//! Long random programs of one warp against the sequential specification: every entry type, unique keys and
//! not, flushes between calls, invariants after every few of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, HashSet};
use warpproof::model::Seed;
use warpproof::model::slab::{Multi, Multiplicity, SlabTable, Unique};
use warpproof::model::spec::{Call, Map, Multimap, Op, Ret, Set, Spec};
use warpproof::simt::check::seq::{Alone, SeqMemory, SeqWarp};
use warpproof::simt::check::{AnySubject, Config, Memory, Scenario};
use warpproof::simt::scenarios::slab::{Layout, Lock64, Map32, Map64, Set32, TABLES};
use warpproof::simt::scenarios::{Table, subject};

/// Calls between two looks at the invariants.
const EVERY: usize = 16;
/// The most calls of a program.
const LONGEST: usize = 600;
/// Lanes, and words that each reads of a slab.
const SHAPES: [(u32, u32); 5] = [(1, 2), (1, 4), (2, 1), (2, 2), (4, 1)];
/// The bytes before the calls.
const HEAD: usize = 5;

/// A step of a program.
enum Step {
    Call(Call),
    Flush,
}

fuzz_target!(|bytes: &[u8]| {
    let Some((head, body)) = bytes.split_at_checked(HEAD) else { return };
    let structure = TABLES[head[0] as usize % TABLES.len()];
    let (lanes, slots) = SHAPES[head[1] as usize % SHAPES.len()];
    let (buckets, pool) = (u32::from(head[2]) % 4 + 1, u32::from(head[3]) % 48);
    let config = Config { lanes, slots, buckets, pool, ..Config::default() };
    let steps: Vec<Step> =
        body.chunks_exact(2).take(LONGEST).map(|pair| step(structure, head[4], pair[0], pair[1])).collect();
    match structure.name {
        "map32" => run::<Map32, Unique>(structure, config, &steps, Map { may_fill: true }),
        "set32" => run::<Set32, Unique>(structure, config, &steps, Set { may_fill: true }),
        "map64" => run::<Map64, Unique>(structure, config, &steps, Map { may_fill: true }),
        "lock64" => run::<Lock64, Unique>(structure, config, &steps, Map { may_fill: true }),
        "multimap32" => run::<Map32, Multi>(structure, config, &steps, Multimap { may_fill: true }),
        "multiset32" => run::<Set32, Multi>(structure, config, &steps, Multimap { may_fill: true }),
        "multimap64" => run::<Map64, Multi>(structure, config, &steps, Multimap { may_fill: true }),
        _ => run::<Lock64, Multi>(structure, config, &steps, Multimap { may_fill: true }),
    }
});

/// The step of two bytes. `mask` says how many keys there are.
fn step(structure: Table, mask: u8, what: u8, key: u8) -> Step {
    let ops = [
        Op::InsertUnique,
        Op::InsertOrAssign,
        Op::Search,
        Op::Delete,
        Op::SearchAll,
        Op::Count,
        Op::DeleteAll,
        if structure.name.starts_with("multi") { Op::Insert } else { Op::InsertUnique },
    ];
    if what == u8::MAX {
        return Step::Flush;
    }
    let op = ops[what as usize % ops.len()];
    let stores = matches!(op, Op::Insert | Op::InsertUnique | Op::InsertOrAssign);
    let value = if stores && !structure.name.ends_with("set32") { u64::from(what) / 8 } else { 0 };
    Step::Call(Call::new(op, u64::from(key & mask), value))
}

/// Runs the steps one by one and compares each answer with the specification.
fn run<L: Layout, U: Multiplicity>(
    structure: Table,
    config: Config,
    steps: &[Step],
    spec: impl Spec<State = Vec<u64>>,
) {
    let calls = steps.iter().filter_map(|step| match step {
        Step::Call(call) => Some(call.clone()),
        Step::Flush => None,
    });
    let scenario = Scenario::new("", structure.name, config.clone(), vec![calls.collect()]);
    let subject = subject(&scenario).expect("a table of this crate");
    let memory = SeqMemory::new(&subject.arrays());
    let mut table =
        Driven { subject: &*subject, memory: &memory, config: &config, spec, keys: BTreeMap::new() };
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Call(call) => table.call(call),
            Step::Flush => table.flush::<L, U>(),
        }
        if number % EVERY == EVERY - 1 {
            table.check();
        }
    }
    let keys: Vec<u64> = table.keys.keys().copied().collect();
    keys.into_iter().for_each(|key| table.call(&Call::new(Op::SearchAll, key, 0)));
    table.flush::<L, U>();
    table.check();
}

/// A table, and what the specification says of each key: every state that explains the answers so far.
struct Driven<'a, S> {
    subject: &'a dyn AnySubject,
    memory: &'a SeqMemory,
    config: &'a Config,
    spec: S,
    keys: BTreeMap<u64, HashSet<Vec<u64>>>,
}

impl<S: Spec<State = Vec<u64>>> Driven<'_, S> {
    fn call(&mut self, call: &Call) {
        let ret = self.memory.guard(|m| self.subject.run(&Alone(0), m, call));
        let ret = ret.unwrap_or_else(|error| panic!("{call}: {error}"));
        if ret == Ret::Full {
            let exhausted = self.memory.guard(|m| self.subject.exhausted(m, call.key));
            assert_eq!(exhausted, Ok(Some(true)), "{call}: full with free slabs");
        }
        let key = call.key;
        let before = self.keys.entry(key).or_insert_with(|| HashSet::from([self.spec.initial(key)]));
        let mut states = before.clone();
        for (call, ret) in self.spec.expand(call, Some(&ret)) {
            let mut next = Vec::new();
            states.iter().for_each(|state| self.spec.step(state, &call, ret.as_ref(), &mut next));
            states = next.into_iter().collect();
        }
        assert!(!states.is_empty(), "{call} returned {ret} in one of {before:?}");
        *before = states;
        // Which pair was taken is not said. A look keeps the states few.
        if before.len() > 1 {
            self.call(&Call::new(Op::SearchAll, key, 0));
        }
    }

    /// Flushes every bucket. What the keys have stays, so the states do.
    fn flush<L: Layout, U: Multiplicity>(&self) {
        match (self.config.lanes, self.config.slots) {
            (1, 2) => self.flush_of::<L, U, 1, 2>(),
            (1, _) => self.flush_of::<L, U, 1, 4>(),
            (2, 1) => self.flush_of::<L, U, 2, 1>(),
            (2, _) => self.flush_of::<L, U, 2, 2>(),
            _ => self.flush_of::<L, U, 4, 1>(),
        }
    }

    fn flush_of<L: Layout, U: Multiplicity, const N: usize, const P: usize>(&self) {
        let done = self.memory.guard(|m| {
            let table = SlabTable::<_, _, P>::new(
                L::slots::<_, U>(m),
                m.w32(L::ARRAYS.len()),
                self.config.buckets,
                Seed::new(1),
            );
            let w = &mut SeqWarp::<N>::default();
            for bucket in 0..self.config.buckets {
                table.flush(w, bucket);
                assert_eq!(table.bucket_stats(w, bucket).tombstones, 0, "flushed");
            }
        });
        assert_eq!(done, Ok(()), "flush");
    }

    fn check(&self) {
        let state = self.memory.guard(|m| self.subject.check_state(m));
        assert_eq!(state, Ok(Ok(())));
        let quiescent = self.memory.guard(|m| self.subject.check_quiescent(m));
        assert_eq!(quiescent, Ok(Ok(())));
    }
}
