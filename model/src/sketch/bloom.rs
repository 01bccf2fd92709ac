//! A Bloom filter in blocks.

use crate::hash::{Hash64, Seed};
use crate::key::Key;
use crate::memory::{IntegerWords, Order, ReadOrder, Words};
use crate::warp::Warp;

/// Words of a block: one cache line.
pub const BLOCK_WORDS: usize = 8;

/// The factor that spreads the rest of a hash over the words of a block: the fraction of e.
const FACTOR: u64 = 0xb7e1_5162_8aed_2a6b;

/// A Bloom filter whose blocks have `N` words: each key has one bit in each word of its block. Words are zero
/// at first.
///
/// A lane works on the words with its number, modulo the lanes; lanes beyond the words of a block have
/// nothing to do.
#[derive(Clone, Copy, Debug)]
pub struct Bloom<H, const N: usize = BLOCK_WORDS> {
    words: H,
    blocks: u32,
    seed: Seed,
}

/// Where a key has its bits.
#[derive(Clone, Copy)]
struct Bits<const N: usize> {
    /// The first word of its block.
    first: usize,
    spread: u64,
}

impl<const N: usize> Bits<N> {
    #[inline(always)]
    const fn of(hash: Hash64, blocks: u32) -> Self {
        const { assert!(N > 0 && N <= 8, "the spread of a hash has six bits for each of eight words") };
        // The block takes the leading bits of the hash. The high bits of the product depend on all others.
        let rest = hash.bits() ^ hash.bits() >> 32;
        Self { first: hash.digit(blocks) as usize * N, spread: rest.wrapping_mul(FACTOR) }
    }

    /// The bit of word `at` of the block.
    #[inline(always)]
    const fn bit(self, at: usize) -> u64 {
        1 << (self.spread >> (16 + 6 * at) & 63)
    }
}

impl<H: Words<u64>, const N: usize> Bloom<H, N> {
    /// The filter of these words: `N` for each of at least one block.
    #[inline(always)]
    pub const fn new(words: H, blocks: u32, seed: Seed) -> Self {
        Self { words, blocks, seed }
    }

    #[inline(always)]
    fn bits(self, key: impl Key) -> Bits<N> {
        Bits::of(key.hash(self.seed), self.blocks)
    }

    /// Whether a key may have been inserted. `false` is sure. Wait-free: reads one block.
    #[inline(always)]
    pub fn contains<W: Warp>(self, w: &mut W, key: impl Key) -> bool {
        let bits = self.bits(key);
        let lacks = w.each(|lane| {
            let lacks = |lacks: u64, at: usize| {
                // Relaxed: bits are only set. Who was told of an insert reads no word older than its bits.
                lacks | bits.bit(at) & !self.words.load(bits.first + at, ReadOrder::Relaxed)
            };
            (lane as usize..N).step_by(W::LANES as usize).fold(0, lacks) != 0
        });
        !w.ballot(lacks).any()
    }

    /// Prefetches the block of a key.
    #[inline(always)]
    pub fn prefetch(self, key: impl Key) {
        self.words.prefetch(self.bits(key).first);
    }
}

impl<H: IntegerWords<u64>, const N: usize> Bloom<H, N> {
    /// Inserts a key. Wait-free: one round for each word of a block. A bit that is there is not written
    /// again. If one lane then tells another warp of the insert, call [`Warp::sync`] before: every lane has
    /// set its own bits.
    #[inline(always)]
    pub fn insert<W: Warp>(self, w: &mut W, key: impl Key) {
        let bits = self.bits(key);
        w.each(|lane| {
            for at in (lane as usize..N).step_by(W::LANES as usize) {
                self.set(bits.first + at, bits.bit(at));
            }
        });
    }

    /// Adds what was inserted into a block of another filter of the same number of blocks and the same seed.
    #[inline(always)]
    pub fn absorb<W: Warp>(self, w: &mut W, other: Bloom<impl IntegerWords<u64>, N>, block: u32) {
        w.each(|lane| {
            for at in (lane as usize..N).step_by(W::LANES as usize) {
                let at = block as usize * N + at;
                // Relaxed: as in `contains`.
                self.set(at, other.words.load(at, ReadOrder::Relaxed));
            }
        });
    }

    /// Sets bits of a word.
    #[inline(always)]
    fn set(self, at: usize, bits: u64) {
        // Relaxed, both: bits are only set, and no other word depends on them. A write takes the cache line
        // from other cores, so bits that are there are not written.
        if self.words.load(at, ReadOrder::Relaxed) & bits != bits {
            self.words.fetch_or(at, bits, Order::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;
    use crate::warp::two_lanes::TwoLanes;

    #[test]
    fn a_key_has_a_bit_in_each_word_of_one_block() {
        for key in 0..1000u64 {
            let bits = Bits::<8>::of(Seed::new(7).hash(key), 100);
            assert!(bits.first.is_multiple_of(8) && bits.first < 800);
            assert!((0..8).all(|at| bits.bit(at).count_ones() == 1));
        }
    }

    /// Filters are merged and kept by words: a key has the same bits everywhere.
    #[test]
    fn the_bits_of_a_key_are_what_they_always_were() {
        let of = |key: u64| Bits::<8>::of(Seed::new(7).hash(key), 1000);
        let places = |key| (of(key).first, core::array::from_fn(|at| of(key).bit(at).trailing_zeros()));
        assert_eq!(places(1), (8 * 501, [36, 6, 13, 13, 53, 40, 59, 24]));
        assert_eq!(places(1 << 40), (8 * 456, [31, 15, 0, 32, 21, 0, 44, 6]));
    }

    #[test]
    fn a_bit_that_is_there_is_not_written_again() {
        let words = Noted::<u64, 6>::new();
        let filter = Bloom::<_, 3>::new(&words, 2, Seed::new(7));
        for key in [1u64, 1, 1] {
            filter.insert(&mut TwoLanes, key);
            assert!(filter.contains(&mut TwoLanes, key));
        }
        let other = Noted::<u64, 6>::new();
        let copy = Bloom::<_, 3>::new(&other, 2, Seed::new(7));
        for block in [0, 1, 0, 1] {
            copy.absorb(&mut TwoLanes, filter, block);
        }
        assert_eq!((words.writes.get(), other.writes.get()), (3, 3));
        assert_eq!(words.words(), other.words());
    }

    #[test]
    fn the_block_of_a_key_is_prefetched() {
        let words = Noted::<u64, 16>::new();
        let filter = Bloom::<_, 8>::new(&words, 2, Seed::new(7));
        for key in 1..10u64 {
            filter.prefetch(key);
            assert_eq!(words.prefetched.take(), Some(filter.bits(key).first));
        }
    }

    /// Every bit of every word is taken about equally often, also by keys of one block.
    #[test]
    fn the_bits_of_keys_are_spread_evenly() {
        let mut counts = [[0u32; 64]; 8];
        let of_first = (0..1 << 20u64).map(|key| Bits::<8>::of(Seed::new(3).hash(key), 16));
        let mut keys = 0;
        for bits in of_first.filter(|bits| bits.first == 0) {
            keys += 1;
            (0..8).for_each(|at| counts[at][bits.bit(at).trailing_zeros() as usize] += 1);
        }
        let mean = keys / 64;
        for count in counts.as_flattened() {
            assert!(count.abs_diff(mean) < mean / 5, "{count} of about {mean}");
        }
    }
}
