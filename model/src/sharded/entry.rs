//! Entries as words of a message.

use crate::bits::{TableKey, TableValue};
use crate::memory::Word;

/// The bits of a key as a word.
pub(super) fn key_bits<K: TableKey>(key: K) -> u64 {
    key.to_word().to_bits() as u64
}

/// The key of such a word.
pub(super) fn key_of<K: TableKey>(word: u64) -> K {
    K::from_word(K::Bits::from_bits(word.into()))
}

/// The entry of a table in shards: `(key, value)` in a map, a key in a set.
pub trait ShardEntry: Copy {
    /// The entry as two words.
    fn to_words(self) -> [u64; 2];
    /// The entry of two words.
    fn from_words(words: [u64; 2]) -> Self;
}

impl<K: TableKey> ShardEntry for K {
    fn to_words(self) -> [u64; 2] {
        [key_bits(self), 0]
    }
    fn from_words([key, _]: [u64; 2]) -> Self {
        key_of(key)
    }
}

impl<K: TableKey, V: TableValue<u64>> ShardEntry for (K, V) {
    fn to_words(self) -> [u64; 2] {
        [key_bits(self.0), self.1.to_word()]
    }
    fn from_words([key, value]: [u64; 2]) -> Self {
        (key_of(key), V::from_word(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_words() {
        assert_eq!([key_bits(7u32), key_bits(u64::MAX), key_bits(-1i32)], [7, u64::MAX, 0xffff_ffff]);
        assert_eq!((key_of::<u64>(7), key_of::<i32>(0xffff_ffff)), (7, -1));
        assert_eq!(5u32.to_words(), [5, 0]);
        assert_eq!(<u32 as ShardEntry>::from_words([5, 9]), 5);
        assert_eq!((-1i32, 3u64).to_words(), [0xffff_ffff, 3]);
        assert_eq!(<(i32, u64) as ShardEntry>::from_words([0xffff_ffff, 3]), (-1, 3));
    }
}
