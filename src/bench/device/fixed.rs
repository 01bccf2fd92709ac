//! Build, searches, delete, and inserts into a table that holds keys.

use super::calls::{Calls, Entries, Word};
use super::{Bench, Found};
use crate::bench::keys::keys;
use crate::bench::memory::Memory;
use crate::bench::row::{CALLS, Fallible, Row};
use rayon::prelude::*;
use warpproof::model::outcome::Delete;

impl Bench<'_> {
    /// Build, both searches, and delete of half the keys: those that are asked for.
    pub(crate) fn fixed<T, K: Word, F: Found>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        entries: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<Memory> {
        if !self.measures(&CALLS) {
            return Ok(self.no_memory());
        }
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let (present, on_keys) = (&entries.keys, &entries.on_keys);
        let answers: Vec<F> = present.par_iter().map(|key| (calls.found)(Some(key.value()))).collect();
        let [mut build, mut hits, mut misses, mut delete] = CALLS.map(|name| self.series(name, n));
        delete.ops = n / 2;
        let half = delete.asked.then(|| stream.clone_htod(&present[..n / 2])).transpose()?;
        let absent = || stream.clone_htod(&keys::<K>(self.size, 2 * self.size));
        let absent = misses.asked.then(absent).transpose()?;
        let (mut memory, mut full, mut said) = (None, 0, Vec::new());
        for round in 0..=self.rounds {
            (calls.clear)(table, stream)?;
            let mut outcomes = timed.poisoned(n)?;
            // Before the build, so that the caches hold the table afterwards.
            let mut found = hits.asked.then(|| timed.poisoned(n)).transpose()?;
            let mut missed = absent.as_ref().map(|_| timed.poisoned(n)).transpose()?;
            let mut deleted = half.as_ref().map(|_| timed.poisoned(n / 2)).transpose()?;
            let took = timed.time(|| (calls.insert)(table, stream, entries, &mut outcomes))?;
            let stored = self.stored(&outcomes)?;
            let is_in = |i: usize| stored[i] == Some(true);
            let live = (0..n).into_par_iter().filter(|&i| is_in(i)).count() as u64;
            build.add(round, took, stored.par_iter().all(Option::is_some) && (calls.len)(table)? == live);
            full = full.max(n as u64 - live);
            memory = Some((calls.memory)(table, self.entry, (self.size, self.load))?);

            if let Some(found) = &mut found {
                let took = timed.time(|| (calls.search)(table, stream, on_keys, found))?;
                let answer = |i: usize| if is_in(i) { answers[i] } else { (calls.found)(None) };
                let found = timed.read(&found.as_view(), &mut said)?;
                let right = found.par_iter().enumerate().all(|(i, found)| *found == answer(i));
                hits.add(round, took, right);
            }
            if let (Some(absent), Some(missed)) = (&absent, &mut missed) {
                let took = timed.time(|| (calls.search)(table, stream, absent, missed))?;
                let missed = timed.read(&missed.as_view(), &mut said)?;
                let right = missed.par_iter().all(|missed| *missed == (calls.found)(None));
                misses.add(round, took, right);
            }
            if let (Some(half), Some(deleted)) = (&half, &mut deleted) {
                let took = timed.time(|| (calls.delete)(table, stream, half, deleted))?;
                let gone = |i: usize| if is_in(i) { Delete::Deleted } else { Delete::Absent };
                let codes = stream.clone_dtoh(deleted)?;
                let left = (n / 2..n).into_par_iter().filter(|&i| is_in(i)).count() as u64;
                let right = codes.par_iter().enumerate().all(|(i, code)| *code == gone(i).code());
                delete.add(round, took, right && (calls.len)(table)? == left);
            }
        }
        self.report([build, hits, misses, delete], rows);
        let mut memory = memory.ok_or("no round")?;
        memory.left_out(CALLS[0], full);
        Ok(memory)
    }

    /// Inserts of the second half of the keys into a table of the first.
    pub(crate) fn add<T, K: Word, F: Found>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let (timed, stream, half) = (&self.timed, &self.timed.stream, self.size / 2);
        let first = self.some_entries::<K>(0, half)?;
        let more = self.some_entries::<K>(half, self.size)?;
        let mut add = self.series("add half", more.keys.len());
        for round in 0..=self.rounds {
            (calls.clear)(table, stream)?;
            let mut before = timed.poisoned(first.keys.len())?;
            let mut outcomes = timed.poisoned(more.keys.len())?;
            (calls.insert)(table, stream, &first, &mut before)?;
            let took = timed.time(|| (calls.insert)(table, stream, &more, &mut outcomes))?;
            let stored = [self.stored(&before)?, self.stored(&outcomes)?].concat();
            let live = stored.par_iter().filter(|stored| **stored == Some(true)).count() as u64;
            add.add(round, took, stored.par_iter().all(Option::is_some) && (calls.len)(table)? == live);
        }
        self.report([add], rows);
        Ok(())
    }
}
