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
