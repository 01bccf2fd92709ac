//! Cuckoo hashing with four places per key, by exchanges (as Alcantara et al. build their tables, 2009).
//!
//! An insert swaps its pair into the first place of its key. The pair that was there goes to the next place
//! of its key, and so on, until an empty slot is found. Pairs are in flight meanwhile, so searches need a
//! separate phase, and a key that is inserted twice may be stored twice.

use crate::{EMPTY, key_of, pair, value_of};
use warpproof_model::key::mix;
use warpproof_model::{Order, ReadOrder, Words};

/// Places of a key.
pub const PLACES: u32 = 4;

/// What makes the hash functions differ.
const SEEDS: [u32; PLACES as usize] = [0, 0x9e37_79b9, 0x7f4a_7c15, 0x85eb_ca77];

/// Moves after which an insert gives up.
const MOST_MOVES: u32 = 256;

/// A table in which a key has four places.
#[derive(Clone, Copy)]
pub struct Cuckoo<S> {
    slots: S,
}

impl<S: Words<u64>> Cuckoo<S> {
    /// A table in these slots, a power of two, all [`EMPTY`] in an empty table.
    #[inline(always)]
    pub const fn new(slots: S) -> Self {
        Self { slots }
    }

    /// Adds a pair whose key is absent, and which nothing else adds.
    ///
    /// # Errors
    /// The key that found no place after 256 moves, which is left out: this one or another.
    #[inline(always)]
    pub fn insert(self, key: u32, value: u32) -> Result<(), u32> {
        let (mut held, mut at) = (pair(key, value), self.place(key, 0));
        for _ in 0..=MOST_MOVES {
            // Relaxed: nothing but the word matters.
            held = self.slots.swap(at, held, Order::Relaxed);
            if held == EMPTY {
                return Ok(());
            }
            let places = [0, 1, 2, 3].map(|number| self.place(key_of(held), number));
            at = next_place(places, at);
        }
        Err(key_of(held))
    }

    /// The value of a key.
    #[inline(always)]
    pub fn search(self, key: u32) -> Option<u32> {
        for number in 0..PLACES {
            // Relaxed: nothing but the word matters.
            let seen = self.slots.load(self.place(key, number), ReadOrder::Relaxed);
            if key_of(seen) == key {
                return Some(value_of(seen));
            }
        }
        None
    }

    /// Place `number` of a key.
    #[inline(always)]
    fn place(self, key: u32, number: u32) -> usize {
        // Selected, not indexed: no table of seeds in memory.
        let seed = match number {
            0 => SEEDS[0],
            1 => SEEDS[1],
            2 => SEEDS[2],
            _ => SEEDS[3],
        };
        mix(key ^ seed) as usize & (self.slots.len() - 1)
    }
}

/// The place after `at`, which is one of these.
#[inline(always)]
pub(crate) const fn next_place([a, b, c, d]: [usize; PLACES as usize], at: usize) -> usize {
    // Of equal places the last counts: otherwise those after it would never be tried.
    if at == d {
        a
    } else if at == c {
        d
    } else if at == b {
        c
    } else {
        b
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::HashSet;
    use std::vec::Vec;
    use warpproof_simt::cpu::words::Array;

    /// Inserts by two threads; the keys that were left out.
    fn fill(slots: usize, keys: u32) -> (Array<core::sync::atomic::AtomicU64, 8>, HashSet<u32>) {
        let memory = Array::new(slots, |_| EMPTY).unwrap();
        let half = |first| {
            let table = Cuckoo::new(memory.words());
            let insert = |key: u32| table.insert(key, !key).err();
            (first..keys).step_by(2).filter_map(insert).collect::<Vec<_>>()
        };
        let left_out = std::thread::scope(|scope| {
            let other = scope.spawn(|| half(1));
            half(0).into_iter().chain(other.join().unwrap()).collect()
        });
        (memory, left_out)
    }

    #[test]
    fn racing_inserts_lose_no_pair() {
        let (memory, left_out) = fill(1 << 14, 13_107);
        assert!(left_out.is_empty(), "a load of 0.8: {left_out:?}");
        let table = Cuckoo::new(memory.words());
        assert!((0..20_000).all(|key| table.search(key) == (key < 13_107).then_some(!key)));
    }

    #[test]
    fn what_finds_no_place_is_named() {
        let (memory, left_out) = fill(64, 100);
        assert!(left_out.len() >= 36);
        let table = Cuckoo::new(memory.words());
        assert!((0..100).all(|key| table.search(key) == (!left_out.contains(&key)).then_some(!key)));
    }
}
