//! The bulk calls of tables that grow.

use super::apart::apart;
use super::{Dynamic, Fixed};
use crate::cpu::batch::{Batch, Beside};
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, room_for_answers, run_in};
use crate::cpu::map::{Map, answer};
use crate::cpu::open::FixedBuckets;
use crate::cpu::set::Set;
use rayon::prelude::*;
use warpproof_model::bits::{Integer, TableKey, TableValue};
use warpproof_model::growth::Distinct;
use warpproof_model::host::structure::{self, Open};
use warpproof_model::host::{
    Answer, BulkCounter, BulkMap, BulkOrdered, BulkSet, BulkTable, Op, OpenGeometry, OpenStats, same_length,
};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};
use warpproof_model::{AllKeys as _, Key as _};

/// The keys of a table `T`.
type KeyOf<T> = <<T as Fixed>::Words as CpuTable>::Key;
/// The warps that work on it.
type WarpOf<T> = <<T as Fixed>::Words as CpuTable>::Warp;

impl<T: Fixed> Dynamic<T> {
    /// The answers of a batch that may store entries, in parts: `f` runs an operation, as
    /// [`run_in`] says, and may take entries out if it `deletes`; `stored` says of an answer whether an entry
    /// was stored.
    fn in_parts<K: TableKey<Bits = KeyOf<T>>, B: Beside, A: Copy + Send + Sync>(
        &self,
        keys: &[K],
        (beside, deletes): (B, bool),
        stored: impl Fn(A) -> bool,
        f: impl Fn(<T::Words as CpuTable>::AllKeys<'_>, &mut WarpOf<T>, KeyOf<T>, B::Item) -> A + Sync,
    ) -> Result<Vec<A>, Error> {
        // Of all parts, before the first one runs.
        let mut answers = room_for_answers(keys)?;
        let batch = Batch { keys, beside };
        let distinct = || if deletes { 0 } else { self.distinct(keys) };
        let ran = self.growing.insert_distinct(keys.len(), distinct, |table, from, to| {
            if deletes {
                self.growing.note_deletes();
            }
            apart(|| run_in(table.words(), batch.part(from..to), &f, &mut answers));
            Ok(answers[from..].iter().filter(|&&answer| stored(answer)).count() as u64)
        });
        ran.map_err(|error| error.after(answers.len()))?;
        Ok(answers)
    }
}

impl<T: Fixed> Dynamic<T> {
    /// How many distinct keys there are, about.
    fn distinct<K: TableKey<Bits = KeyOf<T>>>(&self, keys: &[K]) -> u64 {
        let seed = self.seed();
        apart(|| {
            let parts = keys.par_chunks(keys.len().div_ceil(rayon::current_num_threads()).max(1));
            let count = |part: &[K]| {
                let mut distinct = Distinct::default();
                part.iter().for_each(|key| distinct.add(key.to_word().hash(seed)));
                distinct
            };
            parts.map(count).reduce(Distinct::default, |a, b| a.merge(&b)).estimate()
        })
    }

    /// What `f` says of the table, which does not grow meanwhile.
    fn held<R: Send>(&self, f: impl FnOnce(&T) -> R + Send) -> R {
        let table = self.growing.table();
        apart(|| f(&table))
    }

    /// The same, and `f` takes entries out.
    fn deleting<R: Send>(&self, f: impl FnOnce(&T) -> R + Send) -> R {
        let table = self.growing.table();
        self.growing.note_deletes();
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

impl<K, V, T> BulkMap<K, V> for Dynamic<Map<K, V, T>>
where
    K: TableKey,
    V: TableValue<T::Value>,
    T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        same_length(keys, "values", values)?;
        let stored = |said| said == Insert::Inserted;
        self.in_parts(keys, (values, false), stored, |t, w, key, value| {
            t.insert_unique(w, key, value.to_word())
        })
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        same_length(keys, "values", values)?;
        let stored = |said| said == Assign::Inserted;
        self.in_parts(keys, (values, false), stored, |t, w, key, value| {
            t.insert_or_assign(w, key, value.to_word())
        })
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
        self.deleting(|map| BulkMap::delete(map, keys))
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        let stored =
            |said| matches!(said, Answer::Insert(Insert::Inserted) | Answer::Assign(Assign::Inserted));
        self.in_parts(keys, ((ops, values), true), stored, |t, w, key, (op, value)| {
            answer::<T, V>(t, w, op, key, value)
        })
    }
}

impl<K, V, T> BulkCounter<K, V> for Dynamic<Map<K, V, T>>
where
    K: TableKey,
    V: TableValue<T::Value> + Integer,
    T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        same_length(keys, "values", values)?;
        let stored = |said| said == Add::Inserted;
        self.in_parts(keys, (values, false), stored, |t, w, key, value| {
            T::insert_or_add(t, w, key, value.to_word())
        })
    }
}

impl<K: TableKey, T: FixedBuckets<Key = K::Bits, Value = (), Structure = Open> + Send> BulkSet<K>
    for Dynamic<Set<K, T>>
{
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        let stored = |said| said == Insert::Inserted;
        self.in_parts(keys, ((), false), stored, |t, w, key, ()| t.insert_unique(w, key, ()))
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.held(|set| BulkSet::contains(set, keys))
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.deleting(|set| BulkSet::delete(set, keys))
    }
}
