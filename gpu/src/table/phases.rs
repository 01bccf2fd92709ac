//! Operations on a table as a whole: clear, numbers, all entries.

use super::Table;
use super::users::per_thread;
use crate::arguments::{Operation, Span};
use crate::error::Error;
use cudarc::driver::sys;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;

impl Table {
    /// Makes the table empty, on `stream`. `&mut`: no call begins meanwhile; if other streams may still run one, the
    /// device is waited for first.
    pub(crate) fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        if *stream.context() != *self.device.context() {
            return Err(Error::OtherDevice { what: "stream" });
        }
        self.run_alone(stream, |table| table.fill(stream))
    }

    /// Queues work on `stream`, one of the device's, during which nobody else uses the table. `&mut`: as [`clear`](Self::clear).
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

    /// Waits until what runs next on `stream` runs alone. `&mut`: no call begins meanwhile.
    fn reserve(&mut self, stream: &CudaStream) -> Result<(), Error> {
        if !self.users.alone(stream) {
            self.device.synchronize()?;
            self.users.settled();
        }
        Ok(())
    }

    /// Adds the entries of another table of the same layout, whose slots are arrays at these addresses of `len` elements each, to
    /// this one, and waits; how many found no room. `&mut`: no other call begins on either meanwhile. No key is in both.
    pub(crate) fn absorb(&mut self, other: &mut Self, arrays: &[u64], len: u64) -> Result<u64, Error> {
        let mut lost = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut lost, 0)?;
        let stream = self.device.stream().clone();
        other.reserve(&stream)?;
        let lost_span = Span::new(lost.device_ptr(&stream).0, 1);
        let bytes = self.family().layout.probe_bytes();
        let arrays: Vec<_> = arrays.iter().map(|&address| (address, bytes)).collect();
        let arguments = self.head().absorb(&arrays, len, lost_span)?;
        // SAFETY: from `Head::absorb`; the slots live as long as `other`, and this call waits; `lost` is freed on this stream.
        unsafe { self.launch(Operation::Absorb, &stream, &arguments)? };
        self.wait(Operation::Absorb)?;
        Ok(self.device.download(&lost)?.first().copied().unwrap_or(0))
    }

    /// Queues the fills that make the table empty.
    pub(super) fn fill(&self, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("filling the table");
        stream.context().bind_to_thread().map_err(&failed)?;
        for fill in self.plan.fills.iter().filter(|fill| fill.words > 0) {
            // SAFETY: words of the table's memory (contract of `new`), which lives until `drop`, and that waits for the
            // device.
            unsafe { sys::cuMemsetD32Async(fill.address, fill.word, fill.words, stream.cu_stream()) }
                .result()
                .map_err(&failed)?;
        }
        Ok(())
    }

    /// Copies all entries to `keys` and, of a map, `values`: `live` elements each. They are those of the table's
    /// key and value types. In the order of their slots if `in_order`, which open-addressing tables know.
    pub(crate) fn collect<K, V>(
        &self,
        live: u64,
        in_order: bool,
        keys: &CudaSlice<K>,
        values: Option<&CudaSlice<V>>,
    ) -> Result<(), Error> {
        let mut count = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut count, 0)?;
        let stream = self.device.stream();
        let total = Span::new(count.device_ptr(stream).0, 1);
        let keys = Span::<K>::new(keys.device_ptr(stream).0, keys.len());
        let values = values.map(|values| Span::<V>::new(values.device_ptr(stream).0, values.len()));
        let words = if in_order { self.head().chunk_words() } else { 0 };
        let mut chunks = self.device.buffer::<u64>("the chunks of a retrieval", words)?;
        self.device.fill(&mut chunks, 0)?;
        let (head, chunks) = (self.head(), Span::new(chunks.device_ptr(stream).0, words));
        let (operation, arguments) = match (values, in_order) {
            (Some(values), false) => (Operation::Collect, head.collect(keys, values, total)?),
            (None, false) => (Operation::Collect, head.collect_keys(keys, total)?),
            (Some(values), true) => {
                (Operation::CollectInOrder, head.collect_in_order(keys, values, total, chunks)?)
            }
            (None, true) => (Operation::CollectInOrder, head.collect_keys_in_order(keys, total, chunks)?),
        };
        // SAFETY: from the function of `Head` that it belongs to, of a map or set; the buffers are freed on this stream, after
        // the kernel.
        unsafe { self.launch(operation, stream, &arguments)? };
        self.wait(operation)?;
        let second = self.device.download(&count)?.first().copied().unwrap_or(0);
        if second != live {
            return Err(Error::Changed { what: "the number of entries", first: live, second });
        }
        Ok(())
    }

    /// The numbers of the `stats` kernel, the live entries first.
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
