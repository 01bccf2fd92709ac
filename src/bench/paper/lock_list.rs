//! Lists with a lock for each bucket: their size, and a table on the CPU.

use super::contender::Table;
use crate::failure::Failure;
use std::sync::atomic::AtomicU64;
use warpproof::model::UserKey;
use warpproof::model::entry::Pair32;
use warpproof::model::host::Refused;
use warpproof::simt::cpu::warp::CpuWarp;
use warpproof::simt::cpu::words::Array;
use warpproof::{Answer, Delete, Insert, Op, WaitFreeGeometry};
use warpproof_baselines::LockList;

/// Lanes of a warp, and words of a node that each reads: those of the wait-free table on a GPU.
const LANES: usize = 4;
const LANE_WORDS: usize = 2;
/// Words of a node.
const NODE_WORDS: usize = LANES * LANE_WORDS;

/// The size of a table.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    /// Buckets, each with a node.
    pub(super) buckets: u32,
    /// More nodes.
    pub(super) pool: u32,
}

impl Lists {
    /// Room for `keys` keys at a time, whatever they are: as many buckets as a wait-free table of such a load
    /// has, and one more node for every seven keys.
    ///
    /// # Errors
    /// If a wait-free table would be too large.
    pub(super) fn new(keys: u64, load: f64) -> Result<Self, Refused> {
        let of = WaitFreeGeometry::new(keys, load, NODE_WORDS as u32)?;
        // That table counts its nodes in 32 bits, and these are fewer.
        Ok(Self { buckets: of.buckets, pool: keys.div_ceil(of.node_entries().into()) as u32 })
    }
}

/// The memory of a table.
pub(super) struct CpuLockList {
    nodes: Array<AtomicU64, NODE_WORDS>,
    taken: Array<AtomicU64, NODE_WORDS>,
    buckets: u32,
}

impl CpuLockList {
    /// An empty table. Allocates and fills the memory.
    pub(super) fn new(Lists { buckets, pool }: Lists) -> Result<Self, Failure> {
        let nodes = buckets as usize + pool as usize;
        let memory = |error| Failure::input(format_args!("no memory for {nodes} nodes: {error}"));
        Ok(Self {
            nodes: Array::new(nodes * NODE_WORDS, |_| u64::MAX).map_err(memory)?,
            taken: Array::new(1, |_| 0).map_err(memory)?,
            buckets,
        })
    }
}

impl Table for CpuLockList {
    fn run(&self, op: Op, key: u32, value: u32) -> Answer<u32> {
        let Self { nodes, taken, buckets } = self;
        let list = LockList::<Pair32, _, LANE_WORDS>::new(nodes.words(), *buckets, taken.words());
        let mut warp = CpuWarp::<LANES>::new(0);
        let key = UserKey::new(key);
        match op {
            Op::Delete => Answer::Delete(key.map_or(Delete::Absent, |key| list.delete(&mut warp, key))),
            Op::Search => Answer::Search(key.and_then(|key| list.search(&mut warp, key))),
            // A reserved key finds no room.
            Op::Insert | Op::InsertUnique | Op::Assign => {
                Answer::Insert(key.map_or(Insert::Full, |key| list.insert_unique(&mut warp, key, value)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dynamic::tests::{does_what_a_map_does, races_add_up};
    use super::*;

    #[test]
    fn one_thread_does_what_a_map_does() {
        // Chains of several nodes.
        does_what_a_map_does(&CpuLockList::new(Lists::new(100, 5.0).unwrap()).unwrap(), 100);
    }

    #[test]
    fn racing_threads_add_up() {
        races_add_up(|keys| CpuLockList::new(Lists::new(keys.into(), 3.0).unwrap()).unwrap(), false);
    }
}
