//! Chaining with a pool of nodes, on the CPU.

use super::contender::Table;
use crate::failure::Failure;
use std::sync::atomic::{AtomicU32, AtomicU64};
use warpproof::simt::cpu::words::Array;
use warpproof::{Answer, Op};
use warpproof_baselines::Chained;

type Indices = Array<AtomicU32, 16>;

/// The memory of a table of chains.
pub(super) struct CpuChained {
    pairs: Array<AtomicU64, 8>,
    next: Indices,
    heads: Indices,
    taken: Indices,
}

impl CpuChained {
    /// An empty table with so many buckets and nodes. Allocates and fills the memory.
    pub(super) fn new(buckets: usize, nodes: usize) -> Result<Self, Failure> {
        let memory = |error| Failure::input(format_args!("no memory for a pool of {nodes} nodes: {error}"));
        Ok(Self {
            pairs: Array::new(nodes, |_| 0).map_err(memory)?,
            next: Array::new(nodes, |_| 0).map_err(memory)?,
            heads: Array::new(buckets.max(1), |_| u32::MAX).map_err(memory)?,
            taken: Array::new(1, |_| 0).map_err(memory)?,
        })
    }
}

impl Table for CpuChained {
    fn run(&self, op: Op, key: u32, value: u32) -> Answer<u32> {
        let Self { pairs, next, heads, taken } = self;
        let table = Chained::new(pairs.words(), next.words(), heads.words(), taken.words());
        match op {
            Op::Delete => Answer::Delete(table.delete(key)),
            Op::Search => Answer::Search(table.search(key)),
            Op::Insert | Op::InsertUnique | Op::Assign => Answer::Insert(table.insert_unique(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dynamic::tests::{does_what_a_map_does, races_add_up};
    use super::*;

    #[test]
    fn one_thread_does_what_a_map_does() {
        does_what_a_map_does(&CpuChained::new(7, 100).unwrap(), 100);
    }

    #[test]
    fn racing_threads_add_up() {
        races_add_up(|keys| CpuChained::new(keys as usize / 3, 1 << 18).unwrap(), false);
    }
}
