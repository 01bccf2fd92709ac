//! The scenarios of the hopscotch table.
//!
//! Operations meet on the keys of one to three homes: in an empty neighbourhood, in a full one, where a key has to be
//! moved, or two in turn, where two such inserts cross, and in the tail.

mod places;
mod room;
mod sets;
mod subject;
mod wide;

pub use places::Structure;
pub use sets::{all, deep, default_set, family, quick};
pub use subject::HopscotchSubject;
pub use wide::wide;

use super::entry::Entry;
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// Lanes, words per lane and groups of a neighbourhood that scenarios have.
pub const SHAPES: [(u32, u32, u32); 12] = [
    (1, 2, 2),
    (1, 2, 3),
    (1, 3, 2),
    (1, 4, 2),
    (2, 1, 2),
    (2, 1, 3),
    (2, 2, 2),
    (4, 1, 2),
    // Those of the library's tables.
    (1, 8, 8),
    (2, 4, 8),
    (4, 2, 8),
    (8, 1, 8),
];

/// The subject of a scenario of the hopscotch table.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.as_str() {
        "hop_map32" | "hop_tried32" => shaped::<Pair32>(scenario),
        "hop_set32" => shaped::<Key32>(scenario),
        "hop_map64" => shaped::<Pair64>(scenario),
        "hop_set64" => shaped::<Key64>(scenario),
        other => Err(ScenarioError::Structure(other.to_string())),
    }
}

fn shaped<E: Entry>(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    let config = &scenario.config;
    match (config.lanes, config.slots, config.reach) {
        (1, 2, 2) => Ok(table::<E, 1, 2, 2>(scenario)),
        (1, 2, 3) => Ok(table::<E, 1, 2, 3>(scenario)),
        (1, 3, 2) => Ok(table::<E, 1, 3, 2>(scenario)),
        (1, 4, 2) => Ok(table::<E, 1, 4, 2>(scenario)),
        (2, 1, 2) => Ok(table::<E, 2, 1, 2>(scenario)),
        (2, 1, 3) => Ok(table::<E, 2, 1, 3>(scenario)),
        (2, 2, 2) => Ok(table::<E, 2, 2, 2>(scenario)),
        (4, 1, 2) => Ok(table::<E, 4, 1, 2>(scenario)),
        (1, 8, 8) => Ok(table::<E, 1, 8, 8>(scenario)),
        (2, 4, 8) => Ok(table::<E, 2, 4, 8>(scenario)),
        (4, 2, 8) => Ok(table::<E, 4, 2, 8>(scenario)),
        (8, 1, 8) => Ok(table::<E, 8, 1, 8>(scenario)),
        (lanes, slots, reach) => Err(ScenarioError::Shape(format!(
            "a neighbourhood of {reach} groups of {lanes} lanes with {slots} words each: they are, lanes first, {SHAPES:?}"
        ))),
    }
}

fn table<E: Entry, const LANES: usize, const S: usize, const N: u32>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let make = match scenario.structure.as_str() {
        "hop_tried32" => HopscotchSubject::<E, S, N>::tried,
        _ => HopscotchSubject::<E, S, N>::new,
    };
    Arc::new(OfLanes::<_, LANES>(make(scenario.config.clone(), scenario.allows.full)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Config;
    use crate::seq::{Alone, SeqMemory};
    use std::collections::HashMap;
    use warpproof_model::spec::{Call, Op, Ret};

    /// One warp on a table that is full most of the time: every answer is that of a map, `Full` comes where no
    /// displacement makes room and only there, and what must hold holds after every call.
    fn one_warp_is_a_map<E: Entry, const LANES: usize, const S: usize, const N: u32>(homes: u32, keys: u64) {
        let config = Config { lanes: LANES as u32, slots: S as u32, buckets: homes, ..Config::default() };
        let subject = OfLanes::<_, LANES>(HopscotchSubject::<E, S, N>::new(config, true));
        let memory = SeqMemory::new(&subject.arrays());
        let mut map = HashMap::new();
        let (mut state, mut fulls, mut inserted) = (7u64, 0, 0);
        for number in 0..6000 {
            // A step of Knuth's generator MMIX; its high bits are the better ones.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (key, op) = (1 + (state >> 33) % keys, (state >> 24) % 8);
            let op = [Op::InsertUnique, Op::InsertOrAssign, Op::Delete, Op::Search]
                [[0, 0, 0, 1, 1, 2, 2, 3][op as usize]];
            let value = if size_of::<E::Value>() == 0 { 0 } else { number };
            let call = Call::new(op, key, value);
            let full = memory.guard(|m| subject.exhausted(m, key)).expect("an answer");
            let ret = memory.guard(|m| subject.run(&Alone, m, &call)).expect("a call that ends");
            let expected = match (op, map.get(&key)) {
                (Op::Search, value) => Ret::Value(value.copied()),
                (Op::Delete, Some(_)) => Ret::Deleted,
                (Op::Delete, None) => Ret::Absent,
                (Op::InsertUnique, Some(_)) => Ret::Present,
                (Op::InsertOrAssign, Some(_)) => Ret::Replaced,
                _ if full => Ret::Full,
                _ => Ret::Inserted,
            };
            assert_eq!(ret, expected, "call {number}: {call}");
            match ret {
                Ret::Inserted | Ret::Replaced => drop(map.insert(key, value)),
                Ret::Deleted => drop(map.remove(&key)),
                _ => {}
            }
            fulls += (ret == Ret::Full) as u32;
            inserted += (ret == Ret::Inserted) as u32;
            let holds = memory.guard(|m| subject.check_quiescent(m)).expect("an answer");
            assert_eq!(holds, Ok(()), "after call {number}: {call}");
        }
        assert!(fulls > 20 && inserted > 200, "{fulls} times full, {inserted} inserted");
    }

    #[test]
    fn one_warp_is_a_map_by_every_shape() {
        one_warp_is_a_map::<Pair32, 1, 8, 4>(12, 140);
        one_warp_is_a_map::<Pair32, 4, 2, 4>(12, 140);
        one_warp_is_a_map::<Pair32, 1, 2, 8>(30, 60);
        one_warp_is_a_map::<Pair32, 2, 1, 3>(30, 60);
        one_warp_is_a_map::<Key32, 4, 4, 2>(6, 200);
        one_warp_is_a_map::<Key64, 2, 4, 8>(9, 160);
        one_warp_is_a_map::<Pair64, 1, 4, 4>(20, 120);
    }
}
