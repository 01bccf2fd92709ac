//! Wait-free tables: chains of nodes that never change.

use crate::store::{Reserved, Store};
use warpproof_model::entry::Packed;
use warpproof_model::reclaim::NodePool;
use warpproof_model::reserved::WithSlots;
use warpproof_model::slab::Multiplicity;
use warpproof_model::waitfree::{WaitFreeTable, WaitFreeWords};
use warpproof_model::{Seed, Words};

/// Numbers that `stats` adds up: live entries, nodes, and nodes of the longest chain.
pub(crate) const NUMBERS: usize = 3;

/// How many exchanges a call may lose before it is announced.
const PATIENCE: u32 = 64;

/// The pool of the nodes.
type Nodes = NodePool<Store<u32>, Store<u64>>;

/// A table of entries in one word each. `stash` is how many nodes a tile allocates for itself at once.
#[inline(always)]
pub(crate) fn packed<E: Packed, M: Multiplicity, const S: usize>(
    (nodes, reserved): (Store<E::Word>, Reserved<E>),
    requests: Store<E::Word>,
    [heads, announcements, stashes]: [Store<u64>; 3],
    [used, retired]: [Store<u32>; 2],
    stash: u32,
    seed: Seed,
) -> WithSlots<WaitFreeTable<E, Store<E::Word>, Store<u64>, Nodes, S>, Reserved<E>>
where
    Store<E::Word>: Words<E::Word>,
{
    const { assert!(!M::MULTI, "this structure has no multimaps") };
    let pool = NodePool::new(used, retired, stashes, stash);
    let words = WaitFreeWords { nodes, heads, announcements, requests, pool };
    WithSlots::new(WaitFreeTable::new(words, PATIENCE, seed), reserved)
}
