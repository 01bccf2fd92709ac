//! Rows, partitioned by the hashes of their keys.

use crate::cpu::batch::{Batch, Beside};
use crate::cpu::error::Error;
use crate::cpu::regions::{Piece, ranges};
use core::ops::Range;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;

/// Records of a partition, about: a table of as many keys fits a core's own cache.
const PARTITION: usize = 1 << 15;
/// A piece is written to as many places as there are partitions.
const MOST_BITS: u32 = 11;
/// The most rows of a piece.
const PIECE: usize = 1 << 18;
/// The least rows of a piece for each partition.
const FEWEST: usize = 16;

/// As many partitions as so many records need.
pub(super) fn partitions(records: usize, seed: Seed) -> HashPartitions {
    let bits = records.div_ceil(PARTITION).next_power_of_two().ilog2().min(MOST_BITS);
    HashPartitions::new(1 << bits, seed)
}

/// The ranges of the pieces of so many rows.
pub(super) fn piece_ranges(rows: usize, partitions: HashPartitions) -> impl Iterator<Item = Range<usize>> {
    let share = rows.div_ceil(rayon::current_num_threads());
    ranges(rows, share.min(PIECE).max(FEWEST << partitions.count().ilog2()))
}

/// A batch, partitioned.
pub(super) fn piece<K: TableKey, B: Beside<Item = u32>>(
    batch: Batch<'_, K, B>,
    partitions: HashPartitions,
) -> Result<Piece<(K, u32)>, Error> {
    let len = batch.keys.len();
    let mut piece = Piece::with_room(len, partitions).map_err(|_| Error::no_memory_for::<(K, u32)>(len))?;
    piece.partition(batch, partitions);
    Ok(piece)
}

/// The numbers of rows, beside their keys.
#[derive(Clone, Copy)]
pub(super) struct Rows(pub(super) u32);

impl Beside for Rows {
    type Item = u32;

    #[inline(always)]
    fn item(self, i: usize) -> u32 {
        self.0 + i as u32
    }

    fn part(self, range: Range<usize>) -> Self {
        Self(self.0 + range.start as u32)
    }
}
