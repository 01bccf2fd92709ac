//! The bulk calls of maps and sets.
//!
//! [`BulkTable`] has the operations of every table; [`BulkMap`] and [`BulkSet`] add those on keys. Each
//! capability of only some tables is a trait: [`BulkMultimap`], [`BulkMatches`], [`BulkCounter`],
//! [`BulkUpdate`], [`BulkOrdered`], [`BulkFlush`], [`BulkPaged`], `BulkSave` (feature `file`).

use super::masked::{Mask, room};
use super::{Answer, InsertedAndFound, Matches, NotStored, Outcomes, Refused, Structure, same_length};
use crate::outcome::{Add, Assign, Delete, Insert, Op};
use crate::paged::host::Paging;
use crate::update::Update;
use alloc::vec::Vec;

/// The size of the tables of `T`.
pub type GeometryOf<T> = <<T as BulkTable>::Structure as Structure>::Geometry;
/// The statistics of the tables of `T`.
pub type StatsOf<T> = <<T as BulkTable>::Structure as Structure>::Stats;
/// A receiver of the entries of a table of `T`, some at a time.
pub type SinkOf<'a, T> =
    &'a mut (dyn FnMut(Vec<<T as BulkTable>::Entry>) -> Result<(), <T as BulkTable>::Error> + Send);

/// A whole table, of any structure and any entries.
pub trait BulkTable {
    /// The error of a call.
    type Error: core::error::Error + From<Refused> + From<NotStored>;
    /// Its structure.
    type Structure: Structure;
    /// Its entries: `(key, value)` in a map, a key in a set.
    type Entry;

    /// All entries, in no particular order. Exact if nothing changes meanwhile. Time proportional to the
    /// slots; memory for up to three times the entries meanwhile.
    ///
    /// # Errors
    /// The errors of the backend, as for all calls of this trait.
    fn retrieve_all(&self) -> Result<Vec<Self::Entry>, Self::Error>;
    /// Number of entries. Exact if nothing changes meanwhile. Time proportional to the slots.
    fn len(&self) -> Result<u64, Self::Error>;
    /// Statistics of the table. Exact if nothing changes meanwhile. Time proportional to the slots.
    fn stats(&self) -> Result<StatsOf<Self>, Self::Error>;
    /// The table's size.
    fn geometry(&self) -> GeometryOf<Self>;
    /// Deletes all entries and tombstones; the size stays. Writes all of the table's memory once. The
    /// exclusive borrow excludes other calls meanwhile.
    fn clear(&mut self) -> Result<(), Self::Error>;

    /// Passes all entries to `f`, in no particular order, when it has collected them as
    /// [`retrieve_all`](Self::retrieve_all) does. `f` may call the table.
    fn for_each(&self, f: impl FnMut(Self::Entry)) -> Result<(), Self::Error>
    where
        Self: Sized,
    {
        self.retrieve_all()?.into_iter().for_each(f);
        Ok(())
    }

    /// Whether the table has no entry.
    fn is_empty(&self) -> Result<bool, Self::Error> {
        Ok(self.len()? == 0)
    }
}

/// A concurrent map, in bulk. Answer `i` belongs to element `i` of the input.
///
/// The operations of one call run concurrently: if two of them share a key, either may come first.
///
/// # Errors
/// Every call refuses slices of different lengths before it runs ([`Refused`]), and returns the errors of the
/// backend.
pub trait BulkMap<K: Copy, V: Copy>: BulkTable<Entry = (K, V)> {
    /// Adds pairs whose keys are absent.
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Self::Error>;
    /// Adds pairs, or replaces the values of keys that are present.
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Self::Error>;
    /// The value of one pair of each key.
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Self::Error>;
    /// Whether each key is present: a search that returns no values.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// How many pairs each key has: 0 or 1 in a map of unique keys.
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
    /// Deletes one pair of each key.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;
    /// Operations of all kinds, all concurrent. `values[i]` is ignored if `ops[i]` takes no value. In a map
    /// of unique keys [`Op::Insert`] is a unique insert.
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Self::Error>;

    /// Adds pairs whose keys are absent, and then looks up all keys: the value of each is that of the pair
    /// which was stored first. `None` if there was no room, or another call has deleted the key meanwhile.
    fn insert_and_find(&self, keys: &[K], values: &[V]) -> Result<InsertedAndFound<V>, Self::Error> {
        let said = self.insert_unique(keys, values)?;
        Ok((said, self.search(keys)?))
    }

    /// Adds those pairs whose keys are absent and for which `mask` is true. The outcome of the others is
    /// `None`.
    fn insert_if(
        &self,
        keys: &[K],
        values: &[V],
        mask: &[bool],
    ) -> Result<Outcomes<Option<Insert>>, Self::Error> {
        same_length(keys, "values", values)?;
        let mask = Mask::of(keys, mask)?;
        let (keys, values, to) = (mask.chosen(keys)?, mask.chosen(values)?, mask.room()?);
        let said = self.insert_unique(&keys, &values)?;
        Ok(mask.spread(said, to, |said| said).into())
    }

    /// Whether each key is present, of those for which `mask` is true; `false` for the others, which are not
    /// looked up.
    fn contains_if(&self, keys: &[K], mask: &[bool]) -> Result<Vec<bool>, Self::Error> {
        contains_if(keys, mask, |keys| self.contains(keys))
    }

    /// Stores pairs, or replaces the values of keys that are present, a part of the iterator at a time. If a
    /// key occurs more than once in a part, which of its pairs stays is not specified. Stops at the first
    /// part that has no room, and at the first error. Returns how many pairs the iterator had.
    ///
    /// # Errors
    /// As for all calls; [`NotStored`] counts the pairs of all parts so far.
    fn try_extend(&self, pairs: impl IntoIterator<Item = (K, V)>) -> Result<u64, Self::Error>
    where
        Self: Sized,
    {
        in_parts(pairs, |pairs: &[(K, V)]| {
            let (mut keys, mut values) = (room(pairs.len())?, room(pairs.len())?);
            keys.extend(pairs.iter().map(|&(key, _)| key));
            values.extend(pairs.iter().map(|&(_, value)| value));
            Ok(self.insert_or_assign(&keys, &values)?.all_stored().map(|_| ()))
        })
    }
}

/// A concurrent set, in bulk. See [`BulkMap`] for errors and concurrency.
pub trait BulkSet<K: Copy>: BulkTable<Entry = K> {
    /// Adds keys that are absent.
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Self::Error>;
    /// Whether each key is present.
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error>;
    /// Deletes keys.
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error>;

    /// Adds those keys that are absent and for which `mask` is true. The outcome of the others is `None`.
    fn insert_if(&self, keys: &[K], mask: &[bool]) -> Result<Outcomes<Option<Insert>>, Self::Error> {
        let mask = Mask::of(keys, mask)?;
        let (keys, to) = (mask.chosen(keys)?, mask.room()?);
        let said = self.insert(&keys)?;
        Ok(mask.spread(said, to, |said| said).into())
    }

    /// Whether each key is present, of those for which `mask` is true; `false` for the others, which are not
    /// looked up.
    fn contains_if(&self, keys: &[K], mask: &[bool]) -> Result<Vec<bool>, Self::Error> {
        contains_if(keys, mask, |keys| self.contains(keys))
    }

    /// Stores keys that are absent, a part of the iterator at a time. Stops at the first part that has no
    /// room, and at the first error. Returns how many keys the iterator had.
    ///
    /// # Errors
    /// As for all calls; [`NotStored`] counts the keys of all parts so far.
    fn try_extend(&self, keys: impl IntoIterator<Item = K>) -> Result<u64, Self::Error>
    where
        Self: Sized,
    {
        in_parts(keys, |keys: &[K]| Ok(self.insert(keys)?.all_stored().map(|_| ())))
    }
}

/// A map that works on all pairs of a key at once.
pub trait BulkMatches<K: Copy, V: Copy>: BulkMap<K, V> {
    /// The values of all pairs of each key, in no particular order. Keys must not be changed meanwhile: the
    /// call first counts and then collects.
    ///
    /// # Errors
    /// As [`BulkMap`]; so for all calls.
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error>;
    /// Deletes all pairs of each key, and returns how many there were.
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error>;
}

/// A map in which a key may have several pairs.
pub trait BulkMultimap<K: Copy, V: Copy>: BulkMatches<K, V> {
    /// Adds pairs, whether or not their keys are present.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Self::Error>;
}

/// A map that adds to values.
pub trait BulkCounter<K: Copy, V: Copy>: BulkMap<K, V> {
    /// Adds pairs. If a key is present, adds its value to the value there, modulo 2 to the bits of a value.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Self::Error>;
}

/// A map that changes values in the ways of [`Update`].
pub trait BulkUpdate<K: Copy, V: Copy>: BulkCounter<K, V> {
    /// Stores pairs. If a key is present, changes its value as `update` says, atomically: [`Add::Added`].
    ///
    /// If a key occurs more than once in a batch, the order is not specified. That matters for
    /// [`Update::First`] and [`Update::Last`]: one of the values of the batch is the first, and one the last.
    ///
    /// # Errors
    /// As [`BulkMap`].
    fn insert_or_update(
        &self,
        update: Update,
        keys: &[K],
        values: &[V],
    ) -> Result<Outcomes<Add>, Self::Error>;
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

/// A table that keeps the slots of deleted entries until it is flushed.
pub trait BulkFlush: BulkTable {
    /// Reclaims the slots of deleted entries and returns emptied slabs to the pool. Returns how many slabs.
    /// The exclusive borrow excludes other calls meanwhile. Time proportional to the slots.
    ///
    /// # Errors
    /// As [`BulkTable`].
    fn flush(&mut self) -> Result<u64, Self::Error>;
}

/// A table that can be saved to a file. Each type has a separate call to open one, because backends need
/// different arguments.
#[cfg(feature = "file")]
pub trait BulkSave: BulkTable {
    /// Writes all entries to a file, which any backend can open. Excludes other calls meanwhile. Takes
    /// memory for at most three times the entries of a child table.
    ///
    /// The file takes its name when it is complete and on the disk, and replaces an older file of that name.
    /// If the call fails, the older file stays as it was. The table does not change in any case.
    ///
    /// # Errors
    /// As [`BulkTable`], and those of a [file](crate::paged::file::FileError).
    fn save(&self, path: &std::path::Path) -> Result<(), Self::Error>;
}

/// A table that is partly in memory of a limited size: [`paged`](crate::paged).
pub trait BulkPaged: BulkTable {
    /// The number of copies so far, and of jobs by the way that they ran. Takes constant time.
    fn paging(&self) -> Paging;
    /// Passes all entries to `sink`, one child table at a time. Excludes other calls meanwhile; the
    /// sink must not call the table.
    ///
    /// # Errors
    /// As [`BulkTable`]; any error of the sink, after which it is not called again.
    fn retrieve_to(&self, sink: SinkOf<'_, Self>) -> Result<(), Self::Error>;
}

/// Asks `contains` of those keys for which `mask` is true; `false` for the others.
fn contains_if<K: Copy, E: From<Refused>>(
    keys: &[K],
    mask: &[bool],
    contains: impl FnOnce(&[K]) -> Result<Vec<bool>, E>,
) -> Result<Vec<bool>, E> {
    let mask = Mask::of(keys, mask)?;
    let (keys, to) = (mask.chosen(keys)?, mask.room()?);
    let said = contains(&keys)?;
    Ok(mask.spread(said, to, |said| said.unwrap_or(false)))
}

/// Entries that [`BulkMap::try_extend`] stores at a time.
const PART: usize = 1 << 16;

/// Passes the entries of an iterator to `store`, a part at a time. Returns how many there were.
fn in_parts<T, E: From<Refused> + From<NotStored>>(
    entries: impl IntoIterator<Item = T>,
    store: impl Fn(&[T]) -> Result<Result<(), NotStored>, E>,
) -> Result<u64, E> {
    let (mut entries, mut done) = (entries.into_iter().fuse(), 0);
    let mut part = room(entries.size_hint().0.clamp(PART / 16, PART))?;
    loop {
        part.clear();
        // No more than there is memory for.
        let most = part.capacity().min(PART);
        part.extend(entries.by_ref().take(most));
        if part.is_empty() {
            return Ok(done);
        }
        let n = part.len() as u64;
        store(&part)?.map_err(|NotStored { left_out, first, .. }| NotStored {
            entries: done + n,
            left_out,
            first: done + first,
        })?;
        done += n;
    }
}
