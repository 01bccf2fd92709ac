//! Linear and quadratic probing.
//!
//! A slot that was filled keeps its key, so an operation that meets an empty slot has seen every slot that
//! may hold its key.

use crate::{EMPTY, key_of, pair, value_of};
use warpproof_model::Insert;
use warpproof_model::key::mix;
use warpproof_model::{Order, ReadOrder, Words};

/// A table that is probed from the place of a key on: the next slot each time, or, if quadratic, one slot on,
/// then two, then three, and so on, which comes to every slot as there are a power of two.
#[derive(Clone, Copy)]
pub struct Probing<S, const QUADRATIC: bool> {
    slots: S,
}

impl<S: Words<u64>, const QUADRATIC: bool> Probing<S, QUADRATIC> {
    /// A table in these slots, a power of two, all [`EMPTY`] in an empty table.
    #[inline(always)]
    pub const fn new(slots: S) -> Self {
        Self { slots }
    }

    /// Adds a pair whose key is absent; [`Insert::Full`] if no slot is empty.
    #[inline(always)]
    pub fn insert_unique(self, key: u32, value: u32) -> Insert {
        let new = pair(key, value);
        let mut at = self.first(key);
        for step in 1..=self.slots.len() {
            // Relaxed, both: nothing but the word matters.
            let mut seen = self.slots.load(at, ReadOrder::Relaxed);
            if seen == EMPTY {
                seen = self.slots.compare_exchange(at, EMPTY, new, Order::Relaxed);
                if seen == EMPTY {
                    return Insert::Inserted;
                }
            }
            if key_of(seen) == key {
                return Insert::Present;
            }
            at = self.next(at, step);
        }
        Insert::Full
    }

    /// The value of a key.
    #[inline(always)]
    pub fn search(self, key: u32) -> Option<u32> {
        let mut at = self.first(key);
        for step in 1..=self.slots.len() {
            // Relaxed: nothing but the word matters.
            let seen = self.slots.load(at, ReadOrder::Relaxed);
            if key_of(seen) == key {
                return Some(value_of(seen));
            }
            if seen == EMPTY {
                return None;
            }
            at = self.next(at, step);
        }
        None
    }

    #[inline(always)]
    fn first(self, key: u32) -> usize {
        mix(key) as usize & (self.slots.len() - 1)
    }

    #[inline(always)]
    fn next(self, at: usize, step: usize) -> usize {
        (at + if QUADRATIC { step } else { 1 }) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use warpproof_simt::cpu::words::Array;

    fn holds_what_fits<const QUADRATIC: bool>() {
        let memory = Array::<core::sync::atomic::AtomicU64, 8>::new(64, |_| EMPTY).unwrap();
        let table = Probing::<_, QUADRATIC>::new(memory.words());
        assert_eq!(table.search(5), None);
        // Every slot is reached.
        assert!((0..64).all(|key| table.insert_unique(key, key + 1) == Insert::Inserted));
        assert!((0..64).all(|key| table.insert_unique(key, 0) == Insert::Present));
        assert_eq!(table.insert_unique(64, 0), Insert::Full);
        assert!((0..100).all(|key| table.search(key) == (key < 64).then_some(key + 1)));
    }

    #[test]
    fn both_probes_hold_what_fits() {
        holds_what_fits::<false>();
        holds_what_fits::<true>();
    }

    #[test]
    fn of_racing_inserts_one_succeeds() {
        let memory = Array::<core::sync::atomic::AtomicU64, 8>::new(1 << 12, |_| EMPTY).unwrap();
        let insert = |value| {
            let table = Probing::<_, true>::new(memory.words());
            (0..3000).filter(|&key| table.insert_unique(key, value) == Insert::Inserted).count()
        };
        let inserted = std::thread::scope(|scope| {
            let other = scope.spawn(|| insert(1));
            insert(2) + other.join().unwrap()
        });
        assert_eq!(inserted, 3000);
    }
}
