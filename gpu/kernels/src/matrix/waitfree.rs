//! Wait-free tables: chains of nodes that never change.

use crate::store::Store;
use warpproof_model::entry::Packed;
use warpproof_model::reclaim::NodePool;
use warpproof_model::slab::Multiplicity;
use warpproof_model::waitfree::{WaitFreeTable, WaitFreeWords};
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: live entries, nodes, and nodes of the longest chain.
pub(crate) const NUMBERS: usize = 3;

/// Exchanges that a call loses before it is announced.
const PATIENCE: u32 = 64;

/// A table of entries in one word each. `stash` is how many nodes a tile takes for itself at once.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    [nodes, requests]: [Store<E::Word>; 2],
    [heads, announcements, stashes]: [Store<u64>; 3],
    [used, retired]: [Store<u32>; 2],
    stash: u32,
    seed: Seed,
) -> WaitFreeTable<E, Store<E::Word>, Store<u64>, NodePool<Store<u32>, Store<u64>>, S>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    let pool = NodePool::new(used, retired, stashes, stash);
    WaitFreeTable::new(WaitFreeWords { nodes, heads, announcements, requests, pool }, PATIENCE, seed)
}
