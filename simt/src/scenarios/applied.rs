//! Tables whose `insert_or_add` applies a function, and updates, which are calls of their own: which function
//! it is, and what the tables are sequentially.

use crate::check::Scenario;
use warpproof_model::spec::{Call, Map, Op, Ret, Spec};
use warpproof_model::{Update, Word};

/// The function that scenarios apply to a value and the one that is given. The result tells which calls were
/// applied and in which order, so that a call is noticed that is lost, or applied twice or to an old value.
pub(super) fn applied<V: Word>(old: V, given: V) -> V {
    let number = |value: V| value.to_bits() as u64;
    V::from_bits(apply(number(old), number(given)).into())
}

const fn apply(old: u64, given: u64) -> u64 {
    2 * old + given
}

/// The update that a call is, if it is one.
pub(super) const fn update_of(op: Op) -> Option<Update> {
    match op {
        Op::Other(code) => Update::from_code(code),
        _ => None,
    }
}

/// What an update is to do, said a second time: a wrong [`Update::apply`] is not to be what the tables are
/// compared with.
fn updated(update: Update, old: u64, given: u64) -> u64 {
    let least = if old < given { old } else { given };
    match update {
        Update::Add => old + given,
        Update::Min => least,
        Update::Max => old + given - least,
        Update::Or => !(!old & !given),
        Update::And => !(!old | !given),
        Update::Xor => (old | given) - !(!old | !given),
        Update::First => old,
        Update::Last => given,
    }
}

/// Whether a scenario has a call whose effect depends on the value that is there.
pub(super) fn adds(scenario: &Scenario) -> bool {
    let mut calls = scenario.programs.iter().flatten();
    calls.any(|call| call.op == Op::InsertOrAdd || update_of(call.op).is_some())
}

/// The value of keys that are there before updates: it has bits that the given values lack, and one of these
/// is less and one is more.
const THERE: u64 = 12;

/// Each of these scenarios that adds to a value, once for each update in place of the additions.
pub(super) fn updates(scenarios: &[Scenario]) -> Vec<Scenario> {
    let of = |update: Update| {
        let name = format!("{update:?}").to_lowercase();
        scenarios.iter().filter(|scenario| adds(scenario)).map(move |scenario| {
            let mut scenario = scenario.clone();
            scenario.name = scenario.name.replace(&Op::InsertOrAdd.to_string(), &name);
            let calls = scenario.programs.iter_mut().flatten();
            calls
                .filter(|call| call.op == Op::InsertOrAdd)
                .for_each(|call| call.op = Op::Other(update.code()));
            let there = scenario.preload.iter_mut().filter(|call| call.op == Op::InsertUnique);
            there.for_each(|call| call.value = THERE);
            scenario
        })
    };
    Update::ALL.into_iter().flat_map(of).collect()
}

/// A map that has updates; if `applies`, an `insert_or_add` of a key that is there applies the function.
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
        let (update, adds) = (update_of(call.op), self.applies && call.op == Op::InsertOrAdd);
        match (ret, state.as_slice(), update) {
            (None | Some(Ret::Added), &[old], _) if adds => next.push(vec![apply(old, call.value)]),
            (None | Some(Ret::Added), &[old], Some(update)) => {
                next.push(vec![updated(update, old, call.value)]);
            }
            // It stores the pair, or finds no room, as an addition does.
            (_, _, Some(_)) => {
                self.map.step(state, &Call { op: Op::InsertOrAdd, ..call.clone() }, ret, next);
            }
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

    /// Every scenario with an update holds, and is explored to its end. In each table every update meets
    /// every operation.
    #[test]
    fn no_update_is_lost_or_made_twice() {
        for name in [
            "open_map32",
            "open_lock64",
            "open_board64",
            "open_summed32",
            "cuckoo_map32",
            "reserved_map32",
            "reserved_lock64",
        ] {
            let updates = |scenario: &Scenario| {
                let mut calls = scenario.programs.iter().flatten();
                calls.any(|call| update_of(call.op).is_some())
            };
            let sets = STRUCTURES.iter().flat_map(|structure| (structure.default_set)());
            let scenarios: Vec<_> =
                sets.filter(|scenario| scenario.structure == name && updates(scenario)).collect();
            for update in Update::ALL {
                let prefix = format!("{name}/{}@", format!("{update:?}").to_lowercase());
                let of_update = scenarios.iter().filter(|scenario| scenario.name.starts_with(&prefix));
                assert!(of_update.count() >= 4, "{prefix}");
            }
            for scenario in &scenarios {
                let report = Explore.explore(scenario, &Options::default()).expect("a scenario");
                assert!(report.is_clean(), "{}: {:?}", scenario.name, report.violation);
            }
        }
    }

    /// Every scenario in which a function is applied, or a sum is added without an exchange, holds, and is
    /// explored to its end.
    #[test]
    fn no_application_is_lost_or_made_twice() {
        for (name, least) in [("open_applied32", 200), ("open_summed32", 200), ("cuckoo_applied32", 100)] {
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
    fn an_update_stores_an_absent_key_and_changes_one_that_is_there() {
        let spec = AppliedMap { map: Map { may_fill: true }, applies: false };
        let after = |update: Update, from: &[u64], ret| {
            let mut next = Vec::new();
            spec.step(&from.to_vec(), &Call::new(Op::Other(update.code()), 5, 3), ret, &mut next);
            next
        };
        assert_eq!(after(Update::Min, &[4], Some(&Ret::Added)), [[3]]);
        assert_eq!(after(Update::Max, &[4], None), [[4]]);
        assert_eq!(after(Update::First, &[4], Some(&Ret::Full)), [[4]]);
        assert_eq!(after(Update::Last, &[], Some(&Ret::Inserted)), [[3]]);
        assert!(after(Update::Or, &[], Some(&Ret::Added)).is_empty());
        assert!(after(Update::Or, &[4], Some(&Ret::Inserted)).is_empty());
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
