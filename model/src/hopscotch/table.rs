//! The table and the code that all operations share: groups, homes, locks.

use super::home::{Home, Lock, WHOLE};
use crate::entry::Packed;
use crate::hash::Seed;
use crate::key::{Key, UserKey};
use crate::memory::{Order, ReadOrder, Words, WriteOrder};
use crate::row::{self, Found, Place};
use crate::warp::Warp;
use core::marker::PhantomData;

/// A handle to a hopscotch table: a Copy view that every warp carries.
///
/// A group is what a warp reads at once: `W::LANES * S` words, the first one its home word, the others slots.
/// A key belongs to a home, and is in one of the `N` groups that begin there, its neighbourhood. Warps of
/// different widths may use one table if `W::LANES * S` is equal. `V` bounds the bits of versions: see
/// [`with_version_bits`](Self::with_version_bits).
#[derive(Clone, Copy, Debug)]
pub struct HopscotchTable<E, H, const S: usize, const N: u32, const V: u32 = WHOLE> {
    words: H,
    homes: u32,
    seed: Seed,
    entry: PhantomData<E>,
}

/// The words of one group, as the lanes of a warp read them.
pub(super) type Row<W, E, const S: usize> = row::Row<W, <E as Packed>::Word, S>;
/// A slot that was found in a row.
pub(super) type Slot<W, E> = Found<W, <E as Packed>::Word>;

/// The place of a member of a home.
pub(super) struct Member<W: Warp, E: Packed, const S: usize> {
    pub(super) group: u32,
    /// The group as it was read.
    pub(super) row: Row<W, E, S>,
    pub(super) slot: Slot<W, E>,
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32> HopscotchTable<E, H, S, N> {
    /// A table of `homes` homes, at least one, over all words of `words`: those of `homes + N - 1` groups.
    /// The last `N - 1` groups are the home of no key. At first every word is all ones. `seed` decides the
    /// homes of keys. A neighbourhood whose hop bits leave less than 16 bits of a home word for its version
    /// does not compile.
    #[inline(always)]
    pub const fn new(words: H, homes: u32, seed: Seed) -> Self {
        const { assert!(N >= 1 && Home::<E::Word, N>::VERSION_BITS >= 16, "a neighbourhood has too many groups") };
        Self { words, homes, seed, entry: PhantomData }
    }

    /// This table with versions of `V` bits, at least one, and no more than there is room for. For the
    /// checkers: so narrow that a version wraps between two steps of another warp. All handles to a table
    /// must have versions of one width.
    #[inline(always)]
    pub const fn with_version_bits<const V: u32>(self) -> HopscotchTable<E, H, S, N, V> {
        let Self { words, homes, seed, entry } = self;
        HopscotchTable { words, homes, seed, entry }
    }
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> HopscotchTable<E, H, S, N, V> {
    /// Number of homes.
    #[inline(always)]
    pub const fn homes(self) -> u32 {
        self.homes
    }

    /// Number of groups: the homes, and the tail after the last one.
    #[inline(always)]
    pub const fn groups(self) -> u32 {
        self.homes + N - 1
    }

    /// Prefetches the home of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<E::Key>) {
        self.words.prefetch(Self::word(W::LANES, self.home_of(key.get())));
    }

    /// The home of a key.
    #[inline(always)]
    pub(super) fn home_of(self, key: E::Key) -> u32 {
        key.hash(self.seed).digit(self.homes)
    }

    /// The class of a key.
    #[inline(always)]
    pub(super) fn class(self, key: E::Key) -> u32 {
        Home::<E::Word, N, V>::class(key.hash(self.seed))
    }

    /// The index of the first word of a group, its home word.
    #[inline(always)]
    pub(super) fn word(lanes: u32, group: u32) -> usize {
        group as usize * (lanes as usize * S)
    }

    /// All lanes read a group. Every word is a separate read.
    #[inline(always)]
    pub(super) fn read<W: Warp>(self, w: &mut W, group: u32) -> Row<W, E, S> {
        w.each(|lane| {
            // Relaxed: an entry is right by itself. A fence follows where the absence of a key leads on.
            self.words.load_row::<S>(group as usize * W::LANES as usize + lane as usize, ReadOrder::Relaxed)
        })
    }

    /// The lowest slot of a group as read whose word is `wanted`.
    #[inline(always)]
    pub(super) fn first<W: Warp>(
        w: &mut W,
        group: u32,
        row: Row<W, E, S>,
        wanted: impl Fn(E::Word) -> bool,
    ) -> Option<Slot<W, E>> {
        row::first(w, Self::word(W::LANES, group), row, |lane, i, word| is_slot(lane, i) && wanted(word))
    }

    /// Whether any slot of a group as read is `wanted`.
    #[inline(always)]
    pub(super) fn any<W: Warp>(w: &mut W, row: Row<W, E, S>, wanted: impl Fn(E::Word) -> bool) -> bool {
        row::any(w, row, |lane, i, word| is_slot(lane, i) && wanted(word))
    }

    /// Whether a slot holds this key.
    #[inline(always)]
    pub(super) fn holds(word: E::Word, key: E::Key) -> bool {
        E::key(word) == key
    }

    /// Whether a slot is empty.
    #[inline(always)]
    pub(super) fn is_empty(word: E::Word) -> bool {
        E::key(word) == E::key(E::EMPTY)
    }

    /// Whether a slot is reserved: taken, without an entry.
    #[inline(always)]
    pub(super) fn is_reserved(word: E::Word) -> bool {
        E::key(word) == E::key(E::MARK)
    }

    /// Whether a slot holds an entry.
    #[inline(always)]
    pub(super) fn is_entry(word: E::Word) -> bool {
        UserKey::new(E::key(word)).is_some()
    }

    /// Whether a slot holds a member of `home`.
    #[inline(always)]
    pub(super) fn is_member(self, word: E::Word, home: u32) -> bool {
        Self::is_entry(word) && self.home_of(E::key(word)) == home
    }

    /// The home word of a group. The first lane reads it, after a [`Warp::sync`] that follows the reads of
    /// all lanes.
    #[inline(always)]
    pub(super) fn home<W: Warp>(self, w: &mut W, group: u32) -> Home<E::Word, N, V> {
        let at = Self::word(W::LANES, group);
        // Acquire: pairs with the Release of `set_home`.
        Home::from_word(w.elect(0, || self.words.load(at, ReadOrder::Acquire)))
    }

    /// The last home word of a group, where a load could return an older one. `None` if it is locked or
    /// changes meanwhile. A warp that locks the home later does so after all that this warp has read before
    /// its last `sync`.
    #[inline(always)]
    pub(super) fn last_home<W: Warp>(self, w: &mut W, group: u32) -> Option<Home<E::Word, N, V>> {
        let (at, seen) = (Self::word(W::LANES, group), self.home(w, group));
        if seen.is_locked() {
            return None;
        }
        let word = seen.into_word();
        // Release: pairs with the Acquire of `try_lock`.
        let found = w.elect(0, || self.words.compare_exchange(at, word, word, Order::Release));
        (found == word).then_some(seen)
    }

    /// Writes the home word of a group whose lock this warp holds. A warp that reads it sees all that all
    /// lanes did before.
    #[inline(always)]
    pub(super) fn set_home<W: Warp>(self, w: &mut W, group: u32, home: Home<E::Word, N, V>) {
        let at = Self::word(W::LANES, group);
        w.sync();
        w.elect(0, || {
            // Release: pairs with the Acquire of `try_lock` and of `home`.
            self.words.store(at, home.into_word(), WriteOrder::Release);
        });
    }

    /// The home word in the row of its group, read in any order with the slots.
    #[inline(always)]
    pub(super) fn home_in<W: Warp>(w: &mut W, row: Row<W, E, S>) -> Home<E::Word, N, V> {
        let words = w.map(row, |_, words: [E::Word; S]| words[0]);
        Home::from_word(w.shfl(words, 0))
    }

    /// Takes a lock of a home, whose word may still be `seen`, unless it has a lock. Returns the home with
    /// its lock, or else with that of another warp.
    #[inline(always)]
    pub(super) fn try_lock<W: Warp>(
        self,
        w: &mut W,
        group: u32,
        lock: Lock,
        mut seen: Home<E::Word, N, V>,
    ) -> Result<Home<E::Word, N, V>, Home<E::Word, N, V>> {
        let at = Self::word(W::LANES, group);
        while !seen.is_locked() {
            let (old, new) = (seen.into_word(), seen.locked(lock).into_word());
            // Acquire: pairs with the Release of `set_home` and `last_home`: members are as the last holder
            // left them.
            let found = w.elect(0, || self.words.compare_exchange(at, old, new, Order::Acquire));
            if found == old {
                w.sync();
                return Ok(seen.locked(lock));
            }
            seen = Home::from_word(found);
        }
        Err(seen)
    }

    /// Waits until a home that was `seen` has no lock.
    #[inline(always)]
    pub(super) fn wait<W: Warp>(self, w: &mut W, group: u32, mut seen: Home<E::Word, N, V>) {
        while seen.is_locked() {
            w.pause();
            seen = self.home(w, group);
        }
    }

    /// Takes an empty slot: puts `word` there if it is still as it was seen. The order acquires: that pairs
    /// with the Release of `put`, by which the slot became empty. What happened before that is passed on by
    /// the next change of the slot.
    #[inline(always)]
    pub(super) fn take<W: Warp>(self, w: &mut W, slot: &Slot<W, E>, word: E::Word, order: Order) -> bool {
        w.elect_with(slot.lane, slot.places, |place| {
            self.words.compare_exchange(place.at, place.seen, word, order) == place.seen
        })
    }

    /// Writes a slot that no other warp may write: one reserved by this warp, or one of a member whose home
    /// it has locked.
    #[inline(always)]
    pub(super) fn put<W: Warp>(self, w: &mut W, slot: &Slot<W, E>, word: E::Word) {
        w.elect_with(slot.lane, slot.places, |place| {
            // Release: pairs with the acquire fences of a search, and with the exchange of `take`.
            self.words.store(place.at, word, WriteOrder::Release);
        });
    }

    /// The content of a slot when it was found.
    #[inline(always)]
    pub(super) fn seen<W: Warp>(w: &mut W, slot: &Slot<W, E>) -> E::Word {
        let seen = w.map(slot.places, |_, Place { seen, .. }| seen);
        w.shfl(seen, slot.lane)
    }
}

/// Whether a word of a row is a slot, and not the home word.
#[inline(always)]
pub(super) const fn is_slot(lane: u32, i: usize) -> bool {
    lane != 0 || i != 0
}
