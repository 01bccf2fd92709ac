//! Build, searches, delete.

use super::slices::Fixed;
use super::{Bench, Fallible, Series};
use crate::bench::Row;
use crate::bench::entry::{Number, keys};
use crate::bench::memory::Memory;
use crate::bench::timed::POISON;
use warpproof::model::outcome::Delete;

impl Bench<'_> {
    /// Build, both searches, and delete of half the keys.
    pub(crate) fn fixed<T: Fixed>(&self, table: &mut T, rows: &mut Vec<Row>) -> Fallible<Memory> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let entries = self.entries::<T::Key>()?;
        let (present, on_keys) = (&entries.keys, &entries.on_keys);
        let answers: Vec<T::Found> = present.iter().map(|key| T::found(Some(key.value()))).collect();
        let half = stream.clone_htod(&present[..n / 2])?;
        let absent = stream.clone_htod(&keys::<T::Key>(self.size, 2 * self.size))?;
        let names = [("build", n), ("search present", n), ("search absent", n), ("delete half", n / 2)];
        let [mut build, mut hits, mut misses, mut delete] = names.map(|(name, ops)| Series::new(name, ops));
        let (mut memory, mut full) = (None, 0);
        for round in 0..=self.rounds {
            table.clear_on(stream)?;
            let mut outcomes = timed.poisoned(POISON, n)?;
            let mut found = timed.poisoned(T::POISON, n)?;
            let mut missed = timed.poisoned(T::POISON, n)?;
            let mut deleted = timed.poisoned(POISON, n / 2)?;
            let took = timed.time(|| table.insert(stream, &entries, &mut outcomes))?;
            let stored = self.stored(&outcomes)?;
            let is_in = |i: usize| stored[i] == Some(true);
            let live = (0..n).filter(|&i| is_in(i)).count() as u64;
            build.add(round, took, stored.iter().all(Option::is_some) && table.len()? == live);
            full = full.max(n as u64 - live);
            memory = Some(Memory::new(self.entry, (self.size, self.load), table)?);

            let took = timed.time(|| table.search(stream, on_keys, &mut found))?;
            let answer = |i: usize| if is_in(i) { answers[i] } else { T::found(None) };
            let right = stream.clone_dtoh(&found)?.iter().enumerate().all(|(i, found)| *found == answer(i));
            hits.add(round, took, right);
            let took = timed.time(|| table.search(stream, &absent, &mut missed))?;
            let right = stream.clone_dtoh(&missed)?.iter().all(|missed| *missed == T::found(None));
            misses.add(round, took, right);

            let took = timed.time(|| table.delete(stream, &half, &mut deleted))?;
            let gone = |i: usize| if is_in(i) { Delete::Deleted } else { Delete::Absent };
            let mut codes = stream.clone_dtoh(&deleted)?.into_iter().enumerate();
            let left = (n / 2..n).filter(|&i| is_in(i)).count() as u64;
            delete.add(round, took, codes.all(|(i, code)| code == gone(i).code()) && table.len()? == left);
        }
        self.report([build, hits, misses, delete], rows);
        let mut memory = memory.ok_or("no round")?;
        memory.left_out("build", full);
        Ok(memory)
    }
}
