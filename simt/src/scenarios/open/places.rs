//! The situations in which programs meet: the contents of the table.

use crate::scenarios::home;
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{
    Name, Place, Plan, Random, Table, both_fill, by_homes, by_lock_word, fill_home, stores_wait,
};
use warpproof_model::Key;
use warpproof_model::open::fingerprint;
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// The operations of the table.
pub(in crate::scenarios) const OPS: [Op; 5] = [InsertUnique, InsertOrAssign, InsertOrAdd, Search, Delete];

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key: home::key,
    scenario: by_homes,
    alike: false,
    look: Search,
    progress: |table, op| searches_end(by_lock_word(table, op), op),
    meet: both_fill,
    random: Random {
        ops: &OPS,
        shapes: &[(1, 1, 0), (1, 2, 0), (2, 1, 0), (1, 4, 0), (2, 2, 0)],
        buckets: (1, 3),
        pool: 0,
        keys: 5,
    },
    fills: Some(fill_home),
};

/// What to generate for slots of u64 pairs with a board: the second warp may wait for a slot that is being
/// filled for a key with the fingerprint of its own key.
pub(super) const BOARD_PLAN64: Plan = Plan { progress: of_board, meet: alike::<u64>, ..PLAN };
/// What to generate for slots of u32 pairs with a board.
pub(super) const BOARD_PLAN32: Plan = Plan { progress: of_board, meet: alike::<u32>, ..PLAN };

fn of_board(table: &Table, op: Op) -> Progress {
    searches_end(stores_wait(table, op), op)
}

/// A search reads each slot once at most.
fn searches_end(progress: Progress, op: Op) -> Progress {
    if op == Search { Progress::WaitFree } else { progress }
}

/// Whether both of two warps store keys with one fingerprint.
fn alike<K: Key>(preload: &[Call], [first, second]: [&[Call]; 2]) -> bool {
    let of = |key: u64| fingerprint(K::from_bits(key.into()).hash(home::SEED).low());
    let alike = first.iter().any(|one| second.iter().any(|other| of(one.key) == of(other.key)));
    alike && both_fill(preload, [first, second])
}

/// A place in tables of such buckets: lanes, slots per lane.
const fn place(
    name: &'static str,
    shape: (u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape, homes, preload, keys, ..Place::EMPTY }
}

/// An empty table.
pub(super) const EMPTY: Place = place("empty", (1, 2), 1, &[], &[(0, 0), (0, 1)]);
/// An empty table of two buckets.
pub(super) const TWO: Place = place("two", (1, 2), 2, &[], &[(0, 0), (0, 1)]);
/// The key is in its home.
pub(super) const PRESENT: Place = place("present", (1, 2), 1, &[(0, 0)], &[(0, 0), (0, 1)]);
/// A tombstone, followed by an empty slot.
pub(super) const GONE: Place = Place { name: "gone", gone: &[(0, 0)], ..PRESENT };
/// No slot is empty.
pub(super) const FULL: Place = place("full", (1, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 1)]);
/// The home is full, and no key has passed it.
pub(super) const PASSES: Place = place("passes", (1, 2), 2, &[(0, 1), (0, 2)], &[(0, 0), (0, 3), (0, 1)]);
/// The home is full; the key is in the next bucket.
pub(super) const BEHIND: Place =
    place("behind", (1, 2), 2, &[(0, 1), (0, 2), (0, 0)], &[(0, 0), (0, 1), (0, 3)]);
/// The home is full of tombstones.
pub(super) const TOMBS: Place =
    Place { gone: &[(0, 1)], ..place("tombs", (1, 1), 2, &[(0, 1)], &[(0, 0), (0, 1)]) };
/// Three buckets, of which two are full.
pub(super) const FAR: Place = place("far", (1, 1), 3, &[(0, 1), (1, 1)], &[(0, 0), (0, 2), (1, 0)]);

/// All of them.
pub(super) const ALL: [Place; 8] = [EMPTY, PRESENT, GONE, FULL, PASSES, BEHIND, TOMBS, FAR];
