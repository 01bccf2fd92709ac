//! The storage of an entry in a slot of an open-addressing table: the part that differs between entry types.
//!
//! A slot belongs to one key from the moment it is taken: its life is *empty -> entry -> (entry of the same
//! key)\* -> tombstone*. Forms that fill it in two steps have *pending* after *empty*: then it belongs to a
//! key, and a reader cannot tell to which. All claims of the table rest on that, and on slots being taken
//! from the lowest one of a bucket on.

use crate::entry::Packed;
use crate::memory::{Order, ReadOrder, Word, Words};
use crate::update::Update;

/// A change of a slot that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change<T> {
    /// Empty to this entry; or an entry according to [`OnPresent`], which is not `Keep` then.
    Put(T, OnPresent),
    /// An entry to a tombstone.
    Erase,
}

/// What an insert does if the key is there.
// Its variant is a byte of its own, so that a compiler sees which ones a batch of several kinds has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum OnPresent {
    /// Nothing.
    Keep,
    /// It replaces the value.
    Assign,
    /// It changes the value; [`OpenSlots::updated`] made the entry.
    Update(Update),
}

/// One way to store entries `E` in the slots of a table.
///
/// The methods with a place run in one lane. `at` is the number of a slot; `seen` is the word that this lane
/// read there. Every array of words ([`Words`]) of entries is such a store, a slot in each word.
pub trait OpenSlots<E: Packed>: Copy {
    /// The word that a probe reads of a slot.
    type Word: Word;

    /// The word that a probe reads of a tombstone.
    const TOMBSTONE: Self::Word;

    /// Whether [`OpenSlots::is_pending`] can ever be true.
    const PENDING: bool;

    /// Whether an insert may go past a pending slot of another key.
    const PASSES_PENDING: bool = false;

    /// Whether the word of an entry has its value too. If not, [`OpenSlots::value`] reads it.
    const VALUE_IN_WORD: bool;

    /// The slots as an operation on one key sees them; the key's hash has this low half.
    #[inline(always)]
    #[must_use]
    fn of_key(self, _hash: u32) -> Self {
        self
    }

    /// Number of slots.
    fn slots(self) -> usize;

    /// Reads the slots `row * S` to `row * S + S - 1`, relaxed. Each is a separate read.
    fn probe<const S: usize>(self, row: usize) -> [Self::Word; S];

    /// Prefetches the cache line that a probe of a slot reads. A hint.
    fn ask_for(self, at: usize);

    /// The key of a word: that of its entry, or a reserved key: that of [`Packed::EMPTY`] for an empty slot,
    /// and that of [`Packed::MARK`] for a tombstone.
    fn key(word: Self::Word) -> E::Key;

    /// Whether the slot has no entry yet: it is empty or pending. Only for a slot that decides about a key.
    fn is_vacant(word: Self::Word) -> bool;

    /// Whether an insert, of some key, has taken the slot and not published the entry yet.
    fn is_pending(word: Self::Word) -> bool;

    /// The value in the word of an entry, or zero if it is in another word.
    fn value_in(word: Self::Word) -> E::Value;

    /// The value of the entry that was read in slot `at`.
    fn value(self, at: usize) -> E::Value;

    /// The entry for [`Change::Put`] of an update, where the call has `entry` and the entry `seen` of its key
    /// was read. `None` if the word of the slot stays as it was read.
    fn updated(update: Update, seen: Self::Word, entry: E::Word) -> Option<E::Word>;

    /// Changes a slot that held `seen`. Returns what it held: if that is not `seen`, it has changed since,
    /// and this call changed nothing.
    fn change(self, at: usize, seen: Self::Word, change: Change<E::Word>) -> Self::Word;

    /// The content of slot `at`, in the word of an entry: a word with a reserved key if it has no entry.
    fn entry(self, at: usize) -> E::Word;

    /// The content of the slots `row * S` to `row * S + S - 1`, each in the word of an entry.
    fn entries<const S: usize>(self, row: usize) -> [E::Word; S];

    /// Whether a board, if there is one, has the right fingerprint for slot `at`, whose key's hash has this
    /// low half. Called when no operation runs.
    #[inline(always)]
    fn agrees(self, _at: usize, _hash: u32) -> bool {
        true
    }
}

impl<E: Packed, H: Words<E::Word>> OpenSlots<E> for H {
    type Word = E::Word;

    const TOMBSTONE: E::Word = E::MARK;
    const PENDING: bool = false;
    const VALUE_IN_WORD: bool = true;

    #[inline(always)]
    fn slots(self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn probe<const S: usize>(self, row: usize) -> [E::Word; S] {
        // Relaxed: an entry is one consistent word, a taken slot never gets another key, and the lowest slot
        // decides.
        self.load_row::<S>(row, ReadOrder::Relaxed)
    }
    #[inline(always)]
    fn ask_for(self, at: usize) {
        self.prefetch(at);
    }
    #[inline(always)]
    fn key(word: E::Word) -> E::Key {
        E::key(word)
    }
    #[inline(always)]
    fn is_vacant(word: E::Word) -> bool {
        E::key(word) == E::key(E::EMPTY)
    }
    #[inline(always)]
    fn is_pending(_: E::Word) -> bool {
        false
    }
    #[inline(always)]
    fn value_in(word: E::Word) -> E::Value {
        E::value(word)
    }
    #[inline(always)]
    fn value(self, at: usize) -> E::Value {
        E::value(OpenSlots::<E>::entry(self, at))
    }
    #[inline(always)]
    fn updated(update: Update, seen: E::Word, entry: E::Word) -> Option<E::Word> {
        let updated = E::pack(E::key(entry), update.apply(E::value(seen), E::value(entry)));
        // An addition is written in any case, for the views that see the write.
        (update == Update::Add || updated != seen).then_some(updated)
    }
    #[inline(always)]
    fn change(self, at: usize, seen: E::Word, change: Change<E::Word>) -> E::Word {
        let new = match change {
            Change::Put(entry, _) => entry,
            Change::Erase => E::MARK,
        };
        // Relaxed: the word depends on no other memory.
        self.compare_exchange(at, seen, new, Order::Relaxed)
    }
    #[inline(always)]
    fn entry(self, at: usize) -> E::Word {
        // Relaxed, here and below: an entry is one consistent word.
        self.load(at, ReadOrder::Relaxed)
    }
    #[inline(always)]
    fn entries<const S: usize>(self, row: usize) -> [E::Word; S] {
        self.load_row::<S>(row, ReadOrder::Relaxed)
    }
}
