//! One point of the dynamic experiment: a workload, and how it is measured on a table.

use super::Row;
use super::contender::Contender;
use super::lock_list::Lists;
use crate::bench::row::Fallible;
use crate::failure::Failure;
use crate::run::account::Account;
use crate::run::phase::timed;
use crate::run::workload::{Mix, Workload};
use std::collections::HashSet;
use warpproof::model::host::Refused;
use warpproof::{HopscotchGeometry, Insert, WaitFreeGeometry};

/// The most operations of a table on the CPU.
pub(super) const MOST_ON_CPU: usize = 10_000_000;
/// Pairs per slot if the whole range is there; about half of it usually is.
pub(super) const LOAD: f64 = 0.8;

/// The workload of a point.
pub(super) struct Point {
    name: &'static str,
    pub(super) work: Workload,
    first: (Vec<u32>, Vec<u32>),
    pub(super) rounds: usize,
}

impl Point {
    pub(super) fn new((name, mix): (&'static str, Mix), range: u32, ops: usize) -> Self {
        let work = Workload::new(mix, range, ops, 1);
        let first = work.prefill();
        let rounds = match ops {
            0..=1_000_000 => 9,
            1_000_001..=MOST_ON_CPU => 3,
            // The answers of one round take seconds to check.
            _ => 1,
        };
        Self { name, work, first, rounds }
    }

    /// Slots for the whole range.
    pub(super) fn slots(&self) -> u32 {
        (self.work.keys as f64 / LOAD).ceil() as u32
    }

    /// Nodes for all inserts, so that none has to wait for one.
    pub(super) fn nodes(&self) -> usize {
        self.first.0.len() + self.work.inserts() as usize
    }

    /// The size of a wait-free table with nodes of so many words, at the load of `bench waitfree`, computed
    /// by `size`.
    pub(super) fn nodes_of(
        &self,
        node_words: u32,
        size: impl Fn(u64, f64, u32) -> Result<WaitFreeGeometry, Refused>,
    ) -> Fallible<WaitFreeGeometry> {
        Ok(size(self.work.keys.into(), WaitFreeGeometry::DEFAULT_LOAD, node_words)?)
    }

    /// The size of lists with locks: as many buckets as the wait-free table has, and nodes enough for the
    /// range.
    pub(super) fn lists(&self) -> Fallible<Lists> {
        Ok(Lists::new(self.work.keys.into(), WaitFreeGeometry::DEFAULT_LOAD)?)
    }

    /// The size of a hopscotch table.
    pub(super) fn geometry(&self) -> Fallible<HopscotchGeometry> {
        Ok(HopscotchGeometry::at_load(self.work.keys as u64, LOAD)?)
    }

    /// Measures a table: its rows by the time of the operations only, and, if there is a name for it, by the
    /// time with the making of the table.
    pub(super) fn measure<C: Contender>(
        &self,
        (name, with_allocation): (&'static str, Option<&'static str>),
        make: impl Fn() -> Fallible<C>,
        rows: &mut Vec<Row>,
    ) -> Result<(), Failure> {
        let (mut alone, mut whole, mut wrong, mut full) = (Vec::new(), Vec::new(), None, 0);
        for _ in 0..self.rounds {
            let round = self.round(&make).map_err(|error| Failure::input(format_args!("{name}: {error}")))?;
            let (made, took, verdict) = round;
            alone.push(took);
            whole.push(made + took);
            match verdict {
                Ok(found) => full = full.max(found),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        let row = |table, times| {
            let (keys, ops) = (self.work.keys as u64, self.work.ops.len() as u64);
            Row::new("dynamic", table, self.name, keys, ops, times).with(full, wrong.clone())
        };
        rows.push(row(name, alone));
        rows.extend(with_allocation.map(|name| row(name, whole)));
        Ok(())
    }

    /// The seconds of making a table and of the operations, and how many inserts found no room, or the error.
    fn round<C: Contender>(
        &self,
        make: impl Fn() -> Fallible<C>,
    ) -> Fallible<(f64, f64, Result<u64, String>)> {
        let (keys, values) = &self.first;
        let mut made = 0.0;
        let mut table = timed(&mut made, make)?;
        let filled = table.fill(keys, values)?;
        let right = |said: &Insert| *said == Insert::Inserted || C::MAY_BE_FULL && *said == Insert::Full;
        if filled.len() != keys.len() || !filled.iter().all(right) {
            return Ok((made, 0.0, Err("an insert of a new key did not say so".into())));
        }
        let none = keys.iter().zip(filled).filter(|(_, said)| *said == Insert::Full).map(|(&key, _)| key);
        let left_out: HashSet<u32> = none.collect();
        let (took, answers) = table.mixed(&self.work)?;
        let verdict = match Account::new(&self.work, &answers, C::MAY_BE_FULL.then_some(&left_out)) {
            Ok(account) => {
                let all: Vec<u32> = (0..self.work.keys).collect();
                account.check_end(&table.search(&all)?).map(|()| account.full() + left_out.len() as u64)
            }
            Err(wrong) => Err(wrong),
        };
        Ok((made, took, verdict))
    }
}
