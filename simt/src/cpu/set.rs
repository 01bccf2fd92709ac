//! Sets of every structure.

use super::error::Error;
use super::grid::{CpuTable, Size, build, entries, live, run};
use core::marker::PhantomData;
use warpproof_model::bits::TableKey;
use warpproof_model::host::{BulkSet, BulkTable, Outcomes, StatsOf};
use warpproof_model::outcome::{Delete, Insert};
use warpproof_model::{AllKeys as _, Seed};

/// A concurrent set in CPU memory, in a table `T`: see [`super::SlabSet`], [`super::HopscotchSet`] and
/// [`super::OpenSet`].
#[derive(Debug)]
pub struct Set<K, T> {
    pub(super) table: T,
    key: PhantomData<fn() -> K>,
}

impl<K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> Set<K, T> {
    /// An empty set made for `keys` keys. The structure's geometry says whether all are sure to fit.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(keys: u64) -> Result<Self, Error> {
        Self::with_geometry(T::geometry_for(keys)?)
    }

    /// An empty set of a given size.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as `admit` of the geometry does, for the widths of this
    /// type.
    pub fn with_geometry(geometry: Size<T>) -> Result<Self, Error> {
        Self::with_seed(geometry, Seed::random())
    }

    /// An empty set of a given size, with the places of keys decided by `seed`. Without a given seed it is
    /// random, and strangers do not know it. Give one to repeat a run, not to serve strangers.
    ///
    /// # Errors
    /// As [`with_geometry`](Self::with_geometry).
    pub fn with_seed(geometry: Size<T>, seed: Seed) -> Result<Self, Error> {
        Ok(Self { table: T::new(geometry, seed)?, key: PhantomData })
    }

    /// A set of these keys, made for as many.
    ///
    /// # Errors
    /// As [`Set::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(keys: &[K]) -> Result<Self, Error> {
        Self::build_with_seed(keys, Seed::random())
    }

    /// Builds a table as [`build`](Self::build) does, but `seed` decides the places of keys.
    ///
    /// # Errors
    /// As `build`.
    pub fn build_with_seed(keys: &[K], seed: Seed) -> Result<Self, Error> {
        Ok(Self { table: build(keys, &vec![(); keys.len()], seed)?, key: PhantomData })
    }

    /// The seed that decides the places of its keys.
    pub fn seed(&self) -> Seed {
        self.table.seed()
    }

    /// The table: its handle ([`CpuTable::all_keys`]) runs single operations with a warp of your own.
    pub fn table(&self) -> &T {
        &self.table
    }
}

impl<K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> BulkTable for Set<K, T> {
    type Error = Error;
    type Structure = T::Structure;
    type Entry = K;

    fn retrieve_all(&self) -> Result<Vec<K>, Error> {
        entries(&self.table, |key, ()| K::from_word(key))
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

impl<K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> BulkSet<K> for Set<K, T> {
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.insert_unique(w, key, ())).map(Outcomes::from)
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.search(w, key).is_some())
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        run(&self.table, keys, (), |t, w, key, _| t.delete(w, key))
    }
}
