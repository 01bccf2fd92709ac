//! The size and the statistics of a slab hash table.

use super::{RESERVED_BUCKETS, SLAB_SLOTS};
use crate::host::Refused;

/// The number and the size of a table's slabs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlabGeometry {
    /// Slots per slab, the link included: the lanes of a warp times the slots that each reads.
    pub slab_slots: u32,
    /// Base slabs, one per bucket.
    pub buckets: u32,
    /// Slabs by which chains can grow.
    pub pool: u32,
}

impl SlabGeometry {
    /// Pairs per slot of the base slabs that [`SlabGeometry::for_pairs`] aims at; the published term
    /// is *expected chain*.
    ///
    /// At this load the chains of slabs of 8 slots take 15.3 bytes per u32 pair: 6 % more than the published
    /// layout (slabs of 15 pairs in 128 bytes) at its load of 0.6.
    pub const DEFAULT_LOAD: f64 = 0.65;

    /// How many warps may insert at once before an insert can find the pool empty although there is room:
    /// each may hold a slab that it frees when another warp was faster. No present GPU runs more tiles at a
    /// time.
    pub const WARPS_AT_ONCE: u64 = 1 << 18;

    /// A table in which `pairs` pairs fit whatever their keys are: [`SLAB_SLOTS`] slots per slab, at the
    /// default load. Deleted pairs keep their slots until a flush and count too.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] from about 10^10 pairs on.
    pub fn for_pairs(pairs: u64) -> Result<Self, Refused> {
        Self::new(pairs, Self::DEFAULT_LOAD, SLAB_SLOTS as u32)
    }

    /// A table in which `pairs` pairs fit whatever their keys are, with `load` pairs per slot of the base
    /// slabs. With s pairs per slab a chain of x pairs takes at most x / s slabs of the pool, so pairs / s
    /// are enough for the pairs. The pool has one more slab for each insert that may be under way: at most as
    /// many as pairs, or [`SlabGeometry::WARPS_AT_ONCE`]. A load below 0.01 or above 100 is moved into that
    /// range, and a slab has at least two slots.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] if the slabs cannot be counted in 32 bits.
    pub fn new(pairs: u64, load: f64, slab_slots: u32) -> Result<Self, Refused> {
        let load = if load.is_nan() { Self::DEFAULT_LOAD } else { load.clamp(0.01, 100.0) };
        let slab_slots = slab_slots.max(2);
        let per_slab = slab_slots as u64 - 1;
        let buckets = ((pairs as f64 / load) as u64).div_ceil(per_slab).max(1);
        let pool = pairs.div_ceil(per_slab).max(1).saturating_add(pairs.min(Self::WARPS_AT_ONCE));
        countable(buckets, pool)?;
        Ok(Self { slab_slots, buckets: buckets as u32, pool: pool as u32 })
    }

    /// Refuses a size that is impossible for a table of slabs with `slab_slots` slots.
    ///
    /// # Errors
    /// [`Refused::SlabSlots`] if the size is for other slabs; [`Refused::Nothing`]; [`Refused::TooLarge`] if
    /// the slabs cannot be counted in 32 bits.
    pub fn admit(self, slab_slots: u32) -> Result<(), Refused> {
        if self.slab_slots != slab_slots {
            return Err(Refused::SlabSlots { found: self.slab_slots, expected: slab_slots });
        }
        if self.buckets == 0 {
            return Err(Refused::Nothing { what: "bucket" });
        }
        countable(self.buckets.into(), self.pool.into())
    }

    /// Pairs that fit a slab.
    pub const fn pairs_per_slab(self) -> u32 {
        self.slab_slots - 1
    }

    /// Number of slots, links and the base slab of the [reserved keys](crate::reserved) included.
    pub const fn slots(self) -> usize {
        (self.buckets as usize + RESERVED_BUCKETS as usize + self.pool as usize) * self.slab_slots as usize
    }
}

/// Refuses more slabs than indices can count; one index is the nil link.
const fn countable(buckets: u64, pool: u64) -> Result<(), Refused> {
    let slabs = buckets.saturating_add(RESERVED_BUCKETS as u64).saturating_add(pool);
    if slabs < u32::MAX as u64 {
        Ok(())
    } else {
        Err(Refused::TooLarge { what: "slabs", found: slabs, most: u32::MAX as u64 - 1 })
    }
}

/// Statistics of a table. The chain of the [reserved keys](crate::reserved) counts while it has a pair or a
/// tombstone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SlabStats {
    /// Live pairs.
    pub live: u64,
    /// Deleted pairs, whose slots a flush frees.
    pub tombstones: u64,
    /// Slabs in chains, base slabs counted.
    pub slabs: u64,
    /// Slabs per chain of the longest chain.
    pub longest: u32,
    /// How many chains have 1, 2, ... slabs; the last entry counts 16 and more.
    pub chains: [u64; 16],
}

impl SlabStats {
    /// Adds one chain.
    pub fn add(&mut self, chain: crate::slab::BucketStats) {
        self.live += chain.live as u64;
        self.tombstones += chain.tombstones as u64;
        self.slabs += chain.slabs as u64;
        self.longest = self.longest.max(chain.slabs);
        let last = self.chains.len() - 1;
        self.chains[(chain.slabs.max(1) as usize - 1).min(last)] += 1;
    }

    /// Adds other chains.
    #[must_use]
    pub fn merge(mut self, other: &Self) -> Self {
        self.live += other.live;
        self.tombstones += other.tombstones;
        self.slabs += other.slabs;
        self.longest = self.longest.max(other.longest);
        for (a, b) in self.chains.iter_mut().zip(other.chains) {
            *a += b;
        }
        self
    }

    /// Live pairs per slot of the slabs in chains, links not counted.
    pub fn load(&self, geometry: SlabGeometry) -> f64 {
        self.live as f64 / (self.slabs.max(1) * geometry.pairs_per_slab() as u64) as f64
    }

    /// Bytes of the slabs in chains per live pair, for slots of `slot_bytes` each.
    pub fn bytes_per_pair(&self, geometry: SlabGeometry, slot_bytes: u32) -> f64 {
        let bytes = self.slabs * geometry.slab_slots as u64 * slot_bytes as u64;
        bytes as f64 / self.live.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometry_holds_what_it_promises() {
        let g = SlabGeometry::for_pairs(4200).unwrap();
        assert_eq!(g.buckets, 923, "4200 / 0.65 slots, seven to a bucket");
        assert_eq!(g.pool, 600 + 4200);
        let large = SlabGeometry::for_pairs(70_000_000).unwrap();
        assert_eq!(large.pool as u64, 10_000_000 + SlabGeometry::WARPS_AT_ONCE);
        assert_eq!(SlabGeometry::for_pairs(0).unwrap(), SlabGeometry { slab_slots: 8, buckets: 1, pool: 1 });
        assert!(matches!(SlabGeometry::for_pairs(u64::MAX), Err(Refused::TooLarge { .. })));
        assert!(SlabGeometry::new(100, f64::NAN, 8).is_ok());
        assert!(SlabGeometry::new(100, -1.0, 0).is_ok());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let size = |slab_slots, buckets, pool| SlabGeometry { slab_slots, buckets, pool };
        assert_eq!(size(8, 1, 0).admit(8), Ok(()));
        assert_eq!(size(8, 1, u32::MAX - 3).admit(8), Ok(()));
        assert_eq!(size(8, 0, 5).admit(8), Err(Refused::Nothing { what: "bucket" }));
        assert_eq!(size(9, 1, 5).admit(8), Err(Refused::SlabSlots { found: 9, expected: 8 }));
        let slabs = u32::MAX as u64;
        let too_large = |found| Refused::TooLarge { what: "slabs", found, most: slabs - 1 };
        assert_eq!(size(8, 1, u32::MAX - 2).admit(8), Err(too_large(slabs)));
        assert_eq!(size(8, u32::MAX, u32::MAX).admit(8), Err(too_large(2 * slabs + 1)));
    }

    #[test]
    fn stats_add_up() {
        let mut a = SlabStats::default();
        a.add(crate::slab::BucketStats { live: 9, tombstones: 1, slabs: 2 });
        let mut b = SlabStats::default();
        b.add(crate::slab::BucketStats { live: 5, tombstones: 0, slabs: 40 });
        let sum = a.merge(&b);
        assert_eq!((sum.live, sum.tombstones, sum.slabs, sum.longest), (14, 1, 42, 40));
        assert_eq!((sum.chains[1], sum.chains[15]), (1, 1));
    }
}
