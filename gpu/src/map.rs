//! Maps of every structure, on host slices.

use crate::access::Staged;
use crate::device::Device;
use crate::error::Error;
use crate::handle::Map;
use crate::host::room;
use crate::layout::{Entry, Scalar};
use crate::operations::Operation;
use crate::structures::Holds;
use warpproof_model::Seed;
use warpproof_model::host::{Answer, BulkMap, Op, Outcomes, left_out, same_length};
use warpproof_model::outcome::{Assign, Delete, Insert};

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Map<K, V, S>
where
    (K, V): Entry,
{
    /// A map of these pairs, made for as many. If a key occurs more than once, a map keeps one of its pairs,
    /// and which one is not specified; a multimap keeps all.
    ///
    /// # Errors
    /// As [`Map::with_capacity`] and [`BulkMap::insert_unique`]; [`Error::TableFull`] if not all pairs fit.
    pub fn build(device: &Device, keys: &[K], values: &[V]) -> Result<Self, Error> {
        Self::build_with_seed(device, keys, values, Seed::random())
    }

    /// Builds a table as [`build`](Self::build) does, but `seed` decides the places of keys.
    ///
    /// # Errors
    /// As `build`.
    pub fn build_with_seed(device: &Device, keys: &[K], values: &[V], seed: Seed) -> Result<Self, Error> {
        same_length(keys, "values", values)?;
        let map = Self::for_entries(device, keys.len() as u64, seed)?;
        let operation = if S::MULTI { Operation::Insert } else { Operation::InsertUnique };
        let outcomes = map.answers(|mut map: Staged<'_, Self>, outcomes| {
            map.put(operation, keys, values, outcomes, Insert::from_code)
        })?;
        match left_out(&outcomes) {
            0 => Ok(map),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> BulkMap<K, V> for Map<K, V, S>
where
    (K, V): Entry,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        self.answers(|mut map, outcomes| map.insert_unique(keys, values, outcomes)).map(Outcomes::from)
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Error> {
        self.answers(|mut map, outcomes| map.insert_or_assign(keys, values, outcomes)).map(Outcomes::from)
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.answers(|mut map, values| map.search(keys, values))
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.answers(|mut map, found| map.contains(keys, found))
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        if S::COUNTS {
            return self.answers(|mut map, counts| map.number(Operation::Count, keys, counts));
        }
        let found = self.contains(keys)?;
        let mut counts = room("counts", found.len())?;
        counts.extend(found.into_iter().map(u32::from));
        Ok(counts)
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.answers(|mut map, outcomes| map.delete(keys, outcomes))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Error> {
        self.answers(|mut map, answers| map.mixed(ops, keys, values, answers)).map(Outcomes::from)
    }
}
