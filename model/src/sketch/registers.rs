//! The registers of a HyperLogLog.

use crate::hash::Hash64;
use crate::memory::{Order, ReadOrder, Words};
use crate::warp::Warp;
use core::ops::RangeInclusive;

/// Precisions that a HyperLogLog may have: one of `p` has 2^p registers.
pub const PRECISIONS: RangeInclusive<u32> = 4..=18;

/// Registers of a word.
const OF_WORD: u32 = 8;

/// How many words so many registers take.
pub const fn register_words(registers: u32) -> usize {
    registers.div_ceil(OF_WORD) as usize
}

/// The register of a hash, and its rank there: how many zeros follow the bits that choose the register, plus
/// one. `precision` is one of [`PRECISIONS`].
#[inline(always)]
pub const fn place(hash: Hash64, precision: u32) -> (u32, u8) {
    let zeros = hash.rest(1 << precision).bits().leading_zeros();
    let most = u64::BITS - precision;
    (hash.digit(1 << precision), if zeros < most { zeros as u8 + 1 } else { most as u8 + 1 })
}

/// Registers of a byte each, eight in a word, all zero at first. A register holds the highest rank that it
/// was raised to.
#[derive(Clone, Copy, Debug)]
pub struct Registers<H>(H);

impl<H: Words<u64>> Registers<H> {
    /// The registers in these words: [`register_words`] of them.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self(words)
    }

    /// Makes a register hold at least this rank. Begins again only if another register of its word, or this
    /// one, was raised meanwhile.
    #[inline(always)]
    pub fn raise<W: Warp>(self, w: &mut W, register: u32, rank: u8) {
        let (at, shift) = (register as usize / OF_WORD as usize, register % OF_WORD * u8::BITS);
        w.elect(0, || self.merge(at, u64::from(rank) << shift));
    }

    /// The rank that a register holds.
    #[inline(always)]
    pub fn rank<W: Warp>(self, w: &mut W, register: u32) -> u8 {
        let shift = register % OF_WORD * u8::BITS;
        // Relaxed: a register only rises. Who was told of a raise cannot read an older word.
        w.elect(0, || (self.0.load((register / OF_WORD) as usize, ReadOrder::Relaxed) >> shift) as u8)
    }

    /// Raises the registers of a word to those of other registers.
    #[inline(always)]
    pub fn absorb<W: Warp>(self, w: &mut W, other: Registers<impl Words<u64>>, word: usize) {
        // Relaxed: as in `rank`.
        w.elect(0, || self.merge(word, other.0.load(word, ReadOrder::Relaxed)));
    }

    /// Raises each register of a word to the byte that it has in `ranks`.
    #[inline(always)]
    fn merge(self, at: usize, ranks: u64) {
        // Relaxed, both: as in `rank`, and no other word depends on this one.
        let mut seen = self.0.load(at, ReadOrder::Relaxed);
        loop {
            let new = highest(seen, ranks);
            if new == seen {
                return;
            }
            let now = self.0.compare_exchange(at, seen, new, Order::Relaxed);
            if now == seen {
                return;
            }
            seen = now;
        }
    }

    /// Prefetches the word of a register.
    #[inline(always)]
    pub fn prefetch(self, register: u32) {
        self.0.prefetch((register / OF_WORD) as usize);
    }
}

/// The larger one of each pair of bytes. Bytes are below 128: a rank is at most 61.
#[inline(always)]
const fn highest(a: u64, b: u64) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The high bit of a byte stays where that of `a` is not below that of `b`; no byte borrows from the next.
    let not_below = ((a | HIGH) - b) & HIGH;
    let of_a = (not_below >> 7) * 0xff;
    a & of_a | b & !of_a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Seed;
    use crate::memory::noted::Noted;
    use crate::warp::two_lanes::TwoLanes;

    #[test]
    fn a_rank_counts_the_zeros_after_the_register() {
        assert_eq!(place(Hash64::new(0xa << 60 | 1 << 59), 4), (0xa, 1));
        assert_eq!(place(Hash64::new(0xa << 60 | 1 << 57), 4), (0xa, 3));
        assert_eq!(place(Hash64::new(1), 4), (0, 60));
        assert_eq!(place(Hash64::new(0), 4), (0, 61));
        assert_eq!(place(Hash64::new(0), 18), (0, 47));
        assert_eq!(place(Hash64::new(u64::MAX), 18), ((1 << 18) - 1, 1));
    }

    /// Half of the keys have rank 1, a fourth has rank 2.
    #[test]
    fn ranks_are_distributed_as_those_of_coins() {
        let mut counts = [0u32; 64];
        (0..1 << 20u64).for_each(|key| counts[usize::from(place(Seed::new(5).hash(key), 8).1)] += 1);
        for (rank, &count) in counts.iter().enumerate().skip(1).take(8) {
            let expected = 1u32 << (20 - rank);
            assert!(count.abs_diff(expected) < expected / 10, "rank {rank}: {count}");
        }
    }

    #[test]
    fn the_higher_byte_of_each_pair_is_kept() {
        let mut state = 1u64;
        for _ in 0..10_000 {
            let mut next = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state ^ state >> 32) & 0x3f3f_3f3f_3f3f_3f3f
            };
            let (a, b) = (next().to_le_bytes(), next().to_le_bytes());
            let larger: [u8; 8] = core::array::from_fn(|i| a[i].max(b[i]));
            assert_eq!(highest(u64::from_le_bytes(a), u64::from_le_bytes(b)), u64::from_le_bytes(larger));
        }
    }

    #[test]
    fn a_rank_that_is_not_higher_is_not_written() {
        let words = Noted::<u64, 2>::new();
        let registers = Registers::new(&words);
        for (rank, writes) in [(7, 1), (7, 1), (6, 1), (8, 2)] {
            registers.raise(&mut TwoLanes, 11, rank);
            assert_eq!((registers.rank(&mut TwoLanes, 11), words.writes.get()), (rank.max(7), writes));
        }
        assert_eq!(words.words(), [0, 8 << 24]);
        registers.absorb(&mut TwoLanes, registers, 1);
        assert_eq!(words.writes.get(), 2);
    }

    #[test]
    fn the_word_of_a_register_is_prefetched() {
        let words = Noted::<u64, 3>::new();
        for (register, word) in [(0, 0), (7, 0), (8, 1), (23, 2)] {
            Registers::new(&words).prefetch(register);
            assert_eq!(words.prefetched.take(), Some(word));
        }
    }

    #[test]
    fn registers_fill_whole_words() {
        assert_eq!([0, 1, 8, 9, 16].map(register_words), [0, 1, 1, 2, 2]);
    }
}
