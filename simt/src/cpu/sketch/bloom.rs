//! The Bloom filter.

use super::{Alone, run};
use crate::cpu::error::Error;
use crate::cpu::grid::{each_part, room_for_answers};
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;
use warpproof_model::host::Refused;
use warpproof_model::sketch::{BLOCK_WORDS, Bloom, blocks_for, rate_of};

type Words = Array<AtomicU64, BLOCK_WORDS>;

/// A concurrent Bloom filter in CPU memory: says of a key that it was surely not inserted, or that it may
/// have been.
///
/// A filter is made for a number of keys and a *rate of false positives*: so many of the keys that were not
/// inserted are taken for inserted. A key that was inserted is always found: when an
/// [`insert`](Self::insert) has returned, every later [`contains`](Self::contains), of any thread, answers
/// `true` for its keys. Keys cannot be deleted. With more keys than the filter was made for, the rate grows;
/// nothing else happens.
///
/// ```
/// use warpproof_simt::cpu::BloomFilter;
///
/// let seen = BloomFilter::<u64>::with_capacity(1000, 0.01)?;
/// seen.insert(&[3, 5, 8]);
/// assert_eq!(seen.contains(&[3, 5, 8])?, [true; 3]);
/// // Of 10,000 others it takes about 100 for inserted at most: here far less, as there are three keys.
/// let others: Vec<u64> = (100..10_100).collect();
/// assert!(seen.contains(&others)?.into_iter().filter(|&may| may).count() < 10);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
///
/// *Memory*: 10.7 bits for each key at a rate of 0.01, 16.4 bits at 0.001; each ten times smaller rate takes
/// more. A key is looked up in one cache line of 64 bytes.
///
/// *Memory order*: `insert` and `contains` order no other memory. A thread that is told of an insert in
/// another way, by a channel or a lock, finds its keys.
pub struct BloomFilter<K> {
    words: Words,
    blocks: u32,
    seed: Seed,
    key: PhantomData<fn() -> K>,
}

impl<K: TableKey> BloomFilter<K> {
    /// An empty filter for so many different keys, at a rate of false positives of at most `rate` when they
    /// are all in. `rate` is above 0 and below 1.
    ///
    /// # Errors
    /// [`Error::Refused`] for another rate, or if the filter would have more than 2^32 blocks;
    /// [`Error::OutOfMemory`].
    pub fn with_capacity(keys: u64, rate: f64) -> Result<Self, Error> {
        Self::with_seed(keys, rate, Seed::random())
    }

    /// An empty filter as [`with_capacity`](Self::with_capacity) makes it, whose bits depend on this seed.
    /// Without a given seed it is random, and strangers cannot choose keys that the filter takes for
    /// inserted.
    ///
    /// # Errors
    /// As `with_capacity`.
    pub fn with_seed(keys: u64, rate: f64, seed: Seed) -> Result<Self, Error> {
        Self::of_blocks(blocks_for(keys, rate)?, seed)
    }

    /// An empty filter of the size and the seed of this one: the two can be merged.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn empty_like(&self) -> Result<Self, Error> {
        Self::of_blocks(self.blocks, self.seed)
    }

    fn of_blocks(blocks: u32, seed: Seed) -> Result<Self, Error> {
        let no_memory = |bytes: Option<usize>| Error::no_memory(bytes.unwrap_or(usize::MAX));
        let len = (blocks as usize).checked_mul(BLOCK_WORDS).ok_or(no_memory(None))?;
        let words = Words::new(len, |_| 0).map_err(|_| no_memory(len.checked_mul(size_of::<u64>())))?;
        Ok(Self { words, blocks, seed, key: PhantomData })
    }

    fn view(&self) -> Bloom<CpuWords<'_, AtomicU64, BLOCK_WORDS>> {
        Bloom::new(self.words.words(), self.blocks, self.seed)
    }

    /// Inserts keys, in parallel. Allocates no memory.
    pub fn insert(&self, keys: &[K]) {
        let view = self.view();
        run(keys, |key| view.prefetch(key), |w, key| view.insert(w, key), &mut Vec::new());
    }

    /// Whether each key may have been inserted. `false` is sure: no insert of it has returned.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is none for the answers.
    pub fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        let (view, mut answers) = (self.view(), room_for_answers(keys)?);
        run(keys, |key| view.prefetch(key), |w, key| view.contains(w, key), &mut answers);
        Ok(answers)
    }

    /// Inserts one key, in this thread.
    pub fn insert_key(&self, key: K) {
        self.view().insert(&mut Alone::new(0), key.to_word());
    }

    /// Whether a key may have been inserted, asked in this thread. `false` is sure.
    pub fn contains_key(&self, key: K) -> bool {
        self.view().contains(&mut Alone::new(0), key.to_word())
    }

    /// Inserts all that was inserted into another filter of the same size and seed
    /// ([`empty_like`](Self::empty_like)), in parallel.
    ///
    /// # Errors
    /// [`Error::Refused`] if size or seed differ.
    pub fn merge(&self, other: &Self) -> Result<(), Error> {
        if (self.blocks, self.seed) != (other.blocks, other.seed) {
            return Err(Refused::Unlike.into());
        }
        let (to, from) = (self.view(), other.view());
        each_part(self.blocks).for_each(|block| to.absorb(&mut Alone::new(block), from, block));
        Ok(())
    }

    /// Takes out everything. The exclusive borrow excludes other calls meanwhile.
    pub fn clear(&mut self) {
        self.words.fill(|_| 0);
    }

    /// The rate of false positives to expect when so many different keys are in.
    pub fn rate_with(&self, keys: u64) -> f64 {
        rate_of(keys, self.blocks)
    }

    /// The seed that its bits depend on.
    pub const fn seed(&self) -> Seed {
        self.seed
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

impl<K> fmt::Debug for BloomFilter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BloomFilter").field("blocks", &self.blocks).finish_non_exhaustive()
    }
}
