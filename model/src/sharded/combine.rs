//! Pairs of equal keys are combined before they travel.

use super::entry::key_bits;
use super::route::{Route, zeros};
use crate::bits::{TableKey, TableValue};
use crate::hash::Seed;
use crate::host::{Refused, at_most, room};
use crate::outcome::Add;
use crate::update::Update;
use alloc::vec::Vec;

/// The keys of a batch, with what the values of their pairs come to. A key may come up several times.
#[derive(Debug)]
pub(super) struct Combined<K, V> {
    /// The keys, in the order of their first pairs.
    pub(super) keys: Vec<K>,
    /// The value of each: those of its pairs, one after the other, by the update.
    pub(super) values: Vec<V>,
    /// The number of its key for each pair.
    of: Vec<u32>,
}

impl<K, V> Default for Combined<K, V> {
    fn default() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), of: Vec::new() }
    }
}

/// A slot without a key.
const EMPTY: u32 = u32::MAX;

/// The fewest slots of a large batch, and the most: there is one for eight pairs. So they, and the keys that
/// they lead to, stay in a cache.
const SLOTS: [usize; 2] = [1 << 12, 1 << 20];

impl<K: TableKey, V: TableValue<u64>> Combined<K, V> {
    /// Combines the values of equal keys, of which there are as many as values. To update a value by the
    /// result is to update it by each of them in turn: every [`Update`] is associative.
    ///
    /// A slot remembers the last of its keys, so a key whose slot another one took in between comes up again.
    /// With `s` slots a key comes up at most about once for each `s` other pairs of the batch. So a key that
    /// has many more than `1 / s` of the pairs travels seldom, and one that has fewer is hardly combined.
    /// Time is proportional to the pairs, whatever the keys are; memory for a copy of them, and 5 bytes for
    /// each, or up to 20 if they are few.
    pub(super) fn new(update: Update, keys: &[K], values: &[V]) -> Result<Self, Refused> {
        // Each pair may have a number of its own, which is then below EMPTY.
        at_most("items of a batch", keys.len() as u64, Route::MOST)?;
        let [fewest, most] = SLOTS;
        let size = (keys.len() / 8).next_power_of_two().clamp(fewest, most);
        // A small batch has two for each pair.
        let size = size.min((2 * keys.len()).next_power_of_two());
        let mut slots = room::<u32>(size)?;
        slots.resize(size, EMPTY);
        let mut combined =
            Self { keys: room(keys.len())?, values: room(keys.len())?, of: zeros(keys.len())? };
        let seed = Seed::random();
        for (at, (&key, &value)) in keys.iter().zip(values).enumerate() {
            let number = &mut slots[seed.hash(key_bits(key)).bits() as usize & (size - 1)];
            if *number != EMPTY && combined.keys[*number as usize] == key {
                let all = &mut combined.values[*number as usize];
                *all = V::from_word(update.apply(all.to_word(), value.to_word()));
            } else {
                *number = combined.keys.len() as u32;
                combined.keys.push(key);
                combined.values.push(value);
            }
            combined.of[at] = *number;
        }
        Ok(combined)
    }

    /// The outcomes of all pairs, from those of the keys: the first pair of a key has that of its key, and
    /// the others were added to it, unless there was no room.
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
    use alloc::collections::BTreeMap;

    /// The sum of each key's values.
    fn sums(keys: &[u64], values: &[u64]) -> BTreeMap<u64, u64> {
        keys.iter().zip(values).fold(BTreeMap::new(), |mut sums, (&key, value)| {
            let sum = sums.entry(key).or_insert(0u64);
            *sum = sum.wrapping_add(*value);
            sums
        })
    }

    #[test]
    fn values_of_equal_keys_are_added_up() {
        let combined = Combined::new(Update::Add, &[5u64; 4], &[1u32, 3, u32::MAX, 4]).expect("memory");
        assert_eq!((combined.keys.as_slice(), combined.values.as_slice()), (&[5][..], &[7][..]));
        let said = combined.outcomes(&[Add::Inserted]).expect("memory");
        assert_eq!(said, [Add::Inserted, Add::Added, Add::Added, Add::Added]);
        assert_eq!(combined.outcomes(&[Add::Full]).expect("memory"), [Add::Full; 4]);
        let none = Combined::<i64, i64>::new(Update::Add, &[], &[]).expect("memory");
        assert!(none.keys.is_empty() && none.outcomes(&[]).expect("memory").is_empty());
    }

    #[test]
    fn the_first_pair_of_a_key_has_its_outcome() {
        let (keys, values) = (alloc::vec![5u64, 7, u64::MAX], alloc::vec![3u64, 6, 9]);
        let combined = Combined { keys, values, of: alloc::vec![0, 1, 0, 0, 2, 1] };
        let said = combined.outcomes(&[Add::Inserted, Add::Added, Add::Full]).expect("memory");
        assert_eq!(said, [Add::Inserted, Add::Added, Add::Added, Add::Added, Add::Full, Add::Added]);
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

    /// Two keys meet in one of eight slots, by one seed or another. Then one of them is there twice.
    #[test]
    fn keys_that_meet_in_a_slot_stay_apart() {
        let mut lengths = [0; 4];
        for key in 0..1000u64 {
            let (keys, values) = ([key, key + 1, key], [1u64, 10, 100]);
            let combined = Combined::new(Update::Add, &keys, &values).expect("memory");
            assert_eq!(sums(&combined.keys, &combined.values), sums(&keys, &values));
            lengths[combined.keys.len()] += 1;
        }
        assert!(lengths[2] > 0 && lengths[3] > 0, "{lengths:?}");
    }

    #[test]
    fn many_keys_are_added_up() {
        // Every other pair has one key; the others are the squares of a prime's residues.
        let keys: Vec<u64> = (0..6000).map(|at| if at % 2 == 0 { 5000 } else { at * at % 1009 }).collect();
        let values: Vec<u64> = (0..6000).map(|at| at << 40).collect();
        let combined = Combined::new(Update::Add, &keys, &values).expect("memory");
        assert_eq!(sums(&combined.keys, &combined.values), sums(&keys, &values));
        assert!(keys.iter().zip(&combined.of).all(|(key, of)| combined.keys[*of as usize] == *key));
        // A key of many pairs is there a few times.
        let often = combined.keys.iter().filter(|key| **key == 5000).count();
        assert!((1..100).contains(&often), "{often} times");
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
