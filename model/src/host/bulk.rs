//! The bulk calls of maps and sets.

use super::{
    Answer, HopscotchGeometry, HopscotchStats, Matches, OpenGeometry, OpenStats, Refused, SlabGeometry,
    SlabStats,
};
use crate::key::Key;
use crate::outcome::{Add, Assign, Delete, Insert, Op};
use alloc::vec::Vec;

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
    /// Whether each key is there: a search that leaves the value where it is.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// Takes out one pair of each key.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// Operations of all kinds, all concurrent. `values[i]` is not used where `ops[i]` takes none. In a map of
    /// unique keys [`Op::Insert`] is a unique insert.
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Self::Error>;
    /// All pairs, in no particular order. Exact if nothing changes meanwhile.
    fn pairs(&self) -> Result<Vec<(K, V)>, Self::Error>;
    /// Number of pairs. Exact if nothing changes meanwhile.
    fn len(&self) -> Result<u64, Self::Error>;
    /// Takes out everything: the map is as it was made, of the same size. Writes all of the table's memory once. A phase
    /// of its own, as the exclusive borrow says.
    fn clear(&mut self) -> Result<(), Self::Error>;

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
    /// How many pairs each key has, 0 or 1: [`BulkSlabMap::count`] for a map of unique keys.
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error> {
        Ok(self.contains(keys)?.into_iter().map(u32::from).collect())
    }
    /// All pairs, in the order of their slots. Exact if nothing changes meanwhile.
    fn pairs_in_order(&self) -> Result<Vec<(K, V)>, Self::Error>;
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
    /// As [`BulkMap::clear`].
    fn clear(&mut self) -> Result<(), Self::Error>;

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

/// A set in an open-addressing table.
pub trait BulkOpenSet<K: Key>: BulkSet<K> {
    /// All keys, in the order of their slots. Exact if nothing changes meanwhile.
    ///
    /// # Errors
    /// As [`BulkSet`]; the same for the other calls.
    fn keys_in_order(&self) -> Result<Vec<K>, Self::Error>;
    /// What the table holds. Exact if nothing changes meanwhile.
    fn stats(&self) -> Result<OpenStats, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> OpenGeometry;
}
