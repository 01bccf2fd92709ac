//! What open-addressing maps and sets do besides on device slices.

use crate::arguments::{Arguments, Head, Operation, Span};
use crate::error::Error;
use crate::layout::Scalar;
use crate::on::{MapOn, SetOn, begin};
use crate::slices::{Call, Input, Output};
use crate::table::Table;
use core::ops::Deref;
use cudarc::driver::{CudaStream, DevicePtr};
use std::sync::Arc;
use warpproof_model::host::Refused;

/// The operations of an open-addressing map on device slices: those of [`MapOn`], a counter, and all pairs. Made by
/// [`OpenMap::on`](crate::OpenMap::on).
///
/// # Errors
/// As [`MapOn`].
pub struct OpenMapOn<'a, K, V>(MapOn<'a, K, V>);

impl<'a, K: Scalar, V: Scalar> OpenMapOn<'a, K, V> {
    pub(super) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self(MapOn::new(table, stream))
    }

    /// The operations that maps of all structures have.
    pub fn into_map(self) -> MapOn<'a, K, V> {
        self.0
    }

    /// Adds pairs, or adds their values to those of keys that are present, modulo 2 to the bits of a value. Outcomes:
    /// [`Add`](warpproof_model::Add).
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAdd, keys, values, outcomes)
    }

    /// Copies all pairs, in no particular order: their keys to `keys`, each value to the same place of `values`, and to
    /// `count` how many there are. Exact if nothing changes the map meanwhile.
    ///
    /// `keys` and `values` have one length, `count` is one number. There may be more pairs than `keys` has room for: those
    /// are counted and not written. What stands behind the last pair stays as it was. Reads every slot once.
    pub fn retrieve_all(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), self.stream())?;
        let keys = call.output("keys", keys.view_mut())?;
        let values = call.output("values", values.view_mut())?;
        let count = call.output("count", count.view_mut())?;
        let arguments = self.table().head().collect(keys, values, count)?;
        // SAFETY: from `Head::collect` of a map, with spans that `call` gave.
        unsafe { collect(self.table(), call, count, &arguments) }
    }

    /// The same in the order of the slots, so that maps of equal slots give equal outputs; after equal calls one by one, slots
    /// are equal. Reads every slot once, and needs 8 bytes for each 2048 slots, which it allocates on the stream:
    /// [`Error::OutOfMemory`].
    pub fn retrieve_all_in_order(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), self.stream())?;
        let keys = call.output("keys", keys.view_mut())?;
        let values = call.output("values", values.view_mut())?;
        let count = call.output("count", count.view_mut())?;
        let list = |head: &Head, chunks| head.collect_in_order(keys, values, count, chunks);
        // SAFETY: `Head::collect_in_order` of a map, with spans that `call` gave.
        unsafe { collect_in_order(self.table(), call, count, list) }
    }
}

/// The operations of an open-addressing set on device slices: those of [`SetOn`], and all keys. Made by
/// [`OpenSet::on`](crate::OpenSet::on).
///
/// # Errors
/// As [`MapOn`].
pub struct OpenSetOn<'a, K>(SetOn<'a, K>);

impl<'a, K: Scalar> OpenSetOn<'a, K> {
    pub(super) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self(SetOn::new(table, stream))
    }

    /// Copies all keys to `keys`, in no particular order, and to `count` how many there are, as
    /// [`OpenMapOn::retrieve_all`] does.
    pub fn retrieve_all(&self, keys: &mut impl Output<K>, count: &mut impl Output<u64>) -> Result<(), Error> {
        let mut call = begin(self.table(), self.stream())?;
        let keys = call.output("keys", keys.view_mut())?;
        let count = call.output("count", count.view_mut())?;
        let arguments = self.table().head().collect_keys(keys, count)?;
        // SAFETY: from `Head::collect_keys` of a set, with spans that `call` gave.
        unsafe { collect(self.table(), call, count, &arguments) }
    }

    /// The same in the order of the slots, as [`OpenMapOn::retrieve_all_in_order`] does.
    pub fn retrieve_all_in_order(
        &self,
        keys: &mut impl Output<K>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), self.stream())?;
        let keys = call.output("keys", keys.view_mut())?;
        let count = call.output("count", count.view_mut())?;
        let list = |head: &Head, chunks| head.collect_keys_in_order(keys, count, chunks);
        // SAFETY: `Head::collect_keys_in_order` of a set, with spans that `call` gave.
        unsafe { collect_in_order(self.table(), call, count, list) }
    }
}

impl<'a, K> Deref for OpenSetOn<'a, K> {
    type Target = SetOn<'a, K>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Queues `collect` behind a count of zero.
///
/// # Safety
///
/// The arguments are those of `collect` of this table, made of spans that `call` gave; `count` is that of the arguments.
unsafe fn collect(
    table: &Table,
    call: Call<'_>,
    count: Span<u64>,
    arguments: &Arguments,
) -> Result<(), Error> {
    // SAFETY: `call` gave the count.
    let zeroed = unsafe { call.zero(count) };
    // SAFETY: the contract of this function. `Call` makes the stream of each slice, on which it is freed, wait for the kernel.
    let launched =
        zeroed.and_then(|()| unsafe { table.launch(Operation::Collect, call.stream(), arguments) });
    call.finish().and(launched)
}

/// Queues `collect_in_order` with the arguments that `list` makes, behind a count and chunks of zero.
///
/// # Safety
///
/// As [`collect`], of `collect_in_order`.
unsafe fn collect_in_order(
    table: &Table,
    call: Call<'_>,
    count: Span<u64>,
    list: impl FnOnce(&Head, Span<u64>) -> Result<Arguments, Refused>,
) -> Result<(), Error> {
    let words = table.head().chunk_words();
    let failed = Error::memory("the chunks of a retrieval", (words * size_of::<u64>()) as u64);
    // SAFETY: no kernel reads them before they are filled.
    let chunks = unsafe { call.stream().alloc::<u64>(words) }.map_err(failed)?;
    let span = Span::new(chunks.device_ptr(call.stream()).0, words);
    let arguments = list(table.head(), span)?;
    // SAFETY: `call` gave the count; the chunks are the call's stream's own, and are freed on it behind the kernel.
    let zeroed = unsafe { call.zero(count).and_then(|()| call.zero(span)) };
    // SAFETY: as in `collect`, and as above.
    let launched =
        zeroed.and_then(|()| unsafe { table.launch(Operation::CollectInOrder, call.stream(), &arguments) });
    call.finish().and(launched)
}

impl<'a, K, V> Deref for OpenMapOn<'a, K, V> {
    type Target = MapOn<'a, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
