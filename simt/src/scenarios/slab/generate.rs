//! How scenarios are made: structures times places times programs.

use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, Step};
use crate::scenarios::form::{self, stores};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op};

/// The key that the programs meet on.
pub(super) const KEY: u64 = 5;
/// A key that nothing is stored under at first.
pub(super) const OTHER: u64 = 6;
/// The key that fills the first slot, where that is taken.
pub(super) const FILLER: u64 = 1;

/// A structure: an entry type, and whether keys are unique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structure {
    name: &'static str,
    multi: bool,
}

impl Structure {
    /// u32 pairs, keys unique.
    pub const MAP32: Self = Self { name: "map32", multi: false };
    /// u32 keys, unique.
    pub const SET32: Self = Self { name: "set32", multi: false };
    /// u64 pairs in 128-bit words, keys unique.
    pub const MAP64: Self = Self { name: "map64", multi: false };
    /// u64 pairs by the lock bit, keys unique.
    pub const LOCK64: Self = Self { name: "lock64", multi: false };
    /// u32 pairs.
    pub const MULTIMAP32: Self = Self { name: "multimap32", multi: true };
    /// u32 keys.
    pub const MULTISET32: Self = Self { name: "multiset32", multi: true };
    /// u64 pairs in 128-bit words.
    pub const MULTIMAP64: Self = Self { name: "multimap64", multi: true };
    /// u64 pairs by the lock bit.
    pub const MULTILOCK64: Self = Self { name: "multilock64", multi: true };

    /// [`Structure::MAP32`] by operations whose kind is a value.
    pub(super) const MIXED_MAP32: Self = Self { name: "mixed_map32", multi: false };

    /// All tables.
    pub const ALL: [Self; 8] = [
        Self::MAP32,
        Self::SET32,
        Self::MAP64,
        Self::LOCK64,
        Self::MULTIMAP32,
        Self::MULTISET32,
        Self::MULTIMAP64,
        Self::MULTILOCK64,
    ];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The operations that tell their cases apart. Of a unique key, `count` and `search_all` are a search and
    /// `delete_all` is a delete.
    pub(super) fn ops(self) -> &'static [Op] {
        if self.multi { &OPS } else { &OPS[..4] }
    }

    /// Whether a key may have several pairs.
    pub(in crate::scenarios) const fn is_multi(self) -> bool {
        self.multi
    }

    /// Whether entries have values.
    pub(in crate::scenarios) fn has_values(self) -> bool {
        !self.name.ends_with("set32")
    }
}

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An empty bucket.
    Empty,
    /// The key is there, in a base slab with room.
    Present,
    /// A base slab full of other keys.
    Full,
    /// A chain of two slabs, the key in the second.
    Chain,
    /// A tombstone, then the key.
    Tombstone,
    /// A tombstone, and the key is absent.
    Deleted,
    /// A full base slab and one slab in the pool, which holds one pair.
    LastSlab,
    /// The key is there, in a base slab with room for two more.
    Wide,
    /// An empty bucket, with room for three pairs in its base slab.
    WideEmpty,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Empty, Self::Present, Self::Full, Self::Chain, Self::Tombstone, Self::Deleted, Self::LastSlab];

    /// Where a warp that stops leaves different things behind.
    pub(super) const STALLS: [Self; 3] = [Self::Empty, Self::Tombstone, Self::Full];

    /// Those whose slabs have a power of two of words, so that each can be a lane's.
    pub(super) const POWERS: [Self; 4] = [Self::Full, Self::Chain, Self::LastSlab, Self::Wide];

    const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Present => "present",
            Self::Full => "full",
            Self::Chain => "chain",
            Self::Tombstone => "tombstone",
            Self::Deleted => "deleted",
            Self::LastSlab => "last_slab",
            Self::Wide => "wide",
            Self::WideEmpty => "wide_empty",
        }
    }

    /// Lanes, slots per lane, slabs in the pool.
    const fn size(self) -> (u32, u32, u32) {
        match self {
            Self::Empty | Self::Present | Self::Tombstone | Self::Deleted => (1, 3, 2),
            Self::Full => (1, 2, 3),
            Self::Chain => (1, 2, 4),
            Self::LastSlab => (1, 2, 1),
            Self::Wide | Self::WideEmpty => (1, 4, 2),
        }
    }

    /// The keys that programs may name here, at most `most` different ones each.
    pub(super) fn keys(self, most: usize) -> Keys {
        let mut fixed: Vec<u64> = self.preload().iter().map(|call| call.key).collect();
        fixed.sort_unstable();
        fixed.dedup();
        let free = [KEY, OTHER].into_iter().filter(|key| !fixed.contains(key)).collect();
        Keys { fixed, free, most }
    }

    fn preload(self) -> Vec<Call> {
        let put = |key| Call::new(Op::InsertUnique, key, 0);
        let delete = |key| Call::new(Op::Delete, key, 0);
        match self {
            Self::Empty | Self::WideEmpty => vec![],
            Self::Present | Self::Wide => vec![put(KEY)],
            Self::Full | Self::LastSlab => vec![put(FILLER)],
            Self::Chain => vec![put(FILLER), put(KEY)],
            Self::Tombstone => vec![put(FILLER), put(KEY), delete(FILLER)],
            Self::Deleted => vec![put(KEY), delete(KEY)],
        }
    }
}

/// The operations that meet.
const OPS: [Op; 8] = [
    Op::InsertUnique,
    Op::InsertOrAssign,
    Op::Search,
    Op::Delete,
    Op::Insert,
    Op::SearchAll,
    Op::Count,
    Op::DeleteAll,
];

/// A scenario in which each warp runs the operations of its program on the one key.
pub(super) fn meet(structure: Structure, place: Place, programs: &[&[Op]]) -> Scenario {
    let on_key = |ops: &&[Op]| ops.iter().map(|op| (*op, KEY)).collect();
    scenario(structure, place, &programs.iter().map(on_key).collect())
}

/// A scenario of these programs. Its name says which calls are on another key than [`KEY`].
pub(super) fn scenario(structure: Structure, place: Place, programs: &Programs) -> Scenario {
    let called = |(op, key): &Step| if *key == KEY { op.to_string() } else { format!("{op}@{key}") };
    let (lanes, slots, pool) = place.size();
    let config = Config { lanes, slots, buckets: 1, pool, ..Config::default() };
    let mut scenario =
        form::scenario((structure.name(), place.name()), config, programs, called, structure.has_values());
    scenario.preload = place.preload();
    let keys: BTreeSet<u64> = programs.iter().flatten().map(|(_, key)| *key).collect();
    scenario.finally = keys.into_iter().map(|key| Call::new(Op::SearchAll, key, 0)).collect();
    // A warp that looks for a slab may find the others with one in their hands each, though some give theirs back.
    let adding = programs.iter().filter(|steps| steps.iter().any(|(op, _)| stores(*op))).count();
    let linked = programs.iter().flatten().filter(|(op, _)| stores(*op)).count().div_ceil(slots as usize - 1);
    let spare = pool.saturating_sub(scenario.preload.len() as u32 / (slots - 1));
    scenario.allows.full = adding + linked > spare as usize + 1;
    scenario
}

/// The same by lanes of two words each: a slot is not its lane.
pub(super) fn double(mut scenario: Scenario) -> Scenario {
    scenario.config = Config { lanes: scenario.config.slots / 2, slots: 2, ..scenario.config };
    scenario.name += "_double";
    scenario
}

/// The same by lanes of one word each, the last first: a scan meets the end of a slab before its pairs.
pub(super) fn backwards(mut scenario: Scenario) -> Scenario {
    scenario.config = Config { lanes: scenario.config.slots, slots: 1, ..scenario.config };
    scenario.backwards = true;
    scenario.name += "_backwards";
    scenario
}

/// The same with one warp that stops for ever, at each of its steps in turn. The others finish, except where the
/// lock-bit form says that inserts of a unique key wait for the holder of its lock.
pub(super) fn stalled(structure: Structure, place: Place, stops: Op, other: &[Op]) -> Scenario {
    let mut scenario = form::stalled(meet(structure, place, &[&[stops], other]));
    scenario.allows.blocking =
        structure.name.contains("lock") && stores(stops) && other.iter().any(|op| stores(*op));
    scenario
}

/// A scenario of the allocator alone: each warp runs its operations on a bitmap that stands as given.
pub(super) fn pool(name: &str, lanes: u32, bitmap: &[u32], programs: &[&[Op]]) -> Scenario {
    let config = Config { lanes, bitmap: bitmap.to_vec(), ..Config::default() };
    // The value is the hint that spreads warps, and the calls of one; the key is the slab to be freed.
    let call = |hint: usize, op: Op| Call::new(op, 0, if op == Op::Free { 0 } else { hint as u64 });
    let program =
        |(warp, ops): (usize, &&[Op])| ops.iter().enumerate().map(|(i, op)| call(warp + i, *op)).collect();
    let programs = programs.iter().enumerate().map(program).collect();
    Scenario::new(format!("pool/{name}"), "pool", config, programs)
}
