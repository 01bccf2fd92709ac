//! The places of marked rows among all marked rows.

use super::room::room;
use crate::cpu::error::Error;
use core::sync::atomic::{AtomicU64, Ordering};

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

    /// The marked rows.
    pub(super) fn rows(&self) -> Result<Vec<u32>, Error> {
        let mut rows = room(self.count())?;
        for (base, &word) in (0u32..).step_by(64).zip(&self.marks) {
            let mut rest = word;
            while rest != 0 {
                rows.push(base + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        Ok(rows)
    }
}
