//! Operations on a table as a whole: flush, statistics, all entries.

use super::Table;
use crate::arguments::{NUMBERS, Operation, Span};
use crate::error::Error;
use cudarc::driver::{CudaSlice, DevicePtr};
use warpproof_model::host::Stats;

impl Table {
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
    pub(crate) fn stats(&self) -> Result<Stats, Error> {
        let mut numbers = self.device.buffer::<u64>("counters", NUMBERS)?;
        self.device.fill(&mut numbers, 0)?;
        let stream = self.device.stream();
        let arguments = self.head.stats(Span::new(numbers.device_ptr(stream).0, NUMBERS))?;
        // SAFETY: from `Head::stats`; `numbers` is freed on this stream, after the kernel.
        unsafe { self.launch(Operation::Stats, stream, &arguments)? };
        self.wait(Operation::Stats)?;
        let numbers = self.device.download(&numbers)?;
        let mut stats = Stats::default();
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
