//! The groups of rows with one key.

use super::combine::{Grouped, Job};
use super::fold::{Count, Fold};
use super::progress::Progress;
use super::room::admit;
use super::row_number::RowNumber;
use crate::cpu::error::Error;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;

/// The groups of the rows of a column that have one key, in the order of their first rows.
///
/// ```
/// use warpproof_simt::cpu::columns::{Groups, Progress};
///
/// let groups = Groups::of(&[30u32, 10, 30, 20], &Progress::new())?;
/// assert_eq!(groups.first_rows(), [0, 1, 3]);
/// assert_eq!(groups.sizes(), [2, 1, 1]);
/// assert_eq!(groups.numbers(), [0, 1, 0, 2]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Groups {
    first: Vec<u32>,
    sizes: Vec<u32>,
    numbers: Vec<u32>,
}

impl Groups {
    /// The groups of the rows of `keys`.
    ///
    /// Takes time proportional to the rows, and while it runs memory for up to 22 bytes for each row (34 if
    /// keys repeat), besides its result of 4 bytes for each row and 8 for each group.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
    pub fn of<K: TableKey>(keys: &[K], progress: &Progress) -> Result<Self, Error> {
        let Grouped { first, states, numbers } = grouped(keys, &Count, true, progress)?;
        Ok(Self { first, sizes: states, numbers })
    }

    /// Groups that were found in another way.
    pub(super) const fn from_parts(first: Vec<u32>, sizes: Vec<u32>, numbers: Vec<u32>) -> Self {
        Self { first, sizes, numbers }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are no groups, as there are no rows.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The first row of each group, in ascending order.
    pub fn first_rows(&self) -> &[u32] {
        &self.first
    }

    /// How many rows each group has.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The group of each row.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// First rows, sizes and numbers.
    pub fn into_parts(self) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        (self.first, self.sizes, self.numbers)
    }
}

/// The first row of each group of the rows of `keys`, in ascending order, and the state that `fold` computes
/// for each group.
///
/// Rows of one group are added in their order within parts of the column, and the parts are merged in their
/// order. Which parts there are depends on the column alone. So sums of floating-point numbers do not depend
/// on threads.
///
/// # Errors
/// As [`Groups::of`].
pub fn fold_groups<K: TableKey, F: Fold>(
    keys: &[K],
    fold: &F,
    progress: &Progress,
) -> Result<(Vec<u32>, Vec<F::State>), Error> {
    let Grouped { first, states, .. } = grouped(keys, fold, false, progress)?;
    Ok((first, states))
}

/// As [`fold_groups`], with rows of a type of the caller's, and if `numbered` the group of each row.
///
/// ```
/// use warpproof_simt::cpu::columns::{Count, Grouped, Progress, grouped};
///
/// let groups: Grouped<u32, i64> = grouped(&[30u32, 10, 30, 20], &Count, true, &Progress::new())?;
/// assert_eq!((groups.first, groups.states), (vec![0, 1, 3], vec![2, 1, 1]));
/// assert_eq!(groups.numbers, [0, 1, 0, 2]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
///
/// # Errors
/// As [`Groups::of`].
pub fn grouped<K: TableKey, F: Fold, R: RowNumber>(
    keys: &[K],
    fold: &F,
    numbered: bool,
    progress: &Progress,
) -> Result<Grouped<F::State, R>, Error> {
    admit(keys.len())?;
    progress.advance(0)?;
    Job { keys, fold, numbered, progress, seed: Seed::random() }.run()
}
