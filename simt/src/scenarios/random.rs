//! Random scenarios: any table of this crate or the allocator, a few warps, a few calls each.
//!
//! One mechanism for whoever draws: a fuzzer's bytes, a property test. What the specification does not cover is
//! never drawn: a multi-insert into a table of unique keys; assigns beside a `search_all` in a multimap, which may
//! hand out values of different instants; a slab freed that is not in use, or twice.

use super::slab::{SHAPES, Structure};
use crate::check::{Config, Scenario, Stall};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op};

/// The most warps.
const WARPS: u32 = 3;
/// The most calls of a warp.
const CALLS: u32 = 2;
/// The most calls before the programs.
const PRELOAD: u32 = 5;
/// Keys are 1 to this one.
const KEYS: u32 = 3;
/// The first of the shapes of slabs, which all engines take.
const NARROW: u32 = 6;
/// A value that several calls store, so that a word can come back to what it was.
const COMMON: u64 = 7;

/// A random scenario. `below(n)` is asked for numbers below `n`; all zeros are a small scenario.
pub fn scenario(mut below: impl FnMut(u32) -> u32) -> Scenario {
    match Structure::ALL.get(below(Structure::ALL.len() as u32 + 1) as usize) {
        Some(structure) => table(*structure, &mut below),
        None => pool(&mut below),
    }
}

/// A random scenario of a table of this kind.
pub fn table(structure: Structure, mut below: impl FnMut(u32) -> u32) -> Scenario {
    let (lanes, slots) = SHAPES[below(NARROW) as usize];
    let (buckets, pool) = (1 + below(2), below(4));
    let config = Config { lanes, slots, buckets, pool, ..Config::default() };
    let warps = 1 + below(WARPS);
    let lists = below(2) == 1;
    let ops: Vec<Op> = match (structure.is_multi(), lists) {
        (false, _) => [&CHANGES[1..], &LOOKS].concat(),
        (true, true) => [&[Op::Insert, Op::InsertUnique, Op::Delete][..], &LOOKS].concat(),
        (true, false) => [&CHANGES[..], &[Op::Search, Op::Count]].concat(),
    };
    let first = if structure.is_multi() { &CHANGES[..4] } else { &CHANGES[1..4] };
    let mut call = |ops: &[Op], unlike: u64| {
        let op = ops[below(ops.len() as u32) as usize];
        let key = 1 + u64::from(below(KEYS));
        let stores = matches!(op, Op::Insert | Op::InsertUnique | Op::InsertOrAssign);
        let value = match stores && structure.has_values() {
            false => 0,
            true if below(4) == 1 => COMMON,
            true => unlike,
        };
        (Call::new(op, key, value), below(2) == 1)
    };
    let mut programs = Vec::new();
    for warp in 1..=u64::from(warps) {
        let (first, more) = call(&ops, 10 * warp);
        let mut program = vec![first];
        (1..CALLS).take_while(|_| more).for_each(|n| program.push(call(&ops, 10 * warp + u64::from(n)).0));
        programs.push(program);
    }
    let preload: Vec<Call> = (0..PRELOAD)
        .map(|n| call(first, u64::from(n) + 1))
        .take_while(|(_, more)| *more)
        .map(|c| c.0)
        .collect();
    let mut scenario = Scenario::new("", structure.name(), config, programs);
    scenario.preload = preload;
    scenario.allows.full = true;
    if warps == 2 && below(8) == 1 {
        scenario.stall = Some(Stall { warp: 0, after: Some(below(16)) });
        // The lock-bit form says that inserts of a unique key wait for the holder of its lock.
        let inserts = |call: &Call| CHANGES[..3].contains(&call.op);
        scenario.allows.blocking =
            structure.name().contains("lock") && scenario.programs[0].iter().any(inserts);
    }
    settle(&mut scenario);
    scenario
}

/// The scenario that these bytes choose: a byte for each number, 0 where there are no more.
pub fn from_bytes(bytes: &[u8]) -> Scenario {
    let mut bytes = bytes.iter();
    scenario(|n| u32::from(bytes.next().copied().unwrap_or(0)) % n)
}

/// Scenarios that are one step smaller: a warp less, a call less, a call of the preload less, no stall, a smaller
/// table, a smaller key. Those that leave out most come first.
pub fn simpler(scenario: &Scenario) -> Vec<Scenario> {
    let mut out = Vec::new();
    let mut offer = |change: &dyn Fn(&mut Scenario)| {
        let mut smaller = scenario.clone();
        change(&mut smaller);
        settle(&mut smaller);
        out.push(smaller);
    };
    let warps = scenario.programs.len();
    for warp in (0..warps).filter(|_| warps > 1) {
        offer(&|s| {
            s.programs.remove(warp);
            s.stall = None;
        });
    }
    for (warp, program) in scenario.programs.iter().enumerate().filter(|(_, program)| program.len() > 1) {
        (0..program.len()).for_each(|call| offer(&|s| without(&mut s.programs[warp], call)));
    }
    (0..scenario.preload.len()).for_each(|call| offer(&|s| without(&mut s.preload, call)));
    if scenario.stall.is_some() {
        offer(&|s| s.stall = None);
    }
    smaller_config(&scenario.config, &mut |config| offer(&|s| s.config = config.clone()));
    // A key everywhere, then in one call. The key of a free is a slab in use.
    let lower = |call: &mut Call| call.key -= u64::from(call.key > 1 && call.op != Op::Free);
    for key in 2..=u64::from(KEYS) {
        offer(&|s| calls(s).filter(|call| call.key == key).for_each(lower));
    }
    for number in 0..calls(&mut scenario.clone()).count() {
        offer(&|s| calls(s).skip(number).take(1).for_each(lower));
    }
    out.retain(|smaller| smaller != scenario);
    out
}

fn without(calls: &mut Vec<Call>, number: usize) {
    calls.remove(number);
}

/// The calls that can be changed.
fn calls(scenario: &mut Scenario) -> impl Iterator<Item = &mut Call> {
    scenario.preload.iter_mut().chain(scenario.programs.iter_mut().flatten())
}

/// The scenario made smaller step by step as long as it `fails`.
pub fn minimal(mut scenario: Scenario, mut fails: impl FnMut(&Scenario) -> bool) -> Scenario {
    while let Some(smaller) = simpler(&scenario).into_iter().find(&mut fails) {
        scenario = smaller;
    }
    scenario
}

fn smaller_config(config: &Config, offer: &mut dyn FnMut(Config)) {
    let Config { lanes, slots, buckets, pool, .. } = *config;
    // The allocator has no slots.
    let smaller = if slots == 0 { &[(1, 0), (2, 0)][..] } else { &SHAPES[..] };
    for &(lanes, slots) in smaller.iter().take_while(|shape| **shape != (lanes, slots)) {
        offer(Config { lanes, slots, ..config.clone() });
    }
    if buckets > 1 {
        offer(Config { buckets: buckets - 1, ..config.clone() });
    }
    if pool > 0 {
        offer(Config { pool: pool - 1, ..config.clone() });
    }
}

/// What follows from the rest: the name, and the last calls, which look at every key.
fn settle(scenario: &mut Scenario) {
    let ops = |program: &Vec<Call>| {
        program.iter().map(|call| call.op.to_string()).collect::<Vec<_>>().join("_then_")
    };
    let what = scenario.programs.iter().map(ops).collect::<Vec<_>>().join("+");
    scenario.name = format!("{}/{what}/random", scenario.structure);
    if scenario.config.bitmap.is_empty() {
        let calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
        let keys: BTreeSet<u64> = calls.map(|call| call.key).collect();
        scenario.finally = keys.into_iter().map(|key| Call::new(Op::SearchAll, key, 0)).collect();
    }
}

/// Operations that change something, those that store first; a multimap alone has the first.
const CHANGES: [Op; 5] = [Op::Insert, Op::InsertUnique, Op::InsertOrAssign, Op::Delete, Op::DeleteAll];
/// Operations that only look.
const LOOKS: [Op; 3] = [Op::Search, Op::Count, Op::SearchAll];

/// A scenario of the allocator.
fn pool(below: &mut impl FnMut(u32) -> u32) -> Scenario {
    let lanes = [1, 2, 4][below(3) as usize];
    // None, one, two, two and three slabs free.
    let words = [u32::MAX, u32::MAX - 1, u32::MAX - 3, u32::MAX - 5, u32::MAX - 7];
    let bitmap: Vec<u32> = (0..1 + below(3)).map(|_| words[below(5) as usize]).collect();
    let mut used: Vec<u64> = (0..bitmap.len() as u64)
        .flat_map(|word| (0..4).map(move |bit| 32 * word + bit))
        .filter(|slab| bitmap[(slab / 32) as usize] & 1 << (slab % 32) != 0)
        .collect();
    let mut call = |below: &mut dyn FnMut(u32) -> u32| {
        let op = [Op::Allocate, Op::Borrow, Op::Free][below(3) as usize];
        match op {
            Op::Free if !used.is_empty() => {
                let slab = used.remove(below(used.len() as u32) as usize);
                Call::new(op, slab, 0)
            }
            Op::Free => Call::new(Op::Allocate, 0, 0),
            op => Call::new(op, 0, below(4).into()),
        }
    };
    let warps = 1 + below(WARPS);
    let program = |_| (0..1 + below(CALLS)).map(|_| call(below)).collect();
    let programs = (0..warps).map(program).collect();
    let config = Config { lanes, bitmap, ..Config::default() };
    let mut scenario = Scenario::new("", "pool", config, programs);
    settle(&mut scenario);
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Xorshift.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |n| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32 % n
        }
    }

    #[test]
    fn every_structure_and_every_operation_is_drawn() {
        let scenarios: Vec<_> = (0..2000).map(|seed| scenario(numbers(seed))).collect();
        let structures: BTreeSet<_> = scenarios.iter().map(|s| s.structure.clone()).collect();
        assert_eq!(structures.len(), Structure::ALL.len() + 1);
        let ops: BTreeSet<_> =
            scenarios.iter().flat_map(|s| s.programs.iter().flatten()).map(|c| c.op).collect();
        assert_eq!(ops.len(), 11);
        assert!(scenarios.iter().any(|s| s.stall.is_some()));
        assert!(scenarios.iter().any(|s| s.preload.len() == PRELOAD as usize));
    }

    #[test]
    fn what_the_specification_does_not_cover_is_never_drawn() {
        for scenario in (0..5000).map(|seed| scenario(numbers(seed))) {
            assert!(crate::scenarios::subject(&scenario).is_ok(), "{scenario:?}");
            assert!((1..=3).contains(&scenario.programs.len()));
            let has = |op| scenario.programs.iter().flatten().any(|call| call.op == op);
            let multi = scenario.structure.starts_with("multi");
            let inserts = has(Op::Insert) || scenario.preload.iter().any(|call| call.op == Op::Insert);
            assert!(multi || !inserts, "{scenario:?}");
            assert!(!multi || !has(Op::SearchAll) || !has(Op::InsertOrAssign), "{scenario:?}");
            let freed: Vec<u64> =
                scenario.programs.iter().flatten().filter(|c| c.op == Op::Free).map(|c| c.key).collect();
            let slabs: BTreeSet<_> = freed.iter().collect();
            assert_eq!(slabs.len(), freed.len(), "{scenario:?}");
            assert!(freed.iter().all(|s| scenario.config.bitmap[(s / 32) as usize] & 1 << (s % 32) != 0));
        }
    }

    #[test]
    fn no_bytes_are_a_scenario_and_bytes_choose_one() {
        assert_eq!(from_bytes(&[]).programs.len(), 1);
        assert_eq!(from_bytes(&[8]).structure, "pool");
        assert_eq!(from_bytes(&[255; 64]), from_bytes(&[255; 64]));
    }

    #[test]
    fn a_scenario_becomes_minimal() {
        let deletes = |s: &Scenario| {
            s.programs.len() == 2 && s.programs.iter().flatten().any(|call| call.op == Op::Delete)
        };
        let found = (0..).map(|seed| scenario(numbers(seed))).find(|s| deletes(s) && s.preload.len() > 2);
        let minimal = minimal(found.expect("some seed does"), deletes);
        assert!(minimal.preload.is_empty() && minimal.stall.is_none());
        assert_eq!(minimal.programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
        assert!(minimal.programs.iter().flatten().all(|call| call.key == 1));
        assert_eq!(minimal.config, Config { lanes: 1, slots: 2, buckets: 1, ..Config::default() });
        assert_eq!(minimal.finally, [Call::new(Op::SearchAll, 1, 0)]);
    }
}
