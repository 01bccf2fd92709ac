//! Where entries are copied from, and where to.

use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{ReadOrder, Words};
use core::marker::PhantomData;

/// Slots that are numbered through, some of which hold an entry.
pub trait Source: Copy {
    /// What a slot may hold.
    type Entry: Packed;

    /// Number of slots.
    fn slots(self) -> u64;

    /// The word of a slot below [`slots`](Self::slots).
    fn load(self, slot: u64) -> Word<Self>;

    /// The words of the slots `row * S` to `row * S + S - 1`, which are all below [`slots`](Self::slots). Each is a read of
    /// its own.
    fn load_row<const S: usize>(self, row: u64) -> [Word<Self>; S];

    /// Whether a word is that of an entry. The empty word is none.
    fn is_entry(word: Word<Self>) -> bool;
}

/// The word of a source's slot.
pub(super) type Word<A> = <<A as Source>::Entry as Packed>::Word;

/// Where entries are copied to.
pub trait Sink<E: Packed>: Copy {
    /// How many there is room for.
    fn room(self) -> u64;

    /// Writes entry number `place`, which is below [`room`](Self::room). No place is written twice.
    fn put(self, place: u64, key: E::Key, value: E::Value);
}

/// An array of slots that hold one word each: an entry, if its key is a user's.
#[derive(Clone, Copy, Debug)]
pub struct SlotArray<E, H> {
    words: H,
    entry: PhantomData<E>,
}

impl<E: Packed, H: Words<E::Word>> SlotArray<E, H> {
    /// The slots in all of these words.
    #[inline(always)]
    pub const fn new(words: H) -> Self {
        Self { words, entry: PhantomData }
    }
}

impl<E: Packed, H: Words<E::Word>> Source for SlotArray<E, H> {
    type Entry = E;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.words.len() as u64
    }

    #[inline(always)]
    fn load(self, slot: u64) -> E::Word {
        // Relaxed, here and below: an entry is right by itself.
        self.words.load(slot as usize, ReadOrder::Relaxed)
    }

    #[inline(always)]
    fn load_row<const S: usize>(self, row: u64) -> [E::Word; S] {
        self.words.load_row::<S>(row as usize, ReadOrder::Relaxed)
    }

    #[inline(always)]
    fn is_entry(word: E::Word) -> bool {
        UserKey::new(E::key(word)).is_some()
    }
}
