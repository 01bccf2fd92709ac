//! The situations in which programs meet: the chain of the one bucket.

use crate::check::Scenario;
use crate::scenarios::family::Programs;
use crate::scenarios::home;
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{Name, Place, Plan, Random, Table, by_homes};
use warpproof_model::spec::Op::{self, Delete, InsertOrAssign, InsertUnique, Search};

/// The operations.
pub(super) const OPS: [Op; 4] = [InsertUnique, InsertOrAssign, Delete, Search];

/// Exchanges that a call loses before it is announced, where it never is.
pub(in crate::scenarios) const NEVER: u32 = 1000;

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key: home::key,
    scenario,
    alike: false,
    look: Search,
    progress: |_, _| Progress::WaitFree,
    meet: |_, _| true,
    random: Random {
        ops: &OPS,
        shapes: &[(2, 1, 0), (2, 1, 1), (2, 2, 0), (2, 2, 1)],
        buckets: (1, 2),
        pool: 0,
        keys: 5,
    },
    fills: None,
};

/// A scenario of programs, in which all warps have enough nodes.
fn scenario(table: &Table, place: Place, programs: &Programs) -> Scenario {
    let mut scenario = by_homes(table, place, programs);
    scenario.allows.full = false;
    scenario
}

/// Scenarios whose calls are announced after so many lost exchanges.
pub(super) fn patient(scenarios: &[Scenario], patience: u32) -> Vec<Scenario> {
    scenarios.iter().map(|scenario| with(scenario, patience)).collect()
}

/// A scenario whose calls are announced after so many lost exchanges.
pub(super) fn with(scenario: &Scenario, patience: u32) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.config.reach = patience;
    scenario.name += &match patience {
        NEVER => "_never".to_string(),
        patience => format!("_f{patience}"),
    };
    scenario
}

/// A scenario whose pool can run out.
pub(super) fn full(mut scenario: Scenario) -> Scenario {
    scenario.allows.full = true;
    scenario
}

/// A place with nodes of so many words in each of two lanes. A call is announced at once.
const fn place(name: &'static str, slots: u32, preload: &'static [Name], keys: &'static [Name]) -> Place {
    Place { name, shape: (2, slots), preload, keys, ..Place::EMPTY }
}

/// A bucket that has never been used.
pub(super) const NEW: Place = place("new", 2, &[], &[(0, 0), (0, 1)]);
/// A node with room.
pub(super) const ROOM: Place = place("room", 2, &[(0, 0)], &[(0, 0), (0, 1)]);
/// A full node: what comes is between its keys.
pub(super) const FULL: Place = place("full", 2, &[(0, 0), (0, 2), (0, 3)], &[(0, 2), (0, 1)]);
/// A full node of one lane, whose first word has its lowest key.
pub(super) const UP: Place = Place { name: "up", shape: (1, 4), ..FULL };
/// A full node of one lane, whose first word has its highest key.
pub(super) const DOWN: Place = Place { name: "down", preload: &[(0, 3), (0, 0), (0, 2)], ..UP };
/// Nodes of one key, one such node: what comes makes another one.
pub(super) const ONE: Place = place("one", 1, &[(0, 1)], &[(0, 1), (0, 0)]);
/// Two nodes, the first of which is full: what comes belongs into the second one.
pub(super) const TWO: Place = place("two", 2, &[(0, 0), (0, 1), (0, 3), (0, 4)], &[(0, 0), (0, 3), (0, 2)]);
/// Two nodes of one key.
pub(super) const CHAIN: Place = place("chain", 1, &[(0, 0), (0, 2)], &[(0, 0), (0, 2), (0, 1)]);
/// Two nodes of one key, whose keys are above the numbers of all nodes: what comes goes before both.
pub(super) const HIGH: Place = place("high", 1, &[(0, 40), (0, 50)], &[(0, 30), (0, 40)]);
/// Two nodes, the first of which has one key.
pub(super) const FIRST: Place =
    Place { gone: &[(0, 1)], ..place("first", 2, &[(0, 0), (0, 1), (0, 3), (0, 4)], &[(0, 0)]) };
/// Two nodes, the last of which has one key.
pub(super) const LAST: Place =
    Place { gone: &[(0, 4)], ..place("last", 2, &[(0, 0), (0, 1), (0, 3), (0, 4)], &[(0, 3)]) };
/// A node without keys.
pub(super) const EMPTIED: Place =
    Place { gone: &[(0, 0)], ..place("emptied", 2, &[(0, 0)], &[(0, 0), (0, 1)]) };
/// Three nodes of one key, of which the middle one was taken out.
pub(super) const GAP: Place =
    Place { gone: &[(0, 1)], ..place("gap", 1, &[(0, 0), (0, 1), (0, 2)], &[(0, 0), (0, 1), (0, 2)]) };

/// Two buckets that have never been used.
pub(super) const BUCKETS: Place = Place { homes: 2, ..place("buckets", 1, &[], &[(0, 0), (1, 0), (1, 1)]) };
/// Two buckets, a node with room in each.
pub(super) const BOTH: Place = Place { homes: 2, ..place("both", 2, &[(0, 0), (1, 0)], &[(0, 0), (1, 0)]) };
/// Two buckets, the second of which has a node with room.
pub(super) const SECOND: Place = Place { homes: 2, ..place("second", 2, &[(1, 0)], &[(0, 0), (1, 0)]) };

/// All of one bucket.
pub(super) const ALL: [Place; 8] = [NEW, ROOM, FULL, ONE, TWO, CHAIN, EMPTIED, GAP];
