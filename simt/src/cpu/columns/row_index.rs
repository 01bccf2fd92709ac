//! An index from keys of columns to rows.

use super::groups::Groups;
use super::key_columns::KeyColumns;
use super::listed::{Listed, Pairs};
use super::progress::Progress;
use super::room::{admit, room};
use super::verified::{FirstRows, RowsByHash};
use crate::cpu::error::Error;
use core::hash::{BuildHasher, Hasher};
use rayon::prelude::*;
use std::collections::hash_map::RandomState;

/// Rows that are hashed between two looks at whether to stop.
const CHUNK: usize = 1 << 16;

/// An index from keys of one or several columns to the numbers of rows.
///
/// Keys are strings, numbers, or anything that is `Hash + Eq`, of one column or of several. The columns stay
/// where they are: the index has 64-bit hashes of the keys and numbers of rows. Keys with one hash are
/// compared in the columns, so results do not depend on the hash.
///
/// A key often leads to a *value* that is wider than a word, such as a name and an address. Then the values
/// are columns too, and the row that is found is where the value is:
///
/// ```
/// use warpproof_simt::cpu::columns::{Progress, RowIndex};
///
/// // The keys are two columns, the values a third one.
/// let (countries, cities) = (vec!["de", "fr", "de"], vec!["Halle", "Lille", "Trier"]);
/// let notes = ["on the Saale", "in Flanders", "the oldest city"];
/// let index = RowIndex::new((countries, cities), &Progress::new())?;
/// let rows = index.first(&(vec!["de", "de"], vec!["Trier", "Lille"]))?;
/// assert_eq!(rows, [Some(2), None]);
/// let found = rows.into_iter().flatten().map(|row| notes[row as usize]);
/// assert!(found.eq(["the oldest city"]));
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
///
/// Several rows may have one key:
///
/// ```
/// # use warpproof_simt::cpu::columns::{Progress, RowIndex};
/// let index = RowIndex::new(vec!["b", "a", "b"], &Progress::new())?;
/// let found = index.matching(&vec!["b", "c"], &Progress::new())?;
/// assert_eq!((found.of(0), found.of(1)), (&[0, 2][..], &[][..]));
/// assert_eq!(index.groups()?.first_rows(), [0, 1]);
/// assert_eq!(index.left(&vec!["c", "b"], &Progress::new())?.right, [u32::MAX, 0, 2]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
///
/// *Time* is proportional to the rows, and to the pairs of a join. Of a hash by which `d` different keys are
/// equal, it is proportional to the rows times `d`. The standard hash has a random seed, so such keys cannot
/// be chosen.
///
/// *Memory*: an index has 12 bytes for each row, and 32 to 64 for each different key; while it is made, 16
/// more for each row. A search has 12 for each row that is sought, and up to 24 more if they are many.
pub struct RowIndex<C, S = RandomState> {
    columns: C,
    hasher: S,
    rows: RowsByHash<FirstRows>,
}

/// The rows that have each key of a batch.
#[derive(Clone)]
pub struct Matched<'a> {
    rows: &'a RowsByHash<FirstRows>,
    numbers: Vec<u32>,
}

impl Matched<'_> {
    /// The rows that have key `i` of the batch, in ascending order; none beyond its end.
    pub fn of(&self, i: usize) -> &[u32] {
        self.numbers.get(i).map_or(&[], |&number| self.rows.rows(number))
    }

    /// How many keys the batch has.
    pub const fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether the batch has no keys.
    pub const fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The rows of each key of the batch, in its order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.numbers.iter().map(|&number| self.rows.rows(number))
    }
}

impl<C: KeyColumns> RowIndex<C> {
    /// An index of the rows of these columns.
    ///
    /// # Errors
    /// [`Error::Refused`] if the columns differ in length; [`Error::TooManyRows`]; [`Error::OutOfMemory`];
    /// [`Error::Stopped`].
    pub fn new(columns: C, progress: &Progress) -> Result<Self, Error> {
        Self::with_hasher(columns, RandomState::new(), progress)
    }
}

impl<C: KeyColumns, S: BuildHasher + Sync> RowIndex<C, S> {
    /// An index with a hash of yours. Results are the same for each hash; a poor one takes longer.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn with_hasher(columns: C, hasher: S, progress: &Progress) -> Result<Self, Error> {
        let hashes = hashes(&columns, &hasher, progress)?;
        let leaders = FirstRows::new(&hashes, progress)?;
        let equal = |a: u32, b: u32| columns.equal_row(a as usize, &columns, b as usize);
        let rows = RowsByHash::new(leaders, &hashes, equal, progress)?;
        Ok(Self { columns, hasher, rows })
    }

    /// The columns.
    pub const fn columns(&self) -> &C {
        &self.columns
    }

    /// The columns, without the index.
    pub fn into_columns(self) -> C {
        self.columns
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The first row that has each of these keys.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn first(&self, keys: &C) -> Result<Vec<Option<u32>>, Error> {
        let found = self.matching(keys, &Progress::new())?;
        let mut rows = room(found.len())?;
        rows.extend(found.iter().map(|rows| rows.first().copied()));
        Ok(rows)
    }

    /// The rows that have each of these keys.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn matching(&self, keys: &C, progress: &Progress) -> Result<Matched<'_>, Error> {
        Ok(Matched { rows: &self.rows, numbers: self.look_up(keys, progress)? })
    }

    /// The groups of rows with one key, in the order of their first rows.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn groups(&self) -> Result<Groups, Error> {
        self.rows.groups()
    }

    /// The pairs of a row of `left` and a row of this index with one key.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn inner(&self, left: &C, progress: &Progress) -> Result<Pairs, Error> {
        self.rows.listed().pairs(&self.look_up(left, progress)?, false, progress)
    }

    /// The pairs of [`inner`](Self::inner), and each row of `left` that has no other one.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn left(&self, left: &C, progress: &Progress) -> Result<Pairs, Error> {
        self.rows.listed().pairs(&self.look_up(left, progress)?, true, progress)
    }

    /// The pairs of [`left`](Self::left), and last each row of this index that has no row of `left`.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn outer(&self, left: &C, progress: &Progress) -> Result<Pairs, Error> {
        self.rows.listed().outer_pairs(&self.look_up(left, progress)?, progress)
    }

    /// The rows of `left` whose key occurs in this index, in ascending order.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn semi(&self, left: &C, progress: &Progress) -> Result<Vec<u32>, Error> {
        Listed::rows_where(&self.look_up(left, progress)?, true)
    }

    /// The rows of `left` whose key does not occur in this index, in ascending order.
    ///
    /// # Errors
    /// As [`new`](RowIndex::new).
    pub fn anti(&self, left: &C, progress: &Progress) -> Result<Vec<u32>, Error> {
        Listed::rows_where(&self.look_up(left, progress)?, false)
    }

    fn look_up(&self, keys: &C, progress: &Progress) -> Result<Vec<u32>, Error> {
        let hashes = hashes(keys, &self.hasher, progress)?;
        self.rows.find(&hashes, |i, row| keys.equal_row(i, &self.columns, row as usize), progress)
    }
}

/// The hash of each row.
fn hashes<C: KeyColumns>(
    columns: &C,
    hasher: &(impl BuildHasher + Sync),
    progress: &Progress,
) -> Result<Vec<u64>, Error> {
    let rows = columns.rows()?;
    admit(rows)?;
    let mut hashes: Vec<u64> = room(rows)?;
    hashes.resize(rows, 0);
    hashes.par_chunks_mut(CHUNK).enumerate().try_for_each(|(chunk, hashes)| {
        for (row, hash) in (chunk * CHUNK..).zip(&mut *hashes) {
            let mut state = hasher.build_hasher();
            columns.hash_row(row, &mut state);
            *hash = state.finish();
        }
        progress.advance(hashes.len())
    })?;
    Ok(hashes)
}
