//! A child table of Starfish: cuckoo hashing by exchanges, with a stash.
//!
//! As published: an insert exchanges its pair with the one at the first place of its key, continues with the
//! evicted pair, and puts the pair of the last exchange into the stash. A child table that has no place for a
//! pair is rebuilt with other constants. A search looks at all places, then at the stash.
//!
//! Corrected, because otherwise nothing could be checked: the evicted pair is carried on (as printed it is
//! dropped), and a pair without a place is returned. A pair whose places coincide moves on from the last of
//! them. The constants of a child table select functions of this library's hash: those of the paper cannot be
//! read any more. Pairs are in flight while inserts run, so searches need a separate phase.

use crate::cuckoo::next_place;
use crate::{EMPTY, key_of, value_of};
use warpproof_model::key::{fastrange, mix};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};

/// Pairs of the stash of a child table, whose words stand after its slots.
pub const STASH: usize = 101;

/// What a query is when it has been answered: no key.
pub const ANSWERED: u32 = u32::MAX;

/// Places of a key among the slots.
const PLACES: usize = 4;

/// What makes the functions of a child table differ, that of its stash the last.
const FUNCTIONS: [u32; PLACES + 1] = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822];

/// Exchanges of an insert: what cuDPP makes at a load of 0.8 of 2^23 slots.
const MAX_ATTEMPTS: u32 = 396;

/// A child table, all of whose words are [`EMPTY`] at first.
#[derive(Clone, Copy)]
pub struct ChildTable<S> {
    words: S,
    slots: u32,
    constants: [u32; PLACES + 1],
}

impl<S: Words<u64>> ChildTable<S> {
    /// A child table in these words: slots, of which there is one at least, and its stash. Its constants
    /// follow from `seed`.
    #[inline(always)]
    pub fn new(words: S, seed: u32) -> Self {
        let slots = words.len().saturating_sub(STASH) as u32;
        Self { words, slots, constants: FUNCTIONS.map(|function| mix(seed ^ function)) }
    }

    /// Adds a pair whose key is absent, and which nothing else adds.
    ///
    /// # Errors
    /// The pair that found no place, which is left out: this one or another.
    #[inline(always)]
    pub fn insert(self, pair: u64) -> Result<(), u64> {
        let (mut held, mut at) = (pair, self.places(key_of(pair))[0]);
        for _ in 0..MAX_ATTEMPTS {
            // Relaxed, here and below: nothing but the word matters.
            held = self.words.swap(at, held, Order::Relaxed);
            if held == EMPTY {
                return Ok(());
            }
            at = next_place(self.places(key_of(held)), at);
        }
        let stash = self.stash(key_of(held));
        if self.words.compare_exchange(stash, EMPTY, held, Order::Relaxed) == EMPTY {
            Ok(())
        } else {
            Err(held)
        }
    }

    /// The value of a key.
    #[inline(always)]
    pub fn search(self, key: u32) -> Option<u32> {
        let [a, b, c, d] = self.places(key);
        for at in [a, b, c, d, self.stash(key)] {
            let seen = self.words.load(at, ReadOrder::Relaxed);
            if seen != EMPTY && key_of(seen) == key {
                return Some(value_of(seen));
            }
        }
        None
    }

    /// The value of query number `at`, which is [`ANSWERED`] then; `None` if it is already, or its key is not
    /// in this child table.
    #[inline(always)]
    pub fn answer<Q: Words<u32>>(self, queries: Q, at: usize) -> Option<u32> {
        // Relaxed, both: a key is in one child table, so nothing else answers the query.
        let key = queries.load(at, ReadOrder::Relaxed);
        if key == ANSWERED {
            return None;
        }
        let value = self.search(key)?;
        queries.store(at, ANSWERED, WriteOrder::Relaxed);
        Some(value)
    }

    /// The places of a key among the slots.
    #[inline(always)]
    fn places(self, key: u32) -> [usize; PLACES] {
        let [a, b, c, d, _] = self.constants;
        [a, b, c, d].map(|constant| fastrange(mix(key ^ constant), self.slots) as usize)
    }

    /// The place of a key in the stash.
    #[inline(always)]
    fn stash(self, key: u32) -> usize {
        let [.., constant] = self.constants;
        self.slots as usize + fastrange(mix(key ^ constant), STASH as u32) as usize
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::pair;
    use core::sync::atomic::{AtomicU32, AtomicU64};
    use std::collections::HashSet;
    use std::vec::Vec;
    use warpproof_simt::cpu::words::Array;

    /// Inserts by two threads; the keys of the pairs that were left out.
    fn fill(slots: usize, keys: u32, seed: u32) -> (Array<AtomicU64, 8>, HashSet<u32>) {
        let memory = Array::new(slots + STASH, |_| EMPTY).unwrap();
        let half = |first| {
            let table = ChildTable::new(memory.words(), seed);
            let insert = |key: u32| table.insert(pair(key, !key)).err();
            (first..keys).step_by(2).filter_map(insert).map(key_of).collect::<Vec<_>>()
        };
        let left_out = std::thread::scope(|scope| {
            let other = scope.spawn(|| half(1));
            half(0).into_iter().chain(other.join().unwrap()).collect()
        });
        (memory, left_out)
    }

    #[test]
    fn racing_inserts_lose_no_pair() {
        for seed in 0..8 {
            let (memory, left_out) = fill(1 << 14, 13_107, seed);
            assert!(left_out.is_empty(), "a load of 0.8: {left_out:?}");
            let table = ChildTable::new(memory.words(), seed);
            assert!((0..20_000).all(|key| table.search(key) == (key < 13_107).then_some(!key)));
        }
    }

    #[test]
    fn what_finds_no_place_is_given_back() {
        let (memory, left_out) = fill(64, 300, 1);
        assert!(left_out.len() >= 300 - 64 - STASH && left_out.len() < 300 - 64, "{}", left_out.len());
        let table = ChildTable::new(memory.words(), 1);
        assert!((0..300).all(|key| table.search(key) == (!left_out.contains(&key)).then_some(!key)));
        let stashed = (64..64 + STASH).filter(|&at| memory.words().load(at, ReadOrder::Relaxed) != EMPTY);
        assert!(stashed.count() > 0, "the stash is used");
    }

    /// Each slot is a place of some key by each function, and constants change all places.
    #[test]
    fn constants_make_other_places() {
        let memory = Array::<AtomicU64, 8>::new(1024 + STASH, |_| EMPTY).unwrap();
        let [one, other] = [1, 2].map(|seed| ChildTable::new(memory.words(), seed));
        for function in 0..PLACES {
            let seen: HashSet<_> = (0..20_000).map(|key| one.places(key)[function]).collect();
            assert_eq!(seen.len(), 1024);
            let same = (0..20_000).filter(|&key| one.places(key)[function] == other.places(key)[function]);
            assert!(same.count() < 60);
        }
    }

    #[test]
    fn a_query_is_answered_once() {
        let memory = Array::<AtomicU64, 8>::new(64 + STASH, |_| EMPTY).unwrap();
        let queries = Array::<AtomicU32, 16>::new(3, |_| 0).unwrap();
        let table = ChildTable::new(memory.words(), 5);
        table.insert(pair(7, 70)).unwrap();
        let words = queries.words();
        [7, 8, ANSWERED].iter().enumerate().for_each(|(at, &key)| words.store(at, key, WriteOrder::Relaxed));
        assert_eq!([0, 1, 2].map(|at| table.answer(words, at)), [Some(70), None, None]);
        assert_eq!([0, 1, 2].map(|at| words.load(at, ReadOrder::Relaxed)), [ANSWERED, 8, ANSWERED]);
        assert_eq!(table.answer(words, 0), None);
    }
}
