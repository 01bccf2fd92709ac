//! The size and the statistics of a hopscotch table.

use super::{GROUP_WORDS, REACH};
use crate::host::{Refused, at_most};

/// The number and the size of a table's groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HopscotchGeometry {
    /// Words per group, the home word included: the lanes of a warp times the words that each reads.
    pub group_words: u32,
    /// Groups of a neighbourhood.
    pub reach: u32,
    /// Homes: groups that keys belong to. After the last one there are `reach - 1` more groups.
    pub homes: u32,
}

impl HopscotchGeometry {
    /// Pairs per slot of the homes that [`HopscotchGeometry::for_pairs`] aims at.
    pub const DEFAULT_LOAD: f64 = 0.8;

    /// A table for `pairs` pairs at the default load, with the groups and neighbourhoods of the library's
    /// tables.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] from about 2.4 * 10^10 pairs on.
    pub fn for_pairs(pairs: u64) -> Result<Self, Refused> {
        Self::at_load(pairs, Self::DEFAULT_LOAD)
    }

    /// A table at another load, with the groups and neighbourhoods of the library's tables. About loads see
    /// [`new`](Self::new).
    ///
    /// # Errors
    /// [`Refused::Load`] if the load is not above 0 and at most 1; [`Refused::TooLarge`] if the groups cannot
    /// be counted in 32 bits.
    pub fn at_load(pairs: u64, load: f64) -> Result<Self, Refused> {
        Self::new(pairs, load, GROUP_WORDS as u32, REACH)
    }

    /// A table whose homes have `pairs / load` slots, at least one home.
    ///
    /// Pairs are in the neighbourhoods of their homes: keys that fall unevenly may find theirs full before
    /// the table is. `notes/hopscotch.md` has figures by load.
    ///
    /// # Errors
    /// [`Refused::Load`] if the load is not above 0 and at most 1; [`Refused::TooLarge`] if the groups cannot
    /// be counted in 32 bits; [`Refused::Nothing`] if a group has no slot or a neighbourhood no group.
    pub fn new(pairs: u64, load: f64, group_words: u32, reach: u32) -> Result<Self, Refused> {
        if !(load > 0.0 && load <= 1.0) {
            return Err(Refused::Load { load });
        }
        let slots = group_words.saturating_sub(1);
        if slots == 0 {
            return Err(Refused::Nothing { what: "slot" });
        }
        let homes = ((pairs as f64 / load) as u64).div_ceil(slots as u64).max(1);
        countable(homes, reach)?;
        Ok(Self { group_words, reach, homes: homes as u32 })
    }

    /// Refuses a size that is impossible for a table of such groups and neighbourhoods.
    ///
    /// # Errors
    /// [`Refused::Neighbourhood`] if the size is for other groups or neighbourhoods; [`Refused::Nothing`] if
    /// there is no home; [`Refused::TooLarge`] if the groups cannot be counted in 32 bits.
    pub fn admit(self, group_words: u32, reach: u32) -> Result<(), Refused> {
        let (found, expected) = ((self.group_words, self.reach), (group_words, reach));
        if found != expected {
            return Err(Refused::Neighbourhood { found, expected });
        }
        if self.homes == 0 {
            return Err(Refused::Nothing { what: "home" });
        }
        countable(self.homes as u64, reach)
    }

    /// Number of groups: the homes, and those after the last. Of a size that [`admit`](Self::admit) does not
    /// refuse.
    pub const fn groups(self) -> u32 {
        self.homes.saturating_add(self.reach.saturating_sub(1))
    }

    /// Number of words, home words included.
    pub const fn words(self) -> usize {
        (self.groups() as usize).saturating_mul(self.group_words as usize)
    }

    /// Number of slots.
    pub const fn slots(self) -> u64 {
        self.groups() as u64 * (self.group_words as u64).saturating_sub(1)
    }
}

/// Refuses more groups than 32 bits can count, and empty neighbourhoods.
const fn countable(homes: u64, reach: u32) -> Result<(), Refused> {
    if reach == 0 {
        return Err(Refused::Nothing { what: "group" });
    }
    at_most("groups", homes.saturating_add(reach as u64 - 1), u32::MAX as u64)
}

/// Statistics of a table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HopscotchStats {
    /// Pairs.
    pub live: u64,
    /// How many pairs are 0, 1, ... groups after their home.
    pub distances: [u64; REACH as usize],
}

impl HopscotchStats {
    /// Adds the statistics of another part.
    #[must_use]
    pub fn merge(mut self, other: &Self) -> Self {
        self.live += other.live;
        for (a, b) in self.distances.iter_mut().zip(other.distances) {
            *a += b;
        }
        self
    }

    /// Pairs per slot.
    pub fn load(&self, geometry: HopscotchGeometry) -> f64 {
        self.live as f64 / geometry.slots() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_pairs_and_load() {
        let g = HopscotchGeometry::for_pairs(5600).unwrap();
        assert_eq!((g.homes, g.groups(), g.words()), (1000, 1007, 8056));
        assert_eq!(g.slots(), 7049);
        assert_eq!(HopscotchGeometry::for_pairs(0).unwrap().homes, 1);
        let full = HopscotchGeometry::at_load(5600, 1.0).unwrap();
        assert_eq!((full.group_words, full.reach, full.homes), (8, REACH, 800));
        let large = HopscotchGeometry::for_pairs(1 << 33).unwrap();
        assert!(large.words() > 1 << 32, "more words than 32 bits count");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for load in [0.0, -1.0, 1.01, f64::NAN, f64::INFINITY] {
            let refused = HopscotchGeometry::at_load(10, load).unwrap_err();
            assert!(matches!(refused, Refused::Load { .. }), "{load}: {refused}");
        }
        assert_eq!(HopscotchGeometry::new(10, 0.5, 1, 4), Err(Refused::Nothing { what: "slot" }));
        assert_eq!(HopscotchGeometry::new(10, 0.5, 8, 0), Err(Refused::Nothing { what: "group" }));
        assert!(matches!(HopscotchGeometry::for_pairs(u64::MAX), Err(Refused::TooLarge { .. })));
        let size = |homes| HopscotchGeometry { group_words: 8, reach: 4, homes };
        assert_eq!(size(1).admit(8, 4), Ok(()));
        assert_eq!(size(0).admit(8, 4), Err(Refused::Nothing { what: "home" }));
        assert_eq!(size(u32::MAX - 3).admit(8, 4), Ok(()));
        assert!(matches!(size(u32::MAX - 2).admit(8, 4), Err(Refused::TooLarge { .. })));
        assert!(matches!(size(1).admit(8, 2), Err(Refused::Neighbourhood { .. })));
    }
}
