//! A map that grows while a batch is inserted, and searches in it afterwards.

use super::{Bench, Fallible};
use crate::bench::Row;
use crate::bench::entry::{Entry, Number, keys, values};
use crate::bench::memory::Memory;
use crate::bench::timed::POISON;
use crate::tables::dynamic::first;
use warpproof::gpu::{self, DynamicMap, Scalar};
use warpproof::model::outcome::Insert;
use warpproof::{BulkMap, BulkOpenMap};

impl Bench<'_> {
    /// One batch into a map of a million slots, or a sixteenth of the pairs, all keys distinct: taking memory, moving pairs and waiting are in the time.
    /// Then searches of them all.
    pub(super) fn grow<K: Scalar + Number>(
        &self,
        entry: Entry,
        rounds: usize,
        rows: &mut Vec<Row>,
    ) -> Fallible<Memory>
    where
        (K, K): gpu::Entry,
    {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let present = keys::<K>(0, self.size);
        let stored = values(&present);
        let (on_keys, on_values) = (stream.clone_htod(&present)?, stream.clone_htod(&stored)?);
        let mut memory = None;
        let (mut times, mut right): ([Vec<f64>; 2], _) = (Default::default(), [true; 2]);
        for round in 0..=rounds {
            let map = DynamicMap::<K, K>::at_load(self.device, first(n as u64), self.load)?;
            let mut outcomes = timed.poisoned(POISON, n)?;
            let mut found = timed.poisoned(K::ZERO, n)?;
            stream.synchronize()?;
            let on = map.on(stream);
            let took = [
                timed.time(|| on.insert_unique(&on_keys, &on_values, &mut outcomes))?,
                timed.time(|| on.search(&on_keys, &mut found, None))?,
            ];
            right[0] &= stream.clone_dtoh(&outcomes)?.iter().all(|&code| code == Insert::Inserted.code());
            right[0] &= map.len()? == n as u64;
            memory = Some(Memory::new(entry, (self.size, self.load), map.geometry(), &map.stats()?));
            right[1] &= stream.clone_dtoh(&found)? == stored;
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        for ((name, times), right) in ["build", "search present"].into_iter().zip(times).zip(right) {
            rows.push(self.row(name, n, times, right));
        }
        memory.ok_or_else(|| "no round".into())
    }
}
