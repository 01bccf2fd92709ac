//! Where programs meet: what stands in which submap.

use crate::check::Scenario;
use crate::scenarios::family::Programs;
use crate::scenarios::home::{Homed, Name, Place};
use crate::scenarios::open::Structure as Open;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::Grow;

/// A table in which programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grown {
    pub(super) place: Place,
    /// How many submaps there are behind the first one before the programs run, where inserts do not add them: the first behind the
    /// insert of this number of the preload, counted from 0.
    pub(super) grown: &'static [usize],
}

/// A place with at most so many submaps.
const fn grown(
    (name, most): (&'static str, u32),
    (lanes, slots): (u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
    grown: &'static [usize],
) -> Grown {
    let place = Place { name, shape: (lanes, slots), reach: most, homes, preload, gone: &[], keys };
    Grown { place, grown }
}

/// An empty table.
pub(super) const EMPTY: Grown = grown(("empty", 2), (1, 2), 1, &[], &[(0, 0), (0, 1)], &[]);
/// One slot is empty.
pub(super) const LAST_SLOT: Grown = grown(("last_slot", 2), (1, 2), 1, &[(0, 2)], &[(0, 0), (0, 1)], &[]);
/// The first submap is full, and there is no other.
pub(super) const FULL: Grown = grown(("full", 2), (1, 1), 1, &[(0, 1)], &[(0, 0), (0, 1), (0, 2)], &[]);
/// The same with two slots, so that several lanes read them.
pub(super) const FULL_TWO: Grown =
    grown(("full_two", 2), (1, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 3)], &[]);
/// The same with two buckets, both of which keys probe.
pub(super) const WIDE: Grown = grown(("wide", 2), (1, 1), 2, &[(0, 1), (1, 1)], &[(0, 0), (1, 0)], &[]);
/// The first submap is full, the second one is empty.
pub(super) const NEXT: Grown = grown(("next", 2), (1, 1), 1, &[(0, 1)], &[(0, 0), (0, 2)], &[1]);
/// The first submap is full, the key is in the second one.
pub(super) const BEHIND: Grown =
    grown(("behind", 2), (1, 2), 1, &[(0, 1), (0, 2), (0, 0)], &[(0, 0), (0, 3)], &[2]);
/// The first submap holds a tombstone of the key.
pub(super) const TOMB: Grown = Grown {
    place: Place {
        gone: &[(0, 0)],
        ..grown(("tomb", 2), (1, 1), 1, &[(0, 0)], &[(0, 0), (0, 1)], &[]).place
    },
    grown: &[],
};
/// Two submaps are full.
pub(super) const TWICE: Grown =
    grown(("twice", 3), (1, 1), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 2), (0, 3)], &[1]);

/// All of them.
pub(super) const ALL: [Grown; 9] = [EMPTY, LAST_SLOT, FULL, FULL_TWO, WIDE, NEXT, BEHIND, TOMB, TWICE];

/// The scenario name of an entry type.
pub(super) const fn name(structure: Open) -> &'static str {
    match structure {
        Open::Map32 => "dyn_map32",
        Open::Set32 => "dyn_set32",
        Open::Map64 => "dyn_map64",
        Open::Set64 => "dyn_set64",
        // No such submaps are checked.
        Open::Lock64 => "dyn_lock64",
        Open::Untested32 => "dyn_untested32",
    }
}

impl Grown {
    /// A scenario of these programs here: inserts add submaps, or, `by_calls`, calls of grow do.
    pub(super) fn scenario(self, structure: Open, programs: &Programs, by_calls: bool) -> Scenario {
        let mut scenario = self.place.scenario(structure, programs);
        scenario.structure = name(structure).to_string();
        scenario.name = scenario.name.replacen(Homed::name(structure), name(structure), 1);
        if by_calls {
            scenario.name += "_grow";
            for (number, &at) in self.grown.iter().enumerate() {
                scenario.preload.insert(at + number, Call::new(Grow, 0, 0));
            }
        } else {
            scenario.name += "_grows";
            scenario.config.pool = self.place.reach - 1;
        }
        scenario
    }
}
