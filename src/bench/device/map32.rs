//! What is measured on a map of u32 pairs alone: the floors of random access, and mixed batches.

use super::subject::Mixable;
use super::{Bench, Fallible};
use crate::backend::geometry;
use crate::bench::memory::Memory;
use crate::bench::timed::{Answers, Batch, POISON};
use crate::bench::{Row, key};
use crate::run::account::Account;
use crate::run::workload::{Mix, Workload};
use std::collections::HashSet;
use warpproof::gpu::bench::Floors;
use warpproof::{Answer, BulkMap, BulkTable};

/// Operations of a mix.
const MOST_OPERATIONS: usize = 1 << 26;

impl Bench<'_> {
    /// Random access without a protocol, in as many buckets as the table has.
    pub(super) fn floors(&self, rounds: usize, rows: &mut Vec<Row>) -> Fallible<()> {
        let (n, timed, stream) = (self.size as usize, &self.timed, &self.timed.stream);
        let present: Vec<u32> = (0..self.size).map(key).collect();
        let keys = stream.clone_htod(&present)?;
        let values = stream.clone_htod(&present)?;
        let mut found = timed.poisoned(u32::from_ne_bytes([POISON; 4]), n)?;
        let geometry = geometry(n as u64, n as u64, self.load).map_err(|_| "the table would be too large")?;
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut right = true;
        for round in 0..=rounds {
            // All slots are empty again: every exchange writes.
            let floors = Floors::new(self.device, geometry.buckets)?;
            let took = [
                timed.time(|| floors.find(stream, &keys, &mut found))?,
                timed.time(|| floors.insert(stream, &keys, &values))?,
                {
                    let floors = Floors::new(self.device, geometry.buckets)?;
                    timed.time(|| floors.bucket(stream, &keys, &values))?
                },
            ];
            right &= stream.clone_dtoh(&found)?.iter().all(|&value| value == u32::MAX);
            if round > 0 {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
            }
        }
        let names = ["floor: find", "floor: insert", "floor: look, insert"];
        for (name, times) in names.into_iter().zip(times) {
            rows.push(self.row(name, n, times, right));
        }
        Ok(())
    }

    /// A mix on a key range of this size, half of it inserted before.
    pub(super) fn mix<T: Mixable>(
        &self,
        (name, mix): (&'static str, Mix),
        rounds: usize,
        rows: &mut Vec<Row>,
        memory: &mut Memory,
    ) -> Fallible<()> {
        let ops = MOST_OPERATIONS.min(self.size.max(1 << 20) as usize);
        let work = Workload::new(mix, self.size, ops, 1);
        let (timed, stream) = (&self.timed, &self.timed.stream);
        let batch = Batch::new(timed, &work.ops, &work.op_keys, &work.op_values)?;
        let (first, stored) = work.prefill();
        let (on_first, stored) = (stream.clone_htod(&first)?, stream.clone_htod(&stored)?);
        let all: Vec<u32> = (0..self.size).collect();
        let total = first.len() as u64 + work.inserts();
        let size = T::size(self.size as u64, total, self.load, self.tuning)
            .map_err(|_| "the table would be too large")?;
        let mut map = T::new(self.device, size, self.tuning)?;
        let (mut times, mut right) = (Vec::new(), true);
        for round in 0..=rounds {
            map.clear_on(stream)?;
            let (mut filled, mut answers) = (timed.poisoned(POISON, first.len())?, Answers::new(timed, ops)?);
            map.insert(stream, &on_first, &stored, &mut filled)?;
            let took = timed.time(|| map.run(stream, &batch, &mut answers))?;
            if round > 0 {
                times.push(took);
            }
            let filled = self.stored::<T>(&filled)?;
            right &= filled.iter().all(Option::is_some);
            let left_out: HashSet<u32> = first
                .iter()
                .zip(filled)
                .filter(|(_, stored)| *stored == Some(false))
                .map(|(key, _)| *key)
                .collect();
            let may_be_left_out = T::MAY_BE_FULL.then_some(&left_out);
            let full = match answers.read(timed, &work.ops)? {
                Some(answers) => adds_up(&work, &map, &all, &answers, may_be_left_out)?,
                None => None,
            };
            match full {
                Some(full) => memory.left_out(name, full + left_out.len() as u64),
                None => right = false,
            }
        }
        rows.push(self.row(name, ops, times, right));
        Ok(())
    }
}

/// Whether the answers of a mix explain what is in the table afterwards; if so, how many inserts found no room.
fn adds_up<T: Mixable>(
    work: &Workload,
    map: &T,
    all: &[u32],
    answers: &[Answer<u32>],
    left_out: Option<&HashSet<u32>>,
) -> Fallible<Option<u64>> {
    let Ok(account) = Account::new(work, answers, left_out) else { return Ok(None) };
    let right =
        BulkTable::len(map)? == account.len() && account.check_end(&BulkMap::search(map, all)?).is_ok();
    Ok(right.then_some(account.full()))
}
