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
        self.reserve(stream)?;
        self.fill(stream)?;
        self.users.cleared(stream);
        if per_thread(stream) {
            stream.synchronize().map_err(Error::driver("waiting for a table to be cleared"))?;
            self.users.settled();
        }
        Ok(())
    }

    /// Waits until what runs next on `stream` runs alone. `&mut`: no call begins meanwhile.
    fn reserve(&mut self, stream: &CudaStream) -> Result<(), Error> {
        if !self.users.alone(stream) {
            self.device.synchronize()?;
            self.users.settled();
        }
        Ok(())
    }

    /// Adds the entries of another table of the same layout, whose slots are an array of this address and length, to this one,
    /// and waits; how many found no room. `&mut`: no other call begins on either meanwhile. No key is in both.
    pub(crate) fn absorb(&mut self, other: &mut Self, slots: (u64, u64)) -> Result<u64, Error> {
        let mut lost = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut lost, 0)?;
        let stream = self.device.stream().clone();
        other.reserve(&stream)?;
        let lost_span = Span::new(lost.device_ptr(&stream).0, 1);
        let slots = (slots.0, slots.1, self.family().layout.slot_bytes());
        let arguments = self.head().absorb(slots, lost_span)?;
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
    /// key and value types.
    pub(crate) fn collect<K, V>(
        &self,
        live: u64,
        keys: &CudaSlice<K>,
        values: Option<&CudaSlice<V>>,
    ) -> Result<(), Error> {
        let mut total = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut total, 0)?;
        let stream = self.device.stream();
        let total_span = Span::new(total.device_ptr(stream).0, 1);
        let keys = Span::<K>::new(keys.device_ptr(stream).0, keys.len());
        let arguments = match values {
            Some(values) => {
                let values = Span::<V>::new(values.device_ptr(stream).0, values.len());
                self.head().collect(keys, values, total_span)?
            }
            None => self.head().collect_keys(keys, total_span)?,
        };
        // SAFETY: from `Head::collect` of a map or set; the buffers are freed on this stream, after the kernel.
        unsafe { self.launch(Operation::Collect, stream, &arguments)? };
        self.wait(Operation::Collect)?;
        let second = self.device.download(&total)?.first().copied().unwrap_or(0);
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
