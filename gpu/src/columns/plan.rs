//! How a column is divided, and where everything is in scratch memory.

use crate::arguments::columns::{TASK, TASK_ROWS, shape};
use warpproof_model::aggregate::{HOT_WORDS, MOST_HOT, TOTALS, Told};

/// Rows of the sample that tells which keys are hot.
pub(super) const SAMPLE: u32 = 2048;
/// From so many rows on a sample is drawn. Fewer rows of one key take a block little time.
pub(super) const SAMPLED_ROWS: u32 = 1 << 17;
/// A key that the sample has so often is hot.
pub(super) const HOT: u32 = 4;
/// The most rows of a hot key whose values one block adds up.
pub(super) const HOT_ROWS: u32 = 1 << 16;
/// The most digits of a level, without those of hot keys.
const MOST_FAN: u64 = 512;

/// Where columns and numbers begin, in bytes.
const ALIGNED: u64 = 256;

/// Rows of a partition, on average, for a block with so many slots. They are at least 18 standard deviations
/// fewer than the slots, even if all have keys of their own. (Partitions go by rows and not by distinct
/// keys, of which nothing is known. So few keys with many rows each take more levels than they need.)
pub(super) const fn rows_of_partition(slots: u32) -> u32 {
    slots / 3 * 2
}

/// The digits of the next level, where `rows` rows are in `before` partitions; `None` if a block can have
/// each partition as it is. All further levels have about as many.
pub(super) fn fan(rows: u32, before: u32, told: Told) -> Option<u32> {
    let wanted = u64::from(rows.div_ceil(rows_of_partition(shape(told).0)));
    let parts = wanted.div_ceil(u64::from(before));
    if parts <= 1 {
        return None;
    }
    let levels = (1..).find(|&levels| MOST_FAN.pow(levels) >= parts).unwrap_or(1);
    // Below the most: so many to that power are enough.
    (2..=MOST_FAN).find(|fan| fan.pow(levels) >= parts).map(|fan| fan as u32)
}

/// Where each part of the scratch memory begins, in bytes, for so many rows; and all bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The keys of rows that were moved, and their values.
    pub(super) keys: [u64; 2],
    pub(super) values: [u64; 2],
    pub(super) tasks: u64,
    pub(super) counters: u64,
    pub(super) next: u64,
    pub(super) sample: u64,
    pub(super) hot_keys: u64,
    pub(super) index: u64,
    pub(super) totals: u64,
    /// The ends of parts of the rows of hot keys, and their groups.
    pub(super) parts: u64,
    pub(super) part_keys: u64,
    pub(super) part_rows: u64,
    pub(super) part_sums: u64,
    pub(super) bytes: u64,
}

impl Layout {
    /// The layout for `rows` rows with keys of `key` bytes.
    pub(super) fn new(rows: u32, key: u64, told: Told) -> Self {
        let n = u64::from(rows);
        // Each level at most doubles the partitions that are needed.
        let partitions = 4 * n / u64::from(rows_of_partition(shape(told).0)) + MOST_FAN + u64::from(MOST_HOT);
        let tasks = n / u64::from(TASK_ROWS) + partitions + 1;
        let parts = if told.sum { n / u64::from(HOT_ROWS) + u64::from(MOST_HOT) } else { 0 };
        let (mut bytes, levels) = (0, if fan(rows, 1, told).is_some() { 1 } else { 0 });
        let mut take = |size: u64| {
            let at = bytes;
            bytes += size.next_multiple_of(ALIGNED);
            at
        };
        let word = size_of::<u32>() as u64;
        let value = if told.sum { 8 * n * levels } else { 0 };
        Self {
            keys: [take(key * n * levels), take(key * n * levels)],
            values: [take(value), take(value)],
            tasks: take(TASK as u64 * word * tasks),
            counters: take(word * partitions),
            next: take(word * partitions),
            sample: take(key * u64::from(SAMPLE)),
            hot_keys: take(key * u64::from(MOST_HOT)),
            index: take(word * u64::from(HOT_WORDS)),
            totals: take(word * 2 * TOTALS as u64),
            parts: take(word * parts),
            part_keys: take(key * parts),
            part_rows: take(8 * parts),
            part_sums: take(8 * parts),
            // The memory may begin anywhere.
            bytes: take(ALIGNED) + ALIGNED,
        }
    }

    /// Where the scratch memory at an address begins.
    pub(super) const fn begin(address: u64) -> u64 {
        address.next_multiple_of(ALIGNED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISTINCT: Told = Told { rows: false, sum: false };
    const SUMS: Told = Told { rows: true, sum: true };

    /// The digits of all levels, and the partitions of the last one.
    fn levels(rows: u32, told: Told) -> (Vec<u32>, u32) {
        let (mut fans, mut before) = (Vec::new(), 1);
        while let Some(next) = fan(rows, before, told) {
            fans.push(next);
            before *= next;
        }
        (fans, before)
    }

    #[test]
    fn partitions_fit_blocks_at_every_size() {
        for told in [DISTINCT, SUMS] {
            let most = rows_of_partition(shape(told).0);
            for rows in [0, 1, most, most + 1, 2 * most, 100_000, 1_000_000, 100_000_000, 1 << 31] {
                let (fans, partitions) = levels(rows, told);
                assert!(u64::from(partitions) * u64::from(most) >= u64::from(rows), "{rows} {fans:?}");
                assert!(
                    fans.iter().all(|&fan| (2..=512).contains(&fan)) && fans.len() <= 3,
                    "{rows} {fans:?}"
                );
                assert!(partitions == 1 || partitions <= 2 * rows.div_ceil(most), "{rows}: {partitions}");
                let room = 4 * u64::from(rows / most) + 512;
                assert!(u64::from(partitions) <= room, "{rows}: {partitions} of {room}");
            }
        }
        assert_eq!(levels(1000, DISTINCT), (vec![], 1));
        assert_eq!(levels(100_000_000, DISTINCT).0, [192, 191]);
    }

    #[test]
    fn parts_of_the_scratch_memory_follow_one_another() {
        let small = Layout::new(1000, 8, SUMS);
        assert_eq!((small.keys, small.values), ([0, 0], [0, 0]), "no row is moved");
        let large = Layout::new(1_000_000, 8, SUMS);
        assert_eq!(large.keys, [0, 8_000_000]);
        assert_eq!(large.values, [16_000_000, 24_000_000]);
        assert!(large.tasks == 32_000_000 && large.bytes < 34_000_000, "{large:?}");
        let distinct = Layout::new(1_000_000, 4, DISTINCT);
        assert!(distinct.bytes < 9_000_000 && distinct.part_sums == distinct.parts, "{distinct:?}");
        assert_eq!([0, 1, 256].map(Layout::begin), [0, 256, 256]);
    }
}
