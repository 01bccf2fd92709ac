//! Calls on host slices through staging buffers that were made once, timed from the first byte of input to
//! the last answer.

use super::Bench;
use super::calls::{Calls, Entries, Measured, StagedCalls, Word};
use crate::bench::row::{BETWEEN_LOCKED, FROM_HOST, FROM_LOCKED, Fallible, Row};
use rayon::prelude::*;
use std::time::Instant;
use warpproof::gpu::{Error, PageLocked, Staging};
use warpproof::model::outcome::Insert;

/// Operations of a chunk: larger chunks than those of the calls that return a `Vec` are faster
/// (`notes/staging.md`).
const ELEMENTS: usize = 1 << 22;

impl Bench<'_> {
    /// Inserts into a cleared table, and searches of all keys: wall-clock time. From memory as it is, and
    /// from page-locked memory. Those that are asked for.
    pub(crate) fn staged<T: Measured, K: Word, F, A: Copy + PartialEq + Send + Sync>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        through: StagedCalls<T, K, A>,
        entries: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        if self.measures(&FROM_HOST) {
            let batch = (&entries.keys[..], &entries.values[..]);
            self.timed_from_host(table, calls, &through, batch, FROM_HOST, rows)?;
        }
        let search_or = through.search_or.filter(|_| self.measures(&BETWEEN_LOCKED));
        if !self.measures(&FROM_LOCKED) && search_or.is_none() {
            return Ok(());
        }
        if self.measures(&FROM_LOCKED) {
            let (keys, values) = (self.locked(&entries.keys)?, self.locked(&entries.values)?);
            self.timed_from_host(table, calls, &through, (&keys, &values), FROM_LOCKED, rows)?;
        }
        let Some(search_or) = search_or else { return Ok(()) };
        let mut staging = Staging::new(self.device, ELEMENTS)?;
        let search_or = |table: &T, keys: &[K], found: &mut [K]| search_or(table, &mut staging, keys, found);
        self.between_locked(table, calls, search_or, entries, rows)
    }

    /// Page-locked memory with these numbers.
    fn locked<K: Word>(&self, numbers: &[K]) -> Result<PageLocked<K>, Error> {
        let mut locked = self.device.page_locked(numbers.len())?;
        locked.copy_from_slice(numbers);
        Ok(locked)
    }

    /// Searches of all keys from page-locked memory to page-locked memory: wall-clock time.
    pub(super) fn between_locked<T: Measured, K: Word, F>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        mut search_or: impl FnMut(&T, &[K], &mut [K]) -> Result<(), Error>,
        entries: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let [mut series] = BETWEEN_LOCKED.map(|name| self.series(name, entries.keys.len()));
        let (keys, mut found) = (self.locked(&entries.keys)?, self.device.page_locked(entries.keys.len())?);
        // The table has the entries, but for those for which it had no room.
        (calls.clear)(table, &self.timed.stream)?;
        let mut outcomes = self.timed.poisoned(entries.keys.len())?;
        (calls.insert)(table, &self.timed.stream, entries, &mut outcomes)?;
        let stored = self.stored(&outcomes)?;
        let answer = |found: &K, value: &K, stored: &Option<bool>| match stored {
            Some(true) => found == value,
            Some(false) => *found == K::MISSING,
            None => false,
        };
        for round in 0..=self.rounds {
            found.fill(K::MISSING);
            let from = Instant::now();
            search_or(table, &keys, &mut found)?;
            let took = from.elapsed().as_secs_f64();
            let all = found.par_iter().zip(&entries.values).zip(&stored);
            series.add(round, took, all.all(|((found, value), stored)| answer(found, value, stored)));
        }
        self.report([series], rows);
        Ok(())
    }

    /// Inserts and searches of a batch of keys and values, in all rounds.
    fn timed_from_host<T: Measured, K: Word, F, A: Copy + PartialEq + Send + Sync>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        through: &StagedCalls<T, K, A>,
        batch: (&[K], &[K]),
        names: [&'static str; 2],
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let n = self.size as usize;
        let mut staging = Staging::new(self.device, ELEMENTS)?.in_parallel();
        // Their memory is touched here, so that no round includes that.
        let mut outcomes = vec![Insert::Present; n];
        let [mut insert, mut find] = names.map(|name| self.series(name, n));
        let mut answers = vec![(through.answer)(None); if find.asked { n } else { 0 }];
        for round in 0..=self.rounds {
            (calls.clear)(table, &self.timed.stream)?;
            self.device.synchronize()?;
            outcomes.fill(Insert::Present);
            answers.fill((through.answer)(None));
            let from = Instant::now();
            (through.insert)(table, &mut staging, batch, &mut outcomes)?;
            let inserted = from.elapsed();
            let from = Instant::now();
            if find.asked {
                (through.search)(table, &mut staging, batch.0, &mut answers)?;
            }
            let found = from.elapsed();

            let may_be_full = self.rooms.capacity.may_be_full;
            let is_stored = |outcome: &Insert| *outcome == Insert::Inserted;
            let live = outcomes.par_iter().filter(|outcome| is_stored(outcome)).count() as u64;
            let right =
                outcomes.par_iter().all(|said| is_stored(said) || may_be_full && *said == Insert::Full);
            insert.add(round, inserted.as_secs_f64(), right && table.len()? == live);
            let said = outcomes.par_iter().zip(batch.0).zip(&answers);
            let right = said.all(|((outcome, key), answer)| {
                *answer == (through.answer)(is_stored(outcome).then(|| key.value()))
            });
            if find.asked {
                find.add(round, found.as_secs_f64(), right);
            }
        }
        self.report([insert, find], rows);
        Ok(())
    }
}
