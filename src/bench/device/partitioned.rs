//! A build by partitions of the batch.

use super::calls::{Calls, Entries, Measured, PartitionedCalls, Word};
use super::{Bench, Found};
use crate::bench::row::{Fallible, PARTITIONED, Row};
use rayon::prelude::*;
use warpproof::model::host::Tally;
use warpproof::model::open::bulk::TALLY;

impl Bench<'_> {
    /// A build by partitions that returns how many entries were stored, and one that returns an outcome for
    /// each.
    pub(crate) fn partitioned<T: Measured, K: Word, F: Found>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        by: PartitionedCalls<T, K>,
        entries: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        if !self.measures(&PARTITIONED) {
            return Ok(());
        }
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let answers: Vec<F> = entries.keys.par_iter().map(|key| (calls.found)(Some(key.value()))).collect();
        let mut series = PARTITIONED.map(|name| self.series(name, n));
        let mut said = Vec::new();
        for round in 0..=self.rounds {
            for (told, series) in [false, true].into_iter().zip(&mut series).filter(|(_, s)| s.asked) {
                let mut partitions = (by.partitions)(table, stream, n, told)?;
                (calls.clear)(table, stream)?;
                let (took, stored) = if told {
                    let mut outcomes = timed.poisoned(n)?;
                    let took =
                        timed.time(|| (by.told)(table, stream, entries, &mut partitions, &mut outcomes))?;
                    (took, self.stored(&outcomes)?.par_iter().all(|stored| *stored == Some(true)))
                } else {
                    let mut tally = timed.zeros(TALLY)?;
                    let took =
                        timed.time(|| (by.counted)(table, stream, entries, &mut partitions, &mut tally))?;
                    let tally = stream.clone_dtoh(&tally)?.try_into().map(Tally::of);
                    (took, tally == Ok(Tally { inserted: n as u64, ..Tally::default() }))
                };
                let mut found = timed.poisoned(n)?;
                (calls.search)(table, stream, &entries.on_keys, &mut found)?;
                let right = table.len()? == n as u64 && timed.read(&found.as_view(), &mut said)? == answers;
                series.add(round, took, stored && right);
            }
        }
        self.report(series, rows);
        Ok(())
    }
}
