//! Scenarios with the buckets of the library's tables, too large to explore: for an engine that samples.
//!
//! Buckets of eight slots read by warps of one to eight lanes, three to eight of them, two to four calls each on up to four
//! keys of two homes.

use super::places::{OPS, Structure};
use crate::check::{Config, Scenario};
use crate::scenarios::dice::Dice;
use crate::scenarios::home::{Homed, Name};
use warpproof_model::open::BUCKET_SLOTS;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{Delete, InsertUnique, Search};

/// Every entry type in every place, by warps of every width.
pub fn wide() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    // How the filter is written does not depend on the width.
    for structure in Structure::ALL.into_iter().filter(|&structure| structure != Structure::Untested32) {
        for lanes in LANES {
            for place in Place::ALL {
                scenarios.push(scenario(structure, lanes, place, scenarios.len()));
            }
        }
    }
    scenarios
}

const LANES: [u32; 4] = [1, 2, 4, 8];
const BUCKETS: u32 = 3;
/// The first of the keys of a home that only fill slots.
const FILLER: usize = 4;

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An empty table.
    Empty,
    /// The homes of two keys are full.
    Homes,
    /// The same, of tombstones.
    Tombs,
    /// One slot is empty.
    LastSlot,
}

impl Place {
    const ALL: [Self; 4] = [Self::Empty, Self::Homes, Self::Tombs, Self::LastSlot];

    const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Homes => "homes",
            Self::Tombs => "tombs",
            Self::LastSlot => "last_slot",
        }
    }

    /// The keys that make it, in this order.
    fn preload(self) -> Vec<Name> {
        let fill = |home, keys: usize| (FILLER..FILLER + keys).map(move |i| (home, i));
        let homes = fill(0, BUCKET_SLOTS).chain(fill(1, BUCKET_SLOTS));
        match self {
            Self::Empty => Vec::new(),
            Self::Homes | Self::Tombs => homes.collect(),
            Self::LastSlot => homes.chain(fill(2, BUCKET_SLOTS - 1)).collect(),
        }
    }
}

/// Scenario number `number`, which decides how many warps, calls and keys there are, and which operations meet.
fn scenario(structure: Structure, lanes: u32, place: Place, number: usize) -> Scenario {
    let mut dice = Dice::new(number);
    let (warps, calls, keys) = (3 + number % 6, 2 + dice.roll(3), 2 + dice.roll(3));
    // New ones, and one of each home that may be there.
    let names: [Name; 4] = [(0, 0), (1, FILLER), (1, 0), (0, FILLER)];
    let key = |&name: &Name| structure.key(BUCKETS, name);
    let wanted: Vec<u64> = names[..keys].iter().map(key).collect();
    let slots = BUCKET_SLOTS as u32 / lanes;
    let config = Config { lanes, slots, buckets: BUCKETS, ..Config::default() };
    let programs = dice.programs((warps, calls), &OPS, &wanted, structure.has_values());
    let what = format!("{warps}_warps_of_{calls}_calls_on_{keys}_keys");
    let name = format!("{}/{what}/{}_{lanes}x{slots}", structure.name(), place.name());
    let mut scenario = Scenario::new(name, structure.name(), config, programs);
    let before = |op| place.preload().iter().map(|name| Call::new(op, key(name), 0)).collect::<Vec<_>>();
    scenario.preload = before(InsertUnique);
    if place == Place::Tombs {
        scenario.preload.extend(before(Delete));
    }
    scenario.finally = wanted.iter().map(|&key| Call::new(Search, key, 0)).collect();
    scenario.allows.full = true;
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::{Alone, SeqMemory};
    use warpproof_model::spec::Ret;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&wide());
        assert!(wide().iter().all(|scenario| (3..=8).contains(&scenario.programs.len())));
    }

    /// So many new keys find room where the preload was made, and the next does not.
    #[test]
    fn places_are_what_they_are_called() {
        for scenario in wide() {
            let subject = crate::scenarios::subject(&scenario).expect("a subject");
            let memory = SeqMemory::new(&subject.arrays());
            let run = |call: &Call| memory.guard(|m| subject.run(&Alone, m, call)).expect("a call that ends");
            let inserts = scenario.preload.iter().filter(|call| call.op == InsertUnique).count();
            for call in &scenario.preload {
                let said = if call.op == Delete { Ret::Deleted } else { Ret::Inserted };
                assert_eq!(run(call), said, "{}: {call}", scenario.name);
            }
            let structure =
                Structure::ALL.into_iter().find(|s| s.name() == scenario.structure).expect("a structure");
            let key = |number| structure.key(BUCKETS, (0, 1000 + number));
            let room = BUCKETS as usize * BUCKET_SLOTS - inserts;
            let more = (0..=room).map(|number| run(&Call::new(InsertUnique, key(number), 0)));
            let full = more.into_iter().position(|ret| ret == Ret::Full);
            assert_eq!(full, Some(room), "{}", scenario.name);
        }
    }
}
