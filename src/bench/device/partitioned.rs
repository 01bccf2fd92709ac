//! A build by partitions of the batch.

use super::slices::Partitioned;
use super::{Bench, Fallible, Series};
use crate::bench::Row;
use crate::bench::entry::Number;
use crate::bench::timed::POISON;
use warpproof::model::host::Tally;
use warpproof::model::open::bulk::TALLY;

impl Bench<'_> {
    /// A build by partitions that says how many entries were stored, and one that says it of each.
    pub(crate) fn partitioned<T: Partitioned>(&self, table: &mut T, rows: &mut Vec<Row>) -> Fallible<()> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let entries = self.entries::<T::Key>()?;
        let answers: Vec<T::Found> = entries.keys.iter().map(|key| T::found(Some(key.value()))).collect();
        let mut series = ["build by bins", "build by bins, with outcomes"].map(|name| Series::new(name, n));
        for round in 0..=self.rounds {
            for (told, series) in [false, true].into_iter().zip(&mut series) {
                let mut partitions = table.partitions(stream, n, told)?;
                table.clear_on(stream)?;
                let (took, stored) = if told {
                    let mut outcomes = timed.poisoned(POISON, n)?;
                    let took =
                        timed.time(|| table.insert_told(stream, &entries, &mut partitions, &mut outcomes))?;
                    (took, self.stored(&outcomes)?.iter().all(|stored| *stored == Some(true)))
                } else {
                    let mut tally = timed.poisoned(0, TALLY)?;
                    let took =
                        timed.time(|| table.insert_counted(stream, &entries, &mut partitions, &mut tally))?;
                    let said = stream.clone_dtoh(&tally)?.try_into().map(Tally::of);
                    (took, said == Ok(Tally { inserted: n as u64, ..Tally::default() }))
                };
                let mut found = timed.poisoned(T::POISON, n)?;
                table.search(stream, &entries.on_keys, &mut found)?;
                let right = table.len()? == n as u64 && stream.clone_dtoh(&found)? == answers;
                series.add(round, took, stored && right);
            }
        }
        self.report(series, rows);
        Ok(())
    }
}
