//! Pairs of equal keys become one before they travel.

use super::entry::key_bits;
use super::route::{Route, zeros};
use crate::bits::{TableKey, TableValue};
use crate::hash::Seed;
use crate::host::{Refused, at_most, room};
use crate::outcome::Add;
use crate::update::Update;
use alloc::vec::Vec;

/// The distinct keys of a batch, with what their values come to.
#[derive(Debug)]
pub(super) struct Combined<K, V> {
    /// The keys, in the order of their first pairs.
    pub(super) keys: Vec<K>,
    /// The value of each: those of its pairs, one after the other, by the update.
    pub(super) values: Vec<V>,
    /// The number of its distinct key for each pair.
    of: Vec<u32>,
}

impl<K, V> Default for Combined<K, V> {
    fn default() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), of: Vec::new() }
    }
}

/// A slot without a key.
const EMPTY: u32 = u32::MAX;

impl<K: TableKey, V: TableValue<u64>> Combined<K, V> {
    /// Combines the values of equal keys, of which there are as many as values. To update a value by the
    /// result is to update it by each of them in turn: every [`Update`] is associative. Expected time is
    /// proportional to the pairs, whatever the keys are; memory for a copy of them and 12 to 20 bytes for
    /// each.
    pub(super) fn new(update: Update, keys: &[K], values: &[V]) -> Result<Self, Refused> {
        // Each pair may have a key of its own, whose number is then below EMPTY.
        at_most("items of a batch", keys.len() as u64, Route::MOST)?;
        let size = (2 * keys.len()).next_power_of_two();
        let mut slots = room::<u32>(size)?;
        slots.resize(size, EMPTY);
        let mut combined =
            Self { keys: room(keys.len())?, values: room(keys.len())?, of: zeros(keys.len())? };
        let seed = Seed::random();
        for (at, (&key, &value)) in keys.iter().zip(values).enumerate() {
            let mut slot = seed.hash(key_bits(key)).bits() as usize & (size - 1);
            let number = loop {
                match slots[slot] {
                    EMPTY => {
                        slots[slot] = combined.keys.len() as u32;
                        combined.keys.push(key);
                        combined.values.push(value);
                        break slots[slot];
                    }
                    number if combined.keys[number as usize] == key => {
                        let all = &mut combined.values[number as usize];
                        *all = V::from_word(update.apply(all.to_word(), value.to_word()));
                        break number;
                    }
                    _ => slot = (slot + 1) & (size - 1),
                }
            };
            combined.of[at] = number;
        }
        Ok(combined)
    }

    /// The outcomes of all pairs, from those of the distinct keys: the first pair of a key has that of its
    /// key, and the others were added to it, unless there was no room.
    pub(super) fn outcomes(&self, said: &[Add]) -> Result<Vec<Add>, Refused> {
        let mut all = room(self.of.len())?;
        let mut next = 0;
        all.extend(self.of.iter().map(|&number| {
            let first = number == next;
            next += u32::from(first);
            match said[number as usize] {
                Add::Inserted if !first => Add::Added,
                said => said,
            }
        }));
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_equal_keys_are_added_up() {
        let keys = [5u64, 7, 5, 5, u64::MAX, 7];
        let combined = Combined::new(Update::Add, &keys, &[1u32, 2, 3, u32::MAX, 9, 4]).expect("memory");
        assert_eq!(combined.keys, [5, 7, u64::MAX]);
        assert_eq!(combined.values, [3, 6, 9]);
        let said = combined.outcomes(&[Add::Inserted, Add::Added, Add::Full]).expect("memory");
        assert_eq!(said, [Add::Inserted, Add::Added, Add::Added, Add::Added, Add::Full, Add::Added]);
        let none = Combined::<i64, i64>::new(Update::Add, &[], &[]).expect("memory");
        assert!(none.keys.is_empty() && none.outcomes(&[]).expect("memory").is_empty());
    }

    #[test]
    fn values_are_combined_as_a_table_updates_them() {
        for update in Update::ALL {
            let given = [6u32, 3, 12, u32::MAX];
            let combined = Combined::new(update, &[1u64; 4], &given).expect("memory");
            let there = [0, 5, 9, u32::MAX - 1];
            for old in there {
                let one_by_one = given.iter().fold(old, |old, &given| update.apply(old, given));
                assert_eq!(update.apply(old, combined.values[0]), one_by_one, "{update:?} of {old}");
            }
        }
    }

    /// Two keys in four slots meet in each slot, by one seed or another.
    #[test]
    fn keys_that_meet_in_a_slot_stay_apart() {
        for key in 0..1000u64 {
            let combined =
                Combined::new(Update::Add, &[key, key + 1, key], &[1u64, 10, 100]).expect("memory");
            assert_eq!((combined.keys, combined.values), (alloc::vec![key, key + 1], alloc::vec![101, 10]));
            let combined = Combined::new(Update::Add, &[key, key + 1], &[1u64, 10]).expect("memory");
            assert_eq!((combined.keys, combined.values), (alloc::vec![key, key + 1], alloc::vec![1, 10]));
        }
    }

    #[test]
    fn many_keys_are_added_up() {
        let keys: Vec<u64> = (0..3000).map(|at| at * at % 1009).collect();
        let combined = Combined::new(Update::Add, &keys, &alloc::vec![1u64; keys.len()]).expect("memory");
        // The squares of a prime's residues: 0, and half of the others.
        assert_eq!(combined.keys.len(), 505);
        for (at, key) in keys.iter().enumerate() {
            let number = combined.keys.iter().position(|other| other == key).expect("the key");
            assert_eq!(combined.of[at] as usize, number);
        }
        let counts: Vec<u64> = (combined.keys.iter())
            .map(|key| keys.iter().filter(|other| *other == key).count() as u64)
            .collect();
        assert_eq!(combined.values, counts);
    }

    /// A key and a value without bits: a batch of any length takes no memory.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Blank;

    impl TableKey for Blank {
        type Bits = u32;

        fn to_word(self) -> u32 {
            0
        }
        fn from_word(_: u32) -> Self {
            Self
        }
    }

    impl TableValue<u64> for Blank {
        fn to_word(self) -> u64 {
            0
        }
        fn from_word(_: u64) -> Self {
            Self
        }
    }

    #[test]
    fn a_batch_of_too_many_pairs_is_refused() {
        let batch: &[Blank] = &[Blank; usize::MAX];
        let refused =
            Refused::TooLarge { what: "items of a batch", found: usize::MAX as u64, most: 0xffff_ffff };
        assert_eq!(Combined::new(Update::Add, batch, batch).err(), Some(refused));
    }

    #[test]
    fn negative_numbers_are_added_up() {
        let combined = Combined::new(Update::Add, &[-1i32, -1], &[-5i32, 3]).expect("memory");
        assert_eq!((combined.keys, combined.values), (alloc::vec![-1], alloc::vec![-2]));
    }
}
