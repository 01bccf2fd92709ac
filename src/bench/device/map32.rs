//! What is measured on a map of u32 pairs alone: the floors of random access, and mixed batches.

use super::{Bench, Fallible, POISON};
use crate::backend::geometry;
use crate::bench::{Row, key};
use crate::run::account::Account;
use crate::run::workload::{Mix, Workload};
use warpproof::gpu::{Floors, SlabMap};
use warpproof::model::host::Answer;
use warpproof::model::outcome::Mixed;
use warpproof::{BulkMap, Op};

/// Operations of a mix.
const MOST_OPERATIONS: usize = 1 << 26;

impl Bench<'_> {
    /// Random access without a protocol, in as many buckets as the table has.
    pub(super) fn floors(&self, rounds: usize, rows: &mut Vec<Row>) -> Fallible<()> {
        let n = self.size as usize;
        let present: Vec<u32> = (0..self.size).map(key).collect();
        let keys = self.stream.clone_htod(&present)?;
        let values = self.stream.clone_htod(&present)?;
        let mut found = self.poisoned(u32::from_ne_bytes([POISON; 4]), n)?;
        let geometry = geometry(n as u64, n as u64, self.load).map_err(|_| "the table would be too large")?;
        let mut times: [Vec<f64>; 3] = Default::default();
        let mut right = true;
        for round in 0..=rounds {
            // All slots are empty again: every exchange writes.
            let floors = Floors::new(self.device, geometry.buckets)?;
            let took = [
                self.time(|| floors.find(&self.stream, &keys, &mut found))?,
                self.time(|| floors.insert(&self.stream, &keys, &values))?,
                {
                    let floors = Floors::new(self.device, geometry.buckets)?;
                    self.time(|| floors.bucket(&self.stream, &keys, &values))?
                },
            ];
            right &= self.stream.clone_dtoh(&found)?.iter().all(|&value| value == u32::MAX);
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
    pub(super) fn mix(
        &self,
        name: &'static str,
        mix: Mix,
        rounds: usize,
        rows: &mut Vec<Row>,
    ) -> Fallible<()> {
        let ops = MOST_OPERATIONS.min(self.size.max(1 << 20) as usize);
        let work = Workload::new(mix, self.size, ops, 1);
        let codes: Vec<u8> = work.ops.iter().map(|&op| op as u8).collect();
        let (codes, keys) = (self.stream.clone_htod(&codes)?, self.stream.clone_htod(&work.op_keys)?);
        let values = self.stream.clone_htod(&work.op_values)?;
        let (first, stored) = work.prefill();
        let (first, stored) = (self.stream.clone_htod(&first)?, self.stream.clone_htod(&stored)?);
        let all: Vec<u32> = (0..self.size).collect();
        let total = first.len() as u64 + work.inserts();
        let geometry =
            geometry(self.size as u64, total, self.load).map_err(|_| "the table would be too large")?;
        let mut map = SlabMap::<u32, u32>::with_geometry(self.device, geometry)?;
        let (mut times, mut right) = (Vec::new(), true);
        for round in 0..=rounds {
            map.clear(&self.stream)?;
            let mut filled = self.poisoned(POISON, first.len())?;
            let (mut outcomes, mut found) = (self.poisoned(POISON, ops)?, self.poisoned(0u32, ops)?);
            let on = map.on(&self.stream);
            on.insert_unique(&first, &stored, &mut filled)?;
            let took = self.time(|| on.mixed(&codes, &keys, &values, &mut outcomes, &mut found))?;
            if round > 0 {
                times.push(took);
            }
            let (outcomes, found) = (self.stream.clone_dtoh(&outcomes)?, self.stream.clone_dtoh(&found)?);
            right &= self.adds_up(&work, &map, &all, &outcomes, &found)?;
        }
        rows.push(self.row(name, ops, times, right));
        Ok(())
    }

    /// Whether the answers of a mix explain what is in the table afterwards.
    fn adds_up(
        &self,
        work: &Workload,
        map: &SlabMap<u32, u32>,
        all: &[u32],
        outcomes: &[u8],
        found: &[u32],
    ) -> Fallible<bool> {
        let answer = |(i, &op): (usize, &Op)| Answer::new(op, Mixed { code: outcomes[i], value: found[i] });
        let answers: Option<Vec<Answer<u32>>> = work.ops.iter().enumerate().map(answer).collect();
        let Some(answers) = answers else { return Ok(false) };
        let Ok(account) = Account::of(work, &answers) else { return Ok(false) };
        Ok(map.len()? == account.len() && account.check_end(&map.search(all)?).is_ok())
    }
}
