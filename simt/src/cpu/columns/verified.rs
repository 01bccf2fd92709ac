//! Rows by keys that are wider than a word: found by a hash, and compared.

use super::groups::Groups;
use super::index::Index;
use super::listed::{Listed, NONE};
use super::progress::Progress;
use super::room::{admit, no_memory, room, zeros};
use crate::cpu::error::Error;
use crate::cpu::grid::push;
use core::sync::atomic::{AtomicU32, Ordering};
use rayon::prelude::*;
use std::collections::{HashMap, TryReserveError};

/// A table that has one row for each hash.
pub trait Leaders {
    /// The error of a call.
    type Error: From<Error>;

    /// For each hash a row that has it, or `u32::MAX` if no row has. For one hash it is the same row in each
    /// call. Which one of several rows it is makes no difference to results.
    ///
    /// # Errors
    /// Those of the table.
    fn of(&self, hashes: &[u64], progress: &Progress) -> Result<Vec<u32>, Self::Error>;
}

/// The rows of keys that are wider than a word, by 64-bit hashes of the keys.
///
/// Rows with one hash and different keys are told apart: each row is compared with a row of its hash that was
/// there before, its *leader*. Rows that differ from their leader are listed by themselves. With a random
/// hash there are hardly ever any; with a poor one results are the same, and take longer.
///
/// [`RowIndex`](super::RowIndex) is this for columns in memory. This type is for keys that are elsewhere, as
/// in a file, and for a table of hashes that is elsewhere, as on a GPU.
pub struct RowsByHash<L> {
    leaders: L,
    /// For a hash of several keys, a row of each key but that of the leader.
    others: HashMap<u64, Vec<u32>>,
    rows: Listed,
}

impl<L: Leaders> RowsByHash<L> {
    /// The rows that have these hashes. `equal` says whether two rows have one key; it is asked about rows of
    /// one hash alone.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`]; those of `leaders`.
    pub fn new(
        leaders: L,
        hashes: &[u64],
        equal: impl Fn(u32, u32) -> bool + Sync,
        progress: &Progress,
    ) -> Result<Self, L::Error> {
        admit(hashes.len())?;
        let mut numbers = leaders.of(hashes, progress)?;
        let differs = |(row, &leader): (usize, &u32)| {
            let same =
                row == leader as usize || (leader as usize) < hashes.len() && equal(row as u32, leader);
            (!same).then_some(row as u32)
        };
        let different = listed(numbers.par_iter().enumerate().filter_map(differs))?;
        let mut others: HashMap<u64, Vec<u32>> = HashMap::new();
        for row in different {
            others.try_reserve(1).map_err(no_memory::<(u64, Vec<u32>)>)?;
            let rows = others.entry(hashes[row as usize]).or_default();
            let leader = rows.iter().copied().find(|&other| equal(row, other));
            if leader.is_none() {
                rows.try_reserve(1).map_err(no_memory::<u32>)?;
                rows.push(row);
            }
            numbers[row as usize] = leader.unwrap_or(row);
        }
        let rows = Listed::new(&numbers)?;
        progress.advance(hashes.len())?;
        Ok(Self { leaders, others, rows })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The table of hashes.
    pub const fn leaders(&self) -> &L {
        &self.leaders
    }

    /// The number of the key of each row of a batch that has these hashes, for [`rows`](Self::rows); or
    /// `u32::MAX` if no row has its key. `equal(i, row)` says whether row `i` of the batch and a row of this
    /// have one key.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn find(
        &self,
        hashes: &[u64],
        equal: impl Fn(usize, u32) -> bool + Sync,
        progress: &Progress,
    ) -> Result<Vec<u32>, L::Error> {
        let mut found = self.leaders.of(hashes, progress)?;
        let (rows, others) = (self.len(), &self.others);
        found.par_iter_mut().zip(hashes).enumerate().for_each(|(i, (found, hash))| {
            if *found as usize >= rows || !equal(i, *found) {
                let others = others.get(hash).into_iter().flatten();
                *found = others.copied().find(|&row| equal(i, row)).unwrap_or(NONE);
            }
        });
        Ok(found)
    }

    /// The rows of the key with this number, in ascending order; none if no key has it.
    pub fn rows(&self, number: u32) -> &[u32] {
        if (number as usize) < self.len() { self.rows.of(number) } else { &[] }
    }

    /// The groups of rows with one key, in the order of their first rows.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn groups(&self) -> Result<Groups, Error> {
        let mut leaders = zeros(self.len())?;
        for number in 0..self.len() as u32 {
            self.rows.of(number).iter().for_each(|&row| leaders[row as usize] = number);
        }
        let groups = (0..self.len() as u32).filter(|&number| !self.rows.of(number).is_empty()).count();
        let (mut first, mut sizes) = (room(groups)?, room(groups)?);
        let (mut places, mut numbers) = (zeros(self.len())?, leaders);
        for row in 0..self.len() as u32 {
            let number = &mut numbers[row as usize];
            let (rows, place) = (self.rows.of(*number), &mut places[*number as usize]);
            if rows[0] == row {
                *place = first.len() as u32;
                first.push(row);
                sizes.push(rows.len() as u32);
            }
            *number = *place;
        }
        Ok(Groups::from_parts(first, sizes, numbers))
    }

    /// The rows of each number.
    pub(super) const fn listed(&self) -> &Listed {
        &self.rows
    }
}

/// The rows of a parallel iterator, in their order. Takes memory for up to three times as many while it joins
/// the lists of threads.
fn listed(rows: impl ParallelIterator<Item = u32>) -> Result<Vec<u32>, Error> {
    let append = |list: List, row| {
        let (mut list, mut room) = (list?, Ok(()));
        push(&mut list, &mut room, row);
        room.map(|()| list)
    };
    let join = |a: List, b: List| {
        let (mut a, mut b) = (a?, b?);
        a.try_reserve_exact(b.len())?;
        a.append(&mut b);
        Ok(a)
    };
    rows.fold(|| Ok(Vec::new()), append).reduce(|| Ok(Vec::new()), join).map_err(no_memory::<u32>)
}

/// Some rows, or the error that there was no memory for them.
type List = Result<Vec<u32>, TryReserveError>;

/// The first row of each hash, in memory.
pub(super) struct FirstRows {
    index: Index<u64>,
    first: Vec<u32>,
}

impl FirstRows {
    pub(super) fn new(hashes: &[u64], progress: &Progress) -> Result<Self, Error> {
        admit(hashes.len())?;
        let first: Vec<AtomicU32> = zeros(hashes.len())?.into_iter().map(|_| AtomicU32::new(NONE)).collect();
        let note = |row: u32, number: u32| {
            // Relaxed: the end of the parallel loop orders it before the reads.
            first[number as usize].fetch_min(row, Ordering::Relaxed);
        };
        let index = Index::new(hashes, note, progress)?;
        Ok(Self { index, first: first.into_iter().map(AtomicU32::into_inner).collect() })
    }
}

impl Leaders for FirstRows {
    type Error = Error;

    fn of(&self, hashes: &[u64], progress: &Progress) -> Result<Vec<u32>, Error> {
        admit(hashes.len())?;
        let mut rows = room(hashes.len())?;
        let row = |number: Option<u32>| number.map_or(NONE, |number| self.first[number as usize]);
        self.index.find(hashes, row, (&mut rows, progress))?;
        Ok(rows)
    }
}
