//! Which scenarios there are.

use super::subject::home_of;
use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, Step, programs, shapes};
use crate::scenarios::form;
use std::collections::BTreeSet;
use warpproof_model::entry::Pair32;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

const OPS: [Op; 4] = [InsertUnique, InsertOrAssign, Search, Delete];
/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// A key by its home and its number among the keys of that home.
type Name = (u32, usize);

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    name: &'static str,
    /// Lanes, slots per lane.
    shape: (u32, u32),
    buckets: u32,
    preload: &'static [Name],
    /// What is deleted of it.
    gone: &'static [Name],
    keys: &'static [Name],
}

const fn place(
    name: &'static str,
    shape: (u32, u32),
    buckets: u32,
    preload: &'static [Name],
    gone: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape, buckets, preload, gone, keys }
}

const PLACES: [Place; 8] = [
    place("empty", (1, 2), 1, &[], &[], &[(0, 0), (0, 1)]),
    place("present", (1, 2), 1, &[(0, 0)], &[], &[(0, 0), (0, 1)]),
    // A tombstone, and an empty slot behind.
    place("gone", (1, 2), 1, &[(0, 0)], &[(0, 0)], &[(0, 0), (0, 1)]),
    place("full", (1, 2), 1, &[(0, 1), (0, 2)], &[], &[(0, 0), (0, 1)]),
    // The home is full, and nothing has passed it.
    place("passes", (1, 2), 2, &[(0, 1), (0, 2)], &[], &[(0, 0), (0, 3), (0, 1)]),
    // The home is full, the key is behind.
    place("behind", (1, 2), 2, &[(0, 1), (0, 2), (0, 0)], &[], &[(0, 0), (0, 1), (0, 3)]),
    // The home is full of tombstones.
    place("tombs", (1, 1), 2, &[(0, 1)], &[(0, 1)], &[(0, 0), (0, 1)]),
    // Three buckets, of which two are full.
    place("far", (1, 1), 3, &[(0, 1), (1, 1)], &[], &[(0, 0), (0, 2), (1, 0)]),
];

fn key(buckets: u32, (home, number): Name) -> u64 {
    (1..).filter(|&key| home_of::<Pair32>(buckets, key) == home).nth(number).unwrap_or(u64::MAX)
}

impl Place {
    fn keys(self, most: usize) -> Keys {
        Keys {
            fixed: self.keys.iter().map(|&name| key(self.buckets, name)).collect(),
            free: Vec::new(),
            most,
        }
    }

    fn scenario(self, programs: &Programs) -> Scenario {
        let key = |&name: &Name| key(self.buckets, name);
        let called = |(op, called): &Step| {
            let name = self.keys.iter().find(|name| key(name) == *called);
            name.map_or(format!("{op}@{called}"), |(home, number)| format!("{op}@{home}.{number}"))
        };
        let (lanes, slots) = self.shape;
        let config = Config { lanes, slots, buckets: self.buckets, ..Config::default() };
        let mut scenario = form::scenario(("open_map32", self.name), config, programs, called, true);
        let before =
            |op, names: &[Name]| names.iter().map(|name| Call::new(op, key(name), 0)).collect::<Vec<_>>();
        scenario.preload = [before(InsertUnique, self.preload), before(Delete, self.gone)].concat();
        let keys: BTreeSet<u64> = self.preload.iter().chain(self.keys).map(key).collect();
        scenario.finally = keys.into_iter().map(|key| Call::new(Search, key, 0)).collect();
        scenario.allows.full = true;
        scenario
    }
}

/// Every pair of operations in every place, by one lane and by several; one warp that stops.
pub fn default_set() -> Vec<Scenario> {
    let mut all = family(2, 2);
    all.extend(all.clone().into_iter().filter(|s| s.config.slots > 1).map(form::lanes));
    let stalled = all.iter().filter(|s| s.programs.len() == 2).cloned().map(form::stalled);
    let stalled: Vec<_> = stalled.collect();
    all.extend(stalled);
    all
}

/// All programs of so many calls, on at most `keys` different keys, by at most four warps, in every place.
pub fn family(calls: usize, keys: usize) -> Vec<Scenario> {
    let of = |place: Place, shape: Vec<usize>| {
        programs(&shape, &OPS, &place.keys(keys)).into_iter().map(move |programs| place.scenario(&programs))
    };
    PLACES
        .into_iter()
        .flat_map(|p| shapes(calls, WARPS).into_iter().flat_map(move |shape| of(p, shape)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};

    fn explore(all: &[Scenario]) {
        let (mut executions, mut bad) = (0, 0);
        for scenario in all {
            let report = crate::explore::Explore.explore(scenario, &Options::default()).expect("a scenario");
            executions += report.executions;
            if !report.is_clean() && bad < 3 {
                println!("{}: {:?}", report.scenario, report.violation.as_ref().map(|v| v.timeline()));
            }
            bad += !report.is_clean() as u32;
        }
        println!("{} scenarios, {executions} executions, {bad} bad", all.len());
        assert_eq!(bad, 0);
    }

    #[test]
    fn the_default_set_holds() {
        crate::scenarios::assert_a_set(&default_set());
        explore(&default_set());
    }

    #[test]
    fn three_calls_hold() {
        explore(&family(3, 1));
    }
}
