//! Operations that take a key each and tell an outcome: deletes, and inserts of sets.

use super::Operation;
use super::launch::{Arrays, Launch};
use crate::access::{OnStream, Staged, by_code};
use crate::arguments::{Head, Listed};
use crate::dynamic::Dynamic;
use crate::error::Error;
use crate::handle::{Set, Table};
use crate::layout::KeyScalar;
use crate::row::Row;
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::staging::{Back, Batch};
use crate::structures::Holds;
use warpproof_model::outcome::{Delete, Insert};

/// Delete of any table, and InsertUnique of a set; called only with those.
pub(crate) fn per_key<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(operation, |head, on| head.per_key(on.keys, on.codes))
}

impl<R: Row, S: Holds<R>> OnStream<'_, Table<R, S>> {
    /// Deletes one entry of each key. Outcomes: [`Delete`](warpproof_model::Delete).
    pub fn delete(&self, keys: &impl Input<R::Key>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.per_key(Operation::Delete, keys, outcomes)
    }

    /// Runs Delete, or InsertUnique of a set; called only with those.
    fn per_key(
        &self,
        operation: Operation,
        keys: &impl Input<R::Key>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        let arrays = Arrays::<R::Key, R::Value, R::Value> { keys, codes, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { self.run(call, &per_key(operation), arrays) }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>> OnStream<'_, Set<K, S>> {
    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.per_key(Operation::InsertUnique, keys, outcomes)
    }
}

impl<R: Row, S: Holds<R>> Staged<'_, Table<R, S>> {
    /// Deletes one entry of each key.
    pub fn delete(&mut self, keys: &[R::Key], outcomes: impl Sink<Delete>) -> Result<(), Error> {
        self.per_key(Operation::Delete, keys, outcomes, Delete::from_code)
    }

    /// Runs Delete, or InsertUnique of a set; called only with those.
    fn per_key<T: Copy + Send + Sync>(
        &mut self,
        operation: Operation,
        keys: &[R::Key],
        outcomes: impl Sink<T>,
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<(), Error> {
        let launch = per_key::<R::Key, R::Value>(operation);
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch, (Back::Codes, by_code(decode)), Batch::of(keys), outcomes) }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>> Staged<'_, Set<K, S>> {
    /// Adds keys that are absent.
    pub fn insert(&mut self, keys: &[K], outcomes: impl Sink<Insert>) -> Result<(), Error> {
        self.per_key(Operation::InsertUnique, keys, outcomes, Insert::from_code)
    }
}

impl<R: Row> OnStream<'_, Dynamic<R>> {
    /// Deletes one entry of each key. As of a table that does not grow.
    pub fn delete(&self, keys: &impl Input<R::Key>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let table = self.table.growing.table();
        self.table.growing.note_deletes();
        table.on_stream(self.stream).delete(keys, outcomes)
    }
}

impl<K: KeyScalar> OnStream<'_, Dynamic<(K,)>> {
    /// Adds keys that are absent. As of a set that does not grow, and waits for the stream.
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let keys = keys.view();
        self.inserted(keys.len(), outcomes, |set, at, outcomes| set.insert(&keys.slice(at), outcomes))
    }
}
