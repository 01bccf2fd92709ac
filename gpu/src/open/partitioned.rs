//! Inserting a batch bin by bin.

use super::bins::{Bins, Memory, last};
use super::levels::{BIN_BYTES, Level, levels};
use super::scheme::bucket_slots;
use super::table::Buckets;
use super::{OpenMap, OpenSet};
use crate::arguments::{Arguments, Binned, Head, Operation, Span};
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Scalar};
use crate::on::begin;
use crate::slices::{Call, Input, Output};
use crate::table::{SCATTER_BYTES, Table, scatter_entries, scatter_threads};
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::{Refused, Tally, admit, same_length};
use warpproof_model::open::bulk::{Fan, TALLY};

impl Buckets {
    /// The levels of a batch of `n` entries.
    fn levels(&self, n: usize) -> Vec<Level> {
        let layout = self.layout();
        levels(self.parts().buckets, bucket_slots(layout, self.parts().moves) * layout.slot_bytes(), n as u64)
    }

    fn bins_on(&self, stream: &Arc<CudaStream>, n: usize) -> Result<Bins, Error> {
        begin(self.table(), stream)?;
        Bins::new(stream, &self.levels(n), self.layout().slot_bytes())
    }

    /// Queues the inserts of `n` entries of a batch, which `scatter` gives the arguments for, and says in `tally` how they ended.
    ///
    /// # Safety
    ///
    /// `scatter` and `make_up` make arguments of these kernels of this table from slices that `call` took, of `n` elements
    /// each; `call` took the memory and the tally, too.
    unsafe fn insert_partitioned(
        &mut self,
        call: &Call<'_>,
        (n, memory): (usize, Memory),
        tally: Span<u64>,
        scatter: impl FnOnce(&Head, Fan, Binned) -> Result<Arguments, Refused>,
        make_up: impl FnOnce(&Head) -> Arguments,
    ) -> Result<(), Error> {
        let (layout, stream) = (self.layout(), call.stream());
        let levels = self.levels(n);
        if n > 0 {
            memory.admit(&levels, layout.slot_bytes(), n)?;
        }
        let bins = |at| memory.bins(&levels, at, layout.slot_bytes());
        let first = scatter(self.table().head(), levels[0].fan(), bins(0))?;
        // SAFETY: `call` took them.
        unsafe { call.zero(tally).and_then(|()| call.zero(memory.taken))? };
        if n == 0 {
            return Ok(());
        }
        self.table_mut().run_alone(stream, |table: &Table| {
            // SAFETY: made by the functions of `Head` that belong to them, from slices that `call` took.
            let run =
                |operation, arguments: &Arguments| unsafe { table.launch(operation, stream, arguments) };
            let head = table.head();
            run(Operation::Scatter, &first)?;
            for at in 1..levels.len() {
                let parts = levels[at - 1].room.div_ceil(scatter_entries(layout));
                let grid = (levels[at - 1].bins * parts as u64, scatter_threads(layout));
                let fan = (levels[at].fan(), SCATTER_BYTES);
                let arguments = head.scatter_again((bins(at - 1), parts), fan, bins(at), tally, grid);
                run(Operation::ScatterAgain, &arguments)?;
            }
            let (full, left) = (bins(levels.len() - 1), bins(levels.len()));
            run(Operation::Fill, &head.fill((last(&levels).shift, BIN_BYTES), (full, left), tally))?;
            run(Operation::Settle, &head.settle(left, tally))?;
            run(Operation::MakeUp, &make_up(head))
        })
    }
}

impl<K: Scalar, V: Scalar> OpenMap<K, V>
where
    (K, V): Entry,
{
    /// Adds pairs whose keys are absent, and says how many were: faster than [`insert_unique`](warpproof_model::host::BulkMap::insert_unique) for a
    /// batch that is not small beside the table, as it first sorts the pairs by where they go. No other call runs meanwhile. What
    /// cannot be inserted because the map is full is counted alone.
    ///
    /// Takes time proportional to the pairs and the slots, and device memory for the pairs twice, besides the batch.
    ///
    /// # Errors
    /// Those of [`insert_unique`](warpproof_model::host::BulkMap::insert_unique); after [`Error::OutOfMemory`] nothing has changed.
    pub fn insert_partitioned(&mut self, keys: &[K], values: &[V]) -> Result<Tally, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Tally::default());
        }
        let device = self.device().clone();
        let (on_keys, on_values) = (device.upload("keys", keys)?, device.upload("values", values)?);
        let mut tally = device.buffer::<u64>("a tally", TALLY)?;
        let mut bins = self.bins_on(device.stream(), keys.len())?;
        self.insert_partitioned_on(device.stream(), &on_keys, &on_values, &mut bins, &mut tally)?;
        said(&device, &tally)
    }

    /// Device memory on `stream` for batches of up to `pairs` pairs into this map.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::OtherDevice`].
    pub fn bins_on(&self, stream: &Arc<CudaStream>, pairs: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, pairs)
    }

    /// The same on device slices, on `stream`, without waiting for it. The [`TALLY`] words of `tally` are stored:
    /// [`Tally::of`] says what they mean. A reserved key counts for nothing. Allocates nothing.
    ///
    /// # Errors
    /// [`Error::Refused`] if the batch has 2^32 entries or more, `bins` are too small for it, `values` is not as long as
    /// `keys`, or `tally` has not [`TALLY`] words; [`Error::NoKernel`] for u64 pairs by the lock-bit protocol; [`Error::OtherDevice`], [`Error::Kernel`],
    /// [`Error::Driver`].
    pub fn insert_partitioned_on(
        &mut self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        bins: &mut Bins,
        tally: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        let tally = call.output("tally", tally.view_mut())?;
        let memory = bins.take(&mut call)?;
        let scatter = |head: &Head, fan: Fan, to| head.scatter(keys, values, (fan, SCATTER_BYTES), to, tally);
        let make_up = |head: &Head| head.make_up(keys, values, tally);
        // SAFETY: `Head::scatter` and `Head::make_up` of a map, with slices that `call` took.
        let queued = unsafe {
            self.buckets_mut().insert_partitioned(&call, (keys.len(), memory), tally, scatter, make_up)
        };
        call.finish().and(queued)
    }
}

impl<K: Scalar> OpenSet<K> {
    /// Adds keys that are absent, and says how many were, as [`OpenMap::insert_partitioned`] does.
    ///
    /// # Errors
    /// As there.
    pub fn insert_partitioned(&mut self, keys: &[K]) -> Result<Tally, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Tally::default());
        }
        let device = self.device().clone();
        let on_keys = device.upload("keys", keys)?;
        let mut tally = device.buffer::<u64>("a tally", TALLY)?;
        let mut bins = self.bins_on(device.stream(), keys.len())?;
        self.insert_partitioned_on(device.stream(), &on_keys, &mut bins, &mut tally)?;
        said(&device, &tally)
    }

    /// Device memory on `stream` for batches of up to `keys` keys into this set.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::OtherDevice`].
    pub fn bins_on(&self, stream: &Arc<CudaStream>, keys: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, keys)
    }

    /// The same on device slices, on `stream`, as [`OpenMap::insert_partitioned_on`] does.
    ///
    /// # Errors
    /// As there.
    pub fn insert_partitioned_on(
        &mut self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        bins: &mut Bins,
        tally: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let tally = call.output("tally", tally.view_mut())?;
        let memory = bins.take(&mut call)?;
        let scatter = |head: &Head, fan: Fan, to| head.scatter_keys(keys, (fan, SCATTER_BYTES), to, tally);
        let make_up = |head: &Head| head.make_up_keys(keys, tally);
        // SAFETY: `Head::scatter_keys` and `Head::make_up_keys` of a set, with slices that `call` took.
        let queued = unsafe {
            self.buckets_mut().insert_partitioned(&call, (keys.len(), memory), tally, scatter, make_up)
        };
        call.finish().and(queued)
    }
}

/// Waits for our own stream, and takes a tally.
fn said(device: &Device, tally: &CudaSlice<u64>) -> Result<Tally, Error> {
    device.stream().synchronize().map_err(Error::driver("waiting for a batch"))?;
    Ok(device.download(tally)?.try_into().map(Tally::of).unwrap_or_default())
}
