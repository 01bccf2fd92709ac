//! The bulk calls of maps and sets.
//!
//! [`BulkTable`] is what every table does, [`BulkMap`] and [`BulkSet`] add the operations on keys. What only
//! some tables do is a trait for each capability: [`BulkMultimap`], [`BulkMatches`], [`BulkCounter`],
//! [`BulkOrdered`], [`BulkFlush`], [`BulkPaged`], `BulkSave` (feature `file`).

use super::{Answer, Matches, Refused, Structure};
use crate::outcome::{Add, Assign, Delete, Insert, Op};
use crate::paged::host::Paging;
use alloc::vec::Vec;

/// How large the tables of `T` are.
pub type GeometryOf<T> = <<T as BulkTable>::Structure as Structure>::Geometry;
/// What the tables of `T` say that they hold.
pub type StatsOf<T> = <<T as BulkTable>::Structure as Structure>::Stats;
/// What takes the entries of a table of `T`, some at a time.
pub type SinkOf<'a, T> =
    &'a mut (dyn FnMut(Vec<<T as BulkTable>::Entry>) -> Result<(), <T as BulkTable>::Error> + Send);

/// A table as a whole, of any structure and any entries.
pub trait BulkTable {
    /// What can go wrong.
    type Error: core::error::Error + From<Refused>;
    /// Its structure.
    type Structure: Structure;
    /// What it holds: `(key, value)` in a map, a key in a set.
    type Entry;

    /// All entries, in no particular order. Exact if nothing changes meanwhile. Time proportional to the
    /// slots; memory for up to three times the entries meanwhile.
    ///
    /// # Errors
    /// Those of the backend; the same for the other calls.
    fn retrieve_all(&self) -> Result<Vec<Self::Entry>, Self::Error>;
    /// Number of entries. Exact if nothing changes meanwhile. Time proportional to the slots.
    fn len(&self) -> Result<u64, Self::Error>;
    /// What the table holds, in numbers. Exact if nothing changes meanwhile. Time proportional to the slots.
    fn stats(&self) -> Result<StatsOf<Self>, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> GeometryOf<Self>;
    /// Takes out everything: the table is as it was made, of the same size. Writes all of its memory once. A
    /// phase of its own, as the exclusive borrow says.
    fn clear(&mut self) -> Result<(), Self::Error>;

    /// Whether there is no entry.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}

/// A concurrent map, in bulk. Answer `i` belongs to element `i` of the input.
///
/// The operations of one call run concurrently: if two of them share a key, either may come first.
///
/// # Errors
/// Every call refuses slices of different lengths before it runs ([`Refused`]), and passes on what the
/// backend reports.
pub trait BulkMap<K: Copy, V: Copy>: BulkTable<Entry = (K, V)> {
    /// Adds pairs whose keys are absent.
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Self::Error>;
    /// Adds pairs, or replaces the values of keys that are present.
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Self::Error>;
    /// The value of one pair of each key.
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Self::Error>;
    /// Whether each key is there: a search that leaves the value where it is.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// How many pairs each key has: 0 or 1 in a map of unique keys.
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Takes out one pair of each key.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// Operations of all kinds, all concurrent. `values[i]` is not used where `ops[i]` takes none. In a map
    /// of unique keys [`Op::Insert`] is a unique insert.
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Self::Error>;
}

/// A concurrent set, in bulk. See [`BulkMap`] for errors and concurrency.
pub trait BulkSet<K: Copy>: BulkTable<Entry = K> {
    /// Adds keys that are absent.
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Self::Error>;
    /// Whether each key is there.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// Takes keys out.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
}

/// A map that works on all pairs of a key at once.
pub trait BulkMatches<K: Copy, V: Copy>: BulkMap<K, V> {
    /// The values of all pairs of each key, in no particular order. Keys must not be changed meanwhile: the
    /// call counts first and collects then.
    ///
    /// # Errors
    /// As [`BulkMap`]; the same for the other calls.
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error>;
    /// Takes out all pairs of each key; how many there were.
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
}

/// A map in which a key may have several pairs.
pub trait BulkMultimap<K: Copy, V: Copy>: BulkMatches<K, V> {
    /// Adds pairs, whether or not their keys are there.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Self::Error>;
}

/// A map that adds to values.
pub trait BulkCounter<K: Copy, V: Copy>: BulkMap<K, V> {
    /// Adds pairs, or adds their values to those of keys that are present, modulo 2 to the bits of a value.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Self::Error>;
}

/// A table that knows an order of its entries: that of their slots.
pub trait BulkOrdered: BulkTable {
    /// All entries: those of [reserved keys](crate::reserved), then the others in the order of their slots.
    /// Exact if nothing changes meanwhile. Time proportional to the slots.
    ///
    /// # Errors
    /// As [`BulkTable`].
    fn retrieve_all_in_order(&self) -> Result<Vec<Self::Entry>, Self::Error>;
}

/// A table that keeps the slots of deleted entries until it is told to reclaim them.
pub trait BulkFlush: BulkTable {
    /// Reclaims the slots of deleted entries and gives emptied slabs back to the pool; how many slabs. A
    /// phase of its own, as the exclusive borrow says. Time proportional to the slots.
    ///
    /// # Errors
    /// As [`BulkTable`].
    fn flush(&mut self) -> Result<u64, Self::Error>;
}

/// A table that is saved to a file. Opening it is a call of its type, as each backend needs something else.
#[cfg(feature = "file")]
pub trait BulkSave: BulkTable {
    /// Writes all entries to a file, which any backend opens. Nobody else uses the table meanwhile. Memory
    /// for the entries of a child table, three times at most.
    ///
    /// The file takes its name when it is whole and on the disk. What had that name before is gone then; if
    /// the call fails, it is as it was. The table is as it was in any case.
    ///
    /// # Errors
    /// As [`BulkTable`], and those of a [file](crate::paged::file::FileError).
    fn save(&self, path: &std::path::Path) -> Result<(), Self::Error>;
}

/// A table of which a part is in memory of a limited size: [`paged`](crate::paged).
pub trait BulkPaged: BulkTable {
    /// What was copied so far, and which ways jobs took. Time does not depend on the size of the table.
    fn paging(&self) -> Paging;
    /// Gives all entries to `sink`, those of one child table at a time. Nobody else uses the table meanwhile,
    /// and the sink does not.
    ///
    /// # Errors
    /// As [`BulkTable`]; what the sink returns, and nothing comes after that.
    fn retrieve_to(&self, sink: SinkOf<'_, Self>) -> Result<(), Self::Error>;
}
