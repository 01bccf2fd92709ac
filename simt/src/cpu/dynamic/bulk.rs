//! The bulk calls of tables that grow.

use super::Dynamic;
use crate::cpu::apart::apart;
use crate::cpu::batch::{Batch, Beside};
use crate::cpu::error::Error;
use crate::cpu::grid::{room_for_answers, run_in};
use crate::cpu::held::{AllKeysOf, Done, Effect, Held, KeyOf, Says, WarpOf};
use crate::cpu::open::Fixed;
use rayon::prelude::*;
use warpproof_model::Key as _;
use warpproof_model::bits::TableKey;
use warpproof_model::growth::Distinct;
use warpproof_model::host::{BulkOrdered, BulkTable, OpenGeometry, OpenStats, structure};

impl<T: Fixed> Held for Dynamic<T> {
    type Table = T;

    /// Runs a batch that stores entries in parts; the table grows between them.
    fn batch<K: TableKey<Bits = KeyOf<T>>, B: Beside, A: Says>(
        &self,
        keys: &[K],
        beside: B,
        effect: Effect,
        f: impl Fn(AllKeysOf<'_, T>, &mut WarpOf<T>, KeyOf<T>, B::Item) -> A + Sync,
    ) -> Result<Vec<A>, Error> {
        // Memory for the answers of all parts, before the first one runs.
        let mut answers = room_for_answers(keys)?;
        let batch = Batch { keys, beside };
        if matches!(effect, Effect::Reads | Effect::Deletes) {
            let table = self.growing.table();
            if effect == Effect::Deletes {
                self.growing.note_deletes();
            }
            apart(|| run_in(table.words(), batch, &f, &mut answers));
            return Ok(answers);
        }
        let deletes = effect == Effect::Any;
        let distinct = || if deletes { 0 } else { self.distinct(keys) };
        let ran = self.growing.insert_distinct(keys.len(), distinct, |table, from, to| {
            if deletes {
                self.growing.note_deletes();
            }
            apart(|| run_in(table.words(), batch.part(from..to), &f, &mut answers));
            Ok(answers[from..].iter().filter(|answer| answer.done() == Done::Stored).count() as u64)
        });
        ran.map_err(|error| error.after(answers.len()))?;
        Ok(answers)
    }
}

impl<T: Fixed> Dynamic<T> {
    /// About how many distinct keys there are.
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

    /// Runs `f` on the table, which does not grow meanwhile.
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
