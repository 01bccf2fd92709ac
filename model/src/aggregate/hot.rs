//! Keys of many rows, each of which has a digit of its own.

use crate::hash::Hash64;
use crate::key::Key;
use crate::memory::{ReadOrder, Words};

/// The most hot keys.
pub const MOST_HOT: u32 = 256;
/// Words of their index: a hash table with linear probing.
pub const HOT_WORDS: u32 = 4 * MOST_HOT;

/// The low bits of a word of the index: the number of its key plus one. The high bits are those of its hash.
const NUMBER: u32 = 2 * MOST_HOT - 1;

/// Finds hot keys by an index of [`HOT_WORDS`] words, which begin at `first`. `key` is the key of a number.
#[derive(Clone, Copy, Debug)]
pub struct HotKeys<H, F> {
    words: H,
    first: usize,
    key: F,
}

/// The word of a hot key, and where it may be.
#[inline(always)]
const fn place(hash: Hash64) -> (u32, u32) {
    (hash.digit(HOT_WORDS), hash.low() & !NUMBER)
}

impl<H, F> HotKeys<H, F> {
    /// Looks keys up in an index that [`fill`](HotKeys::fill) has made.
    #[inline(always)]
    pub const fn new(words: H, first: usize, key: F) -> Self {
        Self { words, first, key }
    }

    /// The number of a key, which has this hash; `None` if it is not hot.
    #[inline(always)]
    pub fn number<K: Key>(self, key: K, hash: Hash64) -> Option<u32>
    where
        H: Words<u32>,
        F: Fn(u32) -> K,
    {
        let (start, bits) = place(hash);
        for probe in 0..HOT_WORDS {
            let at = (start + probe) % HOT_WORDS;
            // Relaxed: a barrier, or the beginning of the launch, orders the index.
            let word = self.words.load(self.first + at as usize, ReadOrder::Relaxed);
            if word == 0 {
                return None;
            }
            let number = (word & NUMBER).wrapping_sub(1);
            if word & !NUMBER == bits && (self.key)(number) == key {
                return Some(number);
            }
        }
        None
    }
}

impl HotKeys<(), ()> {
    /// Makes the index of keys with these hashes, at most [`MOST_HOT`], in words that are zero.
    pub fn fill(words: &mut [u32; HOT_WORDS as usize], hashes: impl Iterator<Item = Hash64>) {
        for (number, hash) in hashes.take(MOST_HOT as usize).enumerate() {
            let (start, bits) = place(hash);
            let free = (0..HOT_WORDS)
                .map(|probe| ((start + probe) % HOT_WORDS) as usize)
                .find(|&at| words.get(at) == Some(&0));
            if let Some(word) = free.and_then(|at| words.get_mut(at)) {
                *word = bits | (number as u32 + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Seed;
    use crate::memory::{Order, WriteOrder};

    #[derive(Clone, Copy)]
    struct Index<'a>(&'a [u32]);

    impl Words<u32> for Index<'_> {
        fn len(self) -> usize {
            self.0.len()
        }
        fn load(self, index: usize, _: ReadOrder) -> u32 {
            self.0[index]
        }
        fn store(self, index: usize, _: u32, _: WriteOrder) {
            unreachable!("a store to word {index}")
        }
        fn compare_exchange(self, index: usize, _: u32, _: u32, _: Order) -> u32 {
            unreachable!("an exchange of word {index}")
        }
        fn swap(self, index: usize, _: u32, _: Order) -> u32 {
            unreachable!("a swap of word {index}")
        }
    }

    #[test]
    fn each_hot_key_has_its_number_and_others_have_none() {
        for (n, seed) in [(0, 1), (1, 2), (MOST_HOT, 3), (MOST_HOT, 4)] {
            let (seed, mut words) = (Seed::new(seed), [0; HOT_WORDS as usize]);
            HotKeys::fill(&mut words, (0..n).map(|number| (7 * number).hash(seed)));
            let number = |key: u32| HotKeys::new(Index(&words), 0, |n| 7 * n).number(key, key.hash(seed));
            assert!((0..n).all(|expected| number(7 * expected) == Some(expected)), "{n}");
            let others = (0..100_000u32).filter(|key| !key.is_multiple_of(7) || key / 7 >= n);
            assert_eq!(others.filter_map(number).next(), None, "{n}");
        }
    }

    /// Keys whose hashes have equal bits, up to the end of the index and from its beginning on.
    #[test]
    fn keys_of_one_place_follow_each_other() {
        let hash = |_| Hash64::new(u64::MAX);
        let mut words = [0; HOT_WORDS as usize];
        HotKeys::fill(&mut words, (0..3).map(hash));
        let number = |key: u32| HotKeys::new(Index(&words), 0, |n| n + 5).number(key, hash(0));
        assert_eq!([4, 5, 6, 7, 8].map(number), [None, Some(0), Some(1), Some(2), None]);
    }
}
