//! The set of u32 keys.

use super::store::KeyStore;
use super::table::{Error, LANE_SLOTS, LANES, Table};
use warpproof_model::host::{BulkSet, BulkSlabSet, SlabGeometry, SlabStats};
use warpproof_model::outcome::{Delete, Insert};

/// A concurrent set of u32 keys in CPU memory. Bulk operations are those of [`BulkSet`].
#[derive(Debug)]
pub struct SlabSet<const L: usize = LANES, const S: usize = LANE_SLOTS> {
    table: Table<KeyStore, L, S>,
}

impl<const L: usize, const S: usize> SlabSet<L, S> {
    /// An empty set in which `keys` keys fit whatever they are.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(keys: u64) -> Result<Self, Error> {
        Self::with_geometry(Table::<KeyStore, L, S>::geometry_for(keys)?)
    }

    /// An empty set of a given size.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] as [`SlabGeometry::admit`] does for slabs of `L * S` slots.
    pub fn with_geometry(geometry: SlabGeometry) -> Result<Self, Error> {
        Ok(Self { table: Table::new(geometry)? })
    }

    /// A set of these keys, with room for as many.
    ///
    /// # Errors
    /// As [`SlabSet::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(keys: &[u32]) -> Result<Self, Error> {
        Ok(Self { table: Table::build(keys, &vec![(); keys.len()])? })
    }

    /// The table: its view runs single operations with a warp of your own.
    pub fn table(&self) -> &Table<KeyStore, L, S> {
        &self.table
    }
}

impl<const L: usize, const S: usize> BulkSet<u32> for SlabSet<L, S> {
    type Error = Error;

    fn insert(&self, keys: &[u32]) -> Result<Vec<Insert>, Error> {
        self.table.run(keys, Insert::Full, |t, w, key, _| t.insert_unique(w, key, ()))
    }

    fn contains(&self, keys: &[u32]) -> Result<Vec<bool>, Error> {
        self.table.run(keys, false, |t, w, key, _| t.search(w, key).is_some())
    }

    fn delete(&self, keys: &[u32]) -> Result<Vec<Delete>, Error> {
        self.table.run(keys, Delete::Absent, |t, w, key, _| t.delete(w, key))
    }

    fn keys(&self) -> Result<Vec<u32>, Error> {
        Ok(self.table.entries().into_iter().map(|(key, ())| key).collect())
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(self.table.stats().live)
    }
}

impl<const L: usize, const S: usize> BulkSlabSet<u32> for SlabSet<L, S> {
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
