//! The situations in which programs meet: which keys are in which buckets. Keys are named by their two
//! buckets: `(3, 12)` is number 2 of those of buckets 3 and 1.

use crate::scenarios::entry::Entries;
use crate::scenarios::home::{SEED, home_of};
use crate::scenarios::open::OPS;
use crate::scenarios::progress::Progress;
use crate::scenarios::table::{Name, Place, Plan, Random, Table, by_homes};
use warpproof_model::Key;
use warpproof_model::open::{DoubleHashing, Probing};
use warpproof_model::spec::Op::{self, Search};

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key,
    scenario: by_homes,
    alike: false,
    look: Search,
    progress,
    meet: |_, _| true,
    random: Random {
        ops: &OPS,
        shapes: &[(1, 1, 0), (1, 2, 0), (2, 1, 0)],
        buckets: (2, 4),
        pool: 0,
        keys: 6,
    },
    fills: Some(fill_bucket),
};

/// An operation that changes something may wait for the lock of a bucket.
fn progress(_: &Table, op: Op) -> Progress {
    const CHANGES: [Op; 4] = [Op::InsertUnique, Op::InsertOrAssign, Op::InsertOrAdd, Op::Delete];
    if op == Search { Progress::WaitFree } else { Progress::Blocking(&CHANGES) }
}

fn key(entries: Entries, buckets: u32, (first, number): Name) -> u64 {
    let of = entries.by_keys::<fn(u32, u64) -> (u32, u32)>(buckets_of::<u32>, buckets_of::<u64>);
    let wanted = (first, number as u32 / 10);
    (1..).filter(|key| of(buckets, *key) == wanted).nth(number % 10).unwrap_or(u64::MAX)
}

/// The first and the second bucket of a key.
fn buckets_of<K: Key>(buckets: u32, key: u64) -> (u32, u32) {
    let first = home_of::<K>(buckets, key);
    let stride = DoubleHashing::stride(K::from_bits(key.into()).hash(SEED).low(), buckets);
    (first, (first + stride) % buckets)
}

/// Two keys of a bucket that lead to bucket 0, or to 1 from there. Places where keys move have no
/// room in these, so that these two stay.
fn fill_bucket(_: u32, bucket: u32) -> [Name; 2] {
    let second = if bucket == 0 { 10 } else { 0 };
    [(bucket, second + 8), (bucket, second + 9)]
}

/// A place in tables of such buckets: slots per lane, buckets.
const fn place(
    name: &'static str,
    slots: u32,
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape: (1, slots), homes, preload, keys, ..Place::EMPTY }
}

/// Two empty buckets.
pub(super) const EMPTY: Place = place("empty", 1, 2, &[], &[(0, 10), (0, 11)]);
/// The key is in the second bucket.
pub(super) const SECOND: Place = place("second", 1, 2, &[(0, 11), (0, 10)], &[(0, 10), (0, 11)]);
/// Nothing can be moved.
pub(super) const FULL: Place = place("full", 1, 2, &[(0, 11), (1, 0)], &[(0, 10), (0, 11), (1, 0)]);
/// The first bucket holds a tombstone, the second one is full.
pub(super) const TOMB: Place =
    Place { gone: &[(0, 11)], ..place("tomb", 1, 2, &[(0, 11), (1, 0)], &[(0, 10), (0, 11), (1, 0)]) };
/// The first bucket is full, the second one holds a tombstone.
pub(super) const TOMB_SECOND: Place =
    Place { gone: &[(1, 0)], ..place("tomb_second", 1, 2, &[(0, 11), (1, 0)], &[(0, 10), (0, 11), (1, 0)]) };
/// Both buckets hold tombstones.
pub(super) const TOMBS: Place =
    Place { gone: &[(0, 11), (1, 0)], ..place("tombs", 1, 2, &[(0, 11), (1, 0)], &[(0, 10), (0, 11)]) };
/// Both buckets are full; an entry of the first one can be moved to an empty slot.
pub(super) const ROOM: Place = place("room", 1, 3, &[(0, 20), (1, 0)], &[(0, 10), (0, 20), (0, 11)]);
/// Both buckets are full; an entry of the first one can be moved to a tombstone.
pub(super) const ROOM_TOMB: Place = Place {
    gone: &[(2, 0)],
    ..place("room_tomb", 1, 3, &[(0, 20), (1, 0), (2, 0)], &[(0, 10), (0, 20), (2, 0)])
};
/// What is in the second one can be moved.
pub(super) const ROOM_SECOND: Place =
    place("room_second", 1, 3, &[(0, 11), (1, 20)], &[(0, 10), (1, 20), (0, 11)]);
/// Keys of both buckets can be moved, to the same slot: two inserts that want each other's buckets.
pub(super) const CROSS: Place = place("cross", 1, 3, &[(0, 20), (1, 20)], &[(0, 10), (1, 0), (0, 20)]);
/// What is in the first bucket can be moved if what is in its second one is moved.
pub(super) const CHAIN: Place =
    place("chain", 1, 4, &[(0, 20), (1, 0), (2, 30)], &[(0, 10), (0, 20), (2, 30)]);
/// An entry of the first bucket can be moved after two other moves.
pub(super) const CHAIN_THREE: Place =
    place("chain_three", 1, 5, &[(0, 20), (1, 0), (2, 30), (3, 40)], &[(0, 10), (2, 30)]);
/// A chain of two moves in buckets of two slots, of the key in the second slot each. For one warp alone: two
/// are many executions.
pub(super) const CHAIN_PAIR: Place = place(
    "chain_pair",
    2,
    4,
    &[(0, 11), (0, 20), (1, 0), (1, 1), (2, 0), (2, 30)],
    &[(0, 10), (0, 20), (2, 30)],
);
/// A chain of two moves in buckets of six slots, of the key in the last slot each. The others of the first
/// bucket are in their second one. For one warp alone.
pub(super) const CHAIN_SIX: Place = Place {
    shape: (2, 3),
    ..place(
        "chain_six",
        3,
        4,
        &[
            (1, 0),
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 5),
            // No room for these in their first buckets.
            (1, 6),
            (1, 7),
            (1, 8),
            (1, 9),
            (2, 0),
            (2, 1),
            (2, 2),
            (2, 3),
            (2, 4),
            (2, 30),
            (2, 5),
            (0, 20),
        ],
        &[(0, 10)],
    )
};
/// A chain of three moves in buckets of two slots: of the second key in the first bucket, the first one in
/// the next. For one warp alone.
pub(super) const CHAIN_DOWN: Place = place(
    "chain_down",
    2,
    5,
    &[(0, 11), (0, 20), (1, 0), (1, 1), (2, 30), (2, 0), (3, 0), (3, 40)],
    &[(0, 10)],
);
/// As [`CHAIN_DOWN`], of the first key in the first bucket and the second one in the next.
pub(super) const CHAIN_UP: Place = place(
    "chain_up",
    2,
    5,
    &[(0, 20), (0, 11), (1, 0), (1, 1), (2, 0), (2, 30), (3, 0), (3, 40)],
    &[(0, 10)],
);
/// Buckets of two slots: of the first, the second slot can be moved.
pub(super) const PAIR: Place =
    place("pair", 2, 3, &[(0, 11), (0, 20), (1, 0), (1, 1), (2, 0)], &[(0, 10), (0, 20), (0, 11)]);
/// Buckets of two slots: of the first, the first slot can be moved. For one warp alone.
pub(super) const PAIR_FIRST: Place =
    place("pair_first", 2, 3, &[(0, 20), (0, 11), (1, 0), (1, 1), (2, 0)], &[(0, 10), (0, 20), (0, 11)]);
/// As [`PAIR`], but the move is to a tombstone below an empty slot.
pub(super) const PAIR_ROOM: Place = Place { name: "pair_room", gone: &[(2, 0)], ..PAIR };
/// Buckets of two slots: the key is in the second slot of the first bucket, after a tombstone.
pub(super) const PAIR_TOMB: Place = Place {
    gone: &[(0, 11)],
    ..place("pair_tomb", 2, 2, &[(0, 11), (0, 10), (1, 0), (1, 1)], &[(0, 10), (0, 11), (0, 12)])
};
/// Buckets of two slots: the key is in the second slot of the second bucket, after a tombstone.
pub(super) const PAIR_SECOND: Place = Place {
    gone: &[(0, 13)],
    ..place("pair_second", 2, 2, &[(0, 11), (0, 12), (0, 13), (0, 10)], &[(0, 10)])
};
/// Both buckets of a key hold tombstones: it comes to the first one, and moves to the second one when another
/// key comes.
pub(super) const COMES: Place = Place {
    gone: &[(0, 11), (2, 0)],
    ..place("comes", 1, 3, &[(0, 11), (1, 0), (2, 0)], &[(0, 10), (0, 20)])
};

/// Two full buckets as in [`ROOM`], and a key whose second bucket is the one that a key can leave, and whose
/// first one is the other.
pub(super) const LEFT: Place = place("left", 1, 3, &[(0, 20), (1, 0)], &[(0, 10), (1, 1), (0, 20)]);

/// All of them, but for those that a scenario asks for by name.
pub(super) const ALL: [Place; 15] = [
    EMPTY,
    SECOND,
    FULL,
    TOMB,
    TOMB_SECOND,
    TOMBS,
    ROOM,
    ROOM_TOMB,
    ROOM_SECOND,
    CROSS,
    CHAIN,
    CHAIN_THREE,
    PAIR,
    PAIR_ROOM,
    PAIR_TOMB,
];

/// Those where two inserts that make room are many executions.
pub(super) const MANY: [Place; 4] = [CHAIN, CHAIN_THREE, PAIR, PAIR_ROOM];
