//! How scenarios are made: structures times places times programs.

use crate::check::{Config, Scenario};
use warpproof_model::spec::{Call, Op};

/// The key that the programs meet on.
pub(super) const KEY: u64 = 5;
/// Keys that only fill slots.
const FILLERS: [u64; 3] = [1, 2, 3];

/// What is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Structure {
    /// u32 pairs.
    Map32,
    /// u32 keys.
    Set32,
    /// u64 pairs in 128-bit words.
    Map64,
    /// u64 pairs by the lock-bit protocol.
    Lock64,
}

impl Structure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Map32, Self::Set32, Self::Map64, Self::Lock64];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map32 => "map32",
            Self::Set32 => "set32",
            Self::Map64 => "map64",
            Self::Lock64 => "lock64",
        }
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
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Empty, Self::Present, Self::Full, Self::Chain, Self::Tombstone, Self::Deleted, Self::LastSlab];

    const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Present => "present",
            Self::Full => "full",
            Self::Chain => "chain",
            Self::Tombstone => "tombstone",
            Self::Deleted => "deleted",
            Self::LastSlab => "last_slab",
        }
    }

    /// Lanes, slots per lane, slabs in the pool.
    const fn size(self) -> (u32, u32, u32) {
        match self {
            Self::Empty | Self::Present | Self::Tombstone | Self::Deleted => (1, 3, 2),
            Self::Full => (1, 2, 3),
            Self::Chain => (1, 2, 4),
            Self::LastSlab => (1, 2, 1),
        }
    }

    fn preload(self) -> Vec<Call> {
        let put = |key| Call::new(Op::InsertUnique, key, 0);
        let delete = |key| Call::new(Op::Delete, key, 0);
        match self {
            Self::Empty => vec![],
            Self::Present => vec![put(KEY)],
            Self::Full | Self::LastSlab => vec![put(FILLERS[0])],
            Self::Chain => vec![put(FILLERS[0]), put(KEY)],
            Self::Tombstone => vec![put(FILLERS[0]), put(KEY), delete(FILLERS[0])],
            Self::Deleted => vec![put(KEY), delete(KEY)],
        }
    }
}

/// The operations that meet.
pub(super) const OPS: [Op; 8] = [
    Op::Insert,
    Op::InsertUnique,
    Op::InsertOrAssign,
    Op::Search,
    Op::SearchAll,
    Op::Count,
    Op::Delete,
    Op::DeleteAll,
];

/// A scenario in which each warp runs the operations of its program on the one key.
pub(super) fn meet(structure: Structure, place: Place, programs: &[&[Op]]) -> Scenario {
    let names = programs.iter().map(|ops| ops.iter().map(Op::to_string).collect::<Vec<_>>().join("_then_"));
    let what = names.collect::<Vec<_>>().join("+");
    let (lanes, slots, pool) = place.size();
    let config = Config { lanes, slots, buckets: 1, pool, bitmap: Vec::new() };
    let valued = structure != Structure::Set32;
    let call = |warp: usize, number: usize, op: Op| {
        let stores = matches!(op, Op::Insert | Op::InsertUnique | Op::InsertOrAssign) && valued;
        Call::new(op, KEY, if stores { 10 * (warp as u64 + 1) + number as u64 } else { 0 })
    };
    let programs = programs
        .iter()
        .enumerate()
        .map(|(warp, ops)| ops.iter().enumerate().map(|(number, op)| call(warp, number, *op)).collect());
    let name = format!("{}/{what}/{}", structure.name(), place.name());
    let mut scenario = Scenario::new(name, structure.name(), config, programs.collect());
    scenario.preload = place.preload();
    scenario.finally = vec![Call::new(Op::SearchAll, KEY, 0)];
    scenario.allows.full = place == Place::LastSlab;
    scenario
}
