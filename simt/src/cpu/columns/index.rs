//! The numbers of the keys of a column, to be looked up by all threads.

use super::filter::Filter;
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
use warpproof_model::bits::TableKey;
use warpproof_model::hash::Hash64;
use warpproof_model::partition::HashPartitions;
use warpproof_model::{Key, Seed};

/// Rows that are looked up between two looks at whether to stop.
const BATCH: usize = 1 << 24;
/// Keys of the sample.
const SAMPLE: usize = 1 << 10;

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
        let way = self.way(keys);
        let find = Find { index: self, of };
        for keys in keys.chunks(BATCH) {
            let batch = Batch { keys, beside: () };
            match &way {
                Way::Filtered(filter) => {
                    launch(batch, &Staged { find: &find, passes: |hash| filter.passes(hash) }, out);
                }
                Way::Staged => launch(batch, &Staged { find: &find, passes: |_| true }, out),
                Way::Partitioned => {
                    if regions::launch(batch, self.partitions, &find, out).is_err() {
                        // There is no memory to spare.
                        launch(batch, &find, out);
                    }
                }
                Way::Direct => launch(batch, &find, out),
            }
            progress.advance(keys.len())?;
        }
        Ok(())
    }

    /// How these keys are looked up: by a sample of them, if there are many.
    fn way(&self, keys: &[K]) -> Way {
        let usual = if self.tables.len() == 1 { Way::Direct } else { Way::Partitioned };
        let step = keys.len() / SAMPLE;
        if step < 4 || keys.len() < self.len() {
            return usual;
        }
        let (mut hashes, mut found) = ([0; SAMPLE], 0);
        for (hash, key) in hashes.iter_mut().zip(keys.iter().step_by(step)) {
            let key = key.to_word();
            let of_key = key.hash(self.partitions.seed());
            *hash = of_key.bits();
            found += usize::from(self.number(key, of_key).is_some());
        }
        // A filter without memory is none.
        if 2 * found <= SAMPLE
            && let Ok(filter) = Filter::new(&self.tables, self.partitions.seed())
        {
            return Way::Filtered(filter);
        }
        hashes.sort_unstable();
        let distinct = 1 + hashes.windows(2).filter(|pair| pair[0] != pair[1]).count();
        if self.tables.len() > 1 && 4 * distinct <= 3 * SAMPLE { Way::Staged } else { usual }
    }

    /// How many keys there are.
    fn len(&self) -> usize {
        self.tables.iter().map(Numbering::len).sum()
    }

    /// The table of the keys of this hash, and where its numbers begin.
    #[inline(always)]
    fn table(&self, hash: Hash64) -> (&Numbering<K::Bits>, u32) {
        let partition = if self.tables.len() == 1 { 0 } else { self.partitions.of_hash(hash) as usize };
        (&self.tables[partition], self.bases[partition])
    }

    /// The number of a key, whose hash is given.
    #[inline(always)]
    fn number(&self, key: K::Bits, hash: Hash64) -> Option<u32> {
        let (table, base) = self.table(hash);
        table.find(key, hash).map(|number| base + number)
    }
}

/// How keys are looked up (measured in `notes/python.md`).
enum Way {
    /// One after the other: a table that fits a cache.
    Direct,
    /// Many at a time, where a quarter of the keys or more repeat others: their lines are in a cache.
    Staged,
    /// Partition by partition.
    Partitioned,
    /// Those that pass the filter, many at a time, where half of the keys or more are not there.
    Filtered(Filter),
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
        let seed = self.index.partitions.seed();
        for (&(key, ()), answer) in records.iter().zip(answers) {
            let key = key.to_word();
            answer.write((self.of)(self.index.number(key, key.hash(seed))));
        }
    }
}

/// Looks up the keys whose hashes pass, many at a time: the tables are read once all lines have been asked
/// for.
struct Staged<'a, K: TableKey, F, P> {
    find: &'a Find<'a, K, F>,
    passes: P,
}

/// Keys that are looked up at a time.
const STAGE: usize = 256;

// SAFETY: `zip` ends with the records, which are as many as the answers; each answer is written.
unsafe impl<K, T, F, P> Run<(K, ()), T> for Staged<'_, K, F, P>
where
    K: TableKey,
    T: Copy,
    F: Fn(Option<u32>) -> T + Sync,
    P: Fn(Hash64) -> bool + Sync,
{
    fn run(&self, _: u32, records: &[(K, ())], answers: &mut [MaybeUninit<T>]) {
        assert_eq!(records.len(), answers.len(), "an answer for each record");
        let Find { index, of } = self.find;
        let (seed, absent) = (index.partitions.seed(), of(None));
        for (records, answers) in records.chunks(STAGE).zip(answers.chunks_mut(STAGE)) {
            let (mut passed, mut count) = ([(0u16, 0u64); STAGE], 0);
            for (i, (&(key, ()), answer)) in records.iter().zip(&mut *answers).enumerate() {
                let hash = key.to_word().hash(seed);
                answer.write(absent);
                // No branch: which keys pass cannot be foreseen.
                passed[count] = (i as u16, hash.bits());
                count += usize::from((self.passes)(hash));
            }
            let passed = || passed[..count].iter().map(|&(i, hash)| (usize::from(i), Hash64::new(hash)));
            passed().for_each(|(_, hash)| index.table(hash).0.prefetch(hash));
            for (i, hash) in passed() {
                answers[i].write(of(index.number(records[i].0.to_word(), hash)));
            }
        }
    }
}

/// Whether each key is among others.
///
/// Takes time proportional to both, and memory for up to 86 bytes for each of the others.
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
