//! The situations in which programs meet: the contents of a bucket. A key is named by its number.

use crate::check::Scenario;
use crate::scenarios::family::{Programs, Step};
use crate::scenarios::form::{self, stores};
use crate::scenarios::table::{Name, Place, Plan, Random, Table, both_fill, by_lock_word};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op};

/// The key that the programs meet on.
pub(super) const KEY: u64 = 5;
/// A key that is absent at first.
pub(super) const OTHER: u64 = 6;
/// The key that fills the first slot, if that is taken.
pub(super) const FILLER: u64 = 1;

/// The operations that meet; those of a table of unique keys come first.
pub(super) const OPS: &[Op] = &[
    Op::InsertUnique,
    Op::InsertOrAssign,
    Op::Search,
    Op::Delete,
    Op::Insert,
    Op::SearchAll,
    Op::Count,
    Op::DeleteAll,
];

/// How scenarios are made.
pub(super) const PLAN: Plan = Plan {
    places: &ALL,
    key: |_, _, (_, number)| number as u64,
    scenario,
    alike: true,
    look: Op::SearchAll,
    progress: by_lock_word,
    meet: both_fill,
    random: Random {
        ops: OPS,
        shapes: &[(1, 2, 0), (1, 3, 0), (1, 4, 0), (2, 1, 0), (2, 2, 0), (4, 1, 0)],
        buckets: (1, 2),
        pool: 3,
        keys: 3,
    },
    fills: None,
};

const K: Name = (0, KEY as usize);
const F: Name = (0, FILLER as usize);

/// A place with such slabs of one lane: slots, and slabs in the pool.
const fn place(name: &'static str, slots: u32, pool: u32, preload: &'static [Name]) -> Place {
    Place { name, shape: (1, slots), pool, preload, keys: &[K, (0, OTHER as usize)], ..Place::EMPTY }
}

/// An empty bucket.
pub(super) const EMPTY: Place = place("empty", 3, 2, &[]);
/// The key is there, in a base slab with room.
pub(super) const PRESENT: Place = place("present", 3, 2, &[K]);
/// A base slab full of other keys.
pub(super) const FULL: Place = place("full", 2, 3, &[F]);
/// A chain of two slabs, the key in the second.
pub(super) const CHAIN: Place = place("chain", 2, 4, &[F, K]);
/// A tombstone, then the key.
pub(super) const TOMBSTONE: Place = Place { gone: &[F], ..place("tombstone", 3, 2, &[F, K]) };
/// A tombstone, and the key is absent.
pub(super) const DELETED: Place = Place { name: "deleted", gone: &[K], ..PRESENT };
/// A full base slab and one slab in the pool, which holds one pair.
pub(super) const LAST_SLAB: Place = place("last_slab", 2, 1, &[F]);
/// The key is there, in a base slab with room for two more.
pub(super) const WIDE: Place = place("wide", 4, 2, &[K]);
/// An empty bucket, with room for three pairs in its base slab.
pub(super) const WIDE_EMPTY: Place = place("wide_empty", 4, 2, &[]);

/// The two keys that no slot holds.
pub(super) const RESERVED: [u64; 2] = [u32::MAX as u64 - 1, u32::MAX as u64];
/// Where keys that no slot holds meet others: slabs of one pair, and keys of both kinds in chains.
pub(super) const KEPT_BESIDE: [Place; 3] = [
    LAST_SLAB,
    place("last_slab_of_two", 2, 1, &[(0, RESERVED[0] as usize)]),
    place("both_chains", 2, 4, &[F, K, (0, RESERVED[0] as usize), (0, RESERVED[1] as usize)]),
];

/// All but the last ones.
pub(super) const ALL: [Place; 7] = [EMPTY, PRESENT, FULL, CHAIN, TOMBSTONE, DELETED, LAST_SLAB];
/// Places where a stopped warp leaves different states.
pub(super) const STALLS: [Place; 3] = [EMPTY, TOMBSTONE, FULL];
/// Those whose slabs have a power of two of words, so that each can be a lane's.
pub(super) const POWERS: [Place; 4] = [FULL, CHAIN, LAST_SLAB, WIDE];

/// A scenario of these programs. Its name says which calls are on another key than [`KEY`].
fn scenario(table: &Table, place: Place, programs: &Programs) -> Scenario {
    let called = |(op, key): &Step| if *key == KEY { op.to_string() } else { format!("{op}@{key}") };
    let names = (table.name, place.name);
    let mut scenario = form::scenario(names, place.config(), programs, called, table.has_values());
    scenario.preload = place.preload(table);
    let keys: BTreeSet<u64> = programs.iter().flatten().map(|(_, key)| *key).collect();
    scenario.finally = keys.into_iter().map(|key| Call::new(Op::SearchAll, key, 0)).collect();
    // A warp that looks for a slab may find that all other warps hold one each, though some of them give
    // theirs back.
    let pairs = place.shape.1 - 1;
    let adding = programs.iter().filter(|steps| steps.iter().any(|(op, _)| stores(*op))).count();
    let linked = programs.iter().flatten().filter(|(op, _)| stores(*op)).count().div_ceil(pairs as usize);
    let spare = place.pool.saturating_sub(scenario.preload.len() as u32 / pairs);
    scenario.allows.full = adding + linked > spare as usize + 1;
    scenario
}
