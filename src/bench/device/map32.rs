//! Measurements only for maps of u32 pairs: the floors of random access, and mixed batches.

use super::Bench;
use super::calls::{Calls, Entries};
use crate::bench::keys::key;
use crate::bench::memory::Memory;
use crate::bench::row::{FLOORS, Fallible, MIXES, Row};
use crate::bench::timed::{Answers, Batch};
use crate::registry::room::Room;
use crate::run::account::Account;
use crate::run::workload::{Mix, Workload};
use rayon::prelude::*;
use std::collections::HashSet;
use warpproof::gpu::bench::Floors;
use warpproof::gpu::structures::Holds;
use warpproof::gpu::{Device, Error, Map, Tuning};
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::{Answer, BulkMap, BulkTable, SlabGeometry};

/// Operations of a mix.
const MOST_OPERATIONS: usize = 1 << 26;

impl Bench<'_> {
    /// The floors and the mixes that are asked for.
    pub(crate) fn map32<S: Holds<(u32, u32)>>(
        &self,
        make: &impl Fn(&Device, Room, Tuning) -> Result<Map<u32, u32, S>, Error>,
        calls: &Calls<Map<u32, u32, S>, u32, u32>,
        rows: &mut Vec<Row>,
        memory: &mut Memory,
    ) -> Fallible<()> {
        self.floors(rows)?;
        let mut asked = MIXES.into_iter().filter(|(name, _)| self.measures(&[*name]));
        asked.try_for_each(|mix| self.mix(make, calls, mix, rows, memory))
    }

    /// Random access without a protocol, in as many buckets as the table has.
    fn floors(&self, rows: &mut Vec<Row>) -> Fallible<()> {
        if !self.measures(&FLOORS) {
            return Ok(());
        }
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let present: Vec<u32> = (0..self.size).into_par_iter().map(key).collect();
        let keys = stream.clone_htod(&present)?;
        let values = stream.clone_htod(&present)?;
        let mut found = timed.poisoned(n)?;
        let geometry = SlabGeometry::new(n as u64, self.load, SLAB_SLOTS as u32)?;
        let [mut find, mut insert, mut look] = FLOORS.map(|name| self.series(name, n));
        let mut said = Vec::new();
        for round in 0..=self.rounds {
            // All slots are empty again, so every exchange writes.
            let floors = Floors::new(self.device, geometry.buckets)?;
            if find.asked {
                let took = timed.time(|| floors.find(stream, &keys, &mut found))?;
                let found = timed.read(&found.as_view(), &mut said)?;
                find.add(round, took, found.par_iter().all(|&value| value == u32::MAX));
            }
            if insert.asked {
                insert.add(round, timed.time(|| floors.insert(stream, &keys, &values))?, true);
            }
            if look.asked {
                let floors = Floors::new(self.device, geometry.buckets)?;
                look.add(round, timed.time(|| floors.bucket(stream, &keys, &values))?, true);
            }
        }
        self.report([find, insert, look], rows);
        Ok(())
    }

    /// A mix on so many keys. Half of them are inserted before.
    fn mix<S: Holds<(u32, u32)>>(
        &self,
        make: &impl Fn(&Device, Room, Tuning) -> Result<Map<u32, u32, S>, Error>,
        calls: &Calls<Map<u32, u32, S>, u32, u32>,
        (name, mix): (&'static str, Mix),
        rows: &mut Vec<Row>,
        memory: &mut Memory,
    ) -> Fallible<()> {
        let ops = MOST_OPERATIONS.min(self.size.max(1 << 20) as usize);
        let work = Workload::new(mix, self.keys, ops, 1);
        let (timed, stream) = (&self.timed, &self.timed.stream);
        let batch = Batch::new(timed, &work.ops, &work.op_keys, &work.op_values)?;
        let (first, stored) = work.prefill();
        let prefill = Entries::new(stream, first, stored)?;
        let first = &prefill.keys;
        let all: Vec<u32> = (0..self.keys).collect();
        let (expected, total) = (self.keys.into(), first.len() as u64 + work.inserts());
        let mut map = make(self.device, self.rooms.room(expected, total, self.load), self.tuning)?;
        let mut series = self.series(name, ops);
        for round in 0..=self.rounds {
            (calls.clear)(&mut map, stream)?;
            let (mut filled, mut answers) = (timed.poisoned(first.len())?, Answers::new(timed, ops)?);
            (calls.insert)(&map, stream, &prefill, &mut filled)?;
            let took = timed.time(|| batch.run(&map.on_stream(stream), &mut answers))?;
            let filled = self.stored(&filled)?;
            let left_out = first.par_iter().zip(&filled).filter(|(_, stored)| **stored == Some(false));
            let left_out: HashSet<u32> = left_out.map(|(key, _)| *key).collect();
            let may_be_left_out = self.rooms.capacity.may_be_full.then_some(&left_out);
            let full = match answers.read(timed, &work.ops)? {
                Some(answers) => adds_up(&work, &map, &all, &answers, may_be_left_out)?,
                None => None,
            };
            series.add(round, took, full.is_some() && filled.iter().all(Option::is_some));
            if let Some(full) = full {
                memory.left_out(name, full + left_out.len() as u64);
            }
        }
        self.report([series], rows);
        if let Some(row) = rows.last_mut() {
            row.size = self.keys;
        }
        Ok(())
    }
}

/// Whether the answers of a mix explain the content of the table afterwards; if so, how many inserts found no
/// room.
fn adds_up<S: Holds<(u32, u32)>>(
    work: &Workload,
    map: &Map<u32, u32, S>,
    all: &[u32],
    answers: &[Answer<u32>],
    left_out: Option<&HashSet<u32>>,
) -> Fallible<Option<u64>> {
    let Ok(account) = Account::new(work, answers, left_out) else { return Ok(None) };
    let right =
        BulkTable::len(map)? == account.len() && account.check_end(&BulkMap::search(map, all)?).is_ok();
    Ok(right.then_some(account.full()))
}
