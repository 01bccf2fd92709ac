//! The bulk calls of tables that grow.

use super::apart::apart;
use super::{Dynamic, Fixed};
use crate::cpu::error::Error;
use core::ops::Range;
use warpproof_model::host::{
    Answer, BulkCounter, BulkMap, BulkOrdered, BulkSet, BulkTable, Op, OpenGeometry, OpenStats, admit,
    same_length, structure,
};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};
use warpproof_model::{Key, Word};

impl<T: Fixed> Dynamic<T> {
    /// The answers of a batch that may add entries, in parts: `part` runs the operations of a range, and
    /// `stored` says of an answer whether an entry was stored.
    fn in_parts<K: Key, A>(
        &self,
        keys: &[K],
        stored: impl Fn(&A) -> bool,
        part: impl Fn(&T, Range<usize>) -> Result<Vec<A>, Error> + Sync,
    ) -> Result<Vec<A>, Error>
    where
        A: Send,
    {
        // Of all parts before the first one runs.
        admit(keys)?;
        let mut answers = Vec::new();
        self.growing.insert(keys.len(), |table, from, to| {
            let mut these = apart(|| part(table, from..to))?;
            let count = these.iter().filter(|answer| stored(answer)).count() as u64;
            if answers.is_empty() {
                answers = these;
            } else {
                let bytes = (keys.len() * size_of::<A>()) as u64;
                answers.try_reserve_exact(keys.len() - from).map_err(|_| Error::OutOfMemory { bytes })?;
                answers.append(&mut these);
            }
            Ok(count)
        })?;
        Ok(answers)
    }
}

impl<T: Fixed> Dynamic<T> {
    /// What `f` says of the table, which does not grow meanwhile.
    fn held<R: Send>(&self, f: impl FnOnce(&T) -> R + Send) -> R {
        let table = self.growing.table();
        apart(|| f(&table))
    }
}

impl<T: Fixed> BulkTable for Dynamic<T> {
    type Error = Error;
    type Structure = structure::Dynamic;
    type Entry = T::Entry;

    fn retrieve_all(&self) -> Result<Vec<T::Entry>, Error> {
        self.held(T::retrieve_all)
    }
    fn len(&self) -> Result<u64, Error> {
        self.held(T::len)
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        self.held(BulkTable::stats)
    }
    fn geometry(&self) -> OpenGeometry {
        BulkTable::geometry(&*self.growing.table())
    }
    fn clear(&mut self) -> Result<(), Error> {
        self.growing.clear(|table| apart(|| BulkTable::clear(table)))
    }
}

impl<T: Fixed + BulkOrdered> BulkOrdered for Dynamic<T> {
    fn retrieve_all_in_order(&self) -> Result<Vec<T::Entry>, Error> {
        self.held(T::retrieve_all_in_order)
    }
}

impl<K: Key, V: Word, T: Fixed + BulkMap<K, V>> BulkMap<K, V> for Dynamic<T> {
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        same_length(keys, "values", values)?;
        let part = |map: &T, at: Range<usize>| map.insert_unique(&keys[at.clone()], &values[at]);
        self.in_parts(keys, |&said| said == Insert::Inserted, part)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        same_length(keys, "values", values)?;
        let part = |map: &T, at: Range<usize>| map.insert_or_assign(&keys[at.clone()], &values[at]);
        self.in_parts(keys, |&said| said == Assign::Inserted, part)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.held(|map| map.search(keys))
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.held(|map| BulkMap::contains(map, keys))
    }
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.held(|map| map.count(keys))
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.held(|map| BulkMap::delete(map, keys))
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        let stored = |answer: &Answer<V>| {
            matches!(answer, Answer::Insert(Insert::Inserted) | Answer::Assign(Assign::Inserted))
        };
        let part = |map: &T, at: Range<usize>| map.mixed(&ops[at.clone()], &keys[at.clone()], &values[at]);
        self.in_parts(keys, stored, part)
    }
}

impl<K: Key, V: Word, T: Fixed + BulkCounter<K, V>> BulkCounter<K, V> for Dynamic<T> {
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        same_length(keys, "values", values)?;
        let part = |map: &T, at: Range<usize>| map.insert_or_add(&keys[at.clone()], &values[at]);
        self.in_parts(keys, |&said| said == Add::Inserted, part)
    }
}

impl<K: Key, T: Fixed + BulkSet<K>> BulkSet<K> for Dynamic<T> {
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        self.in_parts(keys, |&said| said == Insert::Inserted, |set, at| set.insert(&keys[at]))
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.held(|set| BulkSet::contains(set, keys))
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.held(|set| BulkSet::delete(set, keys))
    }
}
