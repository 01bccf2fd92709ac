//! The places of marked rows among all marked rows.

use super::room::room;
use super::row_number::RowNumber;
use crate::cpu::error::Error;
use core::sync::atomic::{AtomicU64, Ordering};
use rayon::prelude::*;

/// Words that a thread lists one after the other.
const PART: usize = 1 << 10;

/// A bit for each row.
pub(super) struct Marks(Vec<AtomicU64>);

impl Marks {
    pub(super) fn new(rows: usize) -> Result<Self, Error> {
        let mut words = room(rows.div_ceil(64))?;
        words.resize_with(rows.div_ceil(64), AtomicU64::default);
        Ok(Self(words))
    }

    pub(super) fn mark(&self, row: u32) {
        // Relaxed: the end of the parallel loop orders it before the reads.
        self.0[row as usize / 64].fetch_or(1 << (row % 64), Ordering::Relaxed);
    }
}

/// How many marked rows are before a row.
pub(super) struct Ranks {
    marks: Vec<u64>,
    /// The marked rows before each word, and last of all.
    before: Vec<u32>,
}

impl Ranks {
    pub(super) fn new(marks: Marks) -> Result<Self, Error> {
        let marks: Vec<u64> = marks.0.into_iter().map(AtomicU64::into_inner).collect();
        let words = marks.len() + 1;
        let mut before = room(words)?;
        let mut sum = 0;
        before.push(0);
        before.extend(marks.iter().map(|word| {
            sum += word.count_ones();
            sum
        }));
        Ok(Self { marks, before })
    }

    pub(super) fn count(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    #[inline(always)]
    pub(super) fn of(&self, row: u32) -> u32 {
        let word = row as usize / 64;
        self.before[word] + (self.marks[word] & ((1 << (row % 64)) - 1)).count_ones()
    }

    /// The marked rows, in ascending order.
    pub(super) fn rows<R: RowNumber>(&self) -> Result<Vec<R>, Error> {
        let mut rows = room(self.count())?;
        let mut rest = &mut rows.spare_capacity_mut()[..self.count()];
        let mut parts = Vec::new();
        for (first, words) in (0..).step_by(PART).zip(self.marks.chunks(PART)) {
            let count = self.before[first + words.len()] - self.before[first];
            let (part, after) = rest.split_at_mut(count as usize);
            parts.push((first, words, part));
            rest = after;
        }
        parts.into_par_iter().for_each(|(first, words, part)| {
            let mut places = part.iter_mut();
            for (base, &word) in (64 * first as u32..).step_by(64).zip(words) {
                let mut left = word;
                while left != 0
                    && let Some(place) = places.next()
                {
                    place.write(R::of(base + left.trailing_zeros()));
                    left &= left - 1;
                }
            }
            assert!(places.next().is_none(), "a row for each place");
        });
        // SAFETY: the parts are all places, as the counts of all words add up to `count`, and every place of
        // a part was written, as its iterator has ended.
        unsafe { rows.set_len(self.count()) };
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_rows_are_listed_and_ranked() {
        // In several parts, the last of which is short, and with words that have no mark and all.
        for rows in [0, 1, 64, 65, 64 * PART, 64 * PART + 1, 200 * PART] {
            let is_marked = |row: usize| row % 7 == 3 || row / 64 % 5 == 1;
            let marks = Marks::new(rows).expect("memory");
            let marked: Vec<u32> = (0..rows).filter(|&row| is_marked(row)).map(|row| row as u32).collect();
            marked.iter().for_each(|&row| marks.mark(row));
            let ranks = Ranks::new(marks).expect("memory");
            assert_eq!(ranks.count(), marked.len());
            assert_eq!(ranks.rows::<u32>().expect("memory"), marked, "{rows} rows");
            let wide = ranks.rows::<i64>().expect("memory");
            assert!(wide.iter().zip(&marked).all(|(&wide, &row)| wide == i64::from(row)), "{rows} rows");
            assert!((0u32..).zip(&marked).all(|(rank, &row)| ranks.of(row) == rank), "{rows} rows");
        }
    }
}
