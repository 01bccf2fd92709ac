//! Operations on device slices, on a stream of the caller.

use crate::arguments::{Head, Operation, Span};
use crate::error::Error;
use crate::handle::{Map, Set, Table};
use crate::launch::{self, Arrays, Launch, Listed};
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::slices::{Call, Input, Output};
use crate::structures::{Counter, Holds, Ordered};
use cudarc::driver::{CudaStream, CudaViewMut};
use std::sync::Arc;
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};

/// The operations of a table `T` on device slices, on a stream. Made by [`Table::on_stream`].
///
/// A call checks the lengths of its slices, queues its kernels and returns; it does not wait. Where it queues
/// several kernels, each runs the operations that the one before left. Calls on one stream run in order.
/// Calls on different streams run at once, except on one wait-free table, where they run one after the other.
/// The caller waits as for any work on the stream, and learns there whether a kernel failed. Slices may
/// belong to other streams of the device: those streams and the stream of the call then wait for each other.
///
/// Outcomes are the codes of [`warpproof_model::outcome`]. After an error they mean nothing;
/// [`DEFERRED`](warpproof_model::map::DEFERRED) marks an operation that was deferred and has not run.
///
/// # Errors
/// [`Error::Refused`] unless all slices of a call have one element per operation; nothing runs then.
/// [`Error::OtherDevice`] for a stream or slice of another device; [`Error::NoKernel`] if the table's tuning
/// lacks the operation; [`Error::Kernel`] if the kernel does not start; [`Error::Driver`].
pub struct OnStream<'a, T> {
    pub(crate) table: &'a T,
    pub(crate) stream: &'a Arc<CudaStream>,
}

impl<R: Row, S: Holds<R>> Table<R, S> {
    /// The operations on device slices, on `stream`.
    pub fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self> {
        OnStream { table: self, stream }
    }
}

impl<R: Row, S: Holds<R>> OnStream<'_, Table<R, S>> {
    /// Whether each key is there: 1 or 0.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("found", found.view_mut())?;
        let arrays = Arrays::<R::Key, R::Value, R::Value> { keys, codes, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { self.run(call, &launch::contains(R::PAIRS), arrays) }
    }

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
        unsafe { self.run(call, &launch::per_key(operation), arrays) }
    }

    /// A call on the stream for the table.
    pub(crate) fn begin(&self) -> Result<Call<'_>, Error> {
        Call::new(self.table.device().context(), self.stream)
    }

    /// Queues an operation.
    ///
    /// # Safety
    ///
    /// `call` made the spans of `arrays`. Their types are those of the operation on this table.
    pub(crate) unsafe fn run<K, V, N>(
        &self,
        call: Call<'_>,
        launch: &Launch<impl Fn(&Head, &Arrays<K, V, N>) -> Listed>,
        arrays: Arrays<K, V, N>,
    ) -> Result<(), Error> {
        let table = self.table.on_device();
        let arguments = launch.arguments(table.head(), &arrays)?;
        // SAFETY: a `Launch` has the arguments of its operation; the types are the contract of this function.
        // `Call` makes the stream of each slice, on which it is freed, wait for the kernel; the borrows of
        // the slices last until that is queued.
        let launched = unsafe { table.launch(launch.operation(), call.stream(), &arguments) };
        // Also after an error: some of the operations may be running.
        call.finish().and(launched)
    }
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
        unsafe { self.run(call, &launch::put(operation), Arrays { keys, values, codes, ..Arrays::NONE }) }
    }

    /// The value of one pair of each key; all ones where there is none. `found`, if given, is 1 or 0.
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// The value of one pair of each key; `missing` where there is none. `found`, if given, is 1 or 0.
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let numbers = call.output("values", values.view_mut())?;
        let found = found.map(|found| call.output("found", found)).transpose()?;
        let codes = found.unwrap_or(Span::new(0, 0));
        let arrays = Arrays { keys, codes, numbers, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &launch::search(missing, found.is_some()), arrays) }
    }

    /// Operations of all kinds: `ops` are the codes of [`Op`](warpproof_model::outcome::Op). The outcome of a
    /// search is 1 or 0, and its value is written to `found` if it is 1. The outcome of an unknown code is
    /// 254.
    pub fn mixed(
        &self,
        ops: &impl Input<u8>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
        found: &mut impl Output<V>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let ops = call.input("operations", ops.view())?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        let numbers = call.output("found values", found.view_mut())?;
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &launch::mixed(), Arrays { ops, keys, values, codes, numbers }) }
    }
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
    pub(crate) fn update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let codes = call.output("outcomes", outcomes.view_mut())?;
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &launch::update(update), Arrays { keys, values, codes, ..Arrays::NONE }) }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>> OnStream<'_, Set<K, S>> {
    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.per_key(Operation::InsertUnique, keys, outcomes)
    }
}

impl<R: Row, S: Holds<R> + Ordered> OnStream<'_, Table<R, S>> {
    /// Copies all entries; a set has no values.
    fn retrieve(
        &self,
        keys: &mut impl Output<R::Key>,
        values: Option<CudaViewMut<'_, R::Value>>,
        count: &mut impl Output<u64>,
        in_order: bool,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.output("keys", keys.view_mut())?;
        let values = values.map(|values| call.output("values", values)).transpose()?;
        let columns = (keys, values.unwrap_or(Span::new(0, 0)));
        let count = call.output("count", count.view_mut())?;
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { self.table.on_device().retrieve::<R>(call, columns, count, in_order) }
    }
}

/// Copies of all entries, of a map or of a set.
macro_rules! retrieve {
    ($row:ty, [$key:ident: $of:ident $($values:ident: $value:ident)?]) => {
        impl<$key: $of $(, $value: Scalar)?, S: Holds<$row> + Ordered> OnStream<'_, Table<$row, S>>
        $(where ($key, $value): Entry)?
        {
            /// Copies all entries, in no particular order: their keys to `keys`, the values of a map to the
            /// same places of `values`, and their number to `count`. Exact if nothing changes the table
            /// meanwhile.
            ///
            /// `keys` and `values` have one length, `count` is one number. If there are more entries than
            /// `keys` has room for, the rest is counted and not written. Elements after the last entry stay
            /// as they were. Reads every slot once.
            pub fn retrieve_all(
                &self,
                keys: &mut impl Output<$key>,
                $($values: &mut impl Output<$value>,)?
                count: &mut impl Output<u64>,
            ) -> Result<(), Error> {
                self.retrieve(keys, [$($values.view_mut())?].into_iter().next(), count, false)
            }

            /// Copies all entries in the order of the slots, so that tables with equal slots give equal
            /// outputs; equal sequences of calls with one operation each give equal slots. Otherwise as
            /// [`retrieve_all`](Self::retrieve_all). Reads every slot once. Allocates 8 bytes for each 2048
            /// slots on the stream: [`Error::OutOfMemory`].
            pub fn retrieve_all_in_order(
                &self,
                keys: &mut impl Output<$key>,
                $($values: &mut impl Output<$value>,)?
                count: &mut impl Output<u64>,
            ) -> Result<(), Error> {
                self.retrieve(keys, [$($values.view_mut())?].into_iter().next(), count, true)
            }
        }
    };
}
retrieve!((K, V), [K: Scalar values: V]);
retrieve!((K,), [K: KeyScalar]);
