//! The bulk interface that every backend offers, and what they share on the host: sizes, errors, answers.
//!
//! A bulk call takes slices and runs one operation per element, all of them concurrently. Calls take `&self`:
//! several may run at once.

mod answer;
mod geometry;

pub use crate::outcome::Op;
pub use answer::{Answer, Matches};
pub use geometry::{Geometry, Stats};

use crate::key::{Key, UserKey};
use crate::outcome::{Assign, Delete, Insert};
use alloc::vec::Vec;
use core::fmt;

/// Input that a bulk call refuses before it changes anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// A key is one of the reserved ones (see [`Key::FIRST_RESERVED`]).
    ReservedKey {
        /// Its place in the slice.
        index: usize,
    },
    /// Two slices that belong together differ in length.
    Length {
        /// Length of the keys.
        keys: usize,
        /// Name of the other slice.
        what: &'static str,
        /// Its length.
        found: usize,
    },
    /// The table would have more slabs than 32 bits can count.
    TooLarge {
        /// The number of slabs.
        slabs: u64,
    },
    /// The table would have no bucket.
    NoBucket,
    /// The size is for slabs of another number of slots than the table's warps read.
    SlabSlots {
        /// Slots per slab of the size.
        found: u32,
        /// Lanes times slots per lane of the table.
        expected: u32,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReservedKey { index } => write!(f, "the key at index {index} is reserved"),
            Self::Length { keys, what, found } => write!(f, "{keys} keys but {found} {what}"),
            Self::SlabSlots { found, expected } => {
                write!(f, "the size is for slabs of {found} slots, the table's warps read {expected}")
            }
            Self::NoBucket => f.write_str("a table needs at least one bucket"),
            Self::TooLarge { slabs } => {
                write!(f, "{slabs} slabs are more than the {} that fit", u32::MAX - 1)
            }
        }
    }
}

impl core::error::Error for Refused {}

/// Checks that no key is reserved.
///
/// # Errors
/// [`Refused::ReservedKey`] with the first reserved key's index.
pub fn admit<K: Key>(keys: &[K]) -> Result<(), Refused> {
    match keys.iter().position(|&k| UserKey::new(k).is_none()) {
        Some(index) => Err(Refused::ReservedKey { index }),
        None => Ok(()),
    }
}

/// Checks that a slice is as long as the keys.
///
/// # Errors
/// [`Refused::Length`] if it is not.
pub fn same_length<K, T>(keys: &[K], what: &'static str, other: &[T]) -> Result<(), Refused> {
    if keys.len() == other.len() {
        Ok(())
    } else {
        Err(Refused::Length { keys: keys.len(), what, found: other.len() })
    }
}

/// How many inserts found the table full.
pub fn left_out(outcomes: &[Insert]) -> u64 {
    outcomes.iter().filter(|&&outcome| outcome == Insert::Full).count() as u64
}

/// A concurrent map, in bulk. Answer `i` belongs to element `i` of the input.
///
/// The operations of one call run concurrently: if two of them share a key, either may come first.
///
/// # Errors
/// Every call refuses reserved keys and slices of different lengths before it runs ([`Refused`]), and passes
/// on what the backend reports.
pub trait BulkMap<K: Key, V: Copy> {
    /// What can go wrong.
    type Error: core::error::Error + From<Refused>;

    /// Adds pairs whose keys are absent.
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Self::Error>;
    /// Adds pairs, or replaces the values of keys that are present.
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Self::Error>;
    /// The value of one pair of each key.
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Self::Error>;
    /// The values of all pairs of each key, in no particular order. Keys must not be changed meanwhile: the
    /// call counts first and collects then.
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error>;
    /// How many pairs each key has.
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Takes out one pair of each key.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// Takes out all pairs of each key; how many there were.
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Operations of all kinds, all concurrent. `values[i]` is not used where `ops[i]` takes none. In a map of
    /// unique keys [`Op::Insert`] is a unique insert.
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Self::Error>;
    /// Reclaims the slots of deleted pairs and gives emptied slabs back to the pool; how many. A phase of its
    /// own, as the exclusive borrow says.
    fn flush(&mut self) -> Result<u64, Self::Error>;
    /// All pairs, in no particular order. Exact if nothing changes meanwhile.
    fn pairs(&self) -> Result<Vec<(K, V)>, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<Stats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> Geometry;

    /// Number of pairs.
    fn len(&self) -> Result<u64, Self::Error> {
        Ok(self.stats()?.live)
    }
    /// Whether there is no pair.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}

/// A map in which a key may have several pairs.
pub trait BulkMultimap<K: Key, V: Copy>: BulkMap<K, V> {
    /// Adds pairs, whether or not their keys are there.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Self::Error>;
}

/// A concurrent set, in bulk. See [`BulkMap`] for errors and concurrency.
pub trait BulkSet<K: Key> {
    /// What can go wrong.
    type Error: core::error::Error + From<Refused>;

    /// Adds keys that are absent.
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Self::Error>;
    /// Whether each key is there.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// Takes keys out.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// As [`BulkMap::flush`].
    fn flush(&mut self) -> Result<u64, Self::Error>;
    /// All keys, in no particular order. Exact if nothing changes meanwhile.
    fn keys(&self) -> Result<Vec<K>, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<Stats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> Geometry;

    /// Number of keys.
    fn len(&self) -> Result<u64, Self::Error> {
        Ok(self.stats()?.live)
    }
    /// Whether there is no key.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}
