//! Which scenarios there are.

use super::subject::home_of;
use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, Step, programs, shapes};
use crate::scenarios::form;
use std::collections::BTreeSet;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// An entry type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Structure {
    /// u32 pairs.
    Map32,
    /// u32 keys.
    Set32,
    /// u64 pairs in 128-bit words.
    Map64,
    /// u64 keys.
    Set64,
    /// u32 pairs, with operations as kernels run them: tried first, then whole.
    Tried32,
}

impl Structure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Map32, Self::Set32, Self::Map64, Self::Set64, Self::Tried32];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map32 => "hop_map32",
            Self::Set32 => "hop_set32",
            Self::Map64 => "hop_map64",
            Self::Set64 => "hop_set64",
            Self::Tried32 => "hop_tried32",
        }
    }

    /// The name of its table, as the slab hash has it.
    pub fn table(self) -> &'static str {
        self.name().trim_start_matches("hop_")
    }

    const fn has_values(self) -> bool {
        matches!(self, Self::Map32 | Self::Map64 | Self::Tried32)
    }

    fn home_of(self, homes: u32, key: u64) -> u32 {
        match self {
            Self::Map32 | Self::Tried32 => home_of::<Pair32>(homes, key),
            Self::Set32 => home_of::<Key32>(homes, key),
            Self::Map64 => home_of::<Pair64>(homes, key),
            Self::Set64 => home_of::<Key64>(homes, key),
        }
    }

    /// The key with this number among those of a home.
    fn key(self, homes: u32, (home, number): Name) -> u64 {
        let of_home = |key: &u64| self.home_of(homes, *key) == home;
        (1..).filter(of_home).nth(number).unwrap_or(u64::MAX)
    }
}

/// A key by its home and its number among the keys of that home.
type Name = (u32, usize);

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    name: &'static str,
    /// Lanes, words per lane, groups of a neighbourhood.
    shape: (u32, u32, u32),
    homes: u32,
    /// What is inserted before, in this order.
    preload: &'static [Name],
    /// What is deleted of it, then.
    gone: &'static [Name],
    /// The keys that programs may name.
    keys: &'static [Name],
}

const fn place(
    name: &'static str,
    shape: (u32, u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape, homes, preload, gone: &[], keys }
}

impl Place {
    /// A home without members.
    pub const EMPTY: Self = place("empty", (1, 2, 2), 1, &[], &[(0, 0)]);
    /// The key is in the group of its home.
    pub const PRESENT: Self = place("present", (1, 2, 2), 1, &[(0, 0)], &[(0, 0), (0, 1)]);
    /// The key is behind another one of its home.
    pub const BEHIND: Self = place("behind", (1, 2, 2), 2, &[(0, 1), (0, 0)], &[(0, 0), (0, 1)]);
    /// A neighbourhood that is full, and nothing can be moved.
    pub const FULL: Self = place("full", (1, 2, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 1)]);
    /// An insert of home 0 moves the key of home 1.
    pub const HOP: Self = place("hop", (1, 2, 2), 2, &[(0, 1), (1, 1)], &[(0, 0), (1, 1), (0, 1), (1, 0)]);
    /// An insert of home 0 moves the key of home 2, then that of home 1.
    pub const HOPS: Self =
        place("hops", (1, 2, 2), 3, &[(0, 1), (1, 1), (2, 1)], &[(0, 0), (1, 1), (2, 1), (1, 0)]);
    /// The neighbourhood is three groups; a key of home 1 may move by one or by two.
    pub const FAR: Self =
        place("far", (1, 2, 3), 2, &[(0, 1), (0, 2), (1, 1)], &[(0, 0), (1, 1), (1, 0), (0, 1)]);
    /// Two inserts that both have to move others: homes 0 and 1, across each other.
    pub const CROSS: Self =
        place("cross", (1, 2, 3), 3, &[(0, 1), (0, 2), (1, 1), (2, 1)], &[(0, 0), (1, 0), (1, 1), (2, 1)]);
    /// The key of the last home is in the tail.
    pub const TAIL: Self = place("tail", (1, 2, 2), 1, &[(0, 1), (0, 0)], &[(0, 0), (0, 1), (0, 2)]);
    /// Two slots in a group.
    pub const PAIR: Self =
        place("pair", (1, 3, 2), 2, &[(0, 1), (0, 2), (1, 1), (0, 3)], &[(0, 0), (1, 1), (0, 3), (0, 1)]);

    /// Three slots in a group: a lane of a wide warp has each.
    pub const WIDE: Self = place(
        "wide",
        (1, 4, 2),
        2,
        &[(0, 1), (0, 2), (0, 3), (1, 1), (0, 4), (1, 2)],
        &[(0, 0), (1, 1), (0, 4), (0, 1)],
    );

    /// Every slot is taken but that of home 2.
    pub const GAP: Self = Self {
        gone: &[(2, 1)],
        ..place("gap", (1, 2, 2), 3, &[(0, 1), (1, 1), (2, 1), (2, 2)], &[(0, 0), (1, 1), (2, 1)])
    };

    /// The same, where a key of a home is in the group of the next.
    pub const GAP_BEFORE: Self = Self {
        gone: &[(2, 1)],
        ..place("gap_before", (1, 2, 2), 3, &[(0, 1), (0, 2), (2, 1), (2, 2)], &[(1, 0), (0, 2), (2, 1)])
    };

    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::EMPTY,
        Self::PRESENT,
        Self::BEHIND,
        Self::FULL,
        Self::HOP,
        Self::HOPS,
        Self::FAR,
        Self::CROSS,
        Self::TAIL,
        Self::PAIR,
        Self::WIDE,
    ];

    /// Where a warp that stops leaves different things behind.
    const STALLS: [Self; 3] = [Self::EMPTY, Self::BEHIND, Self::HOP];

    fn keys(self, structure: Structure, most: usize) -> Keys {
        let keys = self.keys.iter().map(|&name| structure.key(self.homes, name));
        Keys { fixed: keys.collect(), free: Vec::new(), most }
    }
}

const OPS: [Op; 4] = [InsertUnique, InsertOrAssign, Search, Delete];
/// Without the assignments.
const THREE: [Op; 3] = [InsertUnique, Search, Delete];
/// Warps of one scenario, the most that every engine takes.
const WARPS: usize = 4;

/// Some pairs of operations: at most a second.
pub fn quick() -> Vec<Scenario> {
    let mut scenarios = pairs(Structure::Map32, &[Place::EMPTY, Place::HOP, Place::WIDE]);
    for structure in [Structure::Set32, Structure::Set64, Structure::Map64] {
        scenarios.extend(pairs(structure, &[Place::EMPTY]));
    }
    scenarios
}

/// Every pair of operations in nearly every place, by one lane and by several; the other entry types in some places; stalled
/// warps: under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    // Two inserts that cross are many executions each; by several lanes, two that move two keys each as well.
    let places = Place::ALL.into_iter().filter(|place| *place != Place::CROSS && *place != Place::HOPS);
    let mut scenarios = pairs(Structure::Map32, &places.collect::<Vec<_>>());
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(pairs(Structure::Map32, &[Place::HOPS]));
    for structure in Structure::ALL.into_iter().filter(|structure| *structure != Structure::Map32) {
        scenarios.extend(pairs(structure, &[Place::EMPTY, Place::BEHIND, Place::FULL, Place::HOP]));
    }
    // In 32-bit words all members of a home are of one class.
    scenarios.extend(pairs(Structure::Set32, &[Place::PAIR]));
    scenarios.extend(stalls(Structure::Map32, &Place::STALLS));
    scenarios.extend(unblocked(Structure::Map32));
    scenarios.extend(half_full(Structure::Map32));
    scenarios.extend(by_lanes(&gaps(Structure::Map32)));
    scenarios.extend(Structure::ALL.into_iter().flat_map(gaps));
    scenarios
}

/// Everything else: inserts that cross, two operations of one warp against one of another, stalls in the middle of two
/// moves.
pub fn deep() -> Vec<Scenario> {
    let mut scenarios = stalls(Structure::Map32, &[Place::HOPS]);
    scenarios.push(gap(Structure::Map32, GAP, &[1, 1]));
    scenarios.push(gap(Structure::Map32, GAP_BEFORE, &[4]));
    scenarios.push(passed_on(Structure::Map32));
    scenarios.extend(pairs(Structure::Map32, &[Place::CROSS]));
    for place in Place::ALL {
        scenarios.extend(of_shape(Structure::Map32, place, &[2, 1], &THREE, 2));
    }
    scenarios.extend(by_lanes(&scenarios));
    scenarios.extend(by_lanes(&pairs(Structure::Map32, &[Place::HOPS])));
    scenarios
}

/// All scenarios, none twice.
pub fn all() -> Vec<Scenario> {
    let mut all = default_set();
    all.extend(deep());
    all
}

/// All programs of so many calls, on at most `keys` different keys, by at most four warps, in every place.
pub fn family(structure: Structure, calls: usize, keys: usize) -> Vec<Scenario> {
    let in_place = |place: Place| {
        let of = move |shape: Vec<usize>| of_shape(structure, place, &shape, &OPS, keys);
        shapes(calls, WARPS).into_iter().flat_map(of)
    };
    Place::ALL.into_iter().flat_map(in_place).collect()
}

fn pairs(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    places.iter().flat_map(|&place| of_shape(structure, place, &[1, 1], &OPS, 2)).collect()
}

fn of_shape(structure: Structure, place: Place, shape: &[usize], ops: &[Op], most: usize) -> Vec<Scenario> {
    let all = programs(shape, ops, &place.keys(structure, most));
    all.iter().map(|programs| scenario(structure, place, programs)).collect()
}

fn scenario(structure: Structure, place: Place, programs: &Programs) -> Scenario {
    let (lanes, slots, reach) = place.shape;
    let called = |(op, key): &Step| {
        let name = place.keys.iter().find(|&&name| structure.key(place.homes, name) == *key);
        name.map_or(format!("{op}@{key}"), |(home, number)| format!("{op}@{home}.{number}"))
    };
    let config = Config { lanes, slots, buckets: place.homes, reach, ..Config::default() };
    let mut scenario =
        form::scenario((structure.name(), place.name), config, programs, called, structure.has_values());
    let key = |&name: &Name| structure.key(place.homes, name);
    let before =
        |op, names: &[Name]| names.iter().map(|name| Call::new(op, key(name), 0)).collect::<Vec<_>>();
    scenario.preload = [before(InsertUnique, place.preload), before(Delete, place.gone)].concat();
    let keys: BTreeSet<u64> = place.preload.iter().chain(place.keys).map(key).collect();
    scenario.finally = keys.into_iter().map(|key| Call::new(Search, key, 0)).collect();
    scenario.allows.full = true;
    scenario
}

/// The same by lanes of one word each, if there are so many.
fn by_lanes(scenarios: &[Scenario]) -> Vec<Scenario> {
    let some = scenarios.iter().filter(|s| s.config.slots.is_power_of_two() && s.stall.is_none());
    some.cloned().map(form::lanes).collect()
}

/// One warp stops for ever with a lock of the home, and the other changes nothing: it waits for nobody.
fn unblocked(structure: Structure) -> Vec<Scenario> {
    let (place, [present, absent]) = (Place::PRESENT, [(0, 0), (0, 1)]);
    let key = |name| structure.key(place.homes, name);
    let programs = [
        [(InsertUnique, key(absent)), (InsertUnique, key(present))],
        [(Delete, key(present)), (Delete, key(absent))],
    ];
    let stalled = |programs: [Step; 2]| {
        form::stalled(scenario(structure, place, &programs.map(|step| vec![step]).to_vec()))
    };
    programs.map(stalled).to_vec()
}

/// The last group that a displacement ends in is not empty: what stands there stays.
fn half_full(structure: Structure) -> Vec<Scenario> {
    const HALF: Place =
        place("half", (1, 3, 2), 2, &[(0, 1), (0, 2), (1, 1), (0, 3), (1, 2)], &[(0, 0), (1, 1), (1, 2)]);
    let step = |op, name| vec![(op, structure.key(HALF.homes, name))];
    let of = |name| scenario(structure, HALF, &vec![step(InsertUnique, (0, 0)), step(Search, name)]);
    vec![of((1, 1)), of((1, 2))]
}

/// Where the only empty slot moves: a place, the key that finds no room in its neighbourhood, the key that leaves it.
type Gap = (Place, Name, Name);
const GAP: Gap = (Place::GAP, (0, 0), (1, 1));
const GAP_BEFORE: Gap = (Place::GAP_BEFORE, (1, 0), (0, 2));

/// While one warp looks for room, others delete a key in one group and insert one in another, and so on: there is an empty
/// slot at every instant. `shares` is how many of these calls each of them makes.
fn gap(structure: Structure, (place, wanted, left): Gap, shares: &[usize]) -> Scenario {
    let moves = [(Delete, left), (InsertUnique, (2, 1)), (Delete, (2, 1)), (InsertUnique, left)];
    let step = |(op, name)| (op, structure.key(place.homes, name));
    let mut moves = moves.into_iter().map(step);
    let mut programs = vec![vec![step((InsertUnique, wanted))]];
    programs.extend(shares.iter().map(|&calls| moves.by_ref().take(calls).collect()));
    scenario(structure, place, &programs)
}

/// Each gap that is soon explored.
fn gaps(structure: Structure) -> Vec<Scenario> {
    let each: [(Gap, &[usize]); 3] = [(GAP, &[2]), (GAP_BEFORE, &[2]), (GAP_BEFORE, &[1, 1])];
    each.map(|(at, shares)| gap(structure, at, shares)).to_vec()
}

/// A slot is empty that held a member of home 3, which was moved, then one of home 2, which is deleted; an insert of home 0
/// takes it. Who searches the first must see where it went.
fn passed_on(structure: Structure) -> Scenario {
    const PLACE: Place = place(
        "passed_on",
        (1, 2, 3),
        5,
        &[(0, 1), (1, 1), (2, 1), (3, 0), (4, 1)],
        &[(3, 0), (2, 0), (0, 0)],
    );
    let step = |(op, name)| (op, structure.key(PLACE.homes, name));
    let programs = [
        vec![(Search, (3, 0))],
        vec![(InsertUnique, (2, 0)), (Delete, (2, 0))],
        vec![(InsertUnique, (0, 0))],
    ];
    let programs = programs.map(|steps| steps.into_iter().map(step).collect()).to_vec();
    scenario(structure, PLACE, &programs)
}

/// One warp stops for ever, wherever it can. A search of the other finishes; what changes something may wait.
fn stalls(structure: Structure, places: &[Place]) -> Vec<Scenario> {
    let stalled = |scenario: Scenario| {
        let mut scenario = form::stalled(scenario);
        let changes = |calls: &Vec<Call>| calls.iter().any(|call| call.op != Search);
        scenario.allows.blocking = scenario.programs[1..].iter().any(changes);
        scenario
    };
    let both = |place: &Place| {
        let keys = place.keys(structure, 2).fixed;
        let steps: Vec<Step> = OPS.iter().flat_map(|&op| keys.iter().map(move |&key| (op, key))).collect();
        let pairs = steps.iter().flat_map(|&a| steps.iter().map(move |&b| vec![vec![a], vec![b]]));
        pairs.map(|programs| scenario(structure, *place, &programs)).map(stalled).collect::<Vec<_>>()
    };
    places.iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        let all = all();
        let names: HashSet<_> = all.iter().map(|scenario| &scenario.name).collect();
        assert_eq!(names.len(), all.len());
        for scenario in all {
            let text = serde_json::to_string(&scenario).expect("JSON");
            assert_eq!(serde_json::from_str::<Scenario>(&text).expect("a scenario"), scenario);
        }
    }
}
