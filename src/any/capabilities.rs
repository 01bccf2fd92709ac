//! Capabilities of only some tables, as traits with virtual functions: [`BulkMatches`] and the like of any
//! backend.

use super::Error;
use std::path::Path;
use warpproof_model::host::{
    BulkCounter, BulkFlush, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged, BulkSave, BulkUpdate,
    Matches as Found, Outcomes,
};
use warpproof_model::paged::host::Paging;
use warpproof_model::{Add, Insert, Key, Update, Word};

/// A map that works on all pairs of a key at once: [`BulkMatches`].
pub trait Matches<K, V> {
    /// Finds all values of each key: [`BulkMatches::search_all`].
    ///
    /// # Errors
    /// The errors of the backend, as for all calls of this module.
    fn search_all(&self, keys: &[K]) -> Result<Found<V>, Error>;
    /// Deletes all pairs of each key: [`BulkMatches::delete_all`].
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error>;
}

/// A map in which a key may have several pairs: [`BulkMultimap`].
pub trait Multimap<K, V> {
    /// Inserts pairs, whether or not their keys are present: [`BulkMultimap::insert`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error>;
}

/// A map that adds to values: [`BulkCounter`].
pub trait Counter<K, V> {
    /// Inserts each pair, or adds to the value of its key: [`BulkCounter::insert_or_add`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error>;
}

/// A map that changes values in the ways of [`Update`]: [`BulkUpdate`].
pub trait Updates<K, V> {
    /// Inserts each pair, or changes the value of its key: [`BulkUpdate::insert_or_update`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error>;
}

/// A table that knows an order of its entries: [`BulkOrdered`].
pub trait Ordered<E> {
    /// Returns all entries in the order of the table: [`BulkOrdered::retrieve_all_in_order`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn retrieve_all_in_order(&self) -> Result<Vec<E>, Error>;
}

/// A table that can be flushed: [`BulkFlush`].
pub trait Flush {
    /// Flushes the table: [`BulkFlush::flush`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn flush(&mut self) -> Result<u64, Error>;
}

/// A table that can be saved to a file: [`BulkSave`].
pub trait Save {
    /// Saves the table to a file: [`BulkSave::save`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn save(&self, path: &Path) -> Result<(), Error>;
}

/// A table that is partly in memory of a limited size: [`BulkPaged`].
pub trait Paged<E> {
    /// Statistics of paging: [`BulkPaged::paging`].
    fn paging(&self) -> Paging;
    /// Passes all entries to a sink that cannot fail: [`BulkPaged::retrieve_to`].
    ///
    /// # Errors
    /// The errors of the backend.
    fn retrieve_to(&self, sink: &mut (dyn FnMut(Vec<E>) + Send)) -> Result<(), Error>;
}

impl<K: Key, V: Word, T: BulkMatches<K, V, Error: Send + Sync + 'static>> Matches<K, V> for T {
    fn search_all(&self, keys: &[K]) -> Result<Found<V>, Error> {
        BulkMatches::search_all(self, keys).map_err(Error::new)
    }
    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        BulkMatches::delete_all(self, keys).map_err(Error::new)
    }
}

impl<K: Key, V: Word, T: BulkMultimap<K, V, Error: Send + Sync + 'static>> Multimap<K, V> for T {
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        BulkMultimap::insert(self, keys, values).map_err(Error::new)
    }
}

impl<K: Key, V: Word, T: BulkCounter<K, V, Error: Send + Sync + 'static>> Counter<K, V> for T {
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        BulkCounter::insert_or_add(self, keys, values).map_err(Error::new)
    }
}

impl<K: Key, V: Word, T: BulkUpdate<K, V, Error: Send + Sync + 'static>> Updates<K, V> for T {
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        BulkUpdate::insert_or_update(self, update, keys, values).map_err(Error::new)
    }
}

impl<E, T: BulkOrdered<Entry = E, Error: Send + Sync + 'static>> Ordered<E> for T {
    fn retrieve_all_in_order(&self) -> Result<Vec<E>, Error> {
        BulkOrdered::retrieve_all_in_order(self).map_err(Error::new)
    }
}

impl<T: BulkFlush<Error: Send + Sync + 'static>> Flush for T {
    fn flush(&mut self) -> Result<u64, Error> {
        BulkFlush::flush(self).map_err(Error::new)
    }
}

impl<T: BulkSave<Error: Send + Sync + 'static>> Save for T {
    fn save(&self, path: &Path) -> Result<(), Error> {
        BulkSave::save(self, path).map_err(Error::new)
    }
}

impl<E, T: BulkPaged<Entry = E, Error: Send + Sync + 'static>> Paged<E> for T {
    fn paging(&self) -> Paging {
        BulkPaged::paging(self)
    }
    fn retrieve_to(&self, sink: &mut (dyn FnMut(Vec<E>) + Send)) -> Result<(), Error> {
        let mut sink = |entries| {
            sink(entries);
            Ok(())
        };
        BulkPaged::retrieve_to(self, &mut sink).map_err(Error::new)
    }
}
