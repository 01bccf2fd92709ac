//! Chains of nodes with a lock for each bucket.
//!
//! A node is what a warp reads at once: `W::LANES * S` words, the last one its link. Each bucket has its
//! first node in place, so a search of a short chain is one read. Further nodes come from a counter and stay
//! in their chain for ever. An update holds the lock of its bucket: it walks the chain, changes one word of a
//! node, and unlocks. A search takes no lock. A key stays in its word from its insert to its delete, so a
//! search that reads each word of the chain once finds a key that is there all the time.

use core::marker::PhantomData;
use warpproof_model::entry::Packed;
use warpproof_model::outcome::{Delete, Insert, Mixed, Op};
use warpproof_model::{IntegerWords, Key, Order, ReadOrder, Seed, UserKey, Warp, Word, WriteOrder};

/// The seed of all tables.
const SEED: Seed = Seed::new(1);

/// Set in the link of a bucket's first node while no thread has the bucket's lock.
const FREE: u64 = 1 << 63;
/// The low half of the link of a chain's last node: no number of a node.
const END: u32 = u32::MAX;

/// A list for each bucket, of entries in one word each.
#[derive(Clone, Copy)]
pub struct LockList<E, N, const S: usize> {
    nodes: N,
    taken: N,
    buckets: u32,
    entry: PhantomData<E>,
}

/// A word that was found: the lane that read it, and where it is and what it held in that lane.
struct Place<W: Warp> {
    lane: u32,
    hits: W::Lanes<(usize, u64)>,
}

impl<E: Packed<Word = u64>, N: IntegerWords<u64>, const S: usize> LockList<E, N, S> {
    /// A table in these words: the first nodes of so many buckets, at least one, then those of the pool; and
    /// the number of nodes taken from the pool, one word. In an empty table all words of nodes are all ones,
    /// and the number is zero.
    #[inline(always)]
    pub const fn new(nodes: N, buckets: u32, taken: N) -> Self {
        Self { nodes, taken, buckets, entry: PhantomData }
    }

    /// Adds an entry whose key is absent. [`Insert::Full`] if the chain has no room and the pool no node.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        let bucket = self.bucket(key);
        let link = self.lock(w, bucket);
        let (said, link) = self.put(w, (bucket, link), key.get(), E::pack(key.get(), value));
        self.unlock(w, bucket, link);
        said
    }

    /// Takes a key out.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let bucket = self.bucket(key);
        let link = self.lock(w, bucket);
        let said = match self.find(w, bucket, key.get(), true) {
            Some(place) => {
                self.write(w, place, E::EMPTY);
                Delete::Deleted
            }
            None => Delete::Absent,
        };
        self.unlock(w, bucket, link);
        said
    }

    /// The value of a key.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        let place = self.find(w, self.bucket(key), key.get(), false)?;
        let values = w.map(place.hits, |_, (_, word)| E::value(word));
        Some(w.shfl(values, place.lane))
    }

    /// Whether a key is there.
    #[inline(always)]
    pub fn contains<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> bool {
        self.find(w, self.bucket(key), key.get(), false).is_some()
    }

    /// Runs the operation `kind`: a unique insert, a delete or a search. For any other kind it does nothing
    /// and returns the code 254.
    #[inline(always)]
    pub fn mixed<W: Warp>(self, w: &mut W, op: u8, key: UserKey<E::Key>, value: E::Value) -> Mixed<E::Value> {
        const INSERT: u8 = Op::InsertUnique as u8;
        const DELETE: u8 = Op::Delete as u8;
        const SEARCH: u8 = Op::Search as u8;
        match op {
            INSERT => Mixed { code: self.insert_unique(w, key, value).code(), value: E::Value::ZERO },
            DELETE => Mixed { code: self.delete(w, key).code(), value: E::Value::ZERO },
            SEARCH => {
                let found = self.search(w, key);
                Mixed { code: found.is_some().into(), value: found.unwrap_or(E::Value::ZERO) }
            }
            _ => Mixed { code: 254, value: E::Value::ZERO },
        }
    }

    #[inline(always)]
    fn bucket(self, key: UserKey<E::Key>) -> u32 {
        key.get().hash(SEED).digit(self.buckets)
    }

    /// Waits for the lock of a bucket and takes it, by the lane that reads its word. Returns the link of the
    /// first node.
    #[inline(always)]
    fn lock<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        let (lane, at) = (W::LANES - 1, Self::link_at::<W>(bucket));
        loop {
            // Acquire: pairs with the Release of `unlock`. The chain is as its last holder left it. An
            // exchange would have to know the link; this tells it.
            let link = w.elect(lane, || self.nodes.fetch_and(at, !FREE, Order::Acquire));
            if link & FREE != 0 {
                w.sync();
                return link as u32;
            }
            // Relaxed: a thread that relies on it tries to take the lock afterwards.
            while w.elect(lane, || self.nodes.load(at, ReadOrder::Relaxed)) & FREE == 0 {
                w.pause();
            }
        }
    }

    /// Gives back the lock of a bucket, and sets the link of its first node to `link`.
    #[inline(always)]
    fn unlock<W: Warp>(self, w: &mut W, bucket: u32, link: u32) {
        w.sync();
        let (at, free) = (Self::link_at::<W>(bucket), FREE | link as u64);
        // Release: pairs with the Acquire of `lock`, and with that of `find` where the link is new.
        w.elect(W::LANES - 1, || self.nodes.store(at, free, WriteOrder::Release));
    }

    /// Adds the word of an entry under the lock. The first node of the bucket has the link `link`; returns
    /// the link that it is to have after that.
    #[inline(always)]
    fn put<W: Warp>(self, w: &mut W, (bucket, link): (u32, u32), key: E::Key, word: u64) -> (Insert, u32) {
        let (mut last, mut room) = (bucket, None);
        loop {
            let row = self.read(w, last);
            if Self::first(w, last, row, |seen| E::key(seen) == key).is_some() {
                return (Insert::Present, link);
            }
            if room.is_none() {
                room = Self::first(w, last, row, |seen| seen == E::EMPTY);
            }
            match Self::link(w, row) {
                END => break,
                next => last = next,
            }
        }
        if let Some(place) = room {
            self.write(w, place, word);
            return (Insert::Inserted, link);
        }
        let Some(node) = self.take(w) else { return (Insert::Full, link) };
        // Relaxed: published with the link.
        w.elect(0, || self.nodes.store(Self::at(W::LANES, node), word, WriteOrder::Relaxed));
        if last == bucket {
            return (Insert::Inserted, node);
        }
        w.sync();
        let at = Self::link_at::<W>(last);
        // Release: pairs with the Acquire of `find`.
        w.elect(W::LANES - 1, || self.nodes.store(at, node as u64, WriteOrder::Release));
        (Insert::Inserted, link)
    }

    /// The entry of a key in the chain from a node on. A thread without the lock follows the links from node
    /// to node alone.
    #[inline(always)]
    fn find<W: Warp>(self, w: &mut W, mut node: u32, key: E::Key, locked: bool) -> Option<Place<W>> {
        loop {
            let row = self.read(w, node);
            let found = Self::first(w, node, row, |seen| E::key(seen) == key);
            if found.is_some() {
                return found;
            }
            node = match Self::link(w, row) {
                END => return None,
                next => next,
            };
            if !locked {
                // Acquire: pairs with the Release of the link, in `put` or `unlock`.
                w.fence_acquire();
            }
        }
    }

    /// All lanes read a node.
    #[inline(always)]
    fn read<W: Warp>(self, w: &mut W, node: u32) -> W::Lanes<[u64; S]> {
        let base = node as usize * W::LANES as usize;
        // Relaxed: each word is an entry by itself. Of the next node see `find`.
        w.each(|lane| self.nodes.load_row::<S>(base + lane as usize, ReadOrder::Relaxed))
    }

    /// Writes a word that was found, under the lock.
    #[inline(always)]
    fn write<W: Warp>(self, w: &mut W, place: Place<W>, word: u64) {
        // Relaxed: one word; the next holder of the lock sees it by `unlock`.
        w.elect_with(place.lane, place.hits, |(at, _)| self.nodes.store(at, word, WriteOrder::Relaxed));
    }

    /// The link of a node as read.
    #[inline(always)]
    fn link<W: Warp>(w: &mut W, row: W::Lanes<[u64; S]>) -> u32 {
        let links = w.map(row, |_, words: [u64; S]| words[S - 1] as u32);
        w.shfl(links, W::LANES - 1)
    }

    /// The lowest word but the link, of a node as read, that is `wanted`.
    #[inline(always)]
    fn first<W: Warp>(
        w: &mut W,
        node: u32,
        row: W::Lanes<[u64; S]>,
        wanted: impl Fn(u64) -> bool,
    ) -> Option<Place<W>> {
        let base = Self::at(W::LANES, node);
        let hits = w.map(row, |lane, words: [u64; S]| {
            let mut hit = (S, words[S - 1]);
            for (i, &word) in words.iter().enumerate().rev() {
                let is_link = (i == S - 1) & (lane == W::LANES - 1);
                if !is_link & wanted(word) {
                    hit = (i, word);
                }
            }
            hit
        });
        let votes = w.map(hits, |_, (i, _)| i < S);
        let lane = w.ballot(votes).ffs()?;
        let hits = w.map(hits, |lane, (i, word)| (base + lane as usize * S + i, word));
        Some(Place { lane, hits })
    }

    /// A node of the pool, if there is one.
    #[inline(always)]
    fn take<W: Warp>(self, w: &mut W) -> Option<u32> {
        let all = self.nodes.len() / (W::LANES as usize * S);
        let pool = (all as u64).saturating_sub(self.buckets as u64);
        let number = w.elect(0, || {
            // Relaxed: a pool that is used up stays so.
            if self.taken.load(0, ReadOrder::Relaxed) >= pool {
                return pool;
            }
            // Relaxed: each number is given to one insert, and that is all.
            self.taken.fetch_add(0, 1, Order::Relaxed)
        });
        (number < pool).then_some(self.buckets + number as u32)
    }

    /// Index of the first word of a node.
    #[inline(always)]
    const fn at(lanes: u32, node: u32) -> usize {
        node as usize * (lanes as usize * S)
    }

    /// Index of the link of a node.
    #[inline(always)]
    const fn link_at<W: Warp>(node: u32) -> usize {
        Self::at(W::LANES, node) + (W::LANES as usize * S - 1)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use core::sync::atomic::AtomicU64;
    use std::collections::HashMap;
    use std::vec::Vec;
    use warpproof_model::Words;
    use warpproof_model::entry::{Key64, Pair32};
    use warpproof_model::key::mix;
    use warpproof_simt::cpu::warp::CpuWarp;
    use warpproof_simt::cpu::words::{Array, CpuWords};

    type Nodes = Array<AtomicU64, 8>;

    struct Memory {
        nodes: Nodes,
        taken: Nodes,
        buckets: u32,
    }

    impl Memory {
        fn new(buckets: u32, pool: u32) -> Self {
            let nodes = Nodes::new((buckets + pool) as usize * 8, |_| u64::MAX).unwrap();
            Self { nodes, taken: Nodes::new(1, |_| 0).unwrap(), buckets }
        }
        fn table<E: Packed<Word = u64>>(&self) -> LockList<E, CpuWords<'_, AtomicU64, 8>, 2> {
            LockList::new(self.nodes.words(), self.buckets, self.taken.words())
        }
    }

    fn warp() -> CpuWarp<4> {
        CpuWarp::new(0)
    }

    /// Key number `i`: some have the same low half.
    fn key(i: u32) -> UserKey<u64> {
        UserKey::new((i as u64 / 2) | (i as u64 % 2) << 40).unwrap()
    }

    #[test]
    fn one_thread_does_what_a_map_does() {
        // 40 keys in 2 nodes: 14 in place, and what is left in 3 chains of the pool's nodes at most.
        let memory = Memory::new(2, 5);
        let (table, mut w) = (memory.table::<Pair32>(), warp());
        let (mut map, mut state) = (HashMap::new(), 7u32);
        for number in 0..20_000 {
            state = mix(state.wrapping_add(0x9e37_79b9));
            let key = state % 40;
            let user = UserKey::new(key).unwrap();
            match state >> 8 & 3 {
                0 => {
                    let new = !map.contains_key(&key);
                    map.entry(key).or_insert(number);
                    let said = table.insert_unique(&mut w, user, number);
                    assert_eq!(said, if new { Insert::Inserted } else { Insert::Present });
                }
                1 => assert_eq!(table.delete(&mut w, user) == Delete::Deleted, map.remove(&key).is_some()),
                _ => assert_eq!(table.search(&mut w, user), map.get(&key).copied()),
            }
        }
        assert!(
            (0..40).all(|key| table.search(&mut w, UserKey::new(key).unwrap()) == map.get(&key).copied())
        );
    }

    #[test]
    fn a_pool_that_is_used_up_is_full_and_a_deleted_key_makes_room() {
        let memory = Memory::new(1, 2);
        let (table, mut w) = (memory.table::<Key64>(), warp());
        // Three nodes of seven.
        assert!((0..21).all(|i| table.insert_unique(&mut w, key(i), ()) == Insert::Inserted));
        for _ in 0..2 {
            assert_eq!(table.insert_unique(&mut w, key(21), ()), Insert::Full);
            assert!(!table.contains(&mut w, key(21)));
        }
        assert_eq!(table.insert_unique(&mut w, key(3), ()), Insert::Present);
        assert!((0..21).all(|i| table.contains(&mut w, key(i))));
        assert_eq!(table.delete(&mut w, key(5)), Delete::Deleted);
        assert_eq!(table.delete(&mut w, key(5)), Delete::Absent);
        assert_eq!(table.insert_unique(&mut w, key(21), ()), Insert::Inserted);
        assert!((0..22).all(|i| table.contains(&mut w, key(i)) == (i != 5)));
        // The lock of the bucket is free again, after every outcome.
        let link = memory.nodes.words().load(7, ReadOrder::Relaxed);
        assert_eq!(link, FREE | 1);
    }

    #[test]
    fn a_mixed_operation_is_the_one_of_its_code() {
        let memory = Memory::new(3, 3);
        let (table, mut w) = (memory.table::<Pair32>(), warp());
        let key = UserKey::new(9).unwrap();
        let mut run = |op: u8| {
            let Mixed { code, value } = table.mixed(&mut w, op, key, 4);
            (code, value)
        };
        assert_eq!(run(Op::Search as u8), (0, 0));
        assert_eq!(run(Op::InsertUnique as u8), (Insert::Inserted.code(), 0));
        assert_eq!(run(Op::InsertUnique as u8), (Insert::Present.code(), 0));
        assert_eq!(run(Op::Search as u8), (1, 4));
        assert_eq!(run(Op::Delete as u8), (Delete::Deleted.code(), 0));
        assert_eq!(run(Op::Delete as u8), (Delete::Absent.code(), 0));
        assert_eq!(run(77), (254, 0));
    }

    #[test]
    fn of_racing_inserts_one_succeeds_and_every_success_is_deleted_once() {
        const KEYS: u32 = 500;
        // Chains of nine nodes or so: links are made while others walk.
        let memory = Memory::new(8, KEYS / 7 + 1);
        let count = |threads: u32, f: &(dyn Fn(u32) -> usize + Sync)| -> usize {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..threads).map(|t| scope.spawn(move || f(t))).collect();
                handles.into_iter().map(|handle| handle.join().unwrap()).sum()
            })
        };
        let table = &memory;
        // Key 500 is present all the time, after keys that come and go.
        assert_eq!(memory.table::<Key64>().insert_unique(&mut warp(), key(KEYS), ()), Insert::Inserted);
        for _ in 0..8 {
            let inserted = count(4, &|_| {
                let (list, mut w) = (table.table::<Key64>(), warp());
                let mut insert = |k| {
                    assert!(list.contains(&mut w, key(KEYS)));
                    list.insert_unique(&mut w, key(k), ()) == Insert::Inserted
                };
                (0..KEYS).filter(|&k| insert(k)).count()
            });
            assert_eq!(inserted, KEYS as usize);
            assert!((0..KEYS).all(|k| memory.table::<Key64>().contains(&mut warp(), key(k))));
            let deleted = count(4, &|_| {
                let (list, mut w) = (table.table::<Key64>(), warp());
                let mut delete = |k| {
                    assert!(list.contains(&mut w, key(KEYS)));
                    list.delete(&mut w, key(k)) == Delete::Deleted
                };
                (0..KEYS).filter(|&k| delete(k)).count()
            });
            assert_eq!(deleted, KEYS as usize);
            assert!((0..KEYS).all(|k| !memory.table::<Key64>().contains(&mut warp(), key(k))));
        }
    }

    #[test]
    fn racing_inserts_and_deletes_of_one_bucket_add_up() {
        const KEYS: u32 = 10;
        let memory = Memory::new(1, 1);
        // By thread and key: inserts that succeeded less deletes that succeeded.
        let sums: Vec<Vec<i32>> = std::thread::scope(|scope| {
            let run = |thread: u32| {
                let (table, mut w) = (memory.table::<Key64>(), warp());
                let (mut sums, mut state) = (std::vec![0; KEYS as usize], thread);
                for _ in 0..20_000 {
                    state = mix(state.wrapping_add(0x9e37_79b9));
                    let k = state % KEYS;
                    if state >> 16 & 1 == 0 {
                        let said = table.insert_unique(&mut w, key(k), ());
                        assert_ne!(said, Insert::Full);
                        sums[k as usize] += i32::from(said == Insert::Inserted);
                    } else {
                        sums[k as usize] -= i32::from(table.delete(&mut w, key(k)) == Delete::Deleted);
                    }
                }
                sums
            };
            let handles: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        });
        for k in 0..KEYS {
            let sum: i32 = sums.iter().map(|of| of[k as usize]).sum();
            let there = memory.table::<Key64>().contains(&mut warp(), key(k));
            assert_eq!(sum, i32::from(there), "key {k}");
        }
    }
}
