//! The partitions that the entries of a batch go through before they are inserted.

use warpproof_model::open::bulk::MOST_TOLD;
use warpproof_model::partition::{self, Levels, Partitioning};

/// Bytes of the slots of a partition of the last level: the shared memory of a block without its counters.
const PARTITION_BYTES: u32 = 32 << 10;
/// The most slots of such a partition where outcomes are told: a block has a place for each as well, and at
/// most 48 KiB in all.
const TOLD_SLOTS: u32 = 4096;

/// Bytes of the slots of a partition of the last level, with slots of `slot_bytes` bytes.
pub(super) const fn partition_bytes(slot_bytes: u32, told: bool) -> u32 {
    if told && TOLD_SLOTS * slot_bytes < PARTITION_BYTES { TOLD_SLOTS * slot_bytes } else { PARTITION_BYTES }
}
/// Binary logarithm of the most partitions that a block puts entries into.
const MOST_BITS: u32 = 9;

/// One pass of a batch over its entries, and the partitions that it fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Level {
    /// Its partitions.
    pub(super) of: partition::Level,
    /// The room of a partition, in entries.
    pub(super) room: u32,
}

impl Level {
    /// The room of all partitions, in entries.
    pub(super) fn words(self) -> u64 {
        self.of.partitions * self.room as u64
    }
}

/// The levels of a batch of `n` entries, whose operations are `told` their outcomes or not, for a table of
/// `buckets` buckets, with slots and bytes of each as powers of two.
pub(super) fn levels(
    buckets: u32,
    (bucket_slots, slot_bytes): (u32, u32),
    (n, told): (u64, bool),
) -> Vec<Level> {
    let last = (partition_bytes(slot_bytes, told) / (bucket_slots * slot_bytes)).max(1).ilog2();
    let levels = Levels::with_fan_bits(buckets, Partitioning::new(last), MOST_BITS);
    let with_room = |of: partition::Level| Level { of, room: room(n, of.partitioning, buckets) };
    let mut levels: Vec<_> = levels.iter().map(with_room).collect();
    // Where outcomes are told, a slot keeps the place of its entry in the partition of the last level.
    if let (true, Some(last)) = (told, levels.last_mut()) {
        last.room = last.room.min(MOST_TOLD);
    }
    levels
}

/// The room of a partition: the number of entries that it gets on average, as homes are spread evenly, and
/// seven standard deviations more. If it is too small for one, the batch is inserted once more, which is slow
/// but correct.
fn room(n: u64, partitioning: Partitioning, buckets: u32) -> u32 {
    let mean = n as f64 * partitioning.size() as f64 / buckets as f64;
    let room = (mean + 7.0 * mean.sqrt()).ceil() as u64 + 16;
    room.min(n).min(u32::MAX as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof_model::open::bulk::fill_words;

    #[test]
    fn partitions_of_the_last_level_fit_a_block_and_cover_the_table() {
        for buckets in [1, 2, 511, 512, 513, 100_003, 1 << 24, 4_294_967_291] {
            for (slots, slot_bytes, told) in
                [(8, 4, false), (8, 4, true), (8, 8, true), (4, 8, true), (4, 16, true)]
            {
                let levels = levels(buckets, (slots, slot_bytes), (1 << 30, told));
                let last = levels.last().expect("one level at least");
                let shift = |level: &Level| level.of.partitioning.shift();
                assert_eq!((slots * slot_bytes) << shift(last), partition_bytes(slot_bytes, told));
                assert!(!told || last.room <= 1 << 16, "{levels:?}");
                assert!(last.of.partitions << shift(last) >= buckets as u64, "{levels:?}");
                let fans = || levels.iter().map(|level| level.of.fan);
                assert!(fans().all(|fan| fan <= 1 << MOST_BITS && fan > 0), "{levels:?}");
                for pair in levels.windows(2) {
                    assert_eq!(shift(&pair[0]) - shift(&pair[1]), pair[1].of.fan.ilog2());
                    assert_eq!(pair[0].of.partitions * pair[1].of.fan as u64, pair[1].of.partitions);
                }
                let behind = (last.of.partitions << shift(last)) - buckets as u64;
                assert!(
                    behind < 1 << shift(&levels[0]),
                    "no more than a partition of the first level: {levels:?}"
                );
            }
        }
    }

    #[test]
    fn a_block_has_shared_memory_for_a_partition() {
        for told in [false, true] {
            for (slot_bytes, bucket_slots) in [(4, 8), (4, 16), (8, 8), (8, 4), (16, 4)] {
                let bytes = partition_bytes(slot_bytes, told);
                let slots = bytes / slot_bytes;
                let words = fill_words((slots / bucket_slots).ilog2(), if told { slots } else { 0 });
                assert!(4 * words.next_multiple_of(4) + bytes <= 48 << 10, "{slot_bytes} {told}");
            }
        }
    }

    #[test]
    fn there_are_as_few_passes_as_can_be() {
        let passes = |buckets| levels(buckets, (8, 8), (1 << 20, false)).len();
        assert_eq!([1, 512 * 512, 512 * 512 + 1, 1 << 27, (1 << 27) + 1].map(passes), [1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_partition_has_room_for_what_it_gets() {
        let of = |n| levels(1 << 24, (8, 8), (n, false))[1].room;
        assert!((3300..3700).contains(&of(107_374_182)), "{}", of(107_374_182));
        // Outcomes change nothing here.
        assert_eq!(
            levels(1 << 24, (8, 8), (107_374_182, true)),
            levels(1 << 24, (8, 8), (107_374_182, false))
        );
        assert_eq!(of(1), 1);
    }
}
