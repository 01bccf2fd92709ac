//! Which keys cannot be in an index.

use super::numbering::Numbering;
use crate::cpu::large_pages::with_room;
use rayon::prelude::*;
use std::collections::TryReserveError;
use warpproof_model::hash::Hash64;
use warpproof_model::{Key, Seed};

/// The least bits for each key: of the keys that are not there, at most one in so many passes.
const BITS: usize = 16;

/// A Bloom filter of one bit for each key: two to four bytes for each, where the tables have 32 to 64. A
/// look-up is one load, and no branch waits for it.
pub(super) struct Filter {
    words: Vec<u64>,
    /// The leading bits of a hash are the number of its bit.
    shift: u32,
}

impl Filter {
    /// The keys of these tables: as many as a power of two, each with the keys of a partition by the leading
    /// bits of their hashes.
    pub(super) fn new<K: Key>(tables: &[Numbering<K>], seed: Seed) -> Result<Self, TryReserveError> {
        let len: usize = tables.iter().map(Numbering::len).sum();
        let count = (len * BITS).div_ceil(u64::BITS as usize).max(tables.len()).next_power_of_two();
        let mut words = with_room(count)?;
        words.resize(count, 0);
        let shift = u64::BITS - u64::BITS.ilog2() - count.ilog2();
        let each = count / tables.len();
        words.par_chunks_mut(each).zip(tables).enumerate().for_each(|(part, (words, table))| {
            for key in table.keys() {
                let (word, bit) = place(key.hash(seed), shift);
                words[word - part * each] |= bit;
            }
        });
        Ok(Self { words, shift })
    }

    /// Whether a key of this hash may be there.
    #[inline(always)]
    pub(super) fn passes(&self, hash: Hash64) -> bool {
        let (word, bit) = place(hash, self.shift);
        self.words[word] & bit != 0
    }
}

/// The word of a hash, and its bit there.
#[inline(always)]
const fn place(hash: Hash64, shift: u32) -> (usize, u64) {
    let bit = hash.bits() >> shift;
    ((bit / u64::BITS as u64) as usize, 1 << (bit % u64::BITS as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof_model::partition::HashPartitions;

    #[test]
    fn every_key_passes_and_few_others_do() {
        for bits in [0, 3] {
            let seed = Seed::new(9);
            let partitions = HashPartitions::new(1 << bits, seed);
            for len in [0u64, 1, 5000] {
                let mut tables: Vec<Numbering<u64>> =
                    (0..1 << bits).map(|_| Numbering::new(seed).expect("memory")).collect();
                for key in 0..len {
                    tables[partitions.of(key) as usize].number(key, u32::MAX).expect("memory");
                }
                let filter = Filter::new(&tables, seed).expect("memory");
                let passed = |key: &u64| filter.passes(key.hash(seed));
                assert!((0..len).all(|key| passed(&key)));
                let others = (len..len + 16_000).filter(passed).count();
                assert!(others <= 1200, "{others} of 16,000 others beside {len}");
            }
        }
    }
}
