//! The situations in which programs meet: what is in which submap.

use crate::check::Scenario;
use crate::scenarios::family::Programs;
use crate::scenarios::home;
use crate::scenarios::open::OPS;
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{Name, Place, Plan, Random, Table, by_homes, fill_home};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, Grow, InsertOrAdd, InsertOrAssign, InsertUnique, Search};

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key: home::key,
    scenario: by_inserts,
    alike: false,
    look: Search,
    progress,
    meet: |_, _| true,
    random: Random {
        ops: &OPS,
        shapes: &[(1, 1, 2), (1, 2, 2), (2, 1, 2)],
        buckets: (1, 2),
        pool: 1,
        keys: 4,
    },
    fills: Some(fill_home),
};

/// An operation that may create a submap waits for one that is being created.
fn progress(_: &Table, op: Op) -> Progress {
    const MAKES: [Op; 4] = [Grow, InsertUnique, InsertOrAssign, InsertOrAdd];
    match op {
        Search => Progress::WaitFree,
        _ if MAKES.contains(&op) => Progress::Blocking(&MAKES),
        _ => Progress::LockFree,
    }
}

/// A scenario of these programs in a place, where inserts add submaps.
fn by_inserts(table: &Table, place: Place, programs: &Programs) -> Scenario {
    let mut scenario = by_homes(table, place, programs);
    scenario.name += "_grows";
    scenario.config.pool = place.reach - 1;
    scenario
}

/// A scenario of these programs in a place, where calls of grow add submaps.
pub(super) fn by_calls(table: &Table, place: Place, programs: &Programs) -> Scenario {
    let mut scenario = by_homes(table, place, programs);
    scenario.name += "_grow";
    for (number, &at) in place.grown.iter().enumerate() {
        scenario.preload.insert(at + number, Call::new(Grow, 0, 0));
    }
    scenario
}

/// A place with at most so many submaps.
const fn grown(
    (name, reach): (&'static str, u32),
    shape: (u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
    grown: &'static [usize],
) -> Place {
    Place { name, shape, reach, homes, preload, keys, grown, ..Place::EMPTY }
}

/// An empty table.
pub(super) const EMPTY: Place = grown(("empty", 2), (1, 2), 1, &[], &[(0, 0), (0, 1)], &[]);
/// One slot is empty.
pub(super) const LAST_SLOT: Place = grown(("last_slot", 2), (1, 2), 1, &[(0, 2)], &[(0, 0), (0, 1)], &[]);
/// The first submap is full, and there is no other.
pub(super) const FULL: Place = grown(("full", 2), (1, 1), 1, &[(0, 1)], &[(0, 0), (0, 1), (0, 2)], &[]);
/// The first submap is full and the only one; its bucket has two slots, so that several lanes read them.
pub(super) const FULL_TWO: Place =
    grown(("full_two", 2), (1, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 3)], &[]);
/// The first submap is full and the only one; it has two buckets, both of which keys probe.
pub(super) const WIDE: Place = grown(("wide", 2), (1, 1), 2, &[(0, 1), (1, 1)], &[(0, 0), (1, 0)], &[]);
/// The first submap is full, the second one is empty.
pub(super) const NEXT: Place = grown(("next", 2), (1, 1), 1, &[(0, 1)], &[(0, 0), (0, 2)], &[1]);
/// The first submap is full, the key is in the second one.
pub(super) const BEHIND: Place =
    grown(("behind", 2), (1, 2), 1, &[(0, 1), (0, 2), (0, 0)], &[(0, 0), (0, 3)], &[2]);
/// The first submap holds a tombstone of the key.
pub(super) const TOMB: Place =
    Place { gone: &[(0, 0)], ..grown(("tomb", 2), (1, 1), 1, &[(0, 0)], &[(0, 0), (0, 1)], &[]) };
/// Two submaps are full.
pub(super) const TWICE: Place =
    grown(("twice", 3), (1, 1), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 2), (0, 3)], &[1]);

/// The first submap is full, and there may be two more.
pub(super) const LATE: Place = grown(("late", 3), (1, 1), 1, &[(0, 1)], &[(0, 0), (0, 2), (0, 3)], &[]);

/// All of them but the last.
pub(super) const ALL: [Place; 9] = [EMPTY, LAST_SLOT, FULL, FULL_TWO, WIDE, NEXT, BEHIND, TOMB, TWICE];
