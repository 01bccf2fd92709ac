//! Joins: the rows of one column that match each row of another.

use super::index::Index;
use super::listed::{Listed, NONE, Pairs};
use super::progress::Progress;
use super::room::{admit, room, zeros};
use super::row_number::RowNumber;
use crate::cpu::error::Error;
use core::sync::atomic::{AtomicU32, Ordering};
use warpproof_model::bits::TableKey;

/// Which rows are in a join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// The pairs of a left and a right row with one key.
    Inner,
    /// And the left rows that are in no pair.
    Left,
    /// And last the right rows that are in no pair.
    Outer,
}

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
/// let pairs = right.outer(&[9, 7], &Progress::new())?;
/// assert_eq!((pairs.left, pairs.right), (vec![0, 1, 1, u32::MAX], vec![u32::MAX, 0, 2, 1]));
/// assert_eq!(right.semi(&[9, 7], &Progress::new())?, [1]);
/// assert_eq!(right.anti(&[9, 7], &Progress::new())?, [0]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub struct RowsByKey<K: TableKey> {
    /// The number of each distinct key.
    index: Index<K>,
    /// The rows of each number.
    rows: Listed,
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
        let rows = Listed::new(&numbers)?;
        progress.advance(keys.len())?;
        Ok(Self { index, rows })
    }

    /// The pairs of a left and a right row with one key.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
    pub fn inner(&self, left: &[K], progress: &Progress) -> Result<Pairs, Error> {
        self.joined(left, Join::Inner, progress)
    }

    /// The pairs of a left and a right row with one key, and each left row that has no right one.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn left(&self, left: &[K], progress: &Progress) -> Result<Pairs, Error> {
        self.joined(left, Join::Left, progress)
    }

    /// The pairs of a left and a right row with one key, each left row that has no right one, and last each
    /// right row that has no left one.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn outer(&self, left: &[K], progress: &Progress) -> Result<Pairs, Error> {
        self.joined(left, Join::Outer, progress)
    }

    /// The pairs of a join, with rows of a type of the caller's.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn joined<R: RowNumber>(
        &self,
        left: &[K],
        join: Join,
        progress: &Progress,
    ) -> Result<Pairs<R>, Error> {
        let found = self.look_up(left, progress)?;
        match join {
            Join::Inner => self.rows.pairs(&found, false, progress),
            Join::Left => self.rows.pairs(&found, true, progress),
            Join::Outer => self.rows.outer_pairs(&found, progress),
        }
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

    /// The left rows whose key occurs on the right, or does not (`there` or not), in ascending order, with
    /// rows of a type of the caller's.
    ///
    /// # Errors
    /// As [`inner`](Self::inner).
    pub fn rows_where<R: RowNumber>(
        &self,
        left: &[K],
        there: bool,
        progress: &Progress,
    ) -> Result<Vec<R>, Error> {
        Listed::rows_where(&self.look_up(left, progress)?, there)
    }

    /// The number of the key of each left row, or [`NONE`].
    fn look_up(&self, left: &[K], progress: &Progress) -> Result<Vec<u32>, Error> {
        admit(left.len())?;
        let mut found = room(left.len())?;
        self.index.find(left, |number| number.unwrap_or(NONE), (&mut found, progress))?;
        Ok(found)
    }
}
