//! Memory of tables, on the device or on the host.

use super::Device;
use crate::error::Error;
use cudarc::driver::{CudaContext, CudaSlice, DevicePtr, PinnedHostSlice, result};
use std::sync::Arc;

/// Memory of a table. Dropped after its last use, as a table waits for the device first.
pub(crate) struct Array {
    address: u64,
    bytes: u64,
    origin: Origin,
}

/// Where the memory comes from, and is returned to.
enum Origin {
    /// The device's pool, which may keep freed memory.
    Pool {
        #[expect(dead_code, reason = "kept as long as the array")]
        memory: CudaSlice<u8>,
    },
    /// The driver; the context is bound to allocate and free.
    Driver { context: Arc<CudaContext> },
    /// The driver, as page-locked host memory.
    Host {
        #[expect(dead_code, reason = "kept as long as the array")]
        memory: PinnedHostSlice<u8>,
    },
}

impl Device {
    /// Memory of a table: `bytes` bytes, at least one.
    ///
    /// It is allocated from the driver, which takes a tenth of the time that the pool needs to get as much
    /// from there. If the pool [keeps](Device::keep_memory) freed memory, it is allocated from the pool,
    /// which may have it already.
    pub(crate) fn array(&self, what: &'static str, bytes: u64) -> Result<Array, Error> {
        let len = usize::try_from(bytes).map_err(|_| Error::OutOfMemory { what, bytes, ran: 0 })?;
        if !self.keeps_memory()
            && let Some((address, origin)) = of_driver(&self.inner.own, len)
        {
            return Ok(Array { address, bytes, origin });
        }
        // The pool may have what the driver lacks: freed memory that it has not returned yet.
        let memory = self.buffer(what, len)?;
        let address = memory.device_ptr(self.stream()).0;
        Ok(Array { address, bytes, origin: Origin::Pool { memory } })
    }
}

impl Device {
    /// Page-locked host memory that the device uses at the same address: `bytes` bytes, at least one.
    pub(crate) fn host_array(&self, what: &'static str, bytes: u64) -> Result<Array, Error> {
        let no_memory = Error::memory(what, bytes);
        let len = usize::try_from(bytes).ok().filter(|&len| len < isize::MAX as usize);
        let Some(len) = len else { return Err(Error::OutOfMemory { what, bytes, ran: 0 }) };
        // SAFETY: what is read of a table was written before: by a fill, or a kernel.
        let mut memory =
            unsafe { self.inner.own.alloc_pinned_with_flags::<u8>(len.max(1), 0) }.map_err(no_memory)?;
        let address = memory.as_mut_ptr().map_err(Error::driver("taking page-locked memory"))? as u64;
        Ok(Array { address, bytes, origin: Origin::Host { memory } })
    }
}

impl Array {
    /// The address of the memory.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes were asked for.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Memory from the driver, if it has so much.
fn of_driver(context: &Arc<CudaContext>, len: usize) -> Option<(u64, Origin)> {
    context.bind_to_thread().ok()?;
    // SAFETY: what is read of a table was written before: by a fill, or a kernel.
    let address = unsafe { result::malloc_sync(len.max(1)) }.ok()?;
    Some((address, Origin::Driver { context: context.clone() }))
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Origin::Driver { context } = &self.origin
            && context.bind_to_thread().is_ok()
        {
            // An error here belongs to earlier work; the next call that waits reports it. SAFETY: `of_driver`
            // allocated it, only this frees it, and nothing uses it any more: a table has waited for the
            // device, and memory that never became a table was not used.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}
