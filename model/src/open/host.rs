//! The size and the statistics of an open-addressing table.

use super::{BUCKET_SLOTS, classes, filter_words};
use crate::host::{Refused, at_most};

/// The number and the size of a table's buckets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenGeometry {
    /// Slots per bucket: the lanes of a warp times the slots that each reads.
    pub bucket_slots: u32,
    /// Buckets: one, or a prime number of them, so that every key probes them all.
    pub buckets: u32,
}

impl OpenGeometry {
    /// Pairs per slot that [`OpenGeometry::for_pairs`] aims at.
    pub const DEFAULT_LOAD: f64 = 0.8;

    /// The most buckets: the largest prime number of 32 bits.
    pub const MOST_BUCKETS: u32 = 4_294_967_291;

    /// A table for `pairs` pairs at the default load, with the buckets of the library's tables.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] from about 2.7 * 10^10 pairs on.
    pub fn for_pairs(pairs: u64) -> Result<Self, Refused> {
        Self::at_load(pairs, Self::DEFAULT_LOAD)
    }

    /// A table at another load, with the buckets of the library's tables. About loads see [`new`](Self::new).
    ///
    /// # Errors
    /// [`Refused::Load`] if the load is not above 0 and at most 1; [`Refused::TooLarge`] if there are more
    /// than [`MOST_BUCKETS`](Self::MOST_BUCKETS) buckets.
    pub fn at_load(pairs: u64, load: f64) -> Result<Self, Refused> {
        Self::new(pairs, load, BUCKET_SLOTS as u32)
    }

    /// A table of at least `pairs / load` slots, with as few buckets as possible: one, or a prime number of
    /// them.
    ///
    /// Up to a load of 0.98 all pairs fit, unless their keys were chosen for a known seed; above it an insert
    /// may return `Full`, as a key has 512 buckets. Where keys have only two buckets and move, nearly all fit
    /// up to 0.97. The slot of a deleted pair is not used again unless keys move: so deleted pairs count.
    ///
    /// # Errors
    /// [`Refused::Load`] if the load is not above 0 and at most 1; [`Refused::Nothing`] if a bucket has no
    /// slot; [`Refused::TooLarge`] if there are more than [`MOST_BUCKETS`](Self::MOST_BUCKETS) buckets.
    pub fn new(pairs: u64, load: f64, bucket_slots: u32) -> Result<Self, Refused> {
        if !(load > 0.0 && load <= 1.0) {
            return Err(Refused::Load { load });
        }
        if bucket_slots == 0 {
            return Err(Refused::Nothing { what: "slot" });
        }
        let wanted = pairs as f64 / load;
        // Rounded up; a float may have rounded down.
        let slots = (wanted as u64).saturating_add((wanted > wanted as u64 as f64) as u64).max(pairs);
        let (found, most) = (slots.div_ceil(bucket_slots as u64).max(1), Self::MOST_BUCKETS as u64);
        at_most("buckets", found, most)?;
        let buckets = (found as u32..=Self::MOST_BUCKETS).find(|&buckets| probes_all(buckets));
        Ok(Self { bucket_slots, buckets: buckets.unwrap_or(Self::MOST_BUCKETS) })
    }

    /// A size of at least as many slots, in buckets of `bucket_slots` slots.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn in_buckets_of(self, bucket_slots: u32) -> Result<Self, Refused> {
        if self.bucket_slots == bucket_slots {
            Ok(self)
        } else {
            Self::new(self.slots() as u64, 1.0, bucket_slots)
        }
    }

    /// Refuses a size that is impossible for a table of such buckets.
    ///
    /// # Errors
    /// [`Refused::BucketSlots`] if the size is for other buckets; [`Refused::Nothing`] if there is no bucket;
    /// [`Refused::NotPrime`] if their number is neither one nor prime.
    pub fn admit(self, bucket_slots: u32) -> Result<(), Refused> {
        if self.bucket_slots != bucket_slots {
            return Err(Refused::BucketSlots { found: self.bucket_slots, expected: bucket_slots });
        }
        match self.buckets {
            0 => Err(Refused::Nothing { what: "bucket" }),
            buckets if probes_all(buckets) => Ok(()),
            buckets => Err(Refused::NotPrime { what: "buckets", found: buckets as u64 }),
        }
    }

    /// Number of slots.
    pub const fn slots(self) -> usize {
        (self.buckets as usize).saturating_mul(self.bucket_slots as usize)
    }

    /// Number of words of the filter, of 32 bits each.
    pub const fn filter_words(self) -> usize {
        filter_words(classes(self.buckets), self.buckets)
    }

    /// Bytes of the filter.
    pub const fn filter_bytes(self) -> usize {
        self.filter_words() * size_of::<u32>()
    }
}

/// Counts of the inserts of a batch, by how they ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[must_use = "entries may be missing, and only this says so: `full` counts them"]
pub struct Tally {
    /// Keys that were inserted.
    pub inserted: u64,
    /// Keys that were there, or occurred before in the batch.
    pub present: u64,
    /// Keys for which there was no room.
    pub full: u64,
}

impl Tally {
    /// The tally from its [`bulk::TALLY`](super::bulk::TALLY) words: entries; inserted entries; entries
    /// without room; entries that were lost and inserted again; and of all these, entries that were then
    /// without room.
    pub fn of([entries, inserted, full, lost, full_again]: [u64; 5]) -> Self {
        let full = if lost == 0 { full } else { full_again };
        Self { inserted, present: entries.saturating_sub(inserted + full), full }
    }
}

/// Whether every stride visits all of so many buckets: their number is one or prime.
fn probes_all(buckets: u32) -> bool {
    let divisible = || {
        (3..).step_by(2).take_while(|d| d * d <= buckets as u64).any(|d| u64::from(buckets).is_multiple_of(d))
    };
    match buckets {
        0 => false,
        1..=3 => true,
        _ => !buckets.is_multiple_of(2) && !divisible(),
    }
}

/// Statistics of a table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OpenStats {
    /// Pairs.
    pub live: u64,
    /// Slots of deleted pairs, which are not used again unless keys move.
    pub tombstones: u64,
}

impl OpenStats {
    /// Adds the statistics of another part.
    #[must_use]
    pub fn merge(mut self, other: &Self) -> Self {
        self.live += other.live;
        self.tombstones += other.tombstones;
        self
    }

    /// Slots that are taken, by pairs or by tombstones, per slot.
    pub fn load(&self, geometry: OpenGeometry) -> f64 {
        (self.live + self.tombstones) as f64 / geometry.slots() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn sizes_follow_from_pairs_and_load() {
        let g = OpenGeometry::for_pairs(6400).unwrap();
        assert_eq!((g.bucket_slots, g.buckets, g.slots()), (8, 1009, 8072), "the first prime from 1000 on");
        assert_eq!((g.filter_words(), g.filter_bytes()), (505, 2020));
        assert_eq!(OpenGeometry::for_pairs(0).unwrap().buckets, 1);
        assert_eq!(OpenGeometry::at_load(8, 1.0).unwrap().buckets, 1);
        assert_eq!(OpenGeometry::at_load(9, 1.0).unwrap().buckets, 2);
        assert_eq!(OpenGeometry::at_load(25, 1.0).unwrap().buckets, 5, "not four");
        let narrow = g.in_buckets_of(4).unwrap();
        assert_eq!((narrow.bucket_slots, narrow.buckets), (4, 2027), "the first prime from 2018 on");
        assert_eq!(g.in_buckets_of(8), Ok(g));
        let large = OpenGeometry::for_pairs(1 << 34).unwrap();
        assert!(large.slots() > 1 << 32, "more slots than 32 bits count");
        let most = 8 * OpenGeometry::MOST_BUCKETS as u64;
        assert_eq!(OpenGeometry::at_load(most, 1.0).unwrap().buckets, OpenGeometry::MOST_BUCKETS);
        assert!(matches!(OpenGeometry::at_load(most + 1, 1.0), Err(Refused::TooLarge { .. })));
    }

    #[test]
    fn there_are_slots_for_all_pairs_at_every_load() {
        for load in [0.01, 0.5, 0.8, 0.9, 0.95, 0.97, 1.0] {
            for pairs in [1, 7, 8, 9, 1000, 12_345_677] {
                let slots = OpenGeometry::at_load(pairs, load).unwrap().slots() as f64;
                assert!(slots * load >= pairs as f64 - 1e-6, "{pairs} pairs at {load}: {slots}");
            }
        }
    }

    #[test]
    fn numbers_that_every_stride_goes_through_are_known() {
        let some: Vec<u32> = (0..32).filter(|&n| probes_all(n)).collect();
        assert_eq!(some, [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]);
        assert!(probes_all(65_537) && !probes_all(65_537 * 65_521) && !probes_all(u32::MAX));
        assert!(probes_all(OpenGeometry::MOST_BUCKETS));
        assert!((OpenGeometry::MOST_BUCKETS + 1..=u32::MAX).all(|n| !probes_all(n)));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for load in [0.0, -1.0, 1.01, f64::NAN, f64::INFINITY] {
            let refused = OpenGeometry::at_load(10, load).unwrap_err();
            assert!(matches!(refused, Refused::Load { .. }), "{load}: {refused}");
        }
        assert_eq!(OpenGeometry::new(10, 0.5, 0), Err(Refused::Nothing { what: "slot" }));
        assert!(matches!(OpenGeometry::for_pairs(u64::MAX), Err(Refused::TooLarge { .. })));
        let size = |buckets| OpenGeometry { bucket_slots: 8, buckets };
        assert_eq!((size(1).admit(8), size(7).admit(8)), (Ok(()), Ok(())));
        assert_eq!(size(0).admit(8), Err(Refused::Nothing { what: "bucket" }));
        assert_eq!(size(8).admit(8), Err(Refused::NotPrime { what: "buckets", found: 8 }));
        assert_eq!(size(7).admit(4), Err(Refused::BucketSlots { found: 8, expected: 4 }));
    }

    #[test]
    fn stats_add_up() {
        let stats = OpenStats { live: 3, tombstones: 1 }.merge(&OpenStats { live: 2, tombstones: 2 });
        assert_eq!(stats, OpenStats { live: 5, tombstones: 3 });
        assert_eq!(stats.load(OpenGeometry { bucket_slots: 8, buckets: 2 }), 0.5);
    }
}
