//! The scenarios of sketches: a Bloom filter of two blocks, and the registers of a HyperLogLog in two words.
//!
//! There is a second sketch, to which nobody writes. A call that absorbs (`op0`) names a key or a register of
//! it, and adds the whole block or word; no call looks at what is added besides, except for the last check.

mod filter;
mod registers;
mod sets;

pub use filter::FilterSubject;
pub use registers::RegistersSubject;
pub use sets::{deep, default_set, quick};

use super::checked::{Checked, none};
use super::table::Made;
use crate::check::{Breach, Kind, Scenario, ScenarioError, of_lanes};
use warpproof_model::spec::{Call, Op, Ret, Spec};

/// What is checked of sketches.
pub(super) const CHECKED: Checked = Checked {
    name: "sketch",
    what: "Bloom filters in blocks, and the registers of a HyperLogLog",
    tables: &[],
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random_filter, sets::random_registers],
};

/// The structure of scenarios of a filter.
pub const FILTER: &str = "sketch_filter";
/// The structure of scenarios of registers.
pub const REGISTERS: &str = "sketch_registers";

/// Adds what the second sketch holds beside this key or register.
pub const ABSORB: Op = Op::Other(0);

/// A specification in which [`ABSORB`] is an insert of its key.
#[derive(Clone, Copy, Debug)]
pub struct Absorbs<S>(S);

impl<S: Spec> Spec for Absorbs<S> {
    type State = S::State;

    fn initial(&self, key: u64) -> S::State {
        self.0.initial(key)
    }

    fn step(&self, state: &S::State, call: &Call, ret: Option<&Ret>, next: &mut Vec<S::State>) {
        let op = if call.op == ABSORB { Op::Insert } else { call.op };
        self.0.step(state, &Call { op, ..call.clone() }, ret, next);
    }
}

fn subject(scenario: &Scenario) -> Made {
    let lanes = scenario.config.lanes;
    let made = match (&*scenario.structure, scenario.config.slots) {
        (FILTER, 2) => of_lanes(FilterSubject::<2>::new(scenario)?, lanes),
        (FILTER, 3) => of_lanes(FilterSubject::<3>::new(scenario)?, lanes),
        (REGISTERS, 2) => of_lanes(RegistersSubject::new(scenario)?, lanes),
        (FILTER | REGISTERS, _) => return Err(unfit("blocks have two or three words, registers are in two")),
        _ => return none(scenario),
    };
    made.ok_or(ScenarioError::Lanes(lanes))
}

fn unfit(why: &str) -> ScenarioError {
    ScenarioError::Shape(format!("a sketch: {why}"))
}

/// What calls insert, and what they absorb of `held`: keys or registers, with ranks. `place` is a block or a
/// word.
///
/// # Errors
/// If a call absorbs what is not held, or another one is on what that adds besides.
fn added(
    scenario: &Scenario,
    held: &[(u64, u64)],
    place: impl Fn(u64) -> usize,
) -> Result<Vec<(u64, u64)>, ScenarioError> {
    let absorbed = |call: &Call| {
        let at = place(call.key);
        held.iter().copied().filter(|of| place(of.0) == at).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for call in scenario.calls() {
        match call.op {
            Op::Insert => all.push((call.key, call.value)),
            ABSORB => {
                let absorbed = absorbed(call);
                let besides = |key: u64| key != call.key && absorbed.iter().any(|of| of.0 == key);
                if !absorbed.contains(&(call.key, call.value)) || scenario.calls().any(|of| besides(of.key)) {
                    return Err(unfit("a call absorbs one key or register that other calls name"));
                }
                all.extend(absorbed);
            }
            _ => {}
        }
    }
    Ok(all)
}

/// Whether all words are as they should be.
fn all_are(words: &[u64], found: impl Fn(usize) -> u64, show: fn(u64) -> String) -> Result<(), Breach> {
    match (0..words.len()).find(|&at| found(at) != words[at]) {
        Some(at) => Err(Breach::new(
            Kind::Invariant,
            format!("word {at} has {} and not {}", show(found(at)), show(words[at])),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    #[test]
    fn every_scenario_holds() {
        let set = default_set();
        let mut executions = 0;
        for scenario in &set {
            let report = Explore.explore(scenario, &Options::default()).expect("a scenario");
            assert!(report.is_clean(), "{}: {:?}", scenario.name, report.violation.map(|v| v.timeline()));
            executions += report.executions;
        }
        println!("{} scenarios, {executions} executions", set.len());
    }

    fn refused(structure: &str, change: impl Fn(&mut Scenario)) -> bool {
        let is_one = |scenario: &Scenario| {
            scenario.structure == structure && scenario.calls().any(|call| call.op == ABSORB)
        };
        let mut scenario = default_set().into_iter().find(is_one).expect("a scenario");
        assert!(subject(&scenario).is_ok());
        change(&mut scenario);
        subject(&scenario).is_err()
    }

    #[test]
    fn what_a_sketch_does_not_know_is_refused() {
        for structure in [FILTER, REGISTERS] {
            assert!(refused(structure, |scenario| scenario.config.lanes = 3));
            assert!(refused(structure, |scenario| scenario.config.slots = 4));
            assert!(refused(structure, |scenario| scenario.config.bitmap.clear()));
            assert!(refused(structure, |scenario| scenario.programs[0][0].key = 77));
            assert!(refused(structure, |scenario| scenario.programs[0][0].op = Op::Delete));
        }
        assert!(refused(FILTER, |scenario| scenario.programs[0][0] = Call::new(Op::Search, 1, 0)));
        assert!(refused(REGISTERS, |scenario| scenario.programs[0][0] = Call::new(Op::Count, 7, 0)));
    }
}
