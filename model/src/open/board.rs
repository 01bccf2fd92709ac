//! Slots with a board of fingerprints: a byte for each slot, in memory that is nearer than the slots.
//!
//! A byte is zero while its slot is empty, and then a fingerprint of the slot's key. An operation reads only
//! the slots with the fingerprint of its key. The README of this module has the steps and the argument.

use super::filter::Filter;
use super::probing::Probing;
use super::slots::{Change, OpenSlots};
use super::table::OpenTable;
use crate::entry::{Key32, Key64, Packed, Pair32, Pair64};
use crate::hash::Seed;
use crate::key::{Key, UserKey};
use crate::memory::{Order, ReadOrder, Word, Words, WriteOrder};
use crate::update::Update;

/// Slots whose fingerprints share one word of the board.
pub const BOARD_SLOTS: usize = 4;

/// Bits of a fingerprint.
const BITS: usize = 8;
/// All bits of one.
const ONES: u32 = (1 << BITS) - 1;

/// The words of a board for so many slots.
#[inline(always)]
pub const fn board_words(slots: usize) -> usize {
    slots.div_ceil(BOARD_SLOTS)
}

/// The fingerprint of a key whose hash has this low half: 1 to 255.
#[inline(always)]
pub const fn fingerprint(hash: u32) -> u32 {
    // The lowest bits: strides come from the highest ones.
    let bits = hash & ONES;
    if bits == 0 { ONES } else { bits }
}

/// This word of the board with the fingerprint of another slot added.
#[inline(always)]
pub const fn with_fingerprint(word: u32, at: usize, fingerprint: u32) -> u32 {
    word | fingerprint << (at % BOARD_SLOTS * BITS)
}

/// The fingerprint of a slot, in its word of the board.
#[inline(always)]
const fn of_slot(word: u32, at: usize) -> u32 {
    word >> (at % BOARD_SLOTS * BITS) & ONES
}

/// Writes word number `word` of a board: the fingerprints of the keys in its slots, in a table with this
/// seed. Nothing else uses either meanwhile.
#[inline(always)]
pub fn write_board<E: Packed>(slots: impl Words<E::Word>, board: impl Words<u32>, word: usize, seed: Seed) {
    let first = word * BOARD_SLOTS;
    let mut said = 0;
    for at in first..(first + BOARD_SLOTS).min(slots.len()) {
        // Relaxed, both: nothing else runs.
        let entry = slots.load(at, ReadOrder::Relaxed);
        if entry != E::EMPTY {
            // A tombstone has the fingerprint of its reserved key: no other key takes its slot.
            said = with_fingerprint(said, at, fingerprint(E::key(entry).hash(seed).low()));
        }
    }
    board.store(word, said, WriteOrder::Relaxed);
}

/// An entry for slots with a board.
pub trait Boarded: Packed {
    /// The result of probing a slot: the word of an entry, or [`PENDING`](Self::PENDING).
    type Probed: Word;

    /// A slot that has a fingerprint and no entry yet.
    const PENDING: Self::Probed;

    /// A slot of another key, or of a tombstone.
    const OTHER: Self::Probed;

    /// The result of probing a slot with this word.
    fn probed(word: Self::Word) -> Self::Probed;

    /// The word of a slot with this result, if it is not pending.
    fn word(probed: Self::Probed) -> Self::Word;
}

/// *Pending* is a bit above a key that is all ones.
macro_rules! set {
    ($($entry:ident $word:ty, $probed:ty;)*) => { $(
        impl Boarded for $entry {
            type Probed = $probed;
            const PENDING: $probed = 1 << <$word>::BITS | Self::EMPTY as $probed;
            const OTHER: $probed = Self::MARK as $probed;
            #[inline(always)]
            fn probed(word: $word) -> $probed {
                word as $probed
            }
            #[inline(always)]
            fn word(probed: $probed) -> $word {
                probed as $word
            }
        }
    )* };
}
set! {
    Key32 u32, u64;
    Key64 u64, u128;
}

/// *Pending* is the key of an empty slot with another value.
macro_rules! pair {
    ($($entry:ident $key:ty, $word:ty;)*) => { $(
        impl Boarded for $entry {
            type Probed = $word;
            const PENDING: $word = <$key>::MAX as $word;
            const OTHER: $word = Self::MARK;
            #[inline(always)]
            fn probed(word: $word) -> $word {
                word
            }
            #[inline(always)]
            fn word(probed: $word) -> $word {
                probed
            }
        }
    )* };
}
pair! {
    Pair32 u32, u64;
    Pair64 u64, u128;
}

/// Slots with a board, as an operation on one key sees them; before [`OpenSlots::of_key`], as all keys see
/// them.
///
/// An insert takes a slot by an exchange in the board, and stores its entry without an exchange: the slots
/// may be in memory where exchanges are expensive. Inserts, assigns and adds wait while a slot with the
/// fingerprint of their key is being filled.
#[derive(Clone, Copy, Debug)]
pub struct BoardSlots<B, H> {
    board: B,
    slots: H,
    /// The fingerprint of the key; zero for all keys.
    fingerprint: u32,
}

impl<B: Words<u32>, H> BoardSlots<B, H> {
    /// Slots in words that are all ones at first, and a board of [`board_words`] words, which are zero at
    /// first.
    #[inline(always)]
    pub const fn new(board: B, slots: H) -> Self {
        Self { board, slots, fingerprint: 0 }
    }

    /// A slot with this fingerprint, as this key sees it.
    #[inline(always)]
    fn read<E: Boarded>(self, at: usize, fingerprint: u32) -> E::Probed
    where
        H: Words<E::Word>,
    {
        if fingerprint == 0 {
            return E::probed(E::EMPTY);
        }
        if self.fingerprint != 0 && fingerprint != self.fingerprint {
            return E::OTHER;
        }
        // Relaxed: an entry is one consistent word.
        let word = self.slots.load(at, ReadOrder::Relaxed);
        if word == E::EMPTY { E::PENDING } else { E::probed(word) }
    }

    /// Takes an empty slot and fills it. Returns what it held: if that is not empty, nothing has changed.
    #[inline(always)]
    fn fill<E: Boarded>(self, at: usize, entry: E::Word) -> E::Probed
    where
        H: Words<E::Word>,
    {
        let word = at / BOARD_SLOTS;
        // Relaxed, both: the value of a byte alone says for which keys its slot is.
        let mut seen = self.board.load(word, ReadOrder::Relaxed);
        loop {
            let held = of_slot(seen, at);
            if held != 0 {
                return self.read::<E>(at, held);
            }
            let new = with_fingerprint(seen, at, self.fingerprint);
            let now = self.board.compare_exchange(word, seen, new, Order::Relaxed);
            if now == seen {
                break;
            }
            // Another byte of the word was set, which happens once to each; or this byte was.
            seen = now;
        }
        // Relaxed: the word depends on no other memory, and no other warp writes it before it is there.
        self.slots.store(at, entry, WriteOrder::Relaxed);
        E::probed(E::EMPTY)
    }
}

impl<E: Packed, B: Words<u32>, H, F: Filter, P: Probing, const S: usize>
    OpenTable<E, BoardSlots<B, H>, F, P, S>
where
    BoardSlots<B, H>: OpenSlots<E>,
{
    /// Whether a slot in which `key` may be has its fingerprint. If not, the key is absent. Reads only the
    /// board, as a search by one lane does if it reads no slot.
    #[inline(always)]
    pub fn may_hold(self, key: UserKey<E::Key>) -> bool {
        const { assert!(S.is_multiple_of(BOARD_SLOTS), "a bucket has whole words of the board") };
        let (table, mut probe) = self.of_key(key.get());
        let BoardSlots { board, fingerprint, .. } = table.slots();
        loop {
            let (first, mut full) = (Self::slot(1, probe.bucket) / BOARD_SLOTS, true);
            for word in first..first + S / BOARD_SLOTS {
                // Relaxed: as a probe reads it.
                let bytes = board.load(word, ReadOrder::Relaxed);
                if has_zero(bytes ^ (fingerprint * EACH_BYTE)) {
                    return true;
                }
                full &= !has_zero(bytes);
            }
            match self.next(probe) {
                Some(next) if full => probe = next,
                _ => return false,
            }
        }
    }
}

/// A word of ones, a byte each.
const EACH_BYTE: u32 = 0x0101_0101;

/// Whether a byte of a word is zero (Mycroft, 1987).
#[inline(always)]
const fn has_zero(word: u32) -> bool {
    word.wrapping_sub(EACH_BYTE) & !word & (EACH_BYTE << 7) != 0
}

/// Not for all entries by one `impl`: entries of other crates might have words of their own.
macro_rules! slots {
    ($($entry:ident)*) => { $(
        impl<B: Words<u32>, H: Words<<$entry as Packed>::Word>> OpenSlots<$entry> for BoardSlots<B, H> {
            type Word = <$entry as Boarded>::Probed;

            const TOMBSTONE: <$entry as Boarded>::Probed = $entry::OTHER;
            const PENDING: bool = true;
            const PASSES_PENDING: bool = true;
            const VALUE_IN_WORD: bool = true;

            #[inline(always)]
            fn of_key(self, hash: u32) -> Self {
                Self { fingerprint: fingerprint(hash), ..self }
            }
            #[inline(always)]
            fn slots(self) -> usize {
                self.slots.len()
            }
            #[inline(always)]
            fn probe<const S: usize>(self, row: usize) -> [<$entry as Boarded>::Probed; S] {
                let (first, mut word) = (row * S, 0);
                core::array::from_fn(|i| {
                    let at = first + i;
                    if i == 0 || at % BOARD_SLOTS == 0 {
                        // Relaxed: a taken slot never gets another key, and the lowest slot decides.
                        word = self.board.load(at / BOARD_SLOTS, ReadOrder::Relaxed);
                    }
                    self.read::<$entry>(at, of_slot(word, at))
                })
            }
            #[inline(always)]
            fn ask_for(self, at: usize) {
                self.board.prefetch(at / BOARD_SLOTS);
            }
            #[inline(always)]
            fn key(probed: <$entry as Boarded>::Probed) -> <$entry as Packed>::Key {
                $entry::key($entry::word(probed))
            }
            #[inline(always)]
            fn is_vacant(probed: <$entry as Boarded>::Probed) -> bool {
                $entry::key($entry::word(probed)) == $entry::key($entry::EMPTY)
            }
            #[inline(always)]
            fn is_pending(probed: <$entry as Boarded>::Probed) -> bool {
                probed == $entry::PENDING
            }
            #[inline(always)]
            fn value_in(probed: <$entry as Boarded>::Probed) -> <$entry as Packed>::Value {
                $entry::value($entry::word(probed))
            }
            #[inline(always)]
            fn value(self, at: usize) -> <$entry as Packed>::Value {
                $entry::value(OpenSlots::<$entry>::entry(self, at))
            }
            #[inline(always)]
            fn updated(update: Update, seen: <$entry as Boarded>::Probed, entry: <$entry as Packed>::Word) -> Option<<$entry as Packed>::Word> {
                let seen = $entry::word(seen);
                let updated = $entry::pack($entry::key(entry), update.apply($entry::value(seen), $entry::value(entry)));
                // An addition is written in any case, as elsewhere.
                (update == Update::Add || updated != seen).then_some(updated)
            }
            #[inline(always)]
            fn change(self, at: usize, seen: <$entry as Boarded>::Probed, change: Change<<$entry as Packed>::Word>) -> <$entry as Boarded>::Probed {
                let new = match change {
                    Change::Put(entry, _) if seen == $entry::probed($entry::EMPTY) => return self.fill::<$entry>(at, entry),
                    Change::Put(entry, _) => entry,
                    Change::Erase => $entry::MARK,
                };
                // Relaxed: the word depends on no other memory.
                $entry::probed(self.slots.compare_exchange(at, $entry::word(seen), new, Order::Relaxed))
            }
            #[inline(always)]
            fn entry(self, at: usize) -> <$entry as Packed>::Word {
                // Relaxed, here and below: an entry is one consistent word.
                self.slots.load(at, ReadOrder::Relaxed)
            }
            #[inline(always)]
            fn entries<const S: usize>(self, row: usize) -> [<$entry as Packed>::Word; S] {
                self.slots.load_row::<S>(row, ReadOrder::Relaxed)
            }
            #[inline(always)]
            fn agrees(self, at: usize, hash: u32) -> bool {
                // Relaxed: called on tables on which nothing runs.
                of_slot(self.board.load(at / BOARD_SLOTS, ReadOrder::Relaxed), at) == fingerprint(hash)
            }
        }
    )* };
}
slots! { Key32 Key64 Pair32 Pair64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_never_zero() {
        assert_eq!([0, 1, 0xff, 0x100, 0x1ff, 0xabcd_ef12].map(fingerprint), [255, 1, 255, 255, 255, 0x12]);
    }

    #[test]
    fn bytes_of_a_word_are_those_of_its_slots() {
        let word = (0..4).fold(0, |word, at| with_fingerprint(word, 8 + at, 10 + at as u32));
        assert_eq!([8, 9, 10, 11].map(|at| of_slot(word, at)), [10, 11, 12, 13]);
        assert_eq!([0, 1, 4, 5, 8].map(board_words), [0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_zero_byte_is_found() {
        for zero in 0..4 {
            for other in [1, 0x7f, 0x80, 0xff] {
                let all = other * EACH_BYTE;
                assert!(!has_zero(all) && has_zero(all & !(0xff << (8 * zero))), "{other:#x} {zero}");
            }
        }
    }

    #[test]
    fn what_a_probe_reads_is_empty_pending_or_an_entry() {
        fn apart<E: Boarded>() {
            let all = [E::probed(E::EMPTY), E::PENDING, E::OTHER];
            assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
            assert!(E::key(E::word(E::OTHER)) == E::key(E::MARK) && E::word(all[0]) == E::EMPTY);
        }
        apart::<Key32>();
        apart::<Key64>();
        apart::<Pair32>();
        apart::<Pair64>();
    }
}
