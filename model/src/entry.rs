//! Entries that fit one atomic word: a key of 32 or 64 bits, a u32 pair in 64 bits, a u64 pair in 128 bits.

use crate::key::Key;
use crate::memory::Word;

/// The key word of a slot that an insert of u64 pairs in two words is filling, whatever the key. It is the
/// reserved key between that of a tombstone and that of an empty slot.
pub(crate) const LOCKED: u64 = u64::FIRST_RESERVED + 1;

/// An entry packed into one word.
pub trait Packed: Copy {
    /// Key of the entry, in the low bits of the word.
    type Key: Key;
    /// Value of the entry, above the key.
    type Value: Word;
    /// The word.
    type Word: Word;

    /// A slot without an entry: all ones.
    const EMPTY: Self::Word;
    /// A word that is neither empty nor an entry; its meaning is the structure's choice.
    const MARK: Self::Word;

    /// The word of an entry.
    fn pack(key: Self::Key, value: Self::Value) -> Self::Word;
    /// The key bits of a word.
    fn key(word: Self::Word) -> Self::Key;
    /// The value bits of a word.
    fn value(word: Self::Word) -> Self::Value;
}

macro_rules! key {
    ($(#[$doc:meta])* $name:ident: $word:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Packed for $name {
            type Key = $word;
            type Value = ();
            type Word = $word;
            const EMPTY: $word = <$word>::MAX;
            const MARK: $word = <$word>::FIRST_RESERVED;

            #[inline(always)]
            fn pack(key: $word, (): ()) -> $word {
                key
            }
            #[inline(always)]
            fn key(word: $word) -> $word {
                word
            }
            #[inline(always)]
            fn value(_: $word) {}
        }
    };
}
key! {
    /// A set entry: a u32 key.
    Key32: u32
}
key! {
    /// A set entry: a u64 key.
    Key64: u64
}

macro_rules! pair {
    ($(#[$doc:meta])* $name:ident: $half:ty, $word:ty, mark $mark:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Packed for $name {
            type Key = $half;
            type Value = $half;
            type Word = $word;
            const EMPTY: $word = <$word>::MAX;
            const MARK: $word = Self::pack_halves($mark, <$half>::MAX);

            #[inline(always)]
            fn pack(key: $half, value: $half) -> $word {
                Self::pack_halves(key, value)
            }
            #[inline(always)]
            fn key(word: $word) -> $half {
                word as $half
            }
            #[inline(always)]
            fn value(word: $word) -> $half {
                (word >> <$half>::BITS) as $half
            }
        }

        impl $name {
            #[inline(always)]
            const fn pack_halves(key: $half, value: $half) -> $word {
                key as $word | (value as $word) << <$half>::BITS
            }
        }
    };
}
pair! {
    /// A map entry: u32 key in bits 0..32, u32 value in bits 32..64.
    Pair32: u32, u64, mark u32::FIRST_RESERVED
}
pair! {
    /// A map entry: u64 key in bits 0..64, u64 value in bits 64..128. Needs 128-bit atomic words.
    Pair64: u64, u128, mark u64::FIRST_RESERVED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_pack_and_unpack() {
        assert_eq!(Pair32::pack(1, 2), 2 << 32 | 1);
        assert_eq!(Pair32::key(Pair32::pack(7, u32::MAX)), 7);
        assert_eq!(Pair32::value(Pair32::pack(7, u32::MAX)), u32::MAX);
        assert_eq!(Pair64::value(Pair64::pack(7, u64::MAX)), u64::MAX);
        assert_ne!(Pair32::EMPTY, Pair32::MARK);
        assert_ne!(Pair64::EMPTY, Pair64::MARK);
        assert_ne!(Pair32::key(Pair32::EMPTY), Pair32::key(Pair32::MARK));
    }
}
