//! The HyperLogLog.

use super::{Alone, run};
use crate::cpu::error::Error;
use crate::cpu::grid::each_part;
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;
use rayon::prelude::*;
use warpproof_model::bits::TableKey;
use warpproof_model::host::Refused;
use warpproof_model::sketch::{PRECISIONS, Registers, estimate, place, register_words};
use warpproof_model::{Key, Seed};

/// Words of a cache line.
const LINE: usize = 8;

/// A concurrent HyperLogLog in CPU memory: estimates how many different keys were inserted, in a few
/// kilobytes, however many they are.
///
/// One of precision `p` has `2^p` registers of a byte, and its standard error is `1.04 / sqrt(2^p)`
/// ([`standard_error`](Self::standard_error)): at the default of 14, 16 KiB and 0.8 %. Two thirds of all
/// estimates are within that, 95 of 100 within twice that.
///
/// ```
/// use warpproof_simt::cpu::HyperLogLog;
///
/// let distinct = HyperLogLog::<u32>::new(14)?;
/// let keys: Vec<u32> = (0..100_000).map(|i| i % 20_000).collect();
/// distinct.insert(&keys);
/// assert!(distinct.count().abs_diff(20_000) < 1000, "{}", distinct.count());
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub struct HyperLogLog<K> {
    words: Array<AtomicU64, LINE>,
    precision: u32,
    seed: Seed,
    key: PhantomData<fn() -> K>,
}

impl<K: TableKey> HyperLogLog<K> {
    /// An empty one of a precision from 4 to 18.
    ///
    /// # Errors
    /// [`Error::Refused`] for another precision; [`Error::OutOfMemory`].
    pub fn new(precision: u32) -> Result<Self, Error> {
        Self::with_seed(precision, Seed::random())
    }

    /// An empty one whose registers depend on this seed. Without a given seed it is random, and strangers
    /// cannot choose keys that make estimates wrong.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_seed(precision: u32, seed: Seed) -> Result<Self, Error> {
        if !PRECISIONS.contains(&precision) {
            return Err(Refused::Precision { found: precision }.into());
        }
        let len = register_words(1 << precision);
        let words = Array::new(len, |_| 0).map_err(|_| Error::no_memory_for::<u64>(len))?;
        Ok(Self { words, precision, seed, key: PhantomData })
    }

    /// An empty one of the precision and the seed of this one: the two can be merged.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn empty_like(&self) -> Result<Self, Error> {
        Self::with_seed(self.precision, self.seed)
    }

    fn registers(&self) -> Registers<CpuWords<'_, AtomicU64, LINE>> {
        Registers::new(self.words.words())
    }

    #[inline(always)]
    fn place(&self, key: K::Bits) -> (u32, u8) {
        place(key.hash(self.seed), self.precision)
    }

    /// Inserts keys, in parallel. Allocates no memory.
    pub fn insert(&self, keys: &[K]) {
        let registers = self.registers();
        let raise = |w: &mut Alone, key| {
            let (register, rank) = self.place(key);
            registers.raise(w, register, rank);
        };
        run(keys, |key| registers.prefetch(self.place(key).0), raise, &mut Vec::new());
    }

    /// Inserts one key, in this thread.
    pub fn insert_key(&self, key: K) {
        let (register, rank) = self.place(key.to_word());
        self.registers().raise(&mut Alone::new(0), register, rank);
    }

    /// An estimate of how many different keys were inserted. Reads all registers.
    pub fn count(&self) -> u64 {
        let registers = self.registers();
        let rank = |register| registers.rank(&mut Alone::new(0), register);
        estimate((0..1 << self.precision).map(rank), self.precision).round() as u64
    }

    /// The standard error of [`count`](Self::count), as a part of the number.
    pub fn standard_error(&self) -> f64 {
        1.04 / f64::from(1u32 << self.precision).sqrt()
    }

    /// Inserts all keys that were inserted into another one of the same precision and seed
    /// ([`empty_like`](Self::empty_like)). A key that was inserted into both counts once.
    ///
    /// # Errors
    /// [`Error::Refused`] if precision or seed differ.
    pub fn merge(&self, other: &Self) -> Result<(), Error> {
        if (self.precision, self.seed) != (other.precision, other.seed) {
            return Err(Refused::Unlike.into());
        }
        let (to, from) = (self.registers(), other.registers());
        let words = register_words(1 << self.precision) as u32;
        each_part(words).for_each(|word| to.absorb(&mut Alone::new(word), from, word as usize));
        Ok(())
    }

    /// Takes out everything. The exclusive borrow excludes other calls meanwhile.
    pub fn clear(&mut self) {
        self.words.fill(|_| 0);
    }

    /// The binary logarithm of the number of registers.
    pub const fn precision(&self) -> u32 {
        self.precision
    }

    /// The seed that its registers depend on.
    pub const fn seed(&self) -> Seed {
        self.seed
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }
}

impl<K> fmt::Debug for HyperLogLog<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperLogLog").field("precision", &self.precision).finish_non_exhaustive()
    }
}
