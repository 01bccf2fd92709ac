//! Updates of values: insert_or_add and insert_or_update of maps.

use super::Operation;
use super::launch::{Arrays, Launch};
use crate::access::{OnStream, Staged, by_code};
use crate::arguments::{Argument, Head, Listed, Span};
use crate::dynamic::Dynamic;
use crate::error::Error;
use crate::handle::Map;
use crate::layout::{Entry, Scalar};
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::staging::{Back, Batch};
use crate::structures::{Counter, Holds};
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};
use warpproof_model::host::{BulkCounter, BulkUpdate, Outcomes, same_length};
use warpproof_model::outcome::Add;

impl Head {
    /// insert_or_update: the code of the update, keys, values, outcomes, n.
    pub(crate) fn update<K, V>(
        &self,
        update: Update,
        keys: Span<K>,
        values: Span<V>,
        outcomes: Span<u8>,
    ) -> Listed {
        let list = self.of(keys.len()).with(Argument::U32(update.code().into())).each("keys", keys);
        list.each("values", values).each("outcomes", outcomes).count()
    }
}

/// An update of the values of a map.
pub(crate) fn update<K, V>(update: Update) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::InsertOrUpdate, move |head, on| head.update(update, on.keys, on.values, on.codes))
}

impl<K: Scalar, V: Scalar + Integer, S: Holds<(K, V)> + Counter> OnStream<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Adds pairs. If a key is present, adds its value to the value there, modulo 2 to the bits of a value.
    /// Outcomes: [`Add`](warpproof_model::Add).
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.update(Update::Add, keys, values, outcomes)
    }

    /// Adds pairs. If a key is present, changes its value as `update` says. Outcomes:
    /// [`Add`](warpproof_model::Add).
    pub fn insert_or_update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Unsigned,
    {
        self.update(update, keys, values, outcomes)
    }

    /// Runs InsertOrUpdate.
    fn update(
        &self,
        with: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &update(with), Arrays { keys, values, codes, ..Arrays::NONE }) }
    }
}

impl<K: Scalar, V: Scalar + Integer, S: Holds<(K, V)> + Counter> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Adds pairs. If a key is present, adds its value to the value there, modulo 2 to the bits of a value.
    pub fn insert_or_add(&mut self, keys: &[K], values: &[V], outcomes: impl Sink<Add>) -> Result<(), Error> {
        self.update(Update::Add, keys, values, outcomes)
    }

    /// Adds pairs. If a key is present, changes its value as `update` says.
    pub fn insert_or_update(
        &mut self,
        update: Update,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Add>,
    ) -> Result<(), Error>
    where
        V: Unsigned,
    {
        self.update(update, keys, values, outcomes)
    }

    /// Runs InsertOrUpdate.
    fn update(
        &mut self,
        with: Update,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Add>,
    ) -> Result<(), Error> {
        let batch = Batch { values: Some(values), ..Batch::of(keys) };
        // SAFETY: the kernel writes codes.
        unsafe { self.run(update(with), (Back::Codes, by_code(Add::from_code)), batch, outcomes) }
    }
}

impl<K: Scalar, V: Scalar + Integer, S: Holds<(K, V)> + Counter> BulkCounter<K, V> for Map<K, V, S>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.answers(|mut map, outcomes| map.insert_or_add(keys, values, outcomes)).map(Outcomes::from)
    }
}

impl<K: Scalar, V: Scalar + Unsigned, S: Holds<(K, V)> + Counter> BulkUpdate<K, V> for Map<K, V, S>
where
    (K, V): Entry,
{
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.answers(|mut map, outcomes| map.update(update, keys, values, outcomes)).map(Outcomes::from)
    }
}

impl<K: Scalar, V: Scalar> OnStream<'_, Dynamic<(K, V)>>
where
    (K, V): Entry,
{
    /// Adds pairs, or adds to values. As of a map that does not grow, and waits for the stream.
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Integer,
    {
        self.update(Update::Add, keys, values, outcomes)
    }

    /// Adds pairs, or changes values as `update` says. As of a map that does not grow, and waits for the
    /// stream.
    pub fn insert_or_update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Unsigned,
    {
        self.update(update, keys, values, outcomes)
    }

    /// Runs InsertOrUpdate.
    fn update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Integer,
    {
        self.parts(keys, values, outcomes, |map, keys, values, outcomes| {
            map.update(update, keys, values, outcomes)
        })
    }
}

impl<K: Scalar, V: Scalar + Integer> Dynamic<(K, V)>
where
    (K, V): Entry,
{
    /// Runs InsertOrUpdate.
    fn update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        same_length(keys, "values", values)?;
        let stored = |&outcome: &Add| outcome == Add::Inserted;
        self.inserted(keys, stored, |mut map, at, outcomes| {
            map.update(update, &keys[at.clone()], &values[at], outcomes)
        })
        .map(Outcomes::from)
    }
}

impl<K: Scalar, V: Scalar + Integer> BulkCounter<K, V> for Dynamic<(K, V)>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.update(Update::Add, keys, values)
    }
}

impl<K: Scalar, V: Scalar + Unsigned> BulkUpdate<K, V> for Dynamic<(K, V)>
where
    (K, V): Entry,
{
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.update(update, keys, values)
    }
}
