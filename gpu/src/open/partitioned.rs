//! Inserting a batch bin by bin.

use super::bins::{Bins, Memory, last};
use super::levels::{Level, bin_bytes, levels};
use super::table::Buckets;
use super::{OpenMap, OpenSet};
use crate::arguments::{Arguments, Columns, Operation, Said};
use crate::device::Device;
use crate::error::Error;
use crate::layout::{Entry, Scalar};
use crate::on::begin;
use crate::slices::{Call, Input, Output};
use crate::table::{SCATTER_BYTES, Table, scatter_entries, scatter_threads};
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::{Tally, admit, same_length};
use warpproof_model::open::bulk::TALLY;
use warpproof_model::outcome::Insert;

impl Buckets {
    /// The levels of a batch of `n` entries whose operations are `told` their outcomes, or not.
    fn levels(&self, n: usize, told: bool) -> Vec<Level> {
        let (layout, parts) = (self.layout(), self.parts());
        levels(parts.buckets, (parts.bucket_slots, layout.slot_bytes()), (n as u64, told))
    }

    fn bins_on(&self, stream: &Arc<CudaStream>, n: usize, told: bool) -> Result<Bins, Error> {
        begin(self.table(), stream)?;
        // Those for outcomes serve batches without any, too.
        let levels: Vec<_> =
            [false, true][..1 + told as usize].iter().map(|&told| self.levels(n, told)).collect();
        Bins::new(stream, (&levels, told), self.layout().slot_bytes())
    }

    /// Queues the inserts of a batch, and says how they ended.
    ///
    /// # Safety
    ///
    /// The columns are those of a batch of this table's keys and values. `call` took them, the memory, and where it says how they
    /// ended.
    unsafe fn insert_partitioned(
        &mut self,
        call: &Call<'_>,
        columns: Columns,
        memory: Memory,
        said: Said,
    ) -> Result<(), Error> {
        let (layout, stream, n) = (self.layout(), call.stream(), columns.len());
        let (levels, slot_bytes) = (self.levels(n, said.is_told()), layout.slot_bytes());
        if n > 0 {
            memory.admit((&levels, said.is_told()), slot_bytes, n)?;
        }
        let bins = |at| memory.bins(&levels, at, slot_bytes);
        // SAFETY: `call` took them.
        unsafe { call.zero(said.words()).and_then(|()| call.zero(memory.taken))? };
        if n == 0 {
            return Ok(());
        }
        self.table_mut().run_alone(stream, |table: &Table| {
            // SAFETY: made by the functions of `Head` that belong to them, from slices that `call` took.
            let run =
                |operation, arguments: &Arguments| unsafe { table.launch(operation, stream, arguments) };
            let head = table.head();
            let entries = scatter_entries(layout);
            let fan = |at: usize| (levels[at].fan(), SCATTER_BYTES, entries);
            run(Operation::Scatter, &head.scatter(&columns, fan(0), bins(0), said))?;
            for at in 1..levels.len() {
                let parts = levels[at - 1].room.div_ceil(entries);
                let grid = (levels[at - 1].bins * parts as u64, scatter_threads(layout));
                let arguments = head.scatter_again((bins(at - 1), parts), fan(at), bins(at), said, grid);
                run(Operation::ScatterAgain, &arguments)?;
            }
            let (full, left) = (bins(levels.len() - 1), bins(levels.len()));
            let bytes = bin_bytes(slot_bytes, said.is_told());
            let bin = (last(&levels).shift, bytes, bytes / slot_bytes);
            run(Operation::Fill, &head.fill(bin, (full, left), said))?;
            run(Operation::Settle, &head.settle(left, said))?;
            run(Operation::MakeUp, &head.make_up(&columns, said))
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
    /// Those of [`insert_unique`](warpproof_model::host::BulkMap::insert_unique), and of
    /// [`insert_partitioned_on`](Self::insert_partitioned_on); after [`Error::OutOfMemory`] nothing has changed.
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

    /// The same, with an outcome for each pair. An entry carries the number of its pair: 4 bytes more, twice.
    ///
    /// # Errors
    /// Those of [`insert_partitioned`](Self::insert_partitioned); [`Error::Refused`] if there are more than 2^31 pairs.
    pub fn insert_partitioned_with_outcomes(
        &mut self,
        keys: &[K],
        values: &[V],
    ) -> Result<Vec<Insert>, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.device().clone();
        let (on_keys, on_values) = (device.upload("keys", keys)?, device.upload("values", values)?);
        let mut outcomes = device.buffer::<u8>("outcomes", keys.len())?;
        let mut bins = self.bins_with_outcomes_on(device.stream(), keys.len())?;
        self.insert_partitioned_with_outcomes_on(
            device.stream(),
            &on_keys,
            &on_values,
            &mut bins,
            &mut outcomes,
        )?;
        told(self.table(), &outcomes)
    }

    /// Device memory on `stream` for batches of up to `pairs` pairs into this map.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::OtherDevice`].
    pub fn bins_on(&self, stream: &Arc<CudaStream>, pairs: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, pairs, false)
    }

    /// The same for batches with outcomes, and for those without any.
    ///
    /// # Errors
    /// As [`bins_on`](Self::bins_on).
    pub fn bins_with_outcomes_on(&self, stream: &Arc<CudaStream>, pairs: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, pairs, true)
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
        let columns = Columns::of_pairs(keys, call.input("values", values.view())?)?;
        let said = Said::tally(call.output("tally", tally.view_mut())?)?;
        let memory = bins.take(&mut call)?;
        // SAFETY: columns of a map, and slices that `call` took.
        let queued = unsafe { self.buckets_mut().insert_partitioned(&call, columns, memory, said) };
        call.finish().and(queued)
    }

    /// The same with an outcome for each pair: the code of an [`Insert`], or
    /// [`RESERVED_KEY`](warpproof_model::outcome::RESERVED_KEY). `bins` are from
    /// [`bins_with_outcomes_on`](Self::bins_with_outcomes_on).
    ///
    /// # Errors
    /// As [`insert_partitioned_on`](Self::insert_partitioned_on); [`Error::Refused`] if there are more than 2^31 pairs, `outcomes`
    /// is not as long as `keys`, or the bins are not for outcomes.
    pub fn insert_partitioned_with_outcomes_on(
        &mut self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        bins: &mut Bins,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let columns = Columns::of_pairs(keys, call.input("values", values.view())?)?;
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let memory = bins.take(&mut call)?;
        let said = Said::tally(memory.tally)?.outcomes(columns.len(), outcomes)?;
        // SAFETY: as above.
        let queued = unsafe { self.buckets_mut().insert_partitioned(&call, columns, memory, said) };
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

    /// The same, with an outcome for each key, as [`OpenMap::insert_partitioned_with_outcomes`] does.
    ///
    /// # Errors
    /// As there.
    pub fn insert_partitioned_with_outcomes(&mut self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.device().clone();
        let on_keys = device.upload("keys", keys)?;
        let mut outcomes = device.buffer::<u8>("outcomes", keys.len())?;
        let mut bins = self.bins_with_outcomes_on(device.stream(), keys.len())?;
        self.insert_partitioned_with_outcomes_on(device.stream(), &on_keys, &mut bins, &mut outcomes)?;
        told(self.table(), &outcomes)
    }

    /// Device memory on `stream` for batches of up to `keys` keys into this set.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::OtherDevice`].
    pub fn bins_on(&self, stream: &Arc<CudaStream>, keys: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, keys, false)
    }

    /// The same for batches with outcomes, and for those without any.
    ///
    /// # Errors
    /// As [`bins_on`](Self::bins_on).
    pub fn bins_with_outcomes_on(&self, stream: &Arc<CudaStream>, keys: usize) -> Result<Bins, Error> {
        self.buckets().bins_on(stream, keys, true)
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
        let columns = Columns::of_keys(call.input("keys", keys.view())?);
        let said = Said::tally(call.output("tally", tally.view_mut())?)?;
        let memory = bins.take(&mut call)?;
        // SAFETY: columns of a set, and slices that `call` took.
        let queued = unsafe { self.buckets_mut().insert_partitioned(&call, columns, memory, said) };
        call.finish().and(queued)
    }

    /// The same with an outcome for each key, as [`OpenMap::insert_partitioned_with_outcomes_on`] does.
    ///
    /// # Errors
    /// As there.
    pub fn insert_partitioned_with_outcomes_on(
        &mut self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<K>,
        bins: &mut Bins,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let mut call = begin(self.table(), stream)?;
        let columns = Columns::of_keys(call.input("keys", keys.view())?);
        let outcomes = call.output("outcomes", outcomes.view_mut())?;
        let memory = bins.take(&mut call)?;
        let said = Said::tally(memory.tally)?.outcomes(columns.len(), outcomes)?;
        // SAFETY: as above.
        let queued = unsafe { self.buckets_mut().insert_partitioned(&call, columns, memory, said) };
        call.finish().and(queued)
    }
}

/// Waits for our own stream, and takes a tally.
fn said(device: &Device, tally: &CudaSlice<u64>) -> Result<Tally, Error> {
    device.stream().synchronize().map_err(Error::driver("waiting for a batch"))?;
    Ok(device.download(tally)?.try_into().map(Tally::of).unwrap_or_default())
}

/// Waits for our own stream, and takes the outcomes of a batch.
fn told(table: &Table, outcomes: &CudaSlice<u8>) -> Result<Vec<Insert>, Error> {
    let codes = table.device().download(outcomes)?;
    let kernel = table.kernel(Operation::MakeUp)?;
    let unknown = |index, code| Error::Code { kernel: kernel.name().into(), index, code };
    let decode = |(index, &code)| Insert::from_code(code).ok_or_else(|| unknown(index, code));
    codes.iter().enumerate().map(decode).collect()
}
