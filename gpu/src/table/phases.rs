//! Operations on a whole table: clear, numbers, all entries.

use super::DeviceTable;
use super::users::per_thread;
use crate::arguments::Span;
use crate::error::Error;
use crate::operations::Operation;
use crate::row::Row;
use crate::slices::Call;
use cudarc::driver::sys;
use cudarc::driver::{CudaStream, DevicePtr};
use std::sync::Arc;

impl DeviceTable {
    /// Makes the table empty, on `stream`. `&mut`: no call begins meanwhile. If other streams may still run a
    /// call, waits for the device first.
    pub(crate) fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        if *stream.context() != *self.device.context() {
            return Err(Error::OtherDevice { what: "stream" });
        }
        self.run_alone(stream, |table| table.fill(stream))
    }

    /// Queues work on `stream`, a stream of the device, with exclusive use of the table. `&mut`: as
    /// [`clear`](Self::clear).
    pub(crate) fn run_alone(
        &mut self,
        stream: &Arc<CudaStream>,
        queue: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.reserve(stream)?;
        let queued = queue(self);
        // Also after an error: a part of the work may be running.
        self.users.alone_on(stream);
        if per_thread(stream) {
            stream.synchronize().map_err(Error::driver("waiting for a table that is used alone"))?;
            self.users.settled();
        }
        queued
    }

    /// Waits until the next work on `stream` has exclusive use. `&mut`: no call begins meanwhile.
    fn reserve(&mut self, stream: &CudaStream) -> Result<(), Error> {
        if !self.users.alone(stream) {
            self.device.synchronize()?;
            self.users.settled();
        }
        Ok(())
    }

    /// Adds the entries of another table of the same layout to this one, and waits. Returns how many found no
    /// room. `&mut`: no other call begins on either table meanwhile. No key is in both, and this table has no
    /// reserved keys. The slots of each table are arrays at these addresses, of so many elements each; the
    /// slots of the reserved keys follow.
    pub(crate) fn absorb(
        &mut self,
        other: &mut Self,
        (arrays, len): (&[u64], u64),
        (own_arrays, own_len): (&[u64], u64),
    ) -> Result<u64, Error> {
        let mut lost = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut lost, 0)?;
        let stream = self.device.stream().clone();
        other.reserve(&stream)?;
        let lost_span = Span::new(lost.device_ptr(&stream).0, 1);
        let layout = self.family().layout;
        let bytes = layout.probe_bytes();
        let each: Vec<_> = arrays.iter().map(|&address| (address, bytes)).collect();
        let arguments = self.head().absorb(&each, len, lost_span)?;
        // SAFETY: from `Head::absorb`; the slots live as long as `other`, and this call waits; `lost` is
        // freed on this stream.
        unsafe { self.launch(Operation::Absorb, &stream, &arguments)? };
        let failed = Error::driver("copying the reserved keys");
        stream.context().bind_to_thread().map_err(&failed)?;
        for (to, from) in own_arrays.iter().zip(arrays) {
            let [to, from] = [(to, own_len), (from, len)].map(|(array, len)| array + len * u64::from(bytes));
            let size = layout.reserved_keys() as usize * bytes as usize;
            // SAFETY: so many words follow the slots of both, which live as long as the tables; this call
            // waits.
            unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, size, stream.cu_stream()) }
                .result()
                .map_err(&failed)?;
        }
        self.wait(Operation::Absorb)?;
        Ok(self.device.download(&lost)?.first().copied().unwrap_or(0))
    }

    /// Queues the fills that make the table empty.
    pub(super) fn fill(&self, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("filling the table");
        stream.context().bind_to_thread().map_err(&failed)?;
        for fill in self.plan.fills.iter().filter(|fill| fill.words > 0) {
            // SAFETY: words of the table's memory (contract of `new`), which lives until `drop`, and that
            // waits for the device.
            unsafe { sys::cuMemsetD32Async(fill.address, fill.word, fill.words, stream.cu_stream()) }
                .result()
                .map_err(&failed)?;
        }
        Ok(())
    }

    /// All entries, in the order of their slots if `in_order`, which open-addressing tables support. Waits
    /// for them.
    ///
    /// # Safety
    ///
    /// The table is one of rows `R`.
    pub(crate) unsafe fn entries<R: Row>(&self, in_order: bool) -> Result<Vec<R::Entry>, Error> {
        let live = self.live()?;
        if live == 0 {
            return Ok(Vec::new());
        }
        let device = &self.device;
        let mut keys = device.buffer::<R::Key>("keys", live as usize)?;
        let values = || device.buffer::<R::Value>("values", live as usize);
        let mut values = if R::PAIRS { Some(values()?) } else { None };
        let mut count = device.buffer::<u64>("a counter", 1)?;
        let mut call = Call::new(device.context(), device.stream())?;
        let on_values = values.as_mut().map(|values| call.output("values", values.as_view_mut()));
        let columns =
            (call.output("keys", keys.as_view_mut())?, on_values.transpose()?.unwrap_or(Span::new(0, 0)));
        let on_count = call.output("a counter", count.as_view_mut())?;
        // SAFETY: slices that `call` took; the rows are the contract of this function.
        unsafe { self.retrieve::<R>(call, columns, on_count, in_order)? };
        self.wait(retrieval(in_order))?;
        let second = device.download(&count)?.first().copied().unwrap_or(0);
        if second != live {
            return Err(Error::Changed { what: "the number of entries", first: live, second });
        }
        let values = values.map_or(Ok(Vec::new()), |values| device.download(&values))?;
        R::entries(device.download(&keys)?, values)
    }

    /// Queues a copy of all entries to these columns, and of their number to `count`.
    ///
    /// # Safety
    ///
    /// `call` gave the spans. The table is one of rows `R`.
    pub(crate) unsafe fn retrieve<R: Row>(
        &self,
        call: Call<'_>,
        columns: (Span<R::Key>, Span<R::Value>),
        count: Span<u64>,
        in_order: bool,
    ) -> Result<(), Error> {
        let counters = if in_order {
            let words = self.head().chunk_words();
            let failed = Error::memory("the counters of a retrieval", (words * size_of::<u64>()) as u64);
            // SAFETY: no kernel reads them before they are filled.
            Some(unsafe { call.stream().alloc::<u64>(words) }.map_err(failed)?)
        } else {
            None
        };
        let counters_span =
            counters.as_ref().map(|counters| Span::new(counters.device_ptr(call.stream()).0, counters.len()));
        let arguments =
            self.head().retrieve_all(columns.0, R::PAIRS.then_some(columns.1), count, counters_span)?;
        // SAFETY: `call` made the span of the count; the counters belong to the call's stream, and are freed
        // on it after the kernel.
        let zeroed = [Some(count), counters_span]
            .into_iter()
            .flatten()
            .try_for_each(|span| unsafe { call.zero(span) });
        // SAFETY: from the function of `Head` that it belongs to, of a map or set. `Call` makes the stream of
        // each slice, on which it is freed, wait for the kernel.
        let launched =
            zeroed.and_then(|()| unsafe { self.launch(retrieval(in_order), call.stream(), &arguments) });
        call.finish().and(launched)
    }

    /// The numbers of the `stats` kernel; the first is that of live entries.
    pub(crate) fn numbers(&self) -> Result<Vec<u64>, Error> {
        let mut numbers = self.device.buffer::<u64>("counters", self.head().numbers)?;
        self.device.fill(&mut numbers, 0)?;
        let stream = self.device.stream();
        let arguments = self.head().stats(Span::new(numbers.device_ptr(stream).0, numbers.len()))?;
        // SAFETY: from `Head::stats`; `numbers` is freed on this stream, after the kernel.
        unsafe { self.launch(Operation::Stats, stream, &arguments)? };
        self.wait(Operation::Stats)?;
        self.device.download(&numbers)
    }

    /// How many entries there are.
    pub(crate) fn live(&self) -> Result<u64, Error> {
        Ok(self.numbers()?.first().copied().unwrap_or(0))
    }
}

/// The operation that copies all entries.
fn retrieval(in_order: bool) -> Operation {
    if in_order { Operation::RetrieveAllInOrder } else { Operation::RetrieveAll }
}
