//! Scenarios of real widths, too large to explore: for an engine that samples.
//!
//! Warps of 8, 16 and 32 lanes with one or two words per lane, three to eight of them, two to four calls each on up
//! to three keys.

use super::generate::{KEY, Structure};
use crate::check::{Config, Scenario};
use crate::scenarios::dice::Dice;
use warpproof_model::spec::{Call, Op};

/// Every structure in every place at every width.
pub fn wide() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        for (lanes, slots) in SIZES {
            for place in Place::ALL {
                scenarios.push(scenario(structure, lanes, slots, place, scenarios.len()));
            }
        }
    }
    scenarios
}

/// Lanes, and words that each reads of a slab.
const SIZES: [(u32, u32); 6] = [(8, 1), (8, 2), (16, 1), (16, 2), (32, 1), (32, 2)];

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An empty bucket.
    Empty,
    /// A full base slab.
    Full,
    /// Two full slabs, the keys in the third.
    Chain,
    /// A full base slab, the keys in the second, and tombstones before them.
    Tombstones,
    /// A full base slab, and the last slab of the pool has room for one pair.
    LastSlab,
}

impl Place {
    const ALL: [Self; 5] = [Self::Empty, Self::Full, Self::Chain, Self::Tombstones, Self::LastSlab];

    const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Full => "full",
            Self::Chain => "chain",
            Self::Tombstones => "tombstones",
            Self::LastSlab => "last_slab",
        }
    }

    /// Slabs in the pool. Every call of a program could fill one pair: that is at most 32.
    const fn pool(self) -> u32 {
        if matches!(self, Self::LastSlab) { 1 } else { 8 }
    }

    /// The calls that make it, where a slab holds so many pairs.
    fn preload(self, pairs: u64, keys: u64) -> Vec<Call> {
        let put = |key| Call::new(Op::InsertUnique, key, 0);
        let fill = |number: u64| (0..number).map(|filler| put(FILLERS + filler));
        let ours = || (0..keys).map(|key| put(KEY + key));
        match self {
            Self::Empty => Vec::new(),
            Self::Full => fill(pairs).collect(),
            Self::Chain => fill(2 * pairs).chain(ours()).collect(),
            Self::Tombstones => {
                let dead = (0..pairs).step_by(2).map(|filler| Call::new(Op::Delete, FILLERS + filler, 0));
                fill(pairs).chain(ours()).chain(dead).collect()
            }
            Self::LastSlab => fill(2 * pairs - 1).collect(),
        }
    }
}

/// The first of the keys that only fill slots.
const FILLERS: u64 = 1000;

/// Scenario number `number`, which decides how many warps, calls and keys there are, and which operations meet.
fn scenario(structure: Structure, lanes: u32, slots: u32, place: Place, number: usize) -> Scenario {
    let mut dice = Dice::new(number);
    // Histories of a key with many pairs are long to judge.
    let (most_warps, most_calls) = if structure.is_multi() { (5, 3) } else { (8, 4) };
    let (warps, calls, keys) =
        (3 + number % (most_warps - 2), 2 + dice.roll(most_calls - 1), 1 + dice.roll(3) as u64);
    let valued = !structure.name().ends_with("set32");
    let wanted: Vec<u64> = (0..keys).map(|key| KEY + key).collect();
    let programs = dice.programs((warps, calls), structure.ops(), &wanted, valued);
    let config = Config { lanes, slots, buckets: 1, pool: place.pool(), ..Config::default() };
    let what = format!("{warps}_warps_of_{calls}_calls_on_{keys}_keys");
    let name = format!("{}/{what}/{}_{lanes}x{slots}", structure.name(), place.name());
    let mut scenario = Scenario::new(name, structure.name(), config, programs);
    scenario.preload = place.preload(u64::from(lanes * slots) - 1, keys);
    scenario.finally = wanted.iter().map(|&key| Call::new(Op::SearchAll, key, 0)).collect();
    scenario.allows.full = place == Place::LastSlab;
    scenario
}

#[cfg(all(test, feature = "shuttle"))]
mod tests {
    use super::*;
    use crate::seq::{Alone, SeqMemory};
    use warpproof_model::spec::Ret;

    #[test]
    fn no_scenario_stands_twice_and_each_is_data() {
        crate::scenarios::assert_a_set(&wide());
        assert!(wide().iter().all(|scenario| (3..=8).contains(&scenario.programs.len())));
    }

    /// The preload makes the chain that its place is named for.
    #[test]
    fn places_are_what_they_are_called() {
        for scenario in wide() {
            let subject = crate::scenarios::subject(&scenario).expect("a subject");
            let arrays = subject.arrays();
            let memory = SeqMemory::new(&arrays);
            for call in &scenario.preload {
                let ret = memory.guard(|m| subject.run(&Alone, m, call)).expect("a call that ends");
                assert!(matches!(ret, Ret::Inserted | Ret::Deleted), "{}: {call} -> {ret}", scenario.name);
            }
            let bitmap = memory.words().pop().expect("a bitmap");
            let free = arrays.last().expect("a bitmap").initial[0];
            let used = (bitmap[0] ^ free).count_ones();
            let place = scenario.name.rsplit('/').next().expect("a name");
            let expected = match place.split('_').next() {
                Some("chain") => 2,
                Some("tombstones" | "last") => 1,
                _ => 0,
            };
            assert_eq!(used, expected, "{}", scenario.name);
        }
    }
}
