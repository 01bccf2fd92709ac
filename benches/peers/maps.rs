//! The maps that are compared, and their keys.

use rayon::prelude::*;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, Hasher};
use warpproof::model::Key;
use warpproof::model::key::mix;
use warpproof::simt::cpu::dynamic::Dynamic;
use warpproof::simt::cpu::open::Fixed;
use warpproof::simt::cpu::{CpuTable, Map};
use warpproof::{BulkMap, Insert};

/// Operations that a thread runs one after the other: as ours.
const CHUNK: usize = 1024;

/// A hash of integers that costs a few instructions, for the maps of others: for u32 the finalizer of
/// MurmurHash3, for u64 one multiplication to 128 bits.
#[derive(Clone, Copy, Default)]
pub(super) struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, key: u32) {
        // Both halves: dashmap takes its shard from the high bits, the tables use the low ones.
        let hash = mix(key);
        self.0 = hash as u64 | (mix(hash) as u64) << 32;
    }

    fn write_u64(&mut self, key: u64) {
        let product = (self.0 ^ key) as u128 * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl BuildHasher for Fast {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

/// A key, and a value.
pub(super) trait Number: Key + Hash + Debug {
    /// Number `i` of a sequence of different keys.
    fn scattered(i: u32) -> Self;

    /// The value of a key.
    fn value(self) -> Self {
        Self::from_bits(!self.to_bits())
    }
}

impl Number for u32 {
    /// An odd factor permutes 31 bits.
    fn scattered(i: u32) -> Self {
        i.wrapping_mul(0x9e37_79b1) & 0x7fff_ffff
    }
}

impl Number for u64 {
    /// An odd factor permutes 62 bits.
    fn scattered(i: u32) -> Self {
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) & ((1 << 62) - 1)
    }
}

/// A map under test.
pub(super) trait Peer<K>: Sized {
    /// An empty map for so many pairs.
    fn new(pairs: usize) -> Self;
    /// Inserts pairs; whether each key was new.
    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool>;
    /// The value of each key.
    fn search(&self, keys: &[K]) -> Vec<Option<K>>;
}

/// Inserts pairs into a map of ours; whether each key was new.
fn insert<K: Number>(map: &impl BulkMap<K, K>, keys: &[K], values: &[K]) -> Vec<bool> {
    let done = map.insert_unique(keys, values).expect("memory");
    done.into_iter().map(|outcome| outcome == Insert::Inserted).collect()
}

impl<K: Number, T: CpuTable<Key = K, Value = K>> Peer<K> for Map<K, K, T> {
    fn new(pairs: usize) -> Self {
        Self::with_capacity(pairs as u64).expect("memory for the table")
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        insert(self, keys, values)
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        BulkMap::search(self, keys).expect("memory")
    }
}

impl<K: Number, T: Fixed> Peer<K> for Dynamic<T>
where
    Self: BulkMap<K, K>,
{
    fn new(pairs: usize) -> Self {
        Self::with_capacity(pairs as u64).expect("memory for the table")
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        insert(self, keys, values)
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        BulkMap::search(self, keys).expect("memory")
    }
}

/// A map of ours that is called for one key at a time, as those of others are.
pub(super) struct OneByOne<M>(M);

impl<K: Number, T: CpuTable<Key = K, Value = K>> Peer<K> for OneByOne<Map<K, K, T>> {
    fn new(pairs: usize) -> Self {
        Self(Peer::new(pairs))
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        let mut out = vec![false; keys.len()];
        let map = self.0.by_key();
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let at = c * CHUNK + i;
                *out = map.insert(keys[at], values[at]).expect("room");
            }
        });
        out
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        let mut out = vec![None; keys.len()];
        let map = self.0.by_key();
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = map.get(keys[c * CHUNK + i]);
            }
        });
        out
    }
}

/// A map made for a sixty-fourth of its pairs, so that it grows while they are inserted.
pub(super) struct FromFew<M>(M);

impl<K, M: Peer<K>> Peer<K> for FromFew<M> {
    fn new(pairs: usize) -> Self {
        Self(M::new(pairs.div_ceil(64)))
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        self.0.build(keys, values)
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        self.0.search(keys)
    }
}

impl<K: Number, H: BuildHasher + Default + Clone + Send + Sync> Peer<K> for dashmap::DashMap<K, K, H> {
    fn new(pairs: usize) -> Self {
        Self::with_capacity_and_hasher(pairs, H::default())
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        let mut out = vec![false; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let at = c * CHUNK + i;
                *out = self.insert(keys[at], values[at]).is_none();
            }
        });
        out
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        let mut out = vec![None; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = self.get(&keys[c * CHUNK + i]).map(|value| *value);
            }
        });
        out
    }
}

impl<K: Number, H: BuildHasher + Default + Sync> Peer<K> for papaya::HashMap<K, K, H> {
    fn new(pairs: usize) -> Self {
        Self::with_capacity_and_hasher(pairs, H::default())
    }

    fn build(&mut self, keys: &[K], values: &[K]) -> Vec<bool> {
        let mut out = vec![false; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let map = self.pin();
            for (i, out) in out.iter_mut().enumerate() {
                let at = c * CHUNK + i;
                *out = map.insert(keys[at], values[at]).is_none();
            }
        });
        out
    }

    fn search(&self, keys: &[K]) -> Vec<Option<K>> {
        let mut out = vec![None; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let map = self.pin();
            for (i, out) in out.iter_mut().enumerate() {
                *out = map.get(&keys[c * CHUNK + i]).copied();
            }
        });
        out
    }
}
