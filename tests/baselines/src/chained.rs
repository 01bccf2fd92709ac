//! Chaining with a pool of nodes.
//!
//! A bucket is the index of its first node. A node is a pair and the index of the next one; it comes from a
//! counter, is put in front of its chain, and stays there for ever. A deleted pair keeps its node, marked as
//! dead, and an insert of the same key makes it alive again: a chain has one node per key that was ever in
//! it.

use crate::{key_of, pair, value_of};
use warpproof_model::key::{fastrange, mix};
use warpproof_model::outcome::{Delete, Insert, Mixed, Op};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// Set in a pair that is deleted. No key has this bit.
const DEAD: u64 = 1 << 63;

/// A table of chains.
#[derive(Clone, Copy)]
pub struct Chained<N, I> {
    pairs: N,
    next: I,
    heads: I,
    taken: I,
}

impl<N: Words<u64>, I: IntegerWords<u32>> Chained<N, I> {
    /// The end of a chain, which no index of a node equals. All its bits are ones; so are those of empty
    /// heads.
    pub const END: u32 = u32::MAX;

    /// A table in these words: the pairs and the indices of as many nodes, whatever is in them; the heads of
    /// the buckets, all [`Chained::END`] in an empty table; the number of nodes taken, one word.
    #[inline(always)]
    pub const fn new(pairs: N, next: I, heads: I, taken: I) -> Self {
        Self { pairs, next, heads, taken }
    }

    /// Adds a pair whose key is absent. [`Insert::Full`] if the pool has no node left: an insert that loses a
    /// race for its key may have taken one for nothing.
    #[inline(always)]
    pub fn insert_unique(self, key: u32, value: u32) -> Insert {
        let bucket = self.bucket(key);
        let mut mine = None;
        // Acquire: pairs with the Release of the exchange below, here and in the other operations.
        let mut head = self.heads.load(bucket, ReadOrder::Acquire);
        loop {
            if let Some(node) = self.node(key, head) {
                return self.revive(node, key, value);
            }
            let node = match mine {
                Some(node) => node,
                None => {
                    // Relaxed: a pool that is used up stays so.
                    if self.taken.load(0, ReadOrder::Relaxed) as usize >= self.pairs.len() {
                        return Insert::Full;
                    }
                    // Relaxed: each number is given to one insert, and that is all.
                    let node = self.taken.fetch_add(0, 1, Order::Relaxed);
                    if node as usize >= self.pairs.len() {
                        return Insert::Full;
                    }
                    // Relaxed, here and below: published by the exchange.
                    self.pairs.store(node as usize, pair(key, value), WriteOrder::Relaxed);
                    node
                }
            };
            mine = Some(node);
            self.next.store(node as usize, head, WriteOrder::Relaxed);
            // AcqRel: publishes the node to the Acquire of those who read the head; if another was faster,
            // acquires its node, which is looked at again.
            let seen = self.heads.compare_exchange(bucket, head, node, Order::AcqRel);
            if seen == head {
                return Insert::Inserted;
            }
            head = seen;
        }
    }

    /// Takes a key out.
    #[inline(always)]
    pub fn delete(self, key: u32) -> Delete {
        let Some(node) = self.find(key) else { return Delete::Absent };
        // Relaxed: nothing but the word matters.
        let mut seen = self.pairs.load(node, ReadOrder::Relaxed);
        while seen & DEAD == 0 {
            // Relaxed: as above.
            let now = self.pairs.compare_exchange(node, seen, seen | DEAD, Order::Relaxed);
            if now == seen {
                return Delete::Deleted;
            }
            seen = now;
        }
        Delete::Absent
    }

    /// The value of a key.
    #[inline(always)]
    pub fn search(self, key: u32) -> Option<u32> {
        let node = self.find(key)?;
        // Relaxed: nothing but the word matters.
        let seen = self.pairs.load(node, ReadOrder::Relaxed);
        (seen & DEAD == 0).then_some(value_of(seen))
    }

    /// Runs the operation `kind`: a unique insert, a delete or a search. For any other kind it does nothing
    /// and returns the code 254.
    #[inline(always)]
    pub fn mixed(self, op: u8, key: u32, value: u32) -> Mixed<u32> {
        const INSERT: u8 = Op::InsertUnique as u8;
        const DELETE: u8 = Op::Delete as u8;
        const SEARCH: u8 = Op::Search as u8;
        match op {
            INSERT => Mixed { code: self.insert_unique(key, value).code(), value: 0 },
            DELETE => Mixed { code: self.delete(key).code(), value: 0 },
            SEARCH => {
                let found = self.search(key);
                Mixed { code: found.is_some().into(), value: found.unwrap_or(0) }
            }
            _ => Mixed { code: 254, value: 0 },
        }
    }

    #[inline(always)]
    fn bucket(self, key: u32) -> usize {
        fastrange(mix(key), self.heads.len() as u32) as usize
    }

    /// The node of a key, dead or alive.
    #[inline(always)]
    fn find(self, key: u32) -> Option<usize> {
        // Acquire: pairs with the Release of the exchange in `insert_unique`. What was published before is
        // visible too: a warp that put a node in front had acquired the next one.
        self.node(key, self.heads.load(self.bucket(key), ReadOrder::Acquire))
    }

    /// The node of a key, dead or alive, in the chain from `node` on.
    #[inline(always)]
    fn node(self, key: u32, mut node: u32) -> Option<usize> {
        while node != Self::END {
            let at = node as usize;
            // Relaxed, both: the node was acquired with the head; its key and what is next never change.
            if key_of(self.pairs.load(at, ReadOrder::Relaxed) & !DEAD) == key {
                return Some(at);
            }
            node = self.next.load(at, ReadOrder::Relaxed);
        }
        None
    }

    /// Gives a node of this key the value, unless it is alive.
    #[inline(always)]
    fn revive(self, node: usize, key: u32, value: u32) -> Insert {
        // Relaxed: nothing but the word matters.
        let mut seen = self.pairs.load(node, ReadOrder::Relaxed);
        while seen & DEAD != 0 {
            // Relaxed: as above.
            let now = self.pairs.compare_exchange(node, seen, pair(key, value), Order::Relaxed);
            if now == seen {
                return Insert::Inserted;
            }
            seen = now;
        }
        Insert::Present
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::HashMap;
    use std::vec::Vec;
    use warpproof_simt::cpu::words::Array;

    type Indices = Array<core::sync::atomic::AtomicU32, 16>;
    type Pairs = Array<core::sync::atomic::AtomicU64, 8>;

    struct Memory {
        pairs: Pairs,
        next: Indices,
        heads: Indices,
        taken: Indices,
    }

    impl Memory {
        fn new(buckets: usize, nodes: usize) -> Self {
            Self {
                pairs: Pairs::new(nodes, |_| 0).unwrap(),
                next: Indices::new(nodes, |_| 0).unwrap(),
                heads: Indices::new(buckets, |_| u32::MAX).unwrap(),
                taken: Indices::new(1, |_| 0).unwrap(),
            }
        }
        fn table(&self) -> Chained<impl Words<u64>, impl IntegerWords<u32>> {
            Chained::new(self.pairs.words(), self.next.words(), self.heads.words(), self.taken.words())
        }
    }

    #[test]
    fn one_thread_does_what_a_map_does() {
        let memory = Memory::new(3, 40);
        let (table, mut map, mut state) = (memory.table(), HashMap::new(), 7u32);
        for number in 0..20_000 {
            state = mix(state.wrapping_add(0x9e37_79b9));
            let key = state % 40;
            match state >> 8 & 3 {
                0 => {
                    let new = !map.contains_key(&key);
                    map.entry(key).or_insert(number);
                    let said = table.insert_unique(key, number);
                    assert_eq!(said, if new { Insert::Inserted } else { Insert::Present });
                }
                1 => assert_eq!(table.delete(key) == Delete::Deleted, map.remove(&key).is_some()),
                _ => assert_eq!(table.search(key), map.get(&key).copied()),
            }
        }
        // One node per key, ever.
        assert!((0..40).all(|key| table.search(key) == map.get(&key).copied()));
        assert_eq!(table.insert_unique(41, 0), Insert::Full);
    }

    #[test]
    fn of_racing_inserts_one_succeeds_and_every_success_is_deleted_once() {
        const KEYS: u32 = 500;
        let memory = Memory::new(61, 4 * KEYS as usize * 8);
        let table = &memory;
        let count = |threads: u32, f: &(dyn Fn(u32) -> usize + Sync)| -> usize {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..threads).map(|t| scope.spawn(move || f(t))).collect();
                handles.into_iter().map(|handle| handle.join().unwrap()).sum()
            })
        };
        for _ in 0..8 {
            let inserted = count(4, &|t| {
                (0..KEYS).filter(|&k| table.table().insert_unique(k, t) == Insert::Inserted).count()
            });
            assert_eq!(inserted, KEYS as usize);
            assert!((0..KEYS).all(|key| table.table().search(key).is_some_and(|t| t < 4)));
            let deleted =
                count(4, &|_| (0..KEYS).filter(|&k| table.table().delete(k) == Delete::Deleted).count());
            assert_eq!(deleted, KEYS as usize);
            assert!((0..KEYS).all(|key| table.table().search(key).is_none()));
        }
    }
}
