//! Random scenarios of every structure: a few warps, a few calls each.
//!
//! One mechanism serves a fuzzer's bytes and a property test. Programs that the specification does not cover
//! are never drawn: a multi-insert into a table of unique keys; assigns together with a `search_all` in a
//! multimap, which may return values of different instants; a free of a slab that is not in use, or a second
//! free of one.

use super::checked::Checked;
use super::form::stores;
use super::structures::{STRUCTURES, subject};
use super::table::Table;
use crate::check::{Config, Scenario, Stall};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op};

/// The most warps.
const WARPS: u32 = 3;
/// The most calls of a warp.
const CALLS: u32 = 2;
/// The most calls before the programs.
const PRELOAD: u32 = 5;
/// A value that several calls store, so that a word can come back to what it was.
const COMMON: u64 = 7;

/// A random scenario of any structure. `below(n)` is asked for numbers below `n`; all zeros are a small
/// scenario.
pub fn scenario(mut below: impl FnMut(u32) -> u32) -> Scenario {
    of_structure(&STRUCTURES[below(STRUCTURES.len() as u32) as usize], below)
}

/// A random scenario of a structure: of one of its tables, or of what else is checked of it.
pub fn of_structure(structure: &Checked, mut below: impl FnMut(u32) -> u32) -> Scenario {
    let (tables, others) = (structure.tables, structure.random);
    let number = below((tables.len() + others.len()) as u32) as usize;
    match tables.get(number) {
        Some(table) => of_table(table, below),
        None => settled(others[number - tables.len()](&mut below)),
    }
}

/// A random scenario of a table.
pub fn of_table(table: &Table, mut below: impl FnMut(u32) -> u32) -> Scenario {
    let mut scenario = Scenario::new("", table.name, config(table, &mut below), Vec::new());
    let warps = 1 + below(WARPS);
    let ops = ops(table, below(2) == 1);
    for warp in 1..=u64::from(warps) {
        let mut program = vec![call(table, &ops, 10 * warp, &mut below)];
        while (program.len() as u32) < CALLS && below(2) == 1 {
            program.push(call(table, &ops, 10 * warp + program.len() as u64, &mut below));
        }
        scenario.programs.push(program);
    }
    let first: Vec<Op> = may(table).filter(|&op| stores(op) || op == Op::Delete).collect();
    while (scenario.preload.len() as u32) < PRELOAD && below(2) == 1 {
        scenario.preload.push(call(table, &first, scenario.preload.len() as u64 + 1, &mut below));
    }
    scenario.allows.full = true;
    if warps == 2 && below(8) == 1 {
        scenario.stall = Some(Stall { warp: 0, after: Some(below(16)) });
        scenario.allows.blocking = table.may_wait(&scenario);
    }
    settled(scenario)
}

/// A random scenario of a table in which one warp makes so many calls.
pub fn of_one_warp(table: &Table, calls: u32, mut below: impl FnMut(u32) -> u32) -> Scenario {
    let config = config(table, &mut below);
    let ops: Vec<Op> = may(table).collect();
    let program = (1..=calls.into()).map(|number| call(table, &ops, number, &mut below)).collect();
    let mut scenario = Scenario::new("", table.name, config, vec![program]);
    scenario.allows.full = true;
    settled(scenario)
}

/// A call; if it stores a value, then perhaps this one.
fn call(table: &Table, ops: &[Op], unlike: u64, below: &mut impl FnMut(u32) -> u32) -> Call {
    let op = ops[below(ops.len() as u32) as usize];
    let key = 1 + u64::from(below(table.plan.random.keys));
    let value = match stores(op) && table.has_values() {
        false => 0,
        true if below(4) == 1 => COMMON,
        true => unlike,
    };
    Call::new(op, key, value)
}

/// A shape of the table and a number of buckets, which are not too many for it, and a pool if it has one.
fn config(table: &Table, below: &mut impl FnMut(u32) -> u32) -> Config {
    let random = &table.plan.random;
    let (least, most) = random.buckets;
    let of_shape = |&(lanes, slots, reach): &(u32, u32, u32)| {
        (least..=most).map(move |buckets| Config { lanes, slots, buckets, reach, ..Config::default() })
    };
    let fits = |config: &Config| known(&Scenario::new("", table.name, config.clone(), Vec::new()));
    let mut configs: Vec<Config> = random.shapes.iter().flat_map(of_shape).filter(fits).collect();
    let config = configs.swap_remove(below(configs.len() as u32) as usize);
    Config { pool: below(random.pool + 1), ..config }
}

/// Whether a scenario has a subject.
fn known(scenario: &Scenario) -> bool {
    subject(scenario).is_ok()
}

/// The operations that a table has.
fn may(table: &Table) -> impl Iterator<Item = Op> {
    table.plan.random.ops.iter().copied().filter(|&op| table.multi || op != Op::Insert)
}

/// The operations of programs: of a key with many pairs, either all pairs are looked at or some are assigned
/// to.
fn ops(table: &Table, lists: bool) -> Vec<Op> {
    let fits = |op: &Op| match op {
        Op::InsertOrAssign | Op::DeleteAll => !lists,
        Op::SearchAll => lists,
        _ => true,
    };
    may(table).filter(|op| !table.multi || fits(op)).collect()
}

/// The scenario that these bytes choose: a byte for each number, 0 where there are no more.
pub fn from_bytes(bytes: &[u8]) -> Scenario {
    let mut bytes = bytes.iter();
    scenario(|n| u32::from(bytes.next().copied().unwrap_or(0)) % n)
}

/// Scenarios that are one step smaller: one warp less, one call less, one call of the preload less, no stall,
/// a smaller table, or a smaller key. Those that leave out most come first.
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
    smaller_configs(scenario).into_iter().for_each(|config| offer(&|s| s.config = config.clone()));
    // A key everywhere, then in one call. The key of a free is a slab in use.
    let lower = |call: &mut Call| call.key -= u64::from(call.key > 1 && call.op != Op::Free);
    for key in 2..=calls(&mut scenario.clone()).map(|call| call.key).max().unwrap_or(0) {
        offer(&|s| calls(s).filter(|call| call.key == key).for_each(lower));
    }
    for number in 0..calls(&mut scenario.clone()).count() {
        offer(&|s| calls(s).skip(number).take(1).for_each(lower));
    }
    out.retain(|smaller| smaller != scenario && known(smaller));
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

/// Smaller shapes, the smallest first, then a bucket less and a slab less in the pool.
fn smaller_configs(scenario: &Scenario) -> Vec<Config> {
    let config = &scenario.config;
    let table = table(scenario);
    let shapes = match table {
        Some(table) => table.plan.random.shapes,
        // The allocator has no slots.
        None if config.slots == 0 => &[(1, 0, 0), (2, 0, 0)],
        // What else is checked has a size that the rest hangs on.
        None => return Vec::new(),
    };
    let this = (config.lanes, config.slots, config.reach);
    let smaller = shapes.iter().take_while(|shape| **shape != this);
    let mut configs: Vec<Config> =
        smaller.map(|&(lanes, slots, reach)| Config { lanes, slots, reach, ..config.clone() }).collect();
    let least = table.map_or(1, |table| table.plan.random.buckets.0);
    if config.buckets > least {
        configs.push(Config { buckets: config.buckets - 1, ..config.clone() });
    }
    if config.pool > 0 {
        configs.push(Config { pool: config.pool - 1, ..config.clone() });
    }
    configs
}

fn settled(mut scenario: Scenario) -> Scenario {
    settle(&mut scenario);
    scenario
}

/// What follows from the rest: the name, and the last calls, which look at every key.
fn settle(scenario: &mut Scenario) {
    let ops = |program: &Vec<Call>| {
        program.iter().map(|call| call.op.to_string()).collect::<Vec<_>>().join("_then_")
    };
    let what = scenario.programs.iter().map(ops).collect::<Vec<_>>().join("+");
    scenario.name = format!("{}/{what}/random", scenario.structure);
    if let Some(table) = table(scenario) {
        let calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
        let keys: BTreeSet<u64> = calls.map(|call| call.key).collect();
        scenario.finally = keys.into_iter().map(|key| Call::new(table.plan.look, key, 0)).collect();
    }
}

/// The table that a scenario is of.
fn table(scenario: &Scenario) -> Option<&'static Table> {
    let tables = STRUCTURES.iter().flat_map(|structure| structure.tables);
    tables.into_iter().find(|table| table.name == scenario.structure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::aggregate::{AggregateSubject, LeftSubject};
    use crate::scenarios::paged::{PagedSubject, PartitionSubject};
    use crate::scenarios::sharded::ShardedSubject;
    use crate::scenarios::{bulk, retrieve, sketch};

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
        let scenarios: Vec<_> = (0..4000).map(|seed| scenario(numbers(seed))).collect();
        let drawn: BTreeSet<_> = scenarios.iter().map(|s| s.structure.as_str()).collect();
        let tables = STRUCTURES.iter().flat_map(|structure| structure.tables).map(|table| table.name);
        let ways = retrieve::Placing::ALL.map(retrieve::Placing::structure);
        let hosts = [PagedSubject::STRUCTURE, PartitionSubject::STRUCTURE, ShardedSubject::STRUCTURE];
        let batches = [bulk::STRUCTURE, bulk::TOLD, AggregateSubject::STRUCTURE, LeftSubject::STRUCTURE];
        let sketches = [sketch::FILTER, sketch::REGISTERS];
        let others = ["pool", "growth_word"].into_iter().chain(batches).chain(hosts).chain(sketches);
        assert_eq!(drawn, tables.chain(ways).chain(others).collect());
        // Calls of growth are batches, by names of operations; those of a pager and of ranks are their own,
        // and sketches absorb.
        let own = ["growth_word", PagedSubject::STRUCTURE, ShardedSubject::STRUCTURE];
        let own = |of: &str| own.contains(&of) || sketches.contains(&of);
        let calls = scenarios.iter().filter(|s| !own(&s.structure));
        let ops: BTreeSet<_> = calls.flat_map(|s| s.programs.iter().flatten()).map(|c| c.op).collect();
        assert_eq!(ops.len(), 12);
        assert!(scenarios.iter().any(|s| s.stall.is_some()));
        assert!(scenarios.iter().any(|s| s.preload.len() == PRELOAD as usize));
    }

    #[test]
    fn what_the_specification_does_not_cover_is_never_drawn() {
        for scenario in (0..5000).map(|seed| scenario(numbers(seed))) {
            assert!(known(&scenario), "{scenario:?}");
            // A host and three streams.
            let most = if scenario.structure == PagedSubject::STRUCTURE { 4 } else { 3 };
            assert!((1..=most).contains(&scenario.programs.len()));
            let has = |op| scenario.programs.iter().flatten().any(|call| call.op == op);
            let multi = ["multi", "growth", "sketch"].iter().any(|of| scenario.structure.starts_with(of));
            let inserts = has(Op::Insert) || scenario.preload.iter().any(|call| call.op == Op::Insert);
            assert!(multi || !inserts, "{scenario:?}");
            assert!(simpler(&scenario).iter().all(known), "{scenario:?}");
            let multimap = scenario.structure.starts_with("multi");
            assert!(!multimap || !has(Op::SearchAll) || !has(Op::InsertOrAssign), "{scenario:?}");
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
        assert_eq!(from_bytes(&[0, 8]).structure, "pool");
        assert_eq!(from_bytes(&[3]).structure, "cuckoo_map32");
        assert_eq!(from_bytes(&[255; 64]), from_bytes(&[255; 64]));
    }

    #[test]
    fn a_scenario_becomes_minimal() {
        let deletes = |s: &Scenario| {
            s.programs.len() == 2 && s.programs.iter().flatten().any(|call| call.op == Op::Delete)
        };
        let of_slab = |seed| of_structure(&STRUCTURES[0], numbers(seed));
        let found = (0..).map(of_slab).find(|s| deletes(s) && s.preload.len() > 2);
        let minimal = minimal(found.expect("some seed does"), deletes);
        assert!(minimal.preload.is_empty() && minimal.stall.is_none());
        assert_eq!(minimal.programs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
        assert!(minimal.programs.iter().flatten().all(|call| call.key == 1));
        assert_eq!(minimal.config, Config { lanes: 1, slots: 2, buckets: 1, ..Config::default() });
        assert_eq!(minimal.finally, [Call::new(Op::SearchAll, 1, 0)]);
    }
}
