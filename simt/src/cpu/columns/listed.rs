//! Rows, listed by the number of their key.

use super::progress::Progress;
use super::ranks::{Marks, Ranks};
use super::room::{room, zeros};
use super::row_number::RowNumber;
use crate::cpu::error::Error;
use core::ops::Range;
use rayon::prelude::*;

/// Left rows that a thread joins one after the other.
const CHUNK: usize = 1 << 16;

/// The row that a row has not, and the number of a key that is not there. Columns have fewer rows.
pub(super) const NONE: u32 = u32::MAX;

/// The pairs of rows of a join.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairs<R = u32> {
    /// The row of the left column, in ascending order. [`RowNumber::NONE`] if there is none: in an outer
    /// join, last.
    pub left: Vec<R>,
    /// The row of the right column: those of one left row in ascending order, and so are those that have no
    /// left row. [`RowNumber::NONE`] if there is none.
    pub right: Vec<R>,
}

/// The rows of each number, in ascending order. Numbers are below the number of rows; not all are used.
pub(super) struct Listed {
    /// The rows of number `n` are `rows[starts[n]..starts[n + 1]]`; `rows[n]` alone if there are no starts,
    /// as every row has a number of its own.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Listed {
    /// Lists the rows that have these numbers, which are fewer than [`NONE`].
    pub(super) fn new(numbers: &[u32]) -> Result<Self, Error> {
        // Where each number begins is counted two places on, so that the sums stand one place on, and move to
        // their own place while the rows are listed.
        let mut starts = zeros(numbers.len() + 2)?;
        numbers.iter().for_each(|&number| starts[number as usize + 2] += 1);
        if starts.iter().all(|&count| count <= 1) {
            let mut rows = zeros(numbers.len())?;
            (0u32..).zip(numbers).for_each(|(row, &number)| rows[number as usize] = row);
            return Ok(Self { starts: Vec::new(), rows });
        }
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let mut rows = zeros(numbers.len())?;
        for (row, &number) in (0u32..).zip(numbers) {
            let next = &mut starts[number as usize + 1];
            rows[*next as usize] = row;
            *next += 1;
        }
        Ok(Self { starts, rows })
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a number; none of [`NONE`].
    #[inline(always)]
    pub(super) fn of(&self, number: u32) -> &[u32] {
        if number == NONE { &[] } else { &self.rows[self.range(number)] }
    }

    #[inline(always)]
    fn range(&self, number: u32) -> Range<usize> {
        let number = number as usize;
        if self.starts.is_empty() {
            return number..number + 1;
        }
        self.starts[number] as usize..self.starts[number + 1] as usize
    }

    /// The left rows whose number is there, or is not, in ascending order.
    pub(super) fn rows_where<R: RowNumber>(found: &[u32], there: bool) -> Result<Vec<R>, Error> {
        let wanted = |&found: &u32| (found != NONE) == there;
        let count = found.par_iter().filter(|&found| wanted(found)).count();
        let mut rows = room(count)?;
        rows.extend((0u32..).zip(found).filter(|(_, found)| wanted(found)).map(|(row, _)| R::of(row)));
        Ok(rows)
    }

    /// The pairs of the left rows that have these numbers; if `keep`, also the left rows of [`NONE`].
    pub(super) fn pairs<R: RowNumber>(
        &self,
        found: &[u32],
        keep: bool,
        progress: &Progress,
    ) -> Result<Pairs<R>, Error> {
        let matches = |&found: &u32| match found {
            NONE => usize::from(keep),
            number => self.range(number).len(),
        };
        let sizes: Vec<usize> =
            found.par_chunks(CHUNK).map(|chunk| chunk.iter().map(matches).sum()).collect();
        let count = sizes.iter().sum();
        let (mut lefts, mut rights) = (room(count)?, room(count)?);
        // New memory takes longer to be written first than the pairs take to be found: each thread writes its
        // own part of it.
        let places = (&mut lefts.spare_capacity_mut()[..count], &mut rights.spare_capacity_mut()[..count]);
        let (mut rest, mut parts) = (places, Vec::new());
        for &size in &sizes {
            let (left, left_rest) = rest.0.split_at_mut(size);
            let (right, right_rest) = rest.1.split_at_mut(size);
            parts.push((left, right));
            rest = (left_rest, right_rest);
        }
        let chunks = found.par_chunks(CHUNK).zip(parts).enumerate();
        chunks.try_for_each(|(chunk, (found, (lefts, rights)))| {
            let mut places = lefts.iter_mut().zip(rights);
            for (row, &found) in ((chunk * CHUNK) as u32..).zip(found) {
                let rows = match found {
                    NONE if keep => &[NONE][..],
                    NONE => continue,
                    number => &self.rows[self.range(number)],
                };
                for (&other, (left, right)) in rows.iter().zip(&mut places) {
                    left.write(R::of(row));
                    right.write(if other == NONE { R::NONE } else { R::of(other) });
                }
            }
            assert!(places.next().is_none(), "a pair for each place");
            progress.advance(found.len())
        })?;
        // SAFETY: the parts are all places up to `count`, and every place of a part was written, as its
        // iterator has ended.
        unsafe {
            lefts.set_len(count);
            rights.set_len(count);
        }
        Ok(Pairs { left: lefts, right: rights })
    }

    /// The pairs of the left rows that have these numbers, the left rows of [`NONE`], and last the right rows
    /// that are in no pair.
    pub(super) fn outer_pairs<R: RowNumber>(
        &self,
        found: &[u32],
        progress: &Progress,
    ) -> Result<Pairs<R>, Error> {
        let Pairs { mut left, mut right } = self.pairs(found, true, progress)?;
        let alone = Marks::new(self.rows.len())?;
        let mut taken: Vec<bool> = room(self.rows.len())?;
        taken.resize(self.rows.len(), false);
        found.iter().filter(|&&found| found != NONE).for_each(|&found| taken[found as usize] = true);
        for (number, _) in (0u32..).zip(taken).filter(|(_, taken)| !taken) {
            self.of(number).iter().for_each(|&row| alone.mark(row));
        }
        let alone: Vec<R> = Ranks::new(alone)?.rows()?;
        let no_room = |_| Error::no_memory_for::<R>(alone.len());
        left.try_reserve_exact(alone.len()).map_err(no_room)?;
        right.try_reserve_exact(alone.len()).map_err(no_room)?;
        left.resize(left.len() + alone.len(), R::NONE);
        right.extend(alone);
        Ok(Pairs { left, right })
    }
}
