//! How programs become a scenario, and how a scenario is transformed, independent of the structure.

use super::family::{Programs, Step};
use crate::check::{Config, Scenario, Stall};
use std::collections::HashSet;
use warpproof_model::spec::{Call, Op};

/// A scenario of these programs, named `structure/programs/place`; `called` says how a step is called there.
/// Every call that stores has a value of its own, if there are `values`.
pub(crate) fn scenario(
    (structure, place): (&str, &str),
    config: Config,
    programs: &Programs,
    called: impl Fn(&Step) -> String,
    values: bool,
) -> Scenario {
    let names = programs.iter().map(|steps| steps.iter().map(&called).collect::<Vec<_>>().join("_then_"));
    let name = format!("{structure}/{}/{place}", names.collect::<Vec<_>>().join("+"));
    let call = |warp: usize, number: usize, (op, key): Step| {
        let value = if stores(op) && values { 10 * (warp as u64 + 1) + number as u64 } else { 0 };
        Call::new(op, key, value)
    };
    let calls = |(warp, steps): (usize, &Vec<Step>)| {
        steps.iter().enumerate().map(|(number, step)| call(warp, number, *step)).collect()
    };
    Scenario::new(name, structure, config, programs.iter().enumerate().map(calls).collect())
}

/// The operations that store an entry.
pub(crate) const STORES: [Op; 4] = [Op::Insert, Op::InsertUnique, Op::InsertOrAssign, Op::InsertOrAdd];

/// Whether an operation stores a value.
pub(crate) fn stores(op: Op) -> bool {
    STORES.contains(&op)
}

/// Each scenario once.
pub(super) fn once(scenarios: Vec<Scenario>) -> Vec<Scenario> {
    let mut names = HashSet::new();
    scenarios.into_iter().filter(|scenario| names.insert(scenario.name.clone())).collect()
}

/// A scenario run by lanes of one word each: a lane learns what another lane did only after a `sync`.
pub(super) fn lanes(mut scenario: Scenario) -> Scenario {
    scenario.config = Config { lanes: scenario.config.slots, slots: 1, ..scenario.config };
    scenario.name += "_lanes";
    scenario
}

/// Those scenarios whose buckets have several slots, run by lanes of one slot each.
pub(super) fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    scenarios.iter().filter(|scenario| scenario.config.slots > 1).cloned().map(lanes).collect()
}

/// A scenario with counters of so many bits, in the order of the structure, so that they wrap.
pub(super) fn narrow(mut scenario: Scenario, bits: &[u32]) -> Scenario {
    scenario.config.counters = bits.to_vec();
    let bits: Vec<_> = bits.iter().map(u32::to_string).collect();
    scenario.name += &format!("_bits{}", bits.join("_"));
    scenario
}

/// A scenario with lanes of two words each in place of one lane: a slot is not its lane.
pub(super) fn double(mut scenario: Scenario) -> Scenario {
    scenario.config = Config { lanes: scenario.config.slots / 2, slots: 2, ..scenario.config };
    scenario.name += "_double";
    scenario
}

/// What calls do, and on which keys.
pub(super) fn steps(calls: &[Call]) -> Vec<Step> {
    calls.iter().map(|call| (call.op, call.key)).collect()
}

/// A scenario whose first warp stops for ever, at each of its steps in turn. The second one finishes, unless
/// it may wait for the first.
pub(crate) fn stalled(mut scenario: Scenario, waits: impl FnOnce(&Scenario) -> bool) -> Scenario {
    scenario.name = scenario.name.replacen('/', "/stalled_", 1);
    stops(scenario, 0, waits)
}

/// A scenario whose first warp stops, with the second one in its place.
pub(super) fn stalled_second(mut scenario: Scenario, waits: impl FnOnce(&Scenario) -> bool) -> Scenario {
    scenario.name = scenario.name.replacen("/stalled_", "/stalled_second_", 1);
    stops(scenario, 1, waits)
}

fn stops(mut scenario: Scenario, warp: usize, waits: impl FnOnce(&Scenario) -> bool) -> Scenario {
    scenario.stall = Some(Stall { warp, after: None });
    scenario.allows.blocking = waits(&scenario);
    scenario
}
