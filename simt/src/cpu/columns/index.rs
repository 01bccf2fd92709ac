//! The numbers of the keys of a column, to be looked up by all threads.

use super::numbering::Numbering;
use super::partition::{Rows, partitions, piece, piece_ranges};
use super::progress::Progress;
use super::room::{admit, no_memory, room};
use crate::cpu::batch::{Batch, Run};
use crate::cpu::error::Error;
use crate::cpu::launch::launch;
use crate::cpu::regions::{self, Piece};
use core::mem::MaybeUninit;
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;

/// Rows that are looked up between two looks at whether to stop.
const BATCH: usize = 1 << 24;

/// A table for each partition of the keys. Its numbers begin at the number of rows in the partitions before,
/// so they are below the number of rows, and not all are used.
pub(super) struct Index<K: TableKey> {
    partitions: HashPartitions,
    tables: Vec<Numbering<K::Bits>>,
    bases: Vec<u32>,
}

impl<K: TableKey> Index<K> {
    /// The numbers of the keys of these rows. `each` gets each row and its number: of one key in ascending
    /// order.
    pub(super) fn new(
        keys: &[K],
        each: impl Fn(u32, u32) + Sync,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let partitions = partitions(keys.len(), Seed::random());
        let chunks: Vec<_> = piece_ranges(keys.len(), partitions).collect();
        let part = |range: core::ops::Range<usize>| {
            progress.advance(range.len())?;
            piece(Batch { keys: &keys[range.clone()], beside: Rows(range.start as u32) }, partitions)
        };
        let pieces: Vec<Piece<(K, u32)>> = chunks.into_par_iter().map(part).collect::<Result<_, _>>()?;
        let mut bases = room(partitions.count() as usize)?;
        let mut sum = 0;
        for partition in 0..partitions.count() as usize {
            bases.push(sum);
            sum += pieces.iter().map(|piece| piece.of(partition).len()).sum::<usize>() as u32;
        }
        let number = |(partition, &base): (usize, &u32)| {
            let mut table = Numbering::new(partitions.seed()).map_err(no_memory::<K>)?;
            let mut done = 0;
            for &(key, row) in pieces.iter().flat_map(|piece| piece.of(partition)) {
                let number = table.number(key.to_word(), u32::MAX).map_err(no_memory::<K>)?;
                // There are fewer keys than numbers.
                each(row, base + number.map_or(0, |(number, _)| number));
                done += 1;
            }
            progress.advance(done)?;
            Ok(table)
        };
        let tables = bases.par_iter().enumerate().map(|(at, base)| number((at, base)));
        Ok(Self { partitions, tables: tables.collect::<Result<_, Error>>()?, bases })
    }

    /// What `of` makes of the number of each key, appended to `out`, which has room.
    pub(super) fn find<T: Copy + Send + Sync>(
        &self,
        keys: &[K],
        of: impl Fn(Option<u32>) -> T + Sync,
        (out, progress): (&mut Vec<T>, &Progress),
    ) -> Result<(), Error> {
        let find = Find { index: self, of };
        for keys in keys.chunks(BATCH) {
            // A table that fits the cache is searched in the order of the keys; so is one without memory to
            // spare.
            if self.tables.len() == 1
                || regions::launch(Batch { keys, beside: () }, self.partitions, &find, out).is_err()
            {
                launch(Batch { keys, beside: () }, &find, out);
            }
            progress.advance(keys.len())?;
        }
        Ok(())
    }
}

/// Looks up keys.
struct Find<'a, K: TableKey, F> {
    index: &'a Index<K>,
    of: F,
}

// SAFETY: `zip` ends with the records, which are as many as the answers; each answer is written.
unsafe impl<K: TableKey, T, F: Fn(Option<u32>) -> T + Sync> Run<(K, ()), T> for Find<'_, K, F> {
    fn run(&self, _: u32, records: &[(K, ())], answers: &mut [MaybeUninit<T>]) {
        assert_eq!(records.len(), answers.len(), "an answer for each record");
        let Index { partitions, tables, bases } = self.index;
        for (&(key, ()), answer) in records.iter().zip(answers) {
            let key = key.to_word();
            let partition = if tables.len() == 1 { 0 } else { partitions.of(key) as usize };
            let number = tables[partition].find(key);
            answer.write((self.of)(number.map(|number| bases[partition] + number)));
        }
    }
}

/// Whether each key is among others.
///
/// Takes time proportional to both, and memory for up to 82 bytes for each of the others.
///
/// ```
/// use warpproof_simt::cpu::columns::{Progress, isin};
///
/// assert_eq!(isin(&[1u32, 2, 3], &[3, 1], &Progress::new())?, [true, false, true]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
pub fn isin<K: TableKey>(keys: &[K], others: &[K], progress: &Progress) -> Result<Vec<bool>, Error> {
    admit(others.len())?;
    let index = Index::new(others, |_, _| (), progress)?;
    let mut all = room(keys.len())?;
    index.find(keys, |found| found.is_some(), (&mut all, progress))?;
    Ok(all)
}
