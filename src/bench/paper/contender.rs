//! The tables of the dynamic experiment, and how they are run.

use crate::bench::row::Fallible;
use crate::run::phase::timed;
use crate::run::workload::Workload;
use rayon::prelude::*;
use warpproof::{Answer, BulkMap, Insert, Op};

/// A concurrent map that takes one operation at a time.
pub(super) trait Table: Sync {
    /// Runs an operation. Every kind of insert is a unique one.
    fn run(&self, op: Op, key: u32, value: u32) -> Answer<u32>;
}

/// A table of the experiment.
pub(super) trait Contender: Sized {
    /// Whether an insert may find no room.
    const MAY_BE_FULL: bool;

    /// Adds pairs.
    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>>;
    /// The seconds of the operations, and their answers.
    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)>;
    /// The values of keys.
    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>>;
}

/// A table of the library.
pub(super) struct Bulk<M>(pub(super) M);

impl<M: BulkMap<u32, u32, Error: 'static>> Contender for Bulk<M> {
    const MAY_BE_FULL: bool = true;

    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        Ok(self.0.insert_unique(keys, values)?.into_vec())
    }

    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)> {
        let mut seconds = 0.0;
        let answers = timed(&mut seconds, || self.0.mixed(&work.ops, &work.op_keys, &work.op_values))?;
        Ok((seconds, answers.into_vec()))
    }

    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        Ok(self.0.search(keys)?)
    }
}

/// A table that takes one operation at a time; all threads call it.
pub(super) struct Single<T, const MAY_BE_FULL: bool>(pub(super) T);

impl<T: Table, const MAY_BE_FULL: bool> Single<T, MAY_BE_FULL> {
    /// Operations that a thread takes at once.
    const SHARE: usize = 1024;

    fn all(&self, len: usize, operation: impl Fn(usize) -> (Op, u32, u32) + Sync) -> Vec<Answer<u32>> {
        let run = |i| {
            let (op, key, value) = operation(i);
            self.0.run(op, key, value)
        };
        (0..len).into_par_iter().with_min_len(Self::SHARE).map(run).collect()
    }
}

impl<T: Table, const MAY_BE_FULL: bool> Contender for Single<T, MAY_BE_FULL> {
    const MAY_BE_FULL: bool = MAY_BE_FULL;

    fn fill(&mut self, keys: &[u32], values: &[u32]) -> Fallible<Vec<Insert>> {
        let answers = self.all(keys.len(), |i| (Op::InsertUnique, keys[i], values[i]));
        let insert = |answer| if let Answer::Insert(said) = answer { Some(said) } else { None };
        Ok(answers.into_iter().filter_map(insert).collect())
    }

    fn mixed(&mut self, work: &Workload) -> Fallible<(f64, Vec<Answer<u32>>)> {
        let mut seconds = 0.0;
        let operation = |i: usize| (work.ops[i], work.op_keys[i], work.op_values[i]);
        let answers = timed(&mut seconds, || self.all(work.ops.len(), operation));
        Ok((seconds, answers))
    }

    fn search(&mut self, keys: &[u32]) -> Fallible<Vec<Option<u32>>> {
        let answers = self.all(keys.len(), |i| (Op::Search, keys[i], 0));
        let value = |answer| if let Answer::Search(value) = answer { Some(value) } else { None };
        Ok(answers.into_iter().filter_map(value).collect())
    }
}
