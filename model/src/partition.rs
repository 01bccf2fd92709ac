//! Partitions: ranges of homes.
//!
//! The home of a key is the leading digit of its hash ([`Hash64::digit`]). So the leading digits of a hash
//! say in which part of the table the key belongs, and a *partition* is the range of homes that share those
//! digits. A bin of a bulk insert and a region of a batch on the CPU are partitions.
//!
//! There are two ways to divide a table:
//!
//! - By homes: [`Partitioning`] gives each partition `1 << shift` homes, so that a block's memory holds the
//!   partition whatever the size of the table is. [`Levels`] reach small partitions in several passes of a
//!   radix partitioning, each with a fan-out that a block can write to; [`FanOut`] is one partition's share
//!   of such a pass.
//! - By hashes: [`HashPartitions`] divides the table into any number of partitions. It needs no home, and the
//!   rest of the hash is the hash for the next digit.

use crate::hash::{Hash64, Seed};
use crate::key::Key;
use core::ops::Range;

/// Partitions of `1 << shift` homes each, `shift` below 32. The partition of a home is its leading digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partitioning {
    shift: u32,
}

impl Partitioning {
    /// Cuts a table into partitions of `1 << shift` homes.
    #[inline(always)]
    pub const fn new(shift: u32) -> Self {
        Self { shift }
    }

    /// The binary logarithm of the homes of a partition.
    #[inline(always)]
    pub const fn shift(self) -> u32 {
        self.shift
    }

    /// How many homes a partition has.
    #[inline(always)]
    pub const fn size(self) -> u32 {
        1 << self.shift
    }

    /// The partition of a home.
    #[inline(always)]
    pub const fn of_home(self, home: u32) -> u32 {
        home >> self.shift
    }

    /// How many partitions cover `homes` homes.
    #[inline(always)]
    pub const fn count(self, homes: u32) -> u64 {
        (homes as u64).div_ceil(1 << self.shift)
    }

    /// The homes of a partition in a table of `homes` homes: fewer than [`size`](Self::size) at the end of
    /// the table, none after it. The partition begins below 2^32.
    #[inline(always)]
    pub const fn homes(self, partition: u32, homes: u32) -> Range<u32> {
        let first = partition << self.shift;
        let left = homes.saturating_sub(first);
        first..first + if self.size() < left { self.size() } else { left }
    }
}

/// The partitions that receive the homes of one partition of the level before: `fan` of them, in a row. A
/// *digit* says which of them, a *partition* is a number among all of the level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FanOut {
    first: u32,
    fan: u32,
    partitioning: Partitioning,
}

impl FanOut {
    /// The partitions of partition number `before` of the level before. Before the first level, the whole
    /// table is partition 0.
    #[inline(always)]
    pub const fn new(before: u32, fan: u32, partitioning: Partitioning) -> Self {
        Self { first: before * fan, fan, partitioning }
    }

    /// How many there are.
    #[inline(always)]
    pub const fn fan(self) -> u32 {
        self.fan
    }

    /// The division of the table that they belong to.
    #[inline(always)]
    pub const fn partitioning(self) -> Partitioning {
        self.partitioning
    }

    /// The digit of a home of the partition before: below [`fan`](Self::fan).
    #[inline(always)]
    pub const fn digit(self, home: u32) -> u32 {
        self.partitioning.of_home(home).wrapping_sub(self.first)
    }

    /// The partition of a digit.
    #[inline(always)]
    pub const fn partition(self, digit: u32) -> u32 {
        self.first + digit
    }
}

/// The levels of a radix partitioning: each divides every partition of the one before into `1 << bits`; the
/// first one divides the table into as many as necessary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Levels {
    homes: u32,
    last: Partitioning,
    bits: u32,
    count: u32,
}

/// One of the [`Levels`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Its division of the table.
    pub partitioning: Partitioning,
    /// How many of them receive the homes of one partition of the level before.
    pub fan: u32,
    /// How many there are in all. The last ones may lie beyond the table.
    pub partitions: u64,
}

impl Level {
    /// The partitions that receive the homes of partition number `before` of the level before. Before the
    /// first level, the whole table is partition 0.
    pub const fn fan_out(self, before: u32) -> FanOut {
        FanOut::new(before, self.fan, self.partitioning)
    }
}

impl Levels {
    /// `count` levels, at least one, for a table of `homes` homes, down to the partitions `last`. The
    /// partitions of the first level must have fewer than 2^32 homes.
    pub const fn new(homes: u32, last: Partitioning, bits: u32, count: u32) -> Self {
        Self { homes, last, bits, count }
    }

    /// As few levels as possible down to the partitions `last`, with fan-outs of at most `1 << most_bits`;
    /// `most_bits` is not zero. Their fan-outs are about equal.
    pub const fn with_fan_bits(homes: u32, last: Partitioning, most_bits: u32) -> Self {
        let bits = last.count(homes).next_power_of_two().ilog2();
        let count = if bits == 0 { 1 } else { bits.div_ceil(most_bits) };
        Self::new(homes, last, bits.div_ceil(count), count)
    }

    /// How many levels there are.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Level number `at`, below [`count`](Self::count).
    pub const fn level(self, at: u32) -> Level {
        let behind = self.count - 1 - at;
        let first = Partitioning::new(self.last.shift + self.bits * (self.count - 1)).count(self.homes);
        Level {
            partitioning: Partitioning::new(self.last.shift + self.bits * behind),
            fan: if at == 0 { first as u32 } else { 1 << self.bits },
            partitions: first << (self.bits * at),
        }
    }

    /// The levels, from the first one.
    pub fn iter(self) -> impl Iterator<Item = Level> {
        (0..self.count).map(move |at| self.level(at))
    }
}

/// Partitions by the hashes of keys with a seed: `count` of them, each of equally many hashes. The partition
/// of a hash is its leading digit to the base `count`. That is also the home of its key in a table of `count`
/// homes.
///
/// A shard and a page of it are two digits, one after the other: the page is the digit of the
/// [`rest`](Hash64::rest). A table of `a` times `b` homes, divided into `a` partitions, has the home
/// `digit(a) * b + rest(a).digit(b)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HashPartitions {
    count: u32,
    seed: Seed,
}

impl HashPartitions {
    /// Divides a table into `count` partitions (one if it is zero); `seed` decides the places of keys.
    #[inline(always)]
    pub const fn new(count: u32, seed: Seed) -> Self {
        Self { count: if count == 0 { 1 } else { count }, seed }
    }

    /// How many partitions there are.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// The seed of the hashes.
    #[inline(always)]
    pub const fn seed(self) -> Seed {
        self.seed
    }

    /// The partition of a key.
    #[inline(always)]
    pub fn of<K: Key>(self, key: K) -> u32 {
        self.of_hash(key.hash(self.seed))
    }

    /// The partition of a hash.
    #[inline(always)]
    pub const fn of_hash(self, hash: Hash64) -> u32 {
        hash.digit(self.count)
    }

    /// The homes of a partition, which is below [`count`](Self::count), in a table of `homes` homes. If
    /// `count` does not divide `homes`, the partition after it may begin with the last one of them.
    pub const fn homes(self, partition: u32, homes: u32) -> Range<u32> {
        let (at, count) = (partition as u128, self.count as u128);
        let first = (at << u64::BITS).div_ceil(count);
        let last = ((at + 1) << u64::BITS).div_ceil(count) - 1;
        Hash64::new(first as u64).digit(homes)..Hash64::new(last as u64).digit(homes) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = Seed::new(1);
    const SIZES: [u32; 9] = [1, 2, 3, 7, 8, 100, 511, 513, 4099];

    #[test]
    fn partitions_of_homes_cover_all_homes_once() {
        for homes in SIZES {
            for shift in [0, 1, 3, 5, 12] {
                let cut = Partitioning::new(shift);
                let mut next = 0;
                for partition in 0..cut.count(homes) as u32 {
                    let range = cut.homes(partition, homes);
                    assert_eq!(range.start, next, "{partition} of {homes} homes, {cut:?}");
                    assert!(!range.is_empty() && range.end - range.start <= cut.size());
                    assert!(range.clone().all(|home| cut.of_home(home) == partition));
                    next = range.end;
                }
                assert_eq!(next, homes, "{cut:?}");
                assert!(cut.homes(cut.count(homes) as u32, homes).is_empty());
            }
        }
        let (cut, homes) = (Partitioning::new(9), u32::MAX - 4);
        assert_eq!(cut.homes((1 << 23) - 1, homes), ((1 << 23) - 1) << 9..homes);
    }

    #[test]
    fn there_is_one_partition_of_hashes_at_least() {
        assert_eq!([0, 1, 5].map(|count| HashPartitions::new(count, SEED).count()), [1, 1, 5]);
    }

    #[test]
    fn levels_cut_each_partition_into_those_of_the_next_one() {
        for homes in SIZES {
            for (last, bits, count) in [(0, 1, 1), (0, 1, 3), (1, 2, 2), (3, 3, 3), (0, 4, 2)] {
                let levels = Levels::new(homes, Partitioning::new(last), bits, count);
                assert_eq!(levels.iter().last().map(|level| level.partitioning.shift()), Some(last));
                for home in 0..homes {
                    let mut before = 0;
                    for level in levels.iter() {
                        let fan = level.fan_out(before);
                        let digit = fan.digit(home);
                        assert!(digit < fan.fan(), "home {home} of {homes}, {level:?}");
                        before = fan.partition(digit);
                        assert_eq!(before, level.partitioning.of_home(home));
                        assert!((before as u64) < level.partitions);
                    }
                }
            }
        }
    }

    #[test]
    fn there_are_as_few_levels_as_fan_outs_allow() {
        let cut = Partitioning::new(2);
        for (homes, fans) in [
            (1, &[1][..]),
            (32, &[8]),
            (33, &[3, 4]),
            (4 * 8 * 8, &[8, 8]),
            (4 * 8 * 8 + 1, &[2, 8, 8]),
            (4 * 8 * 8 * 8, &[8, 8, 8]),
        ] {
            let levels = Levels::with_fan_bits(homes, cut, 3);
            assert!(
                levels.iter().map(|level| level.fan).eq(fans.iter().copied()),
                "{homes} homes: {levels:?}"
            );
        }
        assert_eq!(Levels::with_fan_bits(u32::MAX, Partitioning::new(0), 9).count(), 4);
    }

    #[test]
    fn partitions_of_hashes_cover_all_homes_and_share_those_at_their_ends() {
        for homes in SIZES {
            for count in [1, 2, 3, 8, 100, 1 << 11] {
                let cut = HashPartitions::new(count, SEED);
                let mut end = 0;
                for partition in 0..count {
                    let range = cut.homes(partition, homes);
                    let shared = end - range.start;
                    assert!(shared == 0 || shared == 1 && homes % count != 0, "{homes} homes, {cut:?}");
                    assert!(range.end > range.start);
                    end = range.end;
                }
                assert_eq!(end, homes, "{cut:?}");
                let hashes = (0..5000).map(|key| SEED.hash(key));
                for hash in hashes.chain([0, u64::MAX].map(Hash64::new)) {
                    let range = cut.homes(cut.of_hash(hash), homes);
                    assert!(range.contains(&hash.digit(homes)), "{hash:?} of {homes}, {cut:?}");
                }
            }
        }
        assert_eq!(HashPartitions::new(0, SEED), HashPartitions::new(1, SEED));
        let cut = HashPartitions::new(7, SEED);
        assert!((0..1000u32).all(|key| cut.of(key) == cut.of_hash(key.hash(SEED))));
    }
}
