//! A table that grows while a batch is inserted, and searches in it afterwards.

use super::calls::{Calls, Measured, SearchSlice, Word};
use super::{Bench, Found};
use crate::bench::memory::Memory;
use crate::bench::row::{BETWEEN_LOCKED, Fallible, GROWING, Row};
use crate::registry::room::Room;
use rayon::prelude::*;
use warpproof::gpu::{Device, Error, Tuning};
use warpproof::model::outcome::Insert;

impl Bench<'_> {
    /// One batch of distinct keys into a table of a million slots, or of a sixteenth of the entries. The time
    /// includes moving entries, waiting, and allocating memory from the driver. A second build reuses the
    /// memory of earlier tables, which is kept. Then searches of all keys, and of a map those between
    /// page-locked slices.
    pub(crate) fn growing<T: Measured, K: Word, F: Found>(
        &self,
        make: &impl Fn(&Device, Room, Tuning) -> Result<T, Error>,
        calls: &Calls<T, K, F>,
        search_or: Option<SearchSlice<T, K>>,
        rows: &mut Vec<Row>,
    ) -> Fallible<Memory> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let entries = self.entries::<K>()?;
        let answers: Vec<F> = entries.keys.par_iter().map(|key| (calls.found)(Some(key.value()))).collect();
        let (mut memory, mut codes, mut said) = (None, Vec::new(), Vec::new());
        let [mut build, mut hits, mut again] = GROWING.map(|name| self.series(name, n));
        // A search needs one of the builds, and that with the memory kept takes less time.
        let ways = [(false, build.asked), (true, again.asked || hits.asked && !build.asked)];
        let ways = ways.into_iter().filter(|(_, asked)| *asked).map(|(kept, _)| kept);
        for (round, kept) in ways.flat_map(|kept| (0..=self.rounds).map(move |round| (round, kept))) {
            self.device.keep_memory(if kept { u64::MAX } else { 0 })?;
            let table = self.table(make)?;
            let mut outcomes = timed.poisoned(n)?;
            let mut found = hits.asked.then(|| timed.poisoned(n)).transpose()?;
            stream.synchronize()?;
            let took = timed.time_whole(|| (calls.insert)(&table, stream, &entries, &mut outcomes))?;
            let search =
                |found: &mut _| timed.time(|| (calls.search)(&table, stream, &entries.on_keys, found));
            let searched = found.as_mut().map(search).transpose()?;
            let codes = timed.read(&outcomes.as_view(), &mut codes)?;
            let right =
                codes.par_iter().all(|code| *code == Insert::Inserted.code()) && table.len()? == n as u64;
            if kept { &mut again } else { &mut build }.add(round, took, right);
            if let (Some(searched), Some(found)) = (searched, &found) {
                hits.add(round, searched, timed.read(&found.as_view(), &mut said)? == answers);
            }
            memory = Some(Memory::new(self.entry, (self.size, self.load), &table)?);
        }
        self.device.keep_memory(0)?;
        self.report([build, hits, again], rows);
        if let Some(search_or) = search_or.filter(|_| self.measures(&BETWEEN_LOCKED)) {
            let mut table = self.table(make)?;
            self.between_locked(&mut table, calls, search_or, &entries, rows)?;
            memory = Some(Memory::new(self.entry, (self.size, self.load), &table)?);
        }
        memory.ok_or_else(|| "no round".into())
    }
}
