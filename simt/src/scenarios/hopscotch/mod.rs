//! The scenarios of the hopscotch table.
//!
//! Operations meet on the keys of one to three homes: in an empty neighbourhood, in a full one, where a key
//! has to be moved, or two in turn, where two such inserts cross, and in the tail.

mod narrow;
mod places;
mod room;
mod sets;
mod subject;
mod tables;
mod wide;

pub use sets::{deep, default_set, quick};
pub use subject::HopscotchSubject;
pub use tables::{MAP32, MAP64, NARROW_SHAPES, SET32, SET64, SHAPES, TABLES, TRIED32};
pub use wide::wide;

use super::checked::{self, Checked};

/// What is checked of the hopscotch table.
pub(super) const CHECKED: Checked = Checked {
    name: "hopscotch",
    what: "The lock-flag hopscotch table (Zhang, Sun): one pair per key, a fixed size",
    tables: &TABLES,
    quick,
    default_set,
    deep,
    wide,
    others: checked::none,
    random: &[],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::seq::{Alone, SeqMemory};
    use crate::check::{AnySubject, Config, OfLanes};
    use crate::scenarios::entry::Entry;
    use std::collections::HashMap;
    use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
    use warpproof_model::spec::{Call, Op, Ret};

    /// One warp on a table that is full most of the time. Every answer is that of a map, `Full` is returned
    /// exactly if no displacement makes room, and the invariants hold after every call.
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
            let full = memory.guard(|m| subject.exhausted(m, key)).expect("an answer").expect("it tells");
            let ret = memory.guard(|m| subject.run(&Alone(0), m, &call)).expect("a call that ends");
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
