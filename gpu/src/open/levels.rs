//! Which bins the entries of a batch go through before they are inserted.

use warpproof_model::open::bulk::Fan;

/// Bytes of the slots of a bin of the last level: what a block has in its shared memory beside its counters.
pub(super) const BIN_BYTES: u32 = 32 << 10;
/// Bins at most that a block puts entries into.
const MOST: u64 = 512;

/// One pass of a batch over its entries, and the bins that it fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Level {
    /// Bins that an entry may go to from the one of the level before that it stands in.
    pub(super) fan: u32,
    /// Binary logarithm of the buckets of a bin.
    pub(super) shift: u32,
    /// Bins in all. The last ones may be behind the table.
    pub(super) bins: u64,
    /// Entries that a bin has room for.
    pub(super) room: u32,
}

impl Level {
    /// Which bins the first of them are.
    pub(super) fn fan(self) -> Fan {
        Fan { first: 0, fan: self.fan, shift: self.shift }
    }

    /// Entries that all bins have room for.
    pub(super) fn words(self) -> u64 {
        self.bins * self.room as u64
    }
}

/// The levels of a batch of `n` entries for a table of `buckets` buckets of `bucket_bytes`, a power of two.
pub(super) fn levels(buckets: u32, bucket_bytes: u32, n: u64) -> Vec<Level> {
    let last = (BIN_BYTES / bucket_bytes).max(1).ilog2();
    let bins = (buckets as u64).div_ceil(1 << last);
    let passes = (1..).find(|&passes| MOST.saturating_pow(passes) >= bins).unwrap_or(1);
    let bits = bins.next_power_of_two().ilog2().div_ceil(passes);
    let mut levels: Vec<Level> = Vec::new();
    for pass in (0..passes).rev() {
        let shift = last + bits * pass;
        let (fan, bins) = match levels.last() {
            None => {
                let bins = (buckets as u64).div_ceil(1 << shift);
                (bins, bins)
            }
            Some(before) => (1 << bits, before.bins << bits),
        };
        levels.push(Level { fan: fan as u32, shift, bins, room: room(n, shift, buckets) });
    }
    levels
}

/// What a bin should have room for, as homes are spread evenly: what it gets on average and seven standard deviations more.
/// If one has too little, the batch is inserted once more, which is slow and not wrong.
fn room(n: u64, shift: u32, buckets: u32) -> u32 {
    let mean = n as f64 * (1u64 << shift) as f64 / buckets as f64;
    let room = (mean + 7.0 * mean.sqrt()).ceil() as u64 + 16;
    room.min(n).min(u32::MAX as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_the_last_level_fit_a_block_and_cover_the_table() {
        for buckets in [1, 2, 511, 512, 513, 100_003, 1 << 24, 4_294_967_291] {
            for bytes in [32, 64] {
                let levels = levels(buckets, bytes, 1 << 30);
                let last = levels.last().expect("one level at least");
                assert_eq!(bytes << last.shift, BIN_BYTES);
                assert!(last.bins << last.shift >= buckets as u64, "{levels:?}");
                assert!(levels.iter().all(|level| level.fan as u64 <= MOST && level.fan > 0), "{levels:?}");
                for pair in levels.windows(2) {
                    assert_eq!(pair[0].shift - pair[1].shift, pair[1].fan.ilog2());
                    assert_eq!(pair[0].bins * pair[1].fan as u64, pair[1].bins);
                }
                let behind = (last.bins << last.shift) - buckets as u64;
                assert!(behind < 1 << levels[0].shift, "no more than a bin of the first level: {levels:?}");
            }
        }
    }

    #[test]
    fn there_are_as_few_passes_as_can_be() {
        let passes = |buckets| levels(buckets, 64, 1 << 20).len();
        assert_eq!([1, 512 * 512, 512 * 512 + 1, 1 << 27, (1 << 27) + 1].map(passes), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_bin_has_room_for_what_it_gets() {
        let of = |n| levels(1 << 24, 64, n)[1].room;
        assert!((3300..3700).contains(&of(107_374_182)), "{}", of(107_374_182));
        assert_eq!(of(1), 1);
    }
}
