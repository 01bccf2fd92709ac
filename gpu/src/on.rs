//! Operations on device slices, on a stream of the caller.
//!
//! Nothing waits: a call checks lengths, queues its kernel, or two of which the second does what the first left, and returns. Calls on one stream run in order, calls on
//! different streams at once. The caller waits as for any work on the stream; a kernel that failed is reported
//! there. Slices may belong to other streams of the device: those streams and the call's then wait for each other.
//!
//! Keys are not looked at on the host: an operation on a reserved key does nothing, and its outcome is
//! [`RESERVED_KEY`](warpproof_model::outcome::RESERVED_KEY). Outcomes are the codes of
//! [`warpproof_model::outcome`]; after an error they mean nothing ([`LEFT`](warpproof_model::map::LEFT) is of an operation
//! that was left and not done).

use crate::arguments::{Arguments, Head, Operation, Span};
use crate::error::Error;
use crate::layout::Scalar;
use crate::slices::{Call, Input, Output};
use crate::table::Table;
use core::marker::PhantomData;
use cudarc::driver::{CudaStream, CudaViewMut};
use std::sync::Arc;
use warpproof_model::host::Refused;

/// The operations of a map on device slices. Made by [`HopscotchMap::on`](crate::HopscotchMap::on), and a
/// part of what [`OpenMap::on`](crate::OpenMap::on) and [`SlabMap::on`](crate::SlabMap::on) make.
///
/// # Errors
/// All slices of a call have one element per operation; otherwise [`Error::Refused`] and nothing runs.
/// [`Error::OtherDevice`] for a stream or slice of another device; [`Error::NoKernel`] if the map's tuning lacks
/// the operation; [`Error::Kernel`] if the kernel does not start; [`Error::Driver`].
pub struct MapOn<'a, K, V> {
    table: &'a Table,
    stream: &'a Arc<CudaStream>,
    types: PhantomData<(K, V)>,
}

impl<'a, K, V> MapOn<'a, K, V> {
    /// The operations on a table of such keys and values, on `stream`.
    pub(crate) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self { table, stream, types: PhantomData }
    }

    pub(crate) fn table(&self) -> &'a Table {
        self.table
    }

    pub(crate) fn stream(&self) -> &'a Arc<CudaStream> {
        self.stream
    }
}

impl<K: Scalar, V: Scalar> MapOn<'_, K, V> {
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

    /// Insert, InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    pub(crate) fn put(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table, self.stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        // SAFETY: `Head::put` belongs to the four operations that come here.
        unsafe { run(self.table, call, operation, |head| head.put(keys, values, outcomes)) }
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
        let mut call = begin(self.table, self.stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.output("values", values.view_mut())?;
        let found = found.map(|found| call.output("found", found)).transpose()?;
        // SAFETY: `Head::search` belongs to the search of a map.
        unsafe {
            run(self.table, call, Operation::Search, |head| head.search(keys, Some(values), found, missing))
        }
    }

    /// Whether each key is there: 1 or 0. The kernel is that of a search, which writes no values.
    pub fn contains(&self, keys: &impl Input<K>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let mut call = begin(self.table, self.stream)?;
        let keys: Span<K> = call.input("keys", keys.view())?;
        let found = call.output("found", found.view_mut())?;
        // SAFETY: `Head::search` belongs to the search of a map.
        unsafe {
            run(self.table, call, Operation::Search, |head| head.search(keys, None, Some(found), V::ONES))
        }
    }

    /// Takes out one pair of each key. Outcomes: [`Delete`](warpproof_model::Delete).
    pub fn delete(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        per_key(self.table, self.stream, Operation::Delete, keys, outcomes)
    }

    /// Operations of all kinds: `ops` are the codes of [`Op`](warpproof_model::outcome::Op). The outcome of a search
    /// is 1 or 0, and `found` is written where it is 1; that of an unknown code is 254.
    pub fn mixed(
        &self,
        ops: &impl Input<u8>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
        found: &mut impl Output<V>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table, self.stream)?;
        let ops = call.input("operations", ops.view())?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let found = call.output("found values", found.view_mut())?;
        // SAFETY: `Head::mixed` belongs to it.
        unsafe {
            run(self.table, call, Operation::Mixed, |head| head.mixed(ops, keys, values, outcomes, found))
        }
    }
}

/// The operations of a set on device slices. Made by [`SlabSet::on`](crate::SlabSet::on),
/// [`HopscotchSet::on`](crate::HopscotchSet::on), and a part of what [`OpenSet::on`](crate::OpenSet::on) makes. Errors as
/// [`MapOn`].
pub struct SetOn<'a, K = u32> {
    table: &'a Table,
    stream: &'a Arc<CudaStream>,
    keys: PhantomData<K>,
}

impl<'a, K: Scalar> SetOn<'a, K> {
    /// The operations on a table of such keys, on `stream`.
    pub(crate) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self { table, stream, keys: PhantomData }
    }

    pub(crate) fn table(&self) -> &'a Table {
        self.table
    }

    pub(crate) fn stream(&self) -> &'a Arc<CudaStream> {
        self.stream
    }

    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        per_key(self.table, self.stream, Operation::InsertUnique, keys, outcomes)
    }

    /// Whether each key is there: 1 or 0.
    pub fn contains(&self, keys: &impl Input<K>, found: &mut impl Output<u8>) -> Result<(), Error> {
        per_key(self.table, self.stream, Operation::Search, keys, found)
    }

    /// Takes keys out. Outcomes: [`Delete`](warpproof_model::Delete).
    pub fn delete(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        per_key(self.table, self.stream, Operation::Delete, keys, outcomes)
    }
}

/// Operations whose kernels take keys and outcomes: `Delete` of all layouts, and `InsertUnique` and `Search` of a
/// set; called for those alone.
fn per_key<K>(
    table: &Table,
    stream: &Arc<CudaStream>,
    operation: Operation,
    keys: &impl Input<K>,
    outcomes: &mut impl Output<u8>,
) -> Result<(), Error> {
    let mut call = begin(table, stream)?;
    let keys: Span<K> = call.input("keys", keys.view())?;
    let outcomes = call.output("outcomes", outcomes.view_mut())?;
    // SAFETY: `Head::per_key` belongs to the operations that come here.
    unsafe { run(table, call, operation, |head| head.per_key(keys, outcomes)) }
}

/// A call on `stream` for the table.
pub(crate) fn begin<'a>(table: &Table, stream: &'a Arc<CudaStream>) -> Result<Call<'a>, Error> {
    Call::new(table.device().context(), stream)
}

/// Queues `operation` with the arguments that `list` makes.
///
/// # Safety
///
/// `list` calls the function of [`Head`] that `operation` belongs to, with spans that `call` gave.
pub(crate) unsafe fn run(
    table: &Table,
    call: Call<'_>,
    operation: Operation,
    list: impl FnOnce(&Head) -> Result<Arguments, Refused>,
) -> Result<(), Error> {
    let arguments = list(table.head())?;
    // SAFETY: the arguments are the contract of this function. `Call` makes the stream of each slice, on which it
    // is freed, wait for the kernel; the borrows of the slices last until that is queued.
    let launched = unsafe { table.launch(operation, call.stream(), &arguments) };
    // Also after an error: a part of the operations may be running.
    call.finish().and(launched)
}
