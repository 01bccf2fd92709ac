//! Tables whose `insert_or_add` applies a function: which one, and what they are sequentially.

use warpproof_model::Word;
use warpproof_model::spec::{Call, Map, Op, Ret, Spec};

/// The function that scenarios apply to a value and the one that is given. The result tells which calls were
/// applied and in which order, so that a call is noticed that is lost, or applied twice or to an old value.
pub(super) fn applied<V: Word>(old: V, given: V) -> V {
    let number = |value: V| value.to_bits() as u64;
    V::from_bits(apply(number(old), number(given)).into())
}

const fn apply(old: u64, given: u64) -> u64 {
    2 * old + given
}

/// A map; if `applies`, an `insert_or_add` of a key that is there applies the function.
#[derive(Clone, Copy, Debug)]
pub struct AppliedMap {
    pub(super) map: Map,
    pub(super) applies: bool,
}

impl Spec for AppliedMap {
    type State = Vec<u64>;

    fn initial(&self, key: u64) -> Vec<u64> {
        self.map.initial(key)
    }

    fn step(&self, state: &Vec<u64>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u64>>) {
        let adds = self.applies && call.op == Op::InsertOrAdd;
        match (ret, state.as_slice()) {
            (None | Some(Ret::Added), &[old]) if adds => next.push(vec![apply(old, call.value)]),
            _ => self.map.step(state, call, ret, next),
        }
    }

    fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
        self.map.expand(call, ret)
    }

    fn show(&self, key: u64, state: &Vec<u64>) -> String {
        self.map.show(key, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine as _, Options};
    use crate::explore::Explore;
    use crate::scenarios::STRUCTURES;

    /// Every scenario in which a function is applied holds, and is explored to its end.
    #[test]
    fn no_application_is_lost_or_made_twice() {
        for (name, least) in [("open_applied32", 200), ("cuckoo_applied32", 100)] {
            let sets = STRUCTURES.iter().flat_map(|structure| (structure.default_set)());
            let scenarios: Vec<_> = sets.filter(|scenario| scenario.structure == name).collect();
            assert!(scenarios.len() > least, "{name}: {}", scenarios.len());
            for scenario in &scenarios {
                let report = Explore.explore(scenario, &Options::default()).expect("a scenario");
                assert!(report.is_clean(), "{}: {:?}", scenario.name, report.violation);
            }
        }
    }

    #[test]
    fn an_addition_is_no_application() {
        let after = |applies, from: &[u64], value, ret| {
            let spec = AppliedMap { map: Map::default(), applies };
            let mut next = Vec::new();
            spec.step(&from.to_vec(), &Call::new(Op::InsertOrAdd, 5, value), ret, &mut next);
            next
        };
        assert_eq!(after(true, &[3], 4, Some(&Ret::Added)), [[10]]);
        assert_eq!(after(true, &[3], 4, None), [[10]]);
        assert_eq!(after(false, &[3], 4, Some(&Ret::Added)), [[7]]);
        assert_eq!(after(true, &[], 4, Some(&Ret::Inserted)), [[4]]);
        assert!(after(true, &[], 4, Some(&Ret::Added)).is_empty());
        assert!(after(true, &[3], 4, Some(&Ret::Inserted)).is_empty());
    }
}
