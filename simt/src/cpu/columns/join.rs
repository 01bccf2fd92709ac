//! Joins: the rows of one column that match each row of another.

use super::index::Index;
use super::progress::Progress;
use super::room::{admit, room, zeros};
use crate::cpu::error::Error;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use rayon::prelude::*;
use warpproof_model::bits::TableKey;

/// Left rows that a thread joins one after the other.
const CHUNK: usize = 1 << 16;
/// The right row of a left row that has none, and the number of a key that is not there. Columns have fewer
/// rows.
const NONE: u32 = u32::MAX;

/// The rows of a column by their keys: the right side of a join.
///
/// Rows are looked up through the number of their group, so time is proportional to the rows and the pairs,
/// however often a key occurs.
///
/// ```
/// use warpproof_simt::cpu::columns::{Progress, RowsByKey};
///
/// let right = RowsByKey::new(&[7u64, 8, 7], &Progress::new())?;
/// let pairs = right.inner(&[9, 7], &Progress::new())?;
/// assert_eq!((pairs.left, pairs.right), (vec![1, 1], vec![0, 2]));
/// assert_eq!(right.semi(&[9, 7], &Progress::new())?, [1]);
/// assert_eq!(right.anti(&[9, 7], &Progress::new())?, [0]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub struct RowsByKey<K: TableKey> {
    /// The number of each distinct key.
    index: Index<K>,
    /// The rows of number `n` are `rows[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// The pairs of rows of a join.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairs {
    /// The row of the left column, in ascending order.
    pub left: Vec<u32>,
    /// The row of the right column: those of one left row in ascending order. `u32::MAX` if there is none.
    pub right: Vec<u32>,
}

impl<K: TableKey> RowsByKey<K> {
    /// The rows of `keys`.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
    pub fn new(keys: &[K], progress: &Progress) -> Result<Self, Error> {
        admit(keys.len())?;
        let numbers: Vec<AtomicU32> = zeros(keys.len())?.into_iter().map(AtomicU32::new).collect();
        // Relaxed: the end of the parallel loop orders it before the reads.
        let note = |row: u32, number| numbers[row as usize].store(number, Ordering::Relaxed);
        let index = Index::new(keys, note, progress)?;
        let numbers: Vec<u32> = numbers.into_iter().map(AtomicU32::into_inner).collect();
        // Where each number begins is counted two places on, so that the sums stand one place on, and move to
        // their own place while the rows are listed.
        let mut starts = zeros(keys.len() + 2)?;
        numbers.iter().for_each(|&number| starts[number as usize + 2] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let mut rows = zeros(keys.len())?;
        for (row, &number) in (0u32..).zip(&numbers) {
            let next = &mut starts[number as usize + 1];
            rows[*next as usize] = row;
            *next += 1;
        }
        progress.advance(keys.len())?;
        Ok(Self { index, starts, rows })
    }

    /// The pairs of a left and a right row with one key.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
    pub fn inner(&self, left: &[K], progress: &Progress) -> Result<Pairs, Error> {
        self.pairs(left, false, progress)
    }

    /// The pairs of a left and a right row with one key, and each left row that has no right one.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn left(&self, left: &[K], progress: &Progress) -> Result<Pairs, Error> {
        self.pairs(left, true, progress)
    }

    /// The left rows whose key occurs on the right, in ascending order.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn semi(&self, left: &[K], progress: &Progress) -> Result<Vec<u32>, Error> {
        self.rows_where(left, true, progress)
    }

    /// The left rows whose key does not occur on the right, in ascending order.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn anti(&self, left: &[K], progress: &Progress) -> Result<Vec<u32>, Error> {
        self.rows_where(left, false, progress)
    }

    /// The number of the key of each left row, or [`NONE`].
    fn look_up(&self, left: &[K], progress: &Progress) -> Result<Vec<u32>, Error> {
        admit(left.len())?;
        let mut found = room(left.len())?;
        self.index.find(left, |number| number.unwrap_or(NONE), (&mut found, progress))?;
        Ok(found)
    }

    fn rows_where(&self, left: &[K], there: bool, progress: &Progress) -> Result<Vec<u32>, Error> {
        let found = self.look_up(left, progress)?;
        let wanted = |&found: &u32| (found != NONE) == there;
        let count = found.par_iter().filter(|&found| wanted(found)).count();
        let mut rows = room(count)?;
        rows.extend((0u32..).zip(&found).filter(|(_, found)| wanted(found)).map(|(row, _)| row));
        Ok(rows)
    }

    /// Where the right rows of a group are.
    #[inline(always)]
    fn range(&self, number: u32) -> Range<usize> {
        self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize
    }

    fn pairs(&self, left: &[K], keep: bool, progress: &Progress) -> Result<Pairs, Error> {
        let found = self.look_up(left, progress)?;
        let matches = |&found: &u32| match found {
            NONE => usize::from(keep),
            number => self.range(number).len(),
        };
        let sizes: Vec<usize> =
            found.par_chunks(CHUNK).map(|chunk| chunk.iter().map(matches).sum()).collect();
        let count = sizes.iter().sum();
        let (mut lefts, mut rights) = (zeros(count)?, zeros(count)?);
        let (mut rest, mut parts) = ((&mut lefts[..], &mut rights[..]), Vec::new());
        for &size in &sizes {
            let (left, left_rest) = rest.0.split_at_mut(size);
            let (right, right_rest) = rest.1.split_at_mut(size);
            parts.push((left, right));
            rest = (left_rest, right_rest);
        }
        let chunks = found.par_chunks(CHUNK).zip(parts).enumerate();
        chunks.try_for_each(|(chunk, (found, (lefts, rights)))| {
            let mut place = 0;
            for (row, &found) in ((chunk * CHUNK) as u32..).zip(found) {
                let rows = match found {
                    NONE if keep => &[NONE][..],
                    NONE => continue,
                    number => &self.rows[self.range(number)],
                };
                let places = place..place + rows.len();
                lefts[places.clone()].fill(row);
                rights[places].copy_from_slice(rows);
                place += rows.len();
            }
            progress.advance(found.len())
        })?;
        Ok(Pairs { left: lefts, right: rights })
    }
}
