//! Operations on device slices, of maps and sets that grow: inserts wait for the stream, as their outcomes
//! say whether there is room.

use super::Dynamic;
use super::outcomes::count_stored;
use crate::access::OnStream;
use crate::arguments::Operation;
use crate::error::Error;
use crate::handle::Table;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::slices::{Input, Output};
use core::ops::Range;
use cudarc::driver::{CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};
use warpproof_model::host::Refused;
use warpproof_model::host::structure::Open;

impl<R: Row> Dynamic<R> {
    /// The operations on device slices, on `stream`. If there is no memory to grow, inserts return
    /// [`Error::OutOfMemory`], which says how many operations of the batch have run: the first ones. The
    /// entries that they stored are in the table, the outcomes of the others mean nothing, and the table is
    /// usable.
    pub fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self> {
        OnStream { table: self, stream }
    }
}

impl<R: Row> OnStream<'_, Dynamic<R>> {
    /// Runs `n` inserts with an outcome each in chunks: `chunk` queues those of a range, with the outcomes of
    /// that range.
    fn inserted<C>(&self, n: usize, outcomes: &mut impl Output<u8>, chunk: C) -> Result<(), Error>
    where
        C: Fn(OnStream<'_, Table<R, Open>>, Range<usize>, &mut CudaViewMut<'_, u8>) -> Result<(), Error>,
    {
        let mut outcomes = outcomes.view_mut();
        if outcomes.len() != n {
            return Err(Refused::Length { keys: n, what: "outcomes", found: outcomes.len() }.into());
        }
        let mut ran = 0;
        let inserted = self.table.growing.insert(n, |table, from, to| {
            let outcomes = &mut outcomes.slice_mut(from..to);
            chunk(table.on_stream(self.stream), from..to, outcomes)?;
            ran = to;
            count_stored(table.device(), self.stream, outcomes)
        });
        inserted.map_err(|error| error.after(ran))
    }

    /// Whether each key is there: 1 or 0. As of a table that does not grow.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).contains(keys, found)
    }

    /// Deletes one entry of each key. As of a table that does not grow.
    pub fn delete(&self, keys: &impl Input<R::Key>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let table = self.table.growing.table();
        self.table.growing.note_deletes();
        table.on_stream(self.stream).delete(keys, outcomes)
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

    /// Stores pairs, a part of them at a time: `part` queues one.
    fn parts<P>(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
        part: P,
    ) -> Result<(), Error>
    where
        P: Fn(
            OnStream<'_, Table<(K, V), Open>>,
            &CudaView<'_, K>,
            &CudaView<'_, V>,
            &mut CudaViewMut<'_, u8>,
        ) -> Result<(), Error>,
    {
        let (keys, values) = (keys.view(), values.view());
        let (n, found) = (keys.len(), values.len());
        if found != n {
            return Err(Refused::Length { keys: n, what: "values", found }.into());
        }
        self.inserted(n, outcomes, |map, at, outcomes| {
            part(map, &keys.slice(at.clone()), &values.slice(at), outcomes)
        })
    }

    /// The value of each key, or `missing`. As of a map that does not grow.
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).search_or(keys, values, missing, found)
    }

    /// The value of each key, or all ones. As of a map that does not grow.
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// Copies all pairs. As of a map that does not grow.
    pub fn retrieve_all(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).retrieve_all(keys, values, count)
    }
}

impl<K: KeyScalar> OnStream<'_, Dynamic<(K,)>> {
    /// Adds keys that are absent. As of a set that does not grow, and waits for the stream.
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let keys = keys.view();
        self.inserted(keys.len(), outcomes, |set, at, outcomes| set.insert(&keys.slice(at), outcomes))
    }

    /// Copies all keys. As of a set that does not grow.
    pub fn retrieve_all(&self, keys: &mut impl Output<K>, count: &mut impl Output<u64>) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).retrieve_all(keys, count)
    }
}
