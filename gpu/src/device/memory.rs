//! Memory of a device, and of the host for it.

use super::Device;
use super::piece::{Piece, Pieces};
use super::slot::{Slot, Slots, words};
use crate::error::Error;
use crate::host::room;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use cudarc::driver::{CudaSlice, DevicePtrMut, DeviceRepr, DriverError, PinnedHostSlice, result, sys};

impl Device {
    /// Keeps up to `bytes` bytes of device memory that tables and buffers of this process free, for later
    /// ones. Zero, the default, keeps none: freed memory returns to the driver when the device is next waited
    /// for.
    ///
    /// Allocation from the driver takes time that grows with the size (figures: `notes/growing.md`). A
    /// program that builds large tables one after the other, or lets them grow, pays it once if memory is
    /// kept. The memory of a table that was made while nothing was kept is not kept either. Other processes
    /// cannot use kept memory. The setting belongs to the device: all its handles share it, and so does
    /// everything else that allocates from its default memory pool.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no memory pools.
    pub fn keep_memory(&self, bytes: u64) -> Result<(), Error> {
        let failed = Error::driver("setting how much memory is kept");
        let (pool, mut bytes) = (self.pool().map_err(&failed)?, bytes);
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: this attribute is a u64, which the call reads.
        unsafe { sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut bytes).cast::<c_void>()) }
            .result()
            .map_err(failed)
    }

    /// Whether some freed memory is kept.
    pub(super) fn keeps_memory(&self) -> bool {
        // Without a pool nothing is kept.
        let asked = self
            .pool()
            .and_then(|pool| attribute(pool, sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD));
        asked.is_ok_and(|bytes| bytes > 0)
    }

    /// Bytes of device memory that are kept and in no table or buffer. [`Device::memory`] may count them as
    /// free.
    ///
    /// # Errors
    /// As [`Device::keep_memory`].
    pub fn kept_memory(&self) -> Result<u64, Error> {
        use sys::CUmemPool_attribute::{
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
        };
        let failed = Error::driver("asking how much memory is kept");
        let pool = self.pool().map_err(&failed)?;
        let used = attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT).map_err(&failed)?;
        let all = attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT).map_err(failed)?;
        Ok(all.saturating_sub(used))
    }

    /// The pool that memory is allocated from.
    fn pool(&self) -> Result<sys::CUmemoryPool, DriverError> {
        let context = &self.inner.own;
        context.bind_to_thread()?;
        let mut pool = MaybeUninit::uninit();
        // SAFETY: the call writes the pool, or fails.
        unsafe {
            sys::cuDeviceGetDefaultMemPool(pool.as_mut_ptr(), context.cu_device()).result()?;
            Ok(pool.assume_init())
        }
    }

    /// Uninitialized memory for `len` elements, at least one.
    pub(crate) fn buffer<T: DeviceRepr>(
        &self,
        what: &'static str,
        len: usize,
    ) -> Result<CudaSlice<T>, Error> {
        let bytes = len.saturating_mul(size_of::<T>());
        if bytes > isize::MAX as usize {
            return Err(Error::OutOfMemory { what, bytes: bytes as u64, ran: 0 });
        }
        // SAFETY: the element types in use have no invalid bits, and what is read was written before: by a
        // copy, a fill, or a kernel.
        unsafe { self.inner.stream.alloc(len.max(1)) }.map_err(Error::memory(what, bytes as u64))
    }

    /// Page-locked host memory, all zero, of `len` words.
    pub(crate) fn pinned(&self, what: &'static str, len: usize) -> Result<PinnedHostSlice<u64>, Error> {
        let bytes = len.saturating_mul(size_of::<u64>());
        if bytes >= isize::MAX as usize {
            return Err(Error::OutOfMemory { what, bytes: bytes as u64, ran: 0 });
        }
        // SAFETY: written below, before anything reads it.
        let memory = unsafe { self.inner.own.alloc_pinned_with_flags(len, 0) };
        let mut memory = memory.map_err(Error::memory(what, bytes as u64))?;
        let words: *mut u64 = memory.as_mut_ptr().map_err(Error::driver("taking page-locked memory"))?;
        // SAFETY: `len` words, which nothing else has yet.
        unsafe { words.write_bytes(0, len) };
        Ok(memory)
    }

    /// Page-locked memory for copies.
    pub(crate) fn pieces(&self) -> Result<Pieces, Error> {
        Ok([Piece::new(self)?, Piece::new(self)?, Piece::new(self)?])
    }

    /// Memory for chunks of so many operations.
    pub(crate) fn slots(&self, elements: usize) -> Result<Slots, Error> {
        let slots = [self.slot(elements)?, self.slot(elements)?, self.slot(elements)?];
        // The stream that fills the device memory also frees it. From here on the slots' own streams may use
        // it.
        self.stream().synchronize().map_err(Error::driver("filling staging buffers"))?;
        Ok(slots)
    }

    /// Memory for one chunk of `elements` operations. The stream that frees the device memory also fills it.
    pub(crate) fn slot(&self, elements: usize) -> Result<Slot, Error> {
        let (input, output) = words(elements);
        let stream = self.new_stream()?;
        let host = self.pinned("page-locked staging buffers", input)?;
        let input = self.buffer("staging buffers", input)?;
        let mut output = self.buffer("staging buffers", output)?;
        // All answers of a chunk are copied back, also where a kernel wrote none.
        self.fill(&mut output, 0)?;
        Ok(Slot { stream, host, input, output, busy: false })
    }

    /// Sets all bytes of a buffer.
    pub(crate) fn fill<T>(&self, buffer: &mut CudaSlice<T>, byte: u8) -> Result<(), Error> {
        const WHAT: &str = "filling device memory";
        let stream = &self.inner.stream;
        stream.context().bind_to_thread().map_err(Error::driver(WHAT))?;
        let bytes = buffer.num_bytes();
        let (address, _used) = buffer.device_ptr_mut(stream);
        // SAFETY: the buffer has `bytes` bytes and is freed on this stream, that is after the fill.
        unsafe { result::memset_d8_async(address, byte, bytes, stream.cu_stream()) }
            .map_err(Error::driver(WHAT))
    }

    /// Copies a slice to new device memory. The caller may change the slice when this returns.
    pub(crate) fn upload<T: DeviceRepr>(
        &self,
        what: &'static str,
        host: &[T],
    ) -> Result<CudaSlice<T>, Error> {
        let mut buffer = self.buffer(what, host.len())?;
        if !host.is_empty() {
            self.inner
                .stream
                .memcpy_htod(host, &mut buffer)
                .map_err(Error::driver("copying to the device"))?;
        }
        Ok(buffer)
    }

    /// Waits for our own stream and copies a buffer to the host.
    pub(crate) fn download<T: DeviceRepr + Clone + Default>(
        &self,
        buffer: &CudaSlice<T>,
    ) -> Result<Vec<T>, Error> {
        let mut host = room("a copy of device memory", buffer.len())?;
        host.resize(buffer.len(), T::default());
        self.download_to(buffer, &mut host)?;
        Ok(host)
    }

    /// Copies a buffer from the device to `host`, which has as many elements.
    pub(crate) fn download_to<T: DeviceRepr>(
        &self,
        buffer: &CudaSlice<T>,
        host: &mut [T],
    ) -> Result<(), Error> {
        const WHAT: &str = "copying from the device";
        if !host.is_empty() {
            self.inner.stream.memcpy_dtoh(buffer, host).map_err(Error::driver(WHAT))?;
            self.inner.stream.synchronize().map_err(Error::driver(WHAT))?;
        }
        Ok(())
    }
}

/// An attribute of a pool that is a number of bytes.
fn attribute(pool: sys::CUmemoryPool, which: sys::CUmemPool_attribute) -> Result<u64, DriverError> {
    let mut bytes = 0u64;
    // SAFETY: these attributes are u64, which the call writes.
    unsafe { sys::cuMemPoolGetAttribute(pool, which, (&raw mut bytes).cast::<c_void>()) }.result()?;
    Ok(bytes)
}
