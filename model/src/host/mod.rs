//! The bulk interface that every backend offers, and what they share on the host: sizes, errors, answers.
//!
//! A bulk call takes slices and runs one operation per element, all of them concurrently. Calls take `&self`:
//! several may run at once.

mod answer;
mod hopscotch;
mod open;
mod slab;

pub use crate::outcome::Op;
pub use answer::{Answer, Matches};
pub use hopscotch::{HopscotchGeometry, HopscotchStats};
pub use open::{OpenGeometry, OpenStats};
pub use slab::{SlabGeometry, SlabStats};

use crate::key::{Key, UserKey};
use crate::outcome::{Add, Assign, Delete, Insert};
use alloc::vec::Vec;
use core::fmt;

/// Input that a bulk call refuses before it changes anything.
#[derive(Clone, Copy, PartialEq, Debug)]
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
    /// The table would have more parts than can be counted.
    TooLarge {
        /// Which parts.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many fit.
        most: u64,
    },
    /// The table would have no part of a kind that it needs.
    Nothing {
        /// Which part.
        what: &'static str,
    },
    /// A load that no such table can have.
    Load {
        /// The load.
        load: f64,
    },
    /// The size is for slabs of another number of slots than the table's warps read.
    SlabSlots {
        /// Slots per slab of the size.
        found: u32,
        /// Lanes times slots per lane of the table.
        expected: u32,
    },
    /// The size is for buckets of another number of slots than the table's warps read.
    BucketSlots {
        /// Slots per bucket of the size.
        found: u32,
        /// Lanes times slots per lane of the table.
        expected: u32,
    },
    /// A number of parts that has to be one or prime.
    NotPrime {
        /// Which parts.
        what: &'static str,
        /// How many.
        found: u64,
    },
    /// The size is for another neighbourhood than the table has.
    Neighbourhood {
        /// Words of a group, and groups of a neighbourhood.
        found: (u32, u32),
        /// The same of the table.
        expected: (u32, u32),
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
            Self::BucketSlots { found, expected } => {
                write!(f, "the size is for buckets of {found} slots, the table's warps read {expected}")
            }
            Self::NotPrime { what, found } => {
                write!(f, "{found} {what}: a key probes them all only if their number is one or prime")
            }
            Self::Nothing { what } => write!(f, "a table needs at least one {what}"),
            Self::TooLarge { what, found, most } => {
                write!(f, "{found} {what} are more than the {most} that fit")
            }
            Self::Load { load } => write!(f, "a load of {load}: it is above 0 and at most 1"),
            Self::Neighbourhood { found: (words, groups), expected: (w, g) } => {
                write!(f, "the size is for {groups} groups of {words} words, the table's are {g} of {w}")
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
    /// Takes out one pair of each key.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// Operations of all kinds, all concurrent. `values[i]` is not used where `ops[i]` takes none. In a map of
    /// unique keys [`Op::Insert`] is a unique insert.
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Self::Error>;
    /// All pairs, in no particular order. Exact if nothing changes meanwhile.
    fn pairs(&self) -> Result<Vec<(K, V)>, Self::Error>;
    /// Number of pairs. Exact if nothing changes meanwhile.
    fn len(&self) -> Result<u64, Self::Error>;

    /// Whether there is no pair.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}

/// A map whose buckets are chains of slabs.
pub trait BulkSlabMap<K: Key, V: Copy>: BulkMap<K, V> {
    /// The values of all pairs of each key, in no particular order. Keys must not be changed meanwhile: the
    /// call counts first and collects then.
    ///
    /// # Errors
    /// As [`BulkMap`]; the same for the other calls.
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error>;
    /// How many pairs each key has.
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Takes out all pairs of each key; how many there were.
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Reclaims the slots of deleted pairs and gives emptied slabs back to the pool; how many. A phase of its
    /// own, as the exclusive borrow says.
    fn flush(&mut self) -> Result<u64, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<SlabStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> SlabGeometry;
}

/// A map in which a key may have several pairs.
pub trait BulkMultimap<K: Key, V: Copy>: BulkSlabMap<K, V> {
    /// Adds pairs, whether or not their keys are there.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Self::Error>;
}

/// A map in a hopscotch table.
pub trait BulkHopscotchMap<K: Key, V: Copy>: BulkMap<K, V> {
    /// What the table holds. Exact if nothing changes meanwhile.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn stats(&self) -> Result<HopscotchStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> HopscotchGeometry;
}

/// A map in an open-addressing table.
pub trait BulkOpenMap<K: Key, V: Copy>: BulkMap<K, V> {
    /// Adds pairs, or adds their values to those of keys that are present, modulo 2 to the bits of a value.
    ///
    /// # Errors
    /// As [`BulkMap`]; the same for the other calls.
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<OpenStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> OpenGeometry;
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
    /// All keys, in no particular order. Exact if nothing changes meanwhile.
    fn keys(&self) -> Result<Vec<K>, Self::Error>;
    /// Number of keys. Exact if nothing changes meanwhile.
    fn len(&self) -> Result<u64, Self::Error>;

    /// Whether there is no key.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}

/// A set whose buckets are chains of slabs.
pub trait BulkSlabSet<K: Key>: BulkSet<K> {
    /// As [`BulkSlabMap::flush`].
    ///
    /// # Errors
    /// As [`BulkSet`]; the same for the other calls.
    fn flush(&mut self) -> Result<u64, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<SlabStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> SlabGeometry;
}

/// A set in a hopscotch table.
pub trait BulkHopscotchSet<K: Key>: BulkSet<K> {
    /// What the table holds. Exact if nothing changes meanwhile.
    ///
    /// # Errors
    /// As [`BulkSet`].
    fn stats(&self) -> Result<HopscotchStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> HopscotchGeometry;
}
