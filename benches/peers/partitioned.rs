//! Maps of the standard library (hashbrown), one per partition of the hashes: no two threads share one.
//!
//! A batch goes through three passes. First, threads sort pieces of it into a list per partition. Then each
//! partition is processed by one thread, in its own small map. Then each piece puts its answers into the
//! order of the input: within a partition they are already in that order.

use super::maps::{Number, Peer};
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Bytes of a partition's map, about: it fits a cache of the second level.
const PART_BYTES: usize = 1 << 20;

/// Pieces of a batch for each thread.
const PIECES: usize = 4;

/// As many maps as there are partitions, a power of two.
pub(super) struct Partitioned<K, H> {
    maps: Vec<HashMap<K, K, H>>,
    hasher: H,
}

impl<K: Number, H: BuildHasher + Default + Clone + Send + Sync> Peer<K> for Partitioned<K, H> {
    fn new(pairs: usize) -> Self {
        let parts = (pairs * 2 * size_of::<(K, K)>() / PART_BYTES).next_power_of_two();
        let (each, hasher) = (pairs / parts + pairs / parts / 8, H::default());
        let map = |_| HashMap::with_capacity_and_hasher(each, hasher.clone());
        Self { maps: (0..parts).map(map).collect(), hasher }
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        let (parts, hasher) = (self.maps.len(), &self.hasher);
        let items = Items { len: keys.len(), get: |i| (keys[i], values[i]), parts, blank: false };
        let part = |(key, _): (K, K)| part(hasher, key, parts);
        items.answers(self.maps.par_iter_mut(), part, |map, (key, value)| map.insert(key, value).is_none())
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        let parts = self.maps.len();
        let items = Items { len: keys.len(), get: |i| keys[i], parts, blank: None };
        let part = |key| part(&self.hasher, key, parts);
        items.answers(self.maps.par_iter(), part, |map, key| map.get(&key).copied())
    }
}

/// The table takes a place from the low bits, and 7 bits that it keeps from the highest: the partition is by
/// others.
fn part<K: Number>(hasher: &impl BuildHasher, key: K, parts: usize) -> usize {
    (hasher.hash_one(key) >> 32) as usize & (parts - 1)
}

/// What a batch works on: item `i` is `get(i)`.
struct Items<F, A> {
    len: usize,
    get: F,
    parts: usize,
    blank: A,
}

impl<T: Copy + Send + Sync, F: Fn(usize) -> T + Sync, A: Copy + Send + Sync> Items<F, A> {
    /// Runs `work` on each item and the map of its partition; the answers in the order of the items.
    fn answers<M: Send>(
        &self,
        maps: impl IndexedParallelIterator<Item = M>,
        part: impl Fn(T) -> usize + Sync,
        work: impl Fn(&mut M, T) -> A + Sync,
    ) -> Vec<A> {
        let piece = self.len.div_ceil(PIECES * rayon::current_num_threads()).max(1);
        let room = piece / self.parts + piece / self.parts / 8;
        let sort = |at| {
            let mut lists: Vec<Vec<T>> = (0..self.parts).map(|_| Vec::with_capacity(room)).collect();
            for item in (at * piece..self.len.min((at + 1) * piece)).map(&self.get) {
                lists[part(item)].push(item);
            }
            lists
        };
        let sorted: Vec<_> = (0..self.len.div_ceil(piece)).into_par_iter().map(sort).collect();
        let of_part = |(at, mut map): (usize, M)| -> Vec<Vec<A>> {
            let answers = |lists: &Vec<Vec<T>>| lists[at].iter().map(|&item| work(&mut map, item)).collect();
            sorted.iter().map(answers).collect()
        };
        let answers: Vec<_> = maps.enumerate().map(of_part).collect();
        let mut out = vec![self.blank; self.len];
        out.par_chunks_mut(piece).enumerate().for_each(|(at, out)| {
            let mut next: Vec<_> = answers.iter().map(|answers| answers[at].iter()).collect();
            for (i, out) in out.iter_mut().enumerate() {
                let item = (self.get)(at * piece + i);
                *out = *next[part(item)].next().expect("an answer for each item");
            }
        });
        out
    }
}
