//! Joins: the rows of one column that match each row of another.

use super::groups::{Groups, admit, room, zeros};
use super::progress::Progress;
use crate::cpu::OpenMap;
use crate::cpu::error::Error;
use core::ops::Range;
use rayon::prelude::*;
use warpproof_model::bits::TableKey;
use warpproof_model::host::BulkMap;

/// Rows that a thread joins one after the other.
const CHUNK: usize = 1 << 16;
/// Rows that are looked up at once.
const BATCH: usize = 1 << 24;
/// The right row of a left row that has none. Columns have fewer rows.
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
pub struct RowsByKey<K: JoinKey> {
    /// The number of each distinct key.
    numbers: K::Numbers,
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

/// A type of keys that columns are joined by.
pub trait JoinKey: TableKey {
    /// A map from keys to their numbers.
    type Numbers: BulkMap<Self, u32, Error = Error> + Send + Sync;

    /// A map of distinct keys.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TableFull`], [`Error::Refused`].
    fn numbers(keys: &[Self], numbers: &[u32]) -> Result<Self::Numbers, Error>;
}

macro_rules! join_key {
    ($($key:ty),*) => {$(
        impl JoinKey for $key {
            type Numbers = OpenMap<Self, u32>;

            fn numbers(keys: &[Self], numbers: &[u32]) -> Result<Self::Numbers, Error> {
                OpenMap::build(keys, numbers)
            }
        }
    )*};
}
join_key!(u32, i32, u64, i64);

impl<K: JoinKey> RowsByKey<K> {
    /// The rows of `keys`.
    ///
    /// # Errors
    /// As [`Groups::of`].
    pub fn new(keys: &[K], progress: &Progress) -> Result<Self, Error> {
        let groups = Groups::of(keys, progress)?;
        let mut distinct = room(groups.len())?;
        distinct.extend(groups.first_rows().iter().map(|&row| keys[row as usize]));
        let mut all = room(groups.len())?;
        all.extend(0..groups.len() as u32);
        let numbers = K::numbers(&distinct, &all)?;
        let (starts, rows) = by_number(groups, progress)?;
        Ok(Self { numbers, starts, rows })
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

    /// The group of each left row.
    fn look_up(&self, left: &[K], progress: &Progress) -> Result<Vec<Option<u32>>, Error> {
        admit(left.len())?;
        let mut found = room(left.len())?;
        for batch in left.chunks(BATCH) {
            found.append(&mut self.numbers.search(batch)?);
            progress.advance(batch.len())?;
        }
        Ok(found)
    }

    fn rows_where(&self, left: &[K], there: bool, progress: &Progress) -> Result<Vec<u32>, Error> {
        let found = self.look_up(left, progress)?;
        let wanted = |found: &Option<u32>| found.is_some() == there;
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
        let matches =
            |found: &Option<u32>| found.map_or(usize::from(keep), |number| self.range(number).len());
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
                    Some(number) => &self.rows[self.range(number)],
                    None if keep => &[NONE][..],
                    None => continue,
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

/// The rows of each group: where they begin, and the rows in ascending order.
fn by_number(groups: Groups, progress: &Progress) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let (first, sizes, numbers) = groups.into_parts();
    let mut starts = room(sizes.len() + 1)?;
    let mut sum = 0;
    starts.push(0);
    starts.extend(sizes.iter().map(|&size| {
        sum += size;
        sum
    }));
    if first.len() == numbers.len() {
        // Each key occurs once: the groups are the rows.
        return Ok((starts, first));
    }
    // The next place of each group.
    let (mut next, mut rows) = (sizes, zeros(numbers.len())?);
    let groups = next.len();
    next.copy_from_slice(&starts[..groups]);
    for (chunk, first) in numbers.chunks(BATCH).zip((0u32..).step_by(BATCH)) {
        for (row, &number) in (first..).zip(chunk) {
            let next = &mut next[number as usize];
            rows[*next as usize] = row;
            *next += 1;
        }
        progress.advance(chunk.len())?;
    }
    Ok((starts, rows))
}
