//! The situations in which programs meet: the contents of the table.

use crate::scenarios::home;
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{Name, Place, Plan, Random, Table, by_homes};
use warpproof_model::spec::Op::{self, *};

/// The operations of the table.
pub(super) const OPS: [Op; 4] = [InsertUnique, InsertOrAssign, Search, Delete];

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key: home::key,
    scenario: by_homes,
    alike: false,
    look: Search,
    progress,
    meet: |_, _| true,
    random: Random {
        ops: &OPS,
        shapes: &[(1, 2, 2), (2, 1, 2), (1, 2, 3), (2, 1, 3), (1, 3, 2), (1, 4, 2)],
        buckets: (1, 3),
        pool: 0,
        keys: 5,
    },
    fills: None,
};

/// An operation that changes something may wait for the lock of a home.
fn progress(_: &Table, op: Op) -> Progress {
    const CHANGES: [Op; 3] = [InsertUnique, InsertOrAssign, Delete];
    if op == Search { Progress::WaitFree } else { Progress::Blocking(&CHANGES) }
}

/// A place in tables of such groups and neighbourhoods: lanes, words per lane, groups of a neighbourhood.
pub(super) const fn place(
    name: &'static str,
    (lanes, words, reach): (u32, u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape: (lanes, words), reach, homes, preload, keys, ..Place::EMPTY }
}

/// A home without members.
pub(super) const EMPTY: Place = place("empty", (1, 2, 2), 1, &[], &[(0, 0)]);
/// The key is in the group of its home.
pub(super) const PRESENT: Place = place("present", (1, 2, 2), 1, &[(0, 0)], &[(0, 0), (0, 1)]);
/// The key is after another one of its home.
pub(super) const BEHIND: Place = place("behind", (1, 2, 2), 2, &[(0, 1), (0, 0)], &[(0, 0), (0, 1)]);
/// A neighbourhood that is full, and nothing can be moved.
pub(super) const FULL: Place = place("full", (1, 2, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 1)]);
/// An insert of home 0 moves the key of home 1.
pub(super) const HOP: Place =
    place("hop", (1, 2, 2), 2, &[(0, 1), (1, 1)], &[(0, 0), (1, 1), (0, 1), (1, 0)]);
/// An insert of home 0 moves the key of home 2, then that of home 1.
pub(super) const HOPS: Place =
    place("hops", (1, 2, 2), 3, &[(0, 1), (1, 1), (2, 1)], &[(0, 0), (1, 1), (2, 1), (1, 0)]);
/// The neighbourhood is three groups; a key of home 1 may move by one or by two.
pub(super) const FAR: Place =
    place("far", (1, 2, 3), 2, &[(0, 1), (0, 2), (1, 1)], &[(0, 0), (1, 1), (1, 0), (0, 1)]);
/// Two inserts that both have to move others: homes 0 and 1, across each other.
pub(super) const CROSS: Place =
    place("cross", (1, 2, 3), 3, &[(0, 1), (0, 2), (1, 1), (2, 1)], &[(0, 0), (1, 0), (1, 1), (2, 1)]);
/// The key of the last home is in the tail.
pub(super) const TAIL: Place = place("tail", (1, 2, 2), 1, &[(0, 1), (0, 0)], &[(0, 0), (0, 1), (0, 2)]);
/// Two slots in a group.
pub(super) const PAIR: Place =
    place("pair", (1, 3, 2), 2, &[(0, 1), (0, 2), (1, 1), (0, 3)], &[(0, 0), (1, 1), (0, 3), (0, 1)]);

/// Three slots in a group: a lane of a wide warp has each.
pub(super) const WIDE: Place = place(
    "wide",
    (1, 4, 2),
    2,
    &[(0, 1), (0, 2), (0, 3), (1, 1), (0, 4), (1, 2)],
    &[(0, 0), (1, 1), (0, 4), (0, 1)],
);

/// The key is in the group of its home, after an empty slot.
pub(super) const FRONT: Place =
    Place { gone: &[(0, 1)], ..place("front", (1, 4, 2), 1, &[(0, 1), (0, 0)], &[(0, 0)]) };

/// The key is in the group after its home's, from where a key of that home can be moved on.
pub(super) const BACK: Place = Place { name: "back", keys: &[(0, 0), (1, 1)], ..BEHIND };

/// The key is in the group after its home's, in which there is room.
pub(super) const PAST: Place = Place { name: "past", gone: &[(0, 1)], keys: &[(0, 0), (0, 1)], ..BEHIND };

/// Every slot is taken but the last.
pub(super) const GAP: Place = Place { name: "gap", keys: &[(0, 0), (1, 1), (2, 2)], ..HOPS };
/// Every slot is taken but the last; one key belongs to the last home.
pub(super) const RESERVED: Place = Place { name: "reserved", keys: &[(0, 0), (2, 0), (2, 1)], ..HOPS };
/// The gap is beyond what the neighbourhood reaches.
pub(super) const GAP_BEYOND: Place = Place {
    gone: &[(3, 1)],
    ..place("gap_beyond", (1, 2, 2), 4, &[(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)], &[(0, 0), (2, 1), (3, 1)])
};
/// In the first group of the neighbourhood is a key of the home before.
pub(super) const GAP_BEFORE: Place = Place {
    gone: &[(2, 1)],
    ..place("gap_before", (1, 2, 2), 3, &[(0, 1), (0, 2), (2, 1), (2, 2)], &[(1, 0), (0, 2), (2, 1)])
};
/// As [`GAP_BEFORE`], and the key after the gap may come back into it.
pub(super) const GAP_AGAIN: Place = Place { name: "gap_again", keys: &[(1, 0), (2, 2)], ..GAP_BEFORE };

/// The neighbourhood is three groups; an insert of home 1 moves the first key of home 2 to the last group.
pub(super) const PASSED_ON: Place =
    place("passed_on", (1, 2, 3), 3, &[(0, 1), (1, 1), (2, 1), (2, 2)], &[(0, 0), (1, 0), (2, 1)]);
/// As `passed_on`, one group later: an insert of home 0 moves the key of home 1 to where a key of home 3 was.
pub(super) const MOVED_ON: Place =
    place("moved_on", (1, 2, 3), 4, &[(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)], &[(0, 0), (2, 0), (3, 1)]);

/// All of them.
pub(super) const ALL: [Place; 11] = [EMPTY, PRESENT, BEHIND, FULL, HOP, HOPS, FAR, CROSS, TAIL, PAIR, WIDE];

/// Places where a stopped warp leaves different states.
pub(super) const STALLS: [Place; 3] = [EMPTY, BEHIND, HOP];
