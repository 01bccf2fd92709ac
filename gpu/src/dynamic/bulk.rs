//! Operations on host slices, of maps and sets that grow.

use super::Dynamic;
use crate::access::Staged;
use crate::error::Error;
use crate::handle::Table;
use crate::host::room;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::operations::Operation;
use crate::row::Row;
use crate::staging;
use core::ops::Range;
use warpproof_model::host::structure::Open;
use warpproof_model::host::{Answer, BulkMap, BulkSet, Op, Outcomes, same_length};
use warpproof_model::outcome::{Assign, Delete, Insert};

impl<R: Row> Dynamic<R> {
    /// The outcomes of inserts of host slices, through staging buffers of the device: `chunk` runs those of a
    /// range, and `stored` says whether an outcome is of an entry that was stored.
    pub(crate) fn inserted<T>(
        &self,
        keys: &[R::Key],
        stored: impl Fn(&T) -> bool,
        chunk: impl Fn(Staged<'_, Table<R, Open>>, Range<usize>, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        staging::lent(&self.device, |staging| {
            let mut outcomes = room("answers", keys.len())?;
            let ran = self.growing.insert(keys.len(), |table, from, to| {
                chunk(table.staged(staging), from..to, &mut outcomes)?;
                Ok(outcomes[from..].iter().filter(|outcome| stored(outcome)).count() as u64)
            });
            ran.map_err(|error| error.after(outcomes.len()))?;
            Ok(outcomes)
        })
    }
}

impl<K: Scalar, V: Scalar> Dynamic<(K, V)>
where
    (K, V): Entry,
{
    /// Runs InsertUnique or InsertOrAssign; called only with those.
    fn put<T: Copy + Send + Sync>(
        &self,
        operation: Operation,
        (keys, values): (&[K], &[V]),
        decode: impl Fn(u8) -> Option<T> + Sync,
        stored: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        self.inserted(keys, stored, |mut map, at, outcomes| {
            map.put(operation, &keys[at.clone()], &values[at], outcomes, &decode)
        })
    }
}

impl<K: Scalar, V: Scalar> BulkMap<K, V> for Dynamic<(K, V)>
where
    (K, V): Entry,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        self.put(Operation::InsertUnique, (keys, values), Insert::from_code, |&o| o == Insert::Inserted)
            .map(Outcomes::from)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Error> {
        self.put(Operation::InsertOrAssign, (keys, values), Assign::from_code, |&o| o == Assign::Inserted)
            .map(Outcomes::from)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.growing.table().search(keys)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        BulkMap::contains(&*self.growing.table(), keys)
    }
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.growing.table().count(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        let table = self.growing.table();
        self.growing.note_deletes();
        BulkMap::delete(&*table, keys)
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        staging::lent(&self.device, |staging| {
            let mut answers = room("answers", keys.len())?;
            let ran = self.growing.mixed(keys.len(), |map, from, to| {
                let (ops, keys, values) = (&ops[from..to], &keys[from..to], &values[from..to]);
                map.staged(staging).mixed(ops, keys, values, &mut answers)
            });
            ran.map_err(|error| error.after(answers.len()))?;
            Ok(answers)
        })
        .map(Outcomes::from)
    }
}

impl<K: KeyScalar> BulkSet<K> for Dynamic<(K,)> {
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        let stored = |&outcome: &Insert| outcome == Insert::Inserted;
        self.inserted(keys, stored, |mut set, at, outcomes| set.insert(&keys[at], outcomes))
            .map(Outcomes::from)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        BulkSet::contains(&*self.growing.table(), keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        let table = self.growing.table();
        self.growing.note_deletes();
        BulkSet::delete(&*table, keys)
    }
}
