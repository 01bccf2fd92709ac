//! Sets of every structure, on host slices.

use crate::device::Device;
use crate::error::Error;
use crate::handle::Set;
use crate::layout::KeyScalar;
use crate::structures::Holds;
use warpproof_model::Seed;
use warpproof_model::host::{BulkSet, Outcomes, left_out};
use warpproof_model::outcome::{Delete, Insert};

impl<K: KeyScalar, S: Holds<(K,)>> Set<K, S> {
    /// A set of these keys, made for as many.
    ///
    /// # Errors
    /// As [`Set::with_capacity`] and [`BulkSet::insert`]; [`Error::TableFull`] if not all keys fit.
    pub fn build(device: &Device, keys: &[K]) -> Result<Self, Error> {
        Self::build_with_seed(device, keys, Seed::random())
    }

    /// Builds a table as [`build`](Self::build) does, but `seed` decides the places of keys.
    ///
    /// # Errors
    /// As `build`.
    pub fn build_with_seed(device: &Device, keys: &[K], seed: Seed) -> Result<Self, Error> {
        let set = Self::for_entries(device, keys.len() as u64, seed)?;
        match left_out(&set.insert(keys)?) {
            0 => Ok(set),
            left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
        }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>> BulkSet<K> for Set<K, S> {
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        self.answers(|mut set, outcomes| set.insert(keys, outcomes)).map(Outcomes::from)
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.answers(|mut set, found| set.contains(keys, found))
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.answers(|mut set, outcomes| set.delete(keys, outcomes))
    }
}
