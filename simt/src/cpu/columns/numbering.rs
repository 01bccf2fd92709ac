//! Numbers for the distinct keys of some rows, in a table of one thread.

use crate::cpu::large_pages::with_room;
use crate::cpu::words::ask_for;
use std::collections::TryReserveError;
use warpproof_model::hash::Hash64;
use warpproof_model::{Key, Seed};

/// Slots of the first table.
const FIRST: usize = 1 << 8;

/// Tables of fewer slots are at most a quarter full: nearly all of their keys are where their search begins,
/// so that branches go as foreseen. A [sparse](Numbering::sparse) one begins with as many.
const SPARSE: usize = 1 << 12;

/// Keys and their numbers: open addressing with linear probing, at most half full, or a quarter.
///
/// The slots are private to a thread, and later only read, so this is not a table of the library, whose words
/// are atomic: it needs none of their protocol.
pub(super) struct Numbering<K> {
    /// A key, and its number plus one; zero in an empty slot.
    slots: Vec<(K, u32)>,
    len: u32,
    seed: Seed,
}

impl<K: Key> Numbering<K> {
    /// An empty table.
    pub(super) fn new(seed: Seed) -> Result<Self, TryReserveError> {
        Ok(Self { slots: empty(FIRST)?, len: 0, seed })
    }

    /// An empty table in which even a hundred keys hardly ever meet, of 64 KiB for 64-bit keys: for a thread
    /// that uses it for many rows.
    pub(super) fn sparse(seed: Seed) -> Result<Self, TryReserveError> {
        Ok(Self { slots: empty(SPARSE)?, len: 0, seed })
    }

    /// Forgets all keys; the room stays.
    pub(super) fn clear(&mut self) {
        if self.len > 0 {
            self.slots.fill((K::from_bits(0), 0));
            self.len = 0;
        }
    }

    /// How many keys there are.
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// The keys, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = K> {
        self.slots.iter().filter(|&&(_, number)| number > 0).map(|&(key, _)| key)
    }

    /// The slot where a search for a key of this hash begins. The high bits choose a partition: all keys of
    /// one share them.
    #[inline(always)]
    const fn home(&self, hash: Hash64) -> usize {
        hash.bits() as usize & (self.slots.len() - 1)
    }

    /// The number of a key, and whether it is new. New keys are numbered from 0 on. `None` if it would be
    /// new, and `most` keys are there.
    #[inline(always)]
    pub(super) fn number(&mut self, key: K, most: u32) -> Result<Option<(u32, bool)>, TryReserveError> {
        let mut slot = self.home(key.hash(self.seed));
        loop {
            let (there, number) = self.slots[slot];
            if number == 0 {
                return self.add(slot, key, most);
            }
            if there == key {
                return Ok(Some((number - 1, false)));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Numbers a new key, whose slot this is.
    fn add(&mut self, slot: usize, key: K, most: u32) -> Result<Option<(u32, bool)>, TryReserveError> {
        if self.len == most {
            return Ok(None);
        }
        self.len += 1;
        self.slots[slot] = (key, self.len);
        let (len, slots) = (self.len as usize, self.slots.len());
        if 2 * len > slots || 4 * len > slots && slots < SPARSE {
            self.grow()?;
        }
        Ok(Some((self.len - 1, true)))
    }

    /// Prefetches what a search for a key of this hash reads first.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: Hash64) {
        ask_for(&self.slots, self.home(hash));
    }

    /// The number of a key.
    #[inline(always)]
    pub(super) fn known(&self, key: K) -> Option<u32> {
        self.find(key, key.hash(self.seed))
    }

    /// The number of a key, whose hash is given.
    #[inline(always)]
    pub(super) fn find(&self, key: K, hash: Hash64) -> Option<u32> {
        let mut slot = self.home(hash);
        loop {
            match self.slots[slot] {
                (_, 0) => return None,
                (there, number) if there == key => return Some(number - 1),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    #[cold]
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let larger = empty(self.slots.len() * 2)?;
        let old = core::mem::replace(&mut self.slots, larger);
        for (key, number) in old.into_iter().filter(|&(_, number)| number > 0) {
            let mut slot = self.home(key.hash(self.seed));
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = (key, number);
        }
        Ok(())
    }
}

/// So many empty slots.
fn empty<K: Key>(slots: usize) -> Result<Vec<(K, u32)>, TryReserveError> {
    let mut list = with_room(slots)?;
    list.resize(slots, (K::from_bits(0), 0));
    Ok(list)
}
