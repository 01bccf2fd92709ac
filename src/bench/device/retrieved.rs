//! Copies of all entries.

use super::slices::Ordered;
use super::{Bench, Fallible, Series};
use crate::bench::Row;
use crate::bench::entry::Number;
use crate::bench::timed::POISON;
use rayon::prelude::*;
use warpproof::gpu::cudarc::driver::CudaSlice;

/// What a table copied: keys, values, and how many.
pub(crate) struct Retrieved<K> {
    pub(super) keys: CudaSlice<K>,
    pub(super) values: CudaSlice<K>,
    pub(super) count: CudaSlice<u64>,
}

impl Bench<'_> {
    /// All entries, in any order and in that of their slots.
    pub(crate) fn retrieved<T: Ordered>(&self, table: &mut T, rows: &mut Vec<Row>) -> Fallible<()> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let entries = self.entries::<T::Key>()?;
        let mut series = ["retrieve all", "retrieve in order"].map(|name| Series::new(name, n));
        for round in 0..=self.rounds {
            table.clear_on(stream)?;
            let mut outcomes = timed.poisoned(POISON, n)?;
            table.insert(stream, &entries, &mut outcomes)?;
            let stored = self.stored(&outcomes)?;
            for (in_order, series) in [false, true].into_iter().zip(&mut series) {
                let empty = || timed.poisoned(T::Key::key(0), n);
                let mut out = Retrieved { keys: empty()?, values: empty()?, count: timed.poisoned(0, 1)? };
                let took = timed.time(|| table.retrieve(stream, in_order, &mut out))?;
                series.add(round, took, self.holds::<T>(&out, &entries.keys, &stored)?);
            }
        }
        self.report(series, rows);
        Ok(())
    }

    /// Whether these are the entries that were stored, each once, in any order.
    fn holds<T: Ordered>(
        &self,
        out: &Retrieved<T::Key>,
        keys: &[T::Key],
        stored: &[Option<bool>],
    ) -> Fallible<bool> {
        let stream = &self.timed.stream;
        let is_stored = |(&key, stored): (&T::Key, &Option<bool>)| (*stored == Some(true)).then_some(key);
        let mut expected: Vec<_> = keys.iter().zip(stored).filter_map(is_stored).collect();
        if stream.clone_dtoh(&out.count)? != [expected.len() as u64] {
            return Ok(false);
        }
        let mut found = stream.clone_dtoh(&out.keys.slice(..expected.len()))?;
        let values = stream.clone_dtoh(&out.values.slice(..expected.len()))?;
        let beside = !T::PAIRS || found.par_iter().zip(&values).all(|(key, value)| *value == key.value());
        found.par_sort_unstable();
        expected.par_sort_unstable();
        Ok(beside && found == expected)
    }
}
