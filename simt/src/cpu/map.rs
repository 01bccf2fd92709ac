//! Maps of every structure: keys and values of 32 or 64 bits.

use super::error::Error;
use super::grid::{CpuTable, Size, build, entries, live, run};
use core::marker::PhantomData;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::{Answer, BulkMap, BulkTable, Op, Outcomes, StatsOf, same_length};
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed};
use warpproof_model::{AllKeys as _, Seed, Warp};

/// A concurrent map in CPU memory, in a table `T`: see [`super::SlabMap`], [`super::HopscotchMap`] and
/// [`super::OpenMap`].
#[derive(Debug)]
pub struct Map<K, V, T> {
    pub(super) table: T,
    pair: PhantomData<fn() -> (K, V)>,
}

impl<K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> Map<K, V, T> {
    /// An empty map made for `pairs` pairs. The structure's geometry says whether all are sure to fit.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(pairs: u64) -> Result<Self, Error> {
        Self::with_geometry(T::geometry_for(pairs)?)
    }

    /// An empty map of a given size.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as `admit` of the geometry does, for the widths of this
    /// type.
    pub fn with_geometry(geometry: Size<T>) -> Result<Self, Error> {
        Self::with_seed(geometry, Seed::random())
    }

    /// An empty map of a given size, with the places of keys decided by `seed`. Without a given seed it is
    /// random, and strangers do not know it. Give one to repeat a run, not to serve strangers.
    ///
    /// # Errors
    /// As [`with_geometry`](Self::with_geometry).
    pub fn with_seed(geometry: Size<T>, seed: Seed) -> Result<Self, Error> {
        Ok(Self { table: T::new(geometry, seed)?, pair: PhantomData })
    }

    /// A map of these pairs, made for as many. If a key occurs more than once, a map keeps one of its pairs,
    /// and which one is not specified; a multimap keeps all.
    ///
    /// # Errors
    /// As [`Map::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
    pub fn build(keys: &[K], values: &[V]) -> Result<Self, Error> {
        Self::build_with_seed(keys, values, Seed::random())
    }

    /// Builds a table as [`build`](Self::build) does, but `seed` decides the places of keys.
    ///
    /// # Errors
    /// As `build`.
    pub fn build_with_seed(keys: &[K], values: &[V], seed: Seed) -> Result<Self, Error> {
        Self::values_match(keys, values)?;
        Ok(Self { table: build(keys, values, seed)?, pair: PhantomData })
    }

    /// The seed that decides the places of its keys.
    pub fn seed(&self) -> Seed {
        self.table.seed()
    }

    /// The table: its handle ([`CpuTable::all_keys`]) runs single operations with a warp of your own.
    pub fn table(&self) -> &T {
        &self.table
    }

    pub(super) fn values_match(keys: &[K], values: &[V]) -> Result<(), Error> {
        Ok(same_length(keys, "values", values)?)
    }
}

impl<K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> BulkTable for Map<K, V, T> {
    type Error = Error;
    type Structure = T::Structure;
    type Entry = (K, V);

    fn retrieve_all(&self) -> Result<Vec<(K, V)>, Error> {
        entries(&self.table, |key, value| (K::from_word(key), V::from_word(value)))
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(live(&self.table))
    }

    fn stats(&self) -> Result<StatsOf<Self>, Error> {
        Ok(self.table.stats())
    }

    fn geometry(&self) -> Size<T> {
        self.table.geometry()
    }

    fn clear(&mut self) -> Result<(), Error> {
        self.table.clear();
        Ok(())
    }
}

impl<K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> BulkMap<K, V> for Map<K, V, T> {
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        Self::values_match(keys, values)?;
        run(&self.table, keys, values, |t, w, key, value| t.insert_unique(w, key, value.to_word()))
            .map(Outcomes::from)
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Error> {
        Self::values_match(keys, values)?;
        run(&self.table, keys, values, |t, w, key, value| t.insert_or_assign(w, key, value.to_word()))
            .map(Outcomes::from)
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.search(w, key).map(V::from_word))
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.search(w, key).is_some())
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.count(w, key))
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.delete(w, key))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        Self::values_match(keys, values)?;
        run(&self.table, keys, (ops, values), |t, w, key, (op, value)| answer::<T, V>(t, w, op, key, value))
            .map(Outcomes::from)
    }
}

/// The answer of an operation of any kind.
#[inline(always)]
pub(super) fn answer<C: CpuTable, V: TableValue<C::Value>>(
    table: C::AllKeys<'_>,
    w: &mut C::Warp,
    op: Op,
    key: C::Key,
    value: V,
) -> Answer<V> {
    let Mixed { code, value } = table.mixed(w, op, key, value.to_word()).tell(w);
    w.fence_acquire();
    let said = Mixed { code, value: V::from_word(value) };
    // Every code from the table is one of its operation's.
    Answer::new(op, said).unwrap_or(Answer::Search(None))
}
