//! A map that grows while a batch is inserted, and searches in it afterwards.

use super::{Bench, Fallible};
use crate::bench::Row;
use crate::bench::entry::{Entry, Number, keys, values};
use crate::bench::memory::Memory;
use crate::bench::timed::POISON;
use crate::tables::dynamic::first;
use warpproof::BulkTable;
use warpproof::gpu::{self, DynamicMap, Scalar};
use warpproof::model::outcome::Insert;

impl Bench<'_> {
    /// One batch into a map of a million slots, or a sixteenth of the pairs, all keys distinct: moving pairs and waiting are in the time,
    /// and so is taking memory from the driver, but for a second build, for which that of the maps before is kept. Then searches of
    /// them all.
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
        let (mut times, mut right): ([Vec<f64>; 3], _) = (Default::default(), [true; 3]);
        for (round, kept) in
            [false, true].into_iter().flat_map(|kept| (0..=rounds).map(move |round| (round, kept)))
        {
            self.device.keep_memory(if kept { u64::MAX } else { 0 })?;
            let map = DynamicMap::<K, K>::at_load(self.device, first(n as u64), self.load)?;
            let mut outcomes = timed.poisoned(POISON, n)?;
            let mut found = timed.poisoned(K::ZERO, n)?;
            stream.synchronize()?;
            let on = map.on_stream(stream);
            let build = if kept { 2 } else { 0 };
            let took = [
                (build, timed.time_whole(|| on.insert_unique(&on_keys, &on_values, &mut outcomes))?),
                (1, timed.time(|| on.search(&on_keys, &mut found, None))?),
            ];
            right[build] &= stream.clone_dtoh(&outcomes)?.iter().all(|&code| code == Insert::Inserted.code());
            right[build] &= map.len()? == n as u64;
            memory = Some(Memory::new(entry, (self.size, self.load), map.geometry(), &map.stats()?));
            right[1] &= stream.clone_dtoh(&found)? == stored;
            if round > 0 {
                took.into_iter().for_each(|(row, took)| times[row].push(took));
            }
        }
        self.device.keep_memory(0)?;
        let names = ["build", "search present", "build, memory kept"];
        for ((name, times), right) in names.into_iter().zip(times).zip(right) {
            rows.push(self.row(name, n, times, right));
        }
        memory.ok_or_else(|| "no round".into())
    }
}
