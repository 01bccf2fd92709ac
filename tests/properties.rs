//! Random programs of one warp against the sequential specification, with shrinking.

#[path = "support/scenarios.rs"]
mod drawn;
mod support;

use drawn::Drawn;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, HashSet};
use support::{OPS, run};
use warpproof::model::host::SlabGeometry;
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Multimap, Op, Ret, Spec};
use warpproof::model::{Key, Seed};
use warpproof::simt::check::seq::{Alone, SeqMemory};
use warpproof::simt::check::{Event, Scenario};
use warpproof::simt::cpu::CpuTable as _;
use warpproof::simt::cpu::packed::PairStore;
use warpproof::simt::cpu::slab::{SlabStore, SlabWords, WidePairStore};
use warpproof::simt::cpu::warp::CpuWarp;
use warpproof::simt::scenarios::{STRUCTURES, random, subject};

/// The parameters that decide the places of keys.
const SEED: Seed = Seed::new(1);

/// A step of a program: a call, or a flush between calls.
#[derive(Clone, Debug)]
enum Step {
    Call(Call),
    Flush,
}

/// Few keys: low ones, the largest that a slot may hold, and all above it.
fn program<K: Key>() -> impl Strategy<Value = Vec<Step>> {
    let largest = K::FIRST_RESERVED.to_bits() as u64 - 1;
    let most = K::from_bits(u128::MAX).to_bits() as u64;
    let key = prop_oneof![4 => 0..4u64, 1 => Just(largest), 2 => largest + 1..=most];
    let call = (0..OPS.len(), key, 0..100u64)
        .prop_map(|(op, key, value)| Step::Call(Call::new(OPS[op], key, value)));
    proptest::collection::vec(prop_oneof![20 => call, 1 => Just(Step::Flush)], 0..120)
}

/// Every answer is one that the specification allows, and the invariants hold after every step.
fn follows_the_specification<St: SlabStore, const L: usize, const S: usize>(
    steps: &[Step],
    buckets: u32,
    pool: u32,
) -> Result<(), TestCaseError> {
    let geometry = SlabGeometry { slab_slots: (L * S) as u32, buckets, pool };
    let mut table = SlabWords::<St, L, S, Multi>::new(geometry, SEED).expect("memory for a tiny table");
    let spec = Multimap { may_fill: true };
    let mut states: BTreeMap<u64, HashSet<Vec<u64>>> = BTreeMap::new();
    let mut w = CpuWarp::<L>::new(0);
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Flush => {
                table.flush();
                prop_assert_eq!(table.stats().tombstones, 0);
            }
            Step::Call(call) => {
                let ret = run(table.all_keys(), &mut w, call);
                let stats = table.stats();
                let reserved = table.all_keys().reserved().bucket_stats(&mut w, 0);
                let chains = buckets + (reserved.live + reserved.tombstones > 0) as u32;
                let exhausted = stats.slabs == (chains + pool) as u64;
                prop_assert!(ret != Ret::Full || exhausted, "step {number}: full with free slabs");
                let before =
                    states.entry(call.key).or_insert_with(|| HashSet::from([spec.initial(call.key)]));
                let mut after = HashSet::new();
                for state in before.iter() {
                    after.extend(explain(&spec, state, call, &ret));
                }
                prop_assert!(!after.is_empty(), "step {number}: {call:?} returned {ret:?} in {before:?}");
                *before = after;
            }
        }
        if let Err(broken) = table.all_keys().check_quiescent(&mut w, false) {
            return Err(TestCaseError::fail(format!("step {number}, {step:?}: {broken}")));
        }
    }
    Ok(())
}

/// The states that may follow when a call, taken apart if it is not atomic, returns `ret`.
fn explain(spec: &Multimap, state: &[u64], call: &Call, ret: &Ret) -> Vec<Vec<u64>> {
    let mut states = vec![state.to_vec()];
    for (call, ret) in spec.expand(call, Some(ret)) {
        let mut next = Vec::new();
        for state in &states {
            spec.step(state, &call, ret.as_ref(), &mut next);
        }
        states = next;
    }
    states
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn u32_pairs_scalar(steps in program::<u32>(), buckets in 1..3u32, pool in 1..6u32) {
        follows_the_specification::<PairStore, 1, 2>(&steps, buckets, pool)?;
        follows_the_specification::<PairStore, 1, 8>(&steps, buckets, pool)?;
    }

    #[test]
    fn u32_pairs_of_wide_warps(steps in program::<u32>(), buckets in 1..3u32, pool in 1..6u32) {
        follows_the_specification::<PairStore, 2, 2>(&steps, buckets, pool)?;
        follows_the_specification::<PairStore, 32, 1>(&steps, buckets, pool)?;
    }

    #[test]
    fn u64_pairs_under_the_lock_word(steps in program::<u64>(), buckets in 1..3u32, pool in 1..6u32) {
        follows_the_specification::<WidePairStore, 1, 4>(&steps, buckets, pool)?;
        follows_the_specification::<WidePairStore, 8, 1>(&steps, buckets, pool)?;
    }

    #[test]
    fn every_width_gives_the_scalar_result(steps in program::<u32>(), pool in 1..6u32) {
        fn answers<const L: usize, const S: usize>(steps: &[Step], pool: u32) -> Vec<Ret> {
            let geometry = SlabGeometry { slab_slots: (L * S) as u32, buckets: 1, pool };
            let mut table = SlabWords::<PairStore, L, S, Multi>::new(geometry, SEED).expect("memory for a tiny table");
            let mut w = CpuWarp::<L>::new(0);
            let mut answers = Vec::new();
            for step in steps {
                match step {
                    Step::Flush => drop(table.flush()),
                    Step::Call(call) => answers.push(run(table.all_keys(), &mut w, call)),
                }
            }
            answers
        }
        let scalar = answers::<1, 8>(&steps, pool);
        prop_assert_eq!(&scalar, &answers::<2, 4>(&steps, pool));
        prop_assert_eq!(&scalar, &answers::<4, 2>(&steps, pool));
        prop_assert_eq!(&scalar, &answers::<8, 1>(&steps, pool));
    }
}

/// Calls of a program of one warp on a table that is explored, not more than a history may have.
const CALLS: u32 = 40;

/// In a scenario of one warp every answer is one that the specification allows, and the invariants hold after
/// every call.
fn one_warp_follows_the_specification(scenario: &Scenario) -> Result<(), TestCaseError> {
    let subject = subject(scenario).expect("a scenario");
    let memory = SeqMemory::new(&subject.arrays());
    let ended = |error| TestCaseError::fail(format!("{error}"));
    let mut events: BTreeMap<u64, Vec<Event>> = BTreeMap::new();
    for (call, time) in scenario.calls().zip(0..) {
        let exhausted = memory.guard(|m| subject.exhausted(m, call.key)).map_err(ended)?;
        let ret = memory.guard(|m| subject.run(&Alone(0), m, call)).map_err(ended)?;
        prop_assert!(ret != Ret::Full || exhausted == Some(true), "{call} found no room, and there was some");
        let holds = memory.guard(|m| subject.check_quiescent(m)).map_err(ended)?;
        prop_assert!(holds.is_ok(), "after {call}: {holds:?}");
        events.entry(subject.key(call)).or_default().push(Event::alone(call, ret, 2 * time));
    }
    for (key, events) in events {
        let order = subject.linearize(key, &events.iter().collect::<Vec<_>>());
        prop_assert!(order.is_ok(), "the answers of key {key} are wrong: {order:?}");
    }
    Ok(())
}

#[test]
fn one_warp_of_every_table_follows_its_specification() {
    for table in STRUCTURES.iter().flat_map(|structure| structure.tables) {
        let drawn = Drawn(|below: &mut dyn FnMut(u32) -> u32| random::of_one_warp(table, CALLS, below));
        let cases = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
        let done =
            TestRunner::new(cases).run(&drawn, |scenario| one_warp_follows_the_specification(&scenario));
        if let Err(failure) = done {
            panic!("{}: {failure}", table.name);
        }
    }
}

#[test]
fn the_oracle_refuses_a_wrong_answer() {
    let call = Call::new(Op::Search, 1, 0);
    assert!(explain(&Multimap::default(), &[5], &call, &Ret::Value(None)).is_empty());
    assert!(!explain(&Multimap::default(), &[5], &call, &Ret::Value(Some(5))).is_empty());
}
