//! Where programs meet: the entry type, and what stands in the table.

use super::subject::home_of;
use crate::check::{Config, Scenario};
use crate::scenarios::family::{Keys, Programs, Step};
use crate::scenarios::form;
use std::collections::BTreeSet;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// What the table does.
pub(super) const OPS: [Op; 4] = [InsertUnique, InsertOrAssign, Search, Delete];

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

    pub(super) const fn has_values(self) -> bool {
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
    pub(super) fn key(self, homes: u32, (home, number): Name) -> u64 {
        let of_home = |key: &u64| self.home_of(homes, *key) == home;
        (1..).filter(of_home).nth(number).unwrap_or(u64::MAX)
    }
}

/// A key by its home and its number among the keys of that home.
pub(super) type Name = (u32, usize);

/// Where the programs meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub(super) name: &'static str,
    /// Lanes, words per lane, groups of a neighbourhood.
    shape: (u32, u32, u32),
    pub(super) homes: u32,
    /// What is inserted before, in this order.
    preload: &'static [Name],
    /// What is deleted of it, then.
    gone: &'static [Name],
    /// The keys that programs may name.
    pub(super) keys: &'static [Name],
}

pub(super) const fn place(
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

    /// Every slot is taken but the last.
    pub const GAP: Self = Self { name: "gap", keys: &[(0, 0), (1, 1), (2, 2)], ..Self::HOPS };
    /// The same, with a key of the last home.
    pub const RESERVED: Self = Self { name: "reserved", keys: &[(0, 0), (2, 0), (2, 1)], ..Self::HOPS };
    /// The gap is behind what the neighbourhood reaches.
    pub const GAP_BEYOND: Self = Self {
        gone: &[(3, 1)],
        ..place(
            "gap_beyond",
            (1, 2, 2),
            4,
            &[(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)],
            &[(0, 0), (2, 1), (3, 1)],
        )
    };
    /// In the first group of the neighbourhood is a key of the home before.
    pub const GAP_BEFORE: Self = Self {
        gone: &[(2, 1)],
        ..place("gap_before", (1, 2, 2), 3, &[(0, 1), (0, 2), (2, 1), (2, 2)], &[(1, 0), (0, 2), (2, 1)])
    };
    /// The same; the key behind the gap may come back into it.
    pub(super) const GAP_AGAIN: Self =
        Self { name: "gap_again", keys: &[(1, 0), (2, 2)], ..Self::GAP_BEFORE };

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
    pub(super) const STALLS: [Self; 3] = [Self::EMPTY, Self::BEHIND, Self::HOP];

    pub(super) fn keys(self, structure: Structure, most: usize) -> Keys {
        let keys = self.keys.iter().map(|&name| structure.key(self.homes, name));
        Keys { fixed: keys.collect(), free: Vec::new(), most }
    }

    /// A scenario of these programs here.
    pub(super) fn scenario(self, structure: Structure, programs: &Programs) -> Scenario {
        let (lanes, slots, reach) = self.shape;
        let key = |&name: &Name| structure.key(self.homes, name);
        let called = |(op, called): &Step| {
            let name = self.keys.iter().find(|name| key(name) == *called);
            name.map_or(format!("{op}@{called}"), |(home, number)| format!("{op}@{home}.{number}"))
        };
        let config = Config { lanes, slots, buckets: self.homes, reach, ..Config::default() };
        let names = (structure.name(), self.name);
        let mut scenario = form::scenario(names, config, programs, called, structure.has_values());
        let before =
            |op, names: &[Name]| names.iter().map(|name| Call::new(op, key(name), 0)).collect::<Vec<_>>();
        scenario.preload = [before(InsertUnique, self.preload), before(Delete, self.gone)].concat();
        let keys: BTreeSet<u64> = self.preload.iter().chain(self.keys).map(key).collect();
        scenario.finally = keys.into_iter().map(|key| Call::new(Search, key, 0)).collect();
        scenario.allows.full = true;
        scenario
    }
}
