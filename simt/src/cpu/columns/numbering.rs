//! Numbers for the distinct keys of some rows, in a table of one thread.

use std::collections::TryReserveError;
use warpproof_model::{Key, Seed};

/// Slots of the first table.
const FIRST: usize = 1 << 10;

/// Keys and their numbers: open addressing with linear probing, at most half full.
///
/// The slots are private to a thread, so this is not a table of the library, whose words are atomic: it needs
/// none of their protocol.
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

    /// Forgets all keys; the room stays.
    pub(super) fn clear(&mut self) {
        if self.len > 0 {
            self.slots.fill((K::from_bits(0), 0));
            self.len = 0;
        }
    }

    /// The number of a key, and whether it is new. New keys are numbered from 0 on.
    #[inline(always)]
    pub(super) fn of(&mut self, key: K) -> Result<(u32, bool), TryReserveError> {
        let mask = self.slots.len() - 1;
        // The high bits chose the partition; all keys of one share them.
        let mut slot = key.hash(self.seed).bits() as usize & mask;
        loop {
            let (there, number) = self.slots[slot];
            if number == 0 {
                break;
            }
            if there == key {
                return Ok((number - 1, false));
            }
            slot = (slot + 1) & mask;
        }
        self.len += 1;
        self.slots[slot] = (key, self.len);
        if self.len as usize * 2 > self.slots.len() {
            self.grow()?;
        }
        Ok((self.len - 1, true))
    }

    #[cold]
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let larger = empty(self.slots.len() * 4)?;
        let old = core::mem::replace(&mut self.slots, larger);
        let mask = self.slots.len() - 1;
        for (key, number) in old.into_iter().filter(|&(_, number)| number > 0) {
            let mut slot = key.hash(self.seed).bits() as usize & mask;
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (key, number);
        }
        Ok(())
    }
}

/// So many empty slots.
fn empty<K: Key>(slots: usize) -> Result<Vec<(K, u32)>, TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(slots)?;
    list.resize(slots, (K::from_bits(0), 0));
    Ok(list)
}
