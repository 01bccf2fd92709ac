//! Where programs meet: the entry type, and what stands in the table.

use crate::scenarios::home::{Entries, Homed, Name, Place};
use warpproof_model::spec::Op::{self, *};

/// What the table does.
pub(in crate::scenarios) const OPS: [Op; 5] = [InsertUnique, InsertOrAssign, InsertOrAdd, Search, Delete];

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
    /// u64 pairs in two words by the lock bit.
    Lock64,
    /// u32 pairs, with bits of the filter set as on a GPU: not tested before.
    Untested32,
}

impl Structure {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Map32, Self::Set32, Self::Map64, Self::Set64, Self::Lock64, Self::Untested32];
    /// Those whose entries are one word each.
    pub const ONE_WORD: [Self; 4] = [Self::Map32, Self::Set32, Self::Map64, Self::Set64];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map32 => "open_map32",
            Self::Set32 => "open_set32",
            Self::Map64 => "open_map64",
            Self::Set64 => "open_set64",
            Self::Lock64 => "open_lock64",
            Self::Untested32 => "open_untested32",
        }
    }

    /// The name of its table, as the slab hash has it.
    pub fn table(self) -> &'static str {
        self.name().trim_start_matches("open_")
    }
}

impl Homed for Structure {
    fn name(self) -> &'static str {
        self.name()
    }

    fn entries(self) -> Entries {
        match self {
            Self::Map32 | Self::Untested32 => Entries::Map32,
            Self::Set32 => Entries::Set32,
            Self::Map64 | Self::Lock64 => Entries::Map64,
            Self::Set64 => Entries::Set64,
        }
    }
}

/// A place in tables of such buckets: lanes, slots per lane.
const fn place(
    name: &'static str,
    shape: (u32, u32),
    homes: u32,
    preload: &'static [Name],
    keys: &'static [Name],
) -> Place {
    Place { name, shape, reach: 0, homes, preload, gone: &[], keys }
}

/// An empty table.
pub(super) const EMPTY: Place = place("empty", (1, 2), 1, &[], &[(0, 0), (0, 1)]);
/// The same with two buckets.
pub(super) const TWO: Place = place("two", (1, 2), 2, &[], &[(0, 0), (0, 1)]);
/// The key is in its home.
pub(super) const PRESENT: Place = place("present", (1, 2), 1, &[(0, 0)], &[(0, 0), (0, 1)]);
/// A tombstone, and an empty slot behind.
pub(super) const GONE: Place = Place { name: "gone", gone: &[(0, 0)], ..PRESENT };
/// No slot is empty.
pub(super) const FULL: Place = place("full", (1, 2), 1, &[(0, 1), (0, 2)], &[(0, 0), (0, 1)]);
/// The home is full, and nothing has passed it.
pub(super) const PASSES: Place = place("passes", (1, 2), 2, &[(0, 1), (0, 2)], &[(0, 0), (0, 3), (0, 1)]);
/// The home is full, the key is behind.
pub(super) const BEHIND: Place =
    place("behind", (1, 2), 2, &[(0, 1), (0, 2), (0, 0)], &[(0, 0), (0, 1), (0, 3)]);
/// The home is full of tombstones.
pub(super) const TOMBS: Place =
    Place { gone: &[(0, 1)], ..place("tombs", (1, 1), 2, &[(0, 1)], &[(0, 0), (0, 1)]) };
/// Three buckets, of which two are full.
pub(super) const FAR: Place = place("far", (1, 1), 3, &[(0, 1), (1, 1)], &[(0, 0), (0, 2), (1, 0)]);

/// All of them.
pub(super) const ALL: [Place; 8] = [EMPTY, PRESENT, GONE, FULL, PASSES, BEHIND, TOMBS, FAR];
