//! Entries that fit one atomic word: a u32 key, a u32 pair in 64 bits, a u64 pair in 128 bits.
//!
//! Every change of a slot is one compare-and-swap of the whole entry, so a pair is never seen torn.

use super::multiplicity::{Multi, Multiplicity};
use super::slots::{Change, Link, SlabIndex, Slots};
use crate::key::Key;
use crate::memory::{Order, ReadOrder, Word, Words, WriteOrder};
use core::marker::PhantomData;

/// An entry packed into one word.
pub trait Packed: Copy {
    /// Key of the entry, in the low bits of the word.
    type Key: Key;
    /// Value of the entry, above the key.
    type Value: Word;
    /// The word.
    type Word: Word;

    /// A slot that was never taken: all ones.
    const EMPTY: Self::Word;
    /// A slot whose entry was deleted.
    const TOMBSTONE: Self::Word;

    /// The word of an entry.
    fn pack(key: Self::Key, value: Self::Value) -> Self::Word;
    /// The key bits of a word.
    fn key(word: Self::Word) -> Self::Key;
    /// The value bits of a word.
    fn value(word: Self::Word) -> Self::Value;
}

/// A set entry: a u32 key.
#[derive(Clone, Copy, Debug)]
pub struct Key32;

impl Packed for Key32 {
    type Key = u32;
    type Value = ();
    type Word = u32;
    const EMPTY: u32 = u32::MAX;
    const TOMBSTONE: u32 = u32::MAX - 1;

    #[inline(always)]
    fn pack(key: u32, (): ()) -> u32 {
        key
    }
    #[inline(always)]
    fn key(word: u32) -> u32 {
        word
    }
    #[inline(always)]
    fn value(_: u32) {}
}

macro_rules! pair {
    ($(#[$doc:meta])* $name:ident: $half:ty, $word:ty, tombstone $tombstone:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Packed for $name {
            type Key = $half;
            type Value = $half;
            type Word = $word;
            const EMPTY: $word = <$word>::MAX;
            const TOMBSTONE: $word = Self::pack_halves($tombstone, <$half>::MAX);

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
    Pair32: u32, u64, tombstone u32::FIRST_RESERVED
}
pair! {
    /// A map entry: u64 key in bits 0..64, u64 value in bits 64..128. Needs 128-bit atomic words.
    Pair64: u64, u128, tombstone u64::FIRST_RESERVED
}

/// Slots that hold one packed entry each.
#[derive(Clone, Copy, Debug)]
pub struct PackedSlots<P, H, M = Multi> {
    words: H,
    kind: PhantomData<(P, M)>,
}

impl<P: Packed, H: Words<P::Word>, M: Multiplicity> PackedSlots<P, H, M> {
    /// Slots over `words`: one word per slot, the last of each slab its link.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self { words, kind: PhantomData }
    }
}

impl<P: Packed, H: Words<P::Word>, M: Multiplicity> Slots for PackedSlots<P, H, M> {
    type Key = P::Key;
    type Value = P::Value;
    type Word = P::Word;
    type Multiplicity = M;
    type Probe = H;

    const PENDING: bool = false;
    const VALUE_IN_WORD: bool = true;

    #[inline(always)]
    fn probe(self) -> H {
        self.words
    }
    #[inline(always)]
    fn is_empty(word: P::Word) -> bool {
        P::key(word) == P::key(P::EMPTY)
    }
    #[inline(always)]
    fn holds(word: P::Word, key: P::Key) -> bool {
        P::key(word) == key
    }
    #[inline(always)]
    fn is_pending(_: P::Word, _: P::Key) -> bool {
        false
    }
    #[inline(always)]
    fn is_tombstone(word: P::Word) -> bool {
        P::key(word) == P::key(P::TOMBSTONE)
    }
    #[inline(always)]
    fn key(seen: P::Word) -> P::Key {
        P::key(seen)
    }
    #[inline(always)]
    fn value(self, _: usize, seen: P::Word) -> P::Value {
        P::value(seen)
    }
    #[inline(always)]
    fn change(self, at: usize, seen: P::Word, change: Change, key: P::Key, value: P::Value) -> bool {
        let new = match change {
            Change::Fill | Change::Assign => P::pack(key, value),
            Change::Erase => P::TOMBSTONE,
        };
        // Relaxed or Release: what the multiplicity needs, see there.
        self.words.compare_exchange(at, seen, new, M::CHANGE) == seen
    }
    #[inline(always)]
    fn publish(self, at: usize, slab: SlabIndex) -> Link {
        publish(self.words, at, slab)
    }
    #[inline(always)]
    fn relocate(self, _: usize, to: usize, seen: P::Word) {
        // Relaxed: a flush owns its bucket; `Warp::sync` orders its steps among the lanes.
        self.words.store(to, seen, WriteOrder::Relaxed);
    }
    #[inline(always)]
    fn reset(self, at: usize) {
        // Relaxed: as in `relocate`.
        self.words.store(at, P::EMPTY, WriteOrder::Relaxed);
    }
}

/// Sets a link from nil to `slab`; returns the link that stands there afterwards.
#[inline(always)]
pub(super) fn publish<T: Word>(words: impl Words<T>, at: usize, slab: SlabIndex) -> Link {
    let nil = Link::NIL.into_word::<T>();
    let new = Link::to(slab);
    // Relaxed: a slab is all empty before it is linked and changes by compare-and-swap only, so there is
    // nothing to publish with it. Who reaches it early sees empty slots and finds out at the exchange.
    let old = words.compare_exchange(at, nil, new.into_word(), Order::Relaxed);
    if old == nil { new } else { Link::from_word(old) }
}

/// The order of every probe.
///
/// Relaxed: a slot has one owner key, so coherence alone orders what a probe sees of it. Conclusions that
/// need two slots at one instant go through the fence of `settle`.
pub(super) const PROBE: ReadOrder = ReadOrder::Relaxed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_pack_and_unpack() {
        assert_eq!(Pair32::pack(1, 2), 2 << 32 | 1);
        assert_eq!(Pair32::key(Pair32::pack(7, u32::MAX)), 7);
        assert_eq!(Pair32::value(Pair32::pack(7, u32::MAX)), u32::MAX);
        assert_eq!(Pair64::value(Pair64::pack(7, u64::MAX)), u64::MAX);
        assert_ne!(Pair32::EMPTY, Pair32::TOMBSTONE);
        assert_ne!(Pair64::EMPTY, Pair64::TOMBSTONE);
        assert_ne!(Pair32::key(Pair32::EMPTY), Pair32::key(Pair32::TOMBSTONE));
    }

    #[test]
    fn an_empty_slab_is_all_ones() {
        assert_eq!(Link::NIL.into_word::<u32>(), Key32::EMPTY);
        assert_eq!(Link::NIL.into_word::<u64>(), Pair32::EMPTY);
        assert_eq!(Link::NIL.into_word::<u128>(), Pair64::EMPTY);
    }
}
