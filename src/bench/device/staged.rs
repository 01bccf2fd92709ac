//! Calls on host slices through staging buffers that were made once, from the first byte of input to the last answer.

use super::subject::Subject;
use super::{Bench, Fallible};
use crate::bench::Row;
use crate::bench::entry::{Number, values};
use std::time::Instant;
use warpproof::gpu::Staging;
use warpproof::model::outcome::Insert;

/// Operations of a chunk: larger chunks than those of the calls that return a `Vec` are faster (BENCHMARKS.md).
const ELEMENTS: usize = 1 << 22;

impl Bench<'_> {
    /// Inserts of these keys into a table that was cleared, and searches of them all: wall-clock time.
    pub(super) fn staged<T: Subject>(
        &self,
        table: &mut T,
        keys: &[T::Key],
        rounds: usize,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let stored = values(keys);
        let mut staging = Staging::new(self.device, ELEMENTS)?.in_parallel();
        // Their memory is touched here and not in a round.
        let mut outcomes = vec![Insert::Present; keys.len()];
        let mut answers = vec![T::answer(None); keys.len()];
        let (mut times, mut right): ([Vec<f64>; 2], _) = (Default::default(), [true; 2]);
        for round in 0..=rounds {
            table.clear_on(&self.timed.stream)?;
            self.device.synchronize()?;
            outcomes.fill(Insert::Present);
            answers.fill(T::answer(None));
            let from = Instant::now();
            table.insert_from_host(&mut staging, keys, &stored, &mut outcomes)?;
            let inserted = from.elapsed();
            let from = Instant::now();
            table.find_from_host(&mut staging, keys, &mut answers)?;
            let found = from.elapsed();
            let is_stored = |outcome: &Insert| *outcome == Insert::Inserted;
            right[0] &= outcomes
                .iter()
                .all(|outcome| is_stored(outcome) || T::MAY_BE_FULL && *outcome == Insert::Full);
            right[0] &= table.live()? == outcomes.iter().filter(|outcome| is_stored(outcome)).count() as u64;
            right[1] &= outcomes.iter().zip(keys).zip(&answers).all(|((outcome, key), answer)| {
                *answer == T::answer(is_stored(outcome).then(|| key.value()))
            });
            if round > 0 {
                times
                    .iter_mut()
                    .zip([inserted, found])
                    .for_each(|(times, took)| times.push(took.as_secs_f64()));
            }
        }
        for ((name, times), right) in ["insert from host", "find from host"].into_iter().zip(times).zip(right)
        {
            rows.push(self.row(name, keys.len(), times, right));
        }
        Ok(())
    }
}
