//! The map and the multimap: u32 or u64 keys and values.

use super::store::{Entry, Store};
use super::table::{Error, LANE_SLOTS, LANES, Table};
use rayon::prelude::*;
use warpproof_model::Key;
use warpproof_model::host::{
    Answer, BulkMap, BulkMultimap, BulkSlabMap, Matches, Op, SlabGeometry, SlabStats, same_length,
};
use warpproof_model::outcome::{Assign, Delete, Insert};
use warpproof_model::slab::{Multi, Multiplicity, Unique};

/// A concurrent map in CPU memory; with `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>` or `SlabMap<u64, u64>`; bulk operations are those of [`BulkMap`]. The width of a warp
/// (`L` lanes of `S` slots) is a matter of speed, not of meaning.
///
/// ```
/// use warpproof_simt::cpu::SlabMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = SlabMap::<u32, u32>::with_capacity(100)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
#[derive(Debug)]
pub struct SlabMap<K: Key, V, const L: usize = LANES, const S: usize = LANE_SLOTS, M = Unique>
where
    (K, V): Entry,
{
    table: Table<<(K, V) as Entry>::Store, L, S, M>,
}

/// A concurrent map in CPU memory in which a key may have several pairs.
pub type SlabMultimap<K, V, const L: usize = LANES, const S: usize = LANE_SLOTS> = SlabMap<K, V, L, S, Multi>;

impl<K: Key, V: Copy + Send + Sync, const L: usize, const S: usize, M: Multiplicity> SlabMap<K, V, L, S, M>
where
    (K, V): Entry<Store: Store<Key = K, Value = V>>,
{
    /// An empty map in which `pairs` pairs fit whatever their keys are.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(pairs: u64) -> Result<Self, Error> {
        Ok(Self { table: Table::new(Table::<<(K, V) as Entry>::Store, L, S, M>::geometry_for(pairs)?)? })
    }

    /// An empty map of a given size.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`SlabGeometry::admit`] does for slabs of `L * S` slots.
    pub fn with_geometry(geometry: SlabGeometry) -> Result<Self, Error> {
        Ok(Self { table: Table::new(geometry)? })
    }

    /// A map of these pairs, with room for as many. Of several pairs with one key, a map keeps any one, a multimap
    /// all.
    ///
    /// # Errors
    /// As [`SlabMap::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
    pub fn build(keys: &[K], values: &[V]) -> Result<Self, Error> {
        Self::values_match(keys, values)?;
        Ok(Self { table: Table::build(keys, values)? })
    }

    /// The table: its view runs single operations with a warp of your own.
    pub fn table(&self) -> &Table<<(K, V) as Entry>::Store, L, S, M> {
        &self.table
    }

    fn values_match(keys: &[K], values: &[V]) -> Result<(), Error> {
        Ok(same_length(keys, "values", values)?)
    }
}

impl<K: Key, V: Copy + Send + Sync, const L: usize, const S: usize, M: Multiplicity> BulkMap<K, V>
    for SlabMap<K, V, L, S, M>
where
    (K, V): Entry<Store: Store<Key = K, Value = V>>,
{
    type Error = Error;

    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        Self::values_match(keys, values)?;
        self.table.run(keys, Insert::Full, |t, w, key, i| t.insert_unique(w, key, values[i]))
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        Self::values_match(keys, values)?;
        self.table.run(keys, Assign::Full, |t, w, key, i| t.insert_or_assign(w, key, values[i]))
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.table.run(keys, None, |t, w, key, _| t.search(w, key))
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.table.run(keys, Delete::Absent, |t, w, key, _| t.delete(w, key))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        Self::values_match(keys, values)?;
        self.table.run(keys, Answer::Search(None), |t, w, key, i| {
            let said = t.mixed(w, ops[i], key, values[i]);
            // Every code of the table is one of its operation's.
            Answer::new(ops[i], said).unwrap_or(Answer::Search(None))
        })
    }

    fn pairs(&self) -> Result<Vec<(K, V)>, Error> {
        Ok(self.table.entries())
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(self.table.stats().live)
    }
}

impl<K: Key, V: Copy + Send + Sync, const L: usize, const S: usize, M: Multiplicity> BulkSlabMap<K, V>
    for SlabMap<K, V, L, S, M>
where
    (K, V): Entry<Store: Store<Key = K, Value = V>>,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        // One pass: each chunk of keys collects its values, then the chunks are put together.
        let counts_and_values = |keys: &[K]| {
            let mut counts = Vec::with_capacity(keys.len());
            let mut values = Vec::new();
            let view = self.table.view();
            let mut warp = super::CpuWarp::<L>::new(0);
            for key in keys.iter().filter_map(|&k| warpproof_model::UserKey::new(k)) {
                let base = values.len();
                let count = view.search_all(&mut warp, key, |_, number, value| {
                    // A repeated scan starts again at 0.
                    values.truncate(base + number as usize);
                    values.push(value);
                });
                values.truncate(base + count as usize);
                counts.push(count);
            }
            (counts, values)
        };
        warpproof_model::host::admit(keys)?;
        let parts: Vec<_> = keys.par_chunks(4096).map(counts_and_values).collect();
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        let mut end = 0u64;
        offsets.push(end);
        for count in parts.iter().flat_map(|(counts, _)| counts) {
            end += *count as u64;
            offsets.push(end);
        }
        let values = parts.into_iter().flat_map(|(_, values)| values).collect();
        Ok(Matches { offsets, values })
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.table.run(keys, 0, |t, w, key, _| t.count(w, key))
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.table.run(keys, 0, |t, w, key, _| t.delete_all(w, key))
    }

    fn flush(&mut self) -> Result<u64, Error> {
        Ok(self.table.flush())
    }

    fn stats(&self) -> Result<SlabStats, Error> {
        Ok(self.table.stats())
    }

    fn geometry(&self) -> SlabGeometry {
        self.table.geometry()
    }
}

impl<K: Key, V: Copy + Send + Sync, const L: usize, const S: usize> BulkMultimap<K, V>
    for SlabMap<K, V, L, S, Multi>
where
    (K, V): Entry<Store: Store<Key = K, Value = V>>,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        Self::values_match(keys, values)?;
        self.table.run(keys, Insert::Full, |t, w, key, i| t.insert(w, key, values[i]))
    }
}
