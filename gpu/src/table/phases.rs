//! Operations on a table as a whole: clear, flush, statistics, all entries.

use super::Table;
use super::users::per_thread;
use crate::arguments::{NUMBERS, Operation, Span};
use crate::error::Error;
use cudarc::driver::sys;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, result};
use std::sync::Arc;
use warpproof_model::host::SlabStats;
use warpproof_model::slab::free_word;

impl Table {
    /// Makes the table empty, on `stream`. `&mut`: no call begins meanwhile; if other streams may still run one, the
    /// device is waited for first.
    pub(crate) fn clear(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        if *stream.context() != *self.device.context() {
            return Err(Error::OtherDevice { what: "stream" });
        }
        if !self.users.alone(stream) {
            self.device.synchronize()?;
            self.users.settled();
        }
        self.fill(stream)?;
        self.users.cleared(stream);
        if per_thread(stream) {
            stream.synchronize().map_err(Error::driver("waiting for a table to be cleared"))?;
            self.users.settled();
        }
        Ok(())
    }

    /// Queues the fills that make the table empty.
    pub(super) fn fill(&self, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("filling the table");
        stream.context().bind_to_thread().map_err(&failed)?;
        let raw = stream.cu_stream();
        let slots = self.head.len as usize * self.layout.probe_bytes() as usize;
        // SAFETY: the table's slots, and its memory lives until `drop`, which waits for the device. All ones: every
        // slot empty, every link nil. Values without a key are never read, so they stay.
        unsafe { result::memset_d8_async(self.head.slots, u8::MAX, slots, raw) }.map_err(&failed)?;
        let (bitmap, words) = (self.head.bitmap.address(), self.head.bitmap.len());
        if words > 0 {
            // SAFETY: the words of the bitmap, as above.
            unsafe { result::memset_d8_async(bitmap, 0, words * size_of::<u32>(), raw) }.map_err(&failed)?;
        }
        // Of a free pool's words only the last may be other than zero.
        if let Some(index) = words.checked_sub(1) {
            let address = bitmap + (index * size_of::<u32>()) as u64;
            let last = free_word(self.geometry.pool, index);
            // SAFETY: a word of the bitmap, as above.
            unsafe { sys::cuMemsetD32Async(address, last, 1, raw) }.result().map_err(&failed)?;
        }
        Ok(())
    }

    /// Reclaims deleted entries. `&mut`: nothing else may run, so the device is waited for before and after.
    pub(crate) fn flush(&mut self) -> Result<u64, Error> {
        self.device.synchronize()?;
        let mut freed = self.device.buffer::<u64>("a counter", 1)?;
        self.device.fill(&mut freed, 0)?;
        let stream = self.device.stream();
        let arguments = self.head.flush(Span::new(freed.device_ptr(stream).0, 1))?;
        // SAFETY: from `Head::flush`; `freed` is freed on this stream, after the kernel.
        unsafe { self.launch(Operation::Flush, stream, &arguments)? };
        self.wait(Operation::Flush)?;
        Ok(self.device.download(&freed)?.first().copied().unwrap_or(0))
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
                self.head.collect(keys, values, total_span)?
            }
            None => self.head.collect_keys(keys, total_span)?,
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

    /// What the table holds.
    pub(crate) fn stats(&self) -> Result<SlabStats, Error> {
        let mut numbers = self.device.buffer::<u64>("counters", NUMBERS)?;
        self.device.fill(&mut numbers, 0)?;
        let stream = self.device.stream();
        let arguments = self.head.stats(Span::new(numbers.device_ptr(stream).0, NUMBERS))?;
        // SAFETY: from `Head::stats`; `numbers` is freed on this stream, after the kernel.
        unsafe { self.launch(Operation::Stats, stream, &arguments)? };
        self.wait(Operation::Stats)?;
        let numbers = self.device.download(&numbers)?;
        let mut stats = SlabStats::default();
        if let [live, tombstones, slabs, longest, chains @ ..] = numbers.as_slice() {
            (stats.live, stats.tombstones, stats.slabs) = (*live, *tombstones, *slabs);
            stats.longest = *longest as u32;
            for (to, from) in stats.chains.iter_mut().zip(chains) {
                *to = *from;
            }
        }
        Ok(stats)
    }
}
