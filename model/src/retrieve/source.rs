//! The source of entries, and the sink that they are copied to.

use crate::entry::Packed;
use crate::key::UserKey;
use crate::open::OpenSlots;
use core::marker::PhantomData;

/// Slots that are numbered through, some of which hold an entry.
pub trait Source: Copy {
    /// The entry in a slot.
    type Entry: Packed;

    /// Number of slots.
    fn slots(self) -> u64;

    /// The word of a slot below [`slots`](Self::slots).
    fn load(self, slot: u64) -> Word<Self>;

    /// The words of the slots `row * S` to `row * S + S - 1`, which are all below [`slots`](Self::slots).
    /// Each is a separate read.
    #[inline(always)]
    fn load_row<const S: usize>(self, row: u64) -> [Word<Self>; S] {
        core::array::from_fn(|i| self.load(row * S as u64 + i as u64))
    }

    /// The entry of a slot below [`slots`](Self::slots), if its key is reserved; [`load`](Self::load) returns
    /// the word of an empty slot for it. A table has no such entries in its slots; a batch may.
    #[inline(always)]
    fn reserved(self, _slot: u64) -> Option<ReservedEntry<Self>> {
        None
    }

    /// Whether a word is an entry whose key is not reserved, as slots hold them.
    #[inline(always)]
    fn is_entry(word: Word<Self>) -> bool {
        UserKey::new(Self::Entry::key(word)).is_some()
    }
}

/// An entry of a reserved key: the [number](UserKey::of_reserved) of the key, and the value.
pub type ReservedEntry<A> =
    (UserKey<<<A as Source>::Entry as Packed>::Key>, <<A as Source>::Entry as Packed>::Value);

/// The word of a source's slot.
pub(super) type Word<A> = <<A as Source>::Entry as Packed>::Word;

/// A receiver of copied entries.
pub trait Sink<E: Packed>: Copy {
    /// How many entries it has room for.
    fn room(self) -> u64;

    /// Writes entry number `place`, which is below [`room`](Self::room). No place is written twice.
    fn put(self, place: u64, key: E::Key, value: E::Value);
}

/// An array of slots.
#[derive(Clone, Copy, Debug)]
pub struct SlotArray<E, H> {
    slots: H,
    entry: PhantomData<E>,
}

impl<E: Packed, H: OpenSlots<E>> SlotArray<E, H> {
    /// All of these slots.
    #[inline(always)]
    pub const fn new(slots: H) -> Self {
        Self { slots, entry: PhantomData }
    }
}

impl<E: Packed, H: OpenSlots<E>> Source for SlotArray<E, H> {
    type Entry = E;

    #[inline(always)]
    fn slots(self) -> u64 {
        self.slots.slots() as u64
    }

    #[inline(always)]
    fn load(self, slot: u64) -> E::Word {
        self.slots.entry(slot as usize)
    }

    #[inline(always)]
    fn load_row<const S: usize>(self, row: u64) -> [E::Word; S] {
        self.slots.entries::<S>(row as usize)
    }
}
