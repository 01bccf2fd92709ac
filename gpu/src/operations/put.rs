//! Stores of pairs: insert, insert_unique and insert_or_assign of maps.

use super::Operation;
use super::launch::{Arrays, Launch};
use crate::access::{OnStream, Staged, by_code};
use crate::arguments::{Head, Listed};
use crate::dynamic::Dynamic;
use crate::error::Error;
use crate::handle::Map;
use crate::layout::{Entry, Scalar};
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::staging::{Back, Batch};
use crate::structures::Holds;
use warpproof_model::outcome::{Assign, Insert};

/// Insert, InsertUnique or InsertOrAssign of a map; called only with those.
pub(crate) fn put<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(operation, |head, on| head.put(on.keys, on.values, on.codes))
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> OnStream<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Adds pairs whose keys are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes)
    }

    /// Adds pairs, or replaces the values of keys that are present. Outcomes:
    /// [`Assign`](warpproof_model::Assign).
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes)
    }

    /// Runs Insert, InsertUnique or InsertOrAssign; called only with those.
    pub(crate) fn put(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &put(operation), Arrays { keys, values, codes, ..Arrays::NONE }) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Adds pairs whose keys are absent.
    pub fn insert_unique(
        &mut self,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Insert>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes, Insert::from_code)
    }

    /// Adds pairs, or replaces the values of keys that are present.
    pub fn insert_or_assign(
        &mut self,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Assign>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes, Assign::from_code)
    }

    /// Runs Insert, InsertUnique or InsertOrAssign; called only with those.
    pub(crate) fn put<T: Copy + Send + Sync>(
        &mut self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<T>,
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<(), Error> {
        let batch = Batch { values: Some(values), ..Batch::of(keys) };
        // SAFETY: the kernel writes codes.
        unsafe { self.run(put(operation), (Back::Codes, by_code(decode)), batch, outcomes) }
    }
}

impl<K: Scalar, V: Scalar> OnStream<'_, Dynamic<(K, V)>>
where
    (K, V): Entry,
{
    /// Adds pairs whose keys are absent. As of a map that does not grow, and waits for the stream.
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes)
    }

    /// Adds pairs, or replaces values. As of a map that does not grow, and waits for the stream.
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes)
    }

    /// Runs InsertUnique or InsertOrAssign; called only with those.
    fn put(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.parts(keys, values, outcomes, |map, keys, values, outcomes| {
            map.put(operation, keys, values, outcomes)
        })
    }
}
