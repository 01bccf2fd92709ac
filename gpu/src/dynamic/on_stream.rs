//! The way of device slices for maps and sets that grow: inserts wait for the stream, as their outcomes say
//! whether there is room.

use super::Dynamic;
use super::outcomes::count_stored;
use crate::access::OnStream;
use crate::error::Error;
use crate::handle::Table;
use crate::layout::{Entry, Scalar};
use crate::row::Row;
use crate::slices::{Input, Output};
use core::ops::Range;
use cudarc::driver::{CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;
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
    pub(crate) fn inserted<C>(&self, n: usize, outcomes: &mut impl Output<u8>, chunk: C) -> Result<(), Error>
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
}

impl<K: Scalar, V: Scalar> OnStream<'_, Dynamic<(K, V)>>
where
    (K, V): Entry,
{
    /// Stores pairs, a part of them at a time: `part` queues one.
    pub(crate) fn parts<P>(
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
}
