//! Copies of all entries.

use super::calls::{Calls, Entries, Measured, Retrieve, Word};
use super::{Bench, Found};
use crate::bench::row::{Fallible, RETRIEVED, Row};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use warpproof::gpu::cudarc::driver::CudaSlice;

/// The copy of a table: keys, values, and their number.
pub(crate) struct Retrieved<K> {
    pub(crate) keys: CudaSlice<K>,
    pub(crate) values: CudaSlice<K>,
    pub(crate) count: CudaSlice<u64>,
}

impl Bench<'_> {
    /// Copies of all entries, in any order and in that of their slots.
    pub(crate) fn retrieved<T: Measured, K: Word, F: Found>(
        &self,
        table: &mut T,
        calls: &Calls<T, K, F>,
        retrieve: Retrieve<T, K>,
        entries: &Entries<K>,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        if !self.measures(&RETRIEVED) {
            return Ok(());
        }
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let mut series = RETRIEVED.map(|name| self.series(name, n));
        let mut said = (Vec::new(), Vec::new());
        for round in 0..=self.rounds {
            (calls.clear)(table, stream)?;
            let mut outcomes = timed.poisoned(n)?;
            (calls.insert)(table, stream, entries, &mut outcomes)?;
            let stored = self.stored(&outcomes)?;
            let filled = stored.par_iter().all(Option::is_some);
            for (in_order, series) in [false, true].into_iter().zip(&mut series).filter(|(_, s)| s.asked) {
                let mut out =
                    Retrieved { keys: timed.zeros(n)?, values: timed.zeros(n)?, count: timed.zeros(1)? };
                let took = timed.time(|| retrieve(table, stream, in_order, &mut out))?;
                series.add(round, took, self.holds::<K, F>(&out, &stored, &mut said)? && filled);
            }
        }
        self.report(series, rows);
        Ok(())
    }

    /// Whether these are exactly the entries that were stored, each once, in any order.
    fn holds<K: Word, F>(
        &self,
        out: &Retrieved<K>,
        stored: &[Option<bool>],
        (keys, values): &mut (Vec<K>, Vec<K>),
    ) -> Fallible<bool> {
        let (timed, stream) = (&self.timed, &self.timed.stream);
        let expected = stored.par_iter().filter(|stored| **stored == Some(true)).count();
        if stream.clone_dtoh(&out.count)? != [expected as u64] {
            return Ok(false);
        }
        let found = timed.read(&out.keys.slice(..expected), keys)?;
        let values = timed.read(&out.values.slice(..expected), values)?;
        // A search of a set finds no value, and a copy of it has none.
        let pairs = size_of::<F>() == size_of::<K>();
        let beside = !pairs || found.par_iter().zip(values).all(|(key, value)| *value == key.value());
        // As many keys as were stored, each of them stored, and none twice.
        let seen: Vec<_> = stored.par_iter().map(|_| AtomicBool::new(false)).collect();
        let is_new = |key: &K| {
            let number = key.number(stored.len() as u32).map_or(usize::MAX, |number| number as usize);
            // Relaxed: each key is looked at on its own.
            stored.get(number) == Some(&Some(true)) && !seen[number].swap(true, Ordering::Relaxed)
        };
        Ok(beside && found.par_iter().all(is_new))
    }
}
