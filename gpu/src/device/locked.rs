//! Slices in page-locked memory, which the device copies by itself.

use super::Device;
use crate::error::Error;
use crate::layout::Scalar;
use core::ffi::c_void;
use core::fmt;
use core::ops::Deref;
use cudarc::driver::{DriverError, sys};

/// A slice whose memory stays page-locked as long as this lives. Made by [`Device::page_lock`].
pub struct PageLocked<'a, T> {
    slice: &'a [T],
    device: Device,
}

impl Device {
    /// Locks the memory of a slice in its pages, for as long as the result lives. Batches on such slices
    /// ([`Table::staged`](crate::Table::staged), and the calls that return a `Vec`) go to the device
    /// straight from there, not through staging buffers. That is worth it for memory of which many batches
    /// are made: locking takes time for each page.
    ///
    /// Memory that cudarc or another library has locked is as good, and needs no such call.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver cannot lock it, or part of it is locked already.
    pub fn page_lock<'a, T: Scalar>(&self, slice: &'a [T]) -> Result<PageLocked<'a, T>, Error> {
        const WHAT: &str = "locking memory in its pages";
        self.context().bind_to_thread().map_err(Error::driver(WHAT))?;
        if !slice.is_empty() {
            // SAFETY: memory of the caller, which is borrowed until it is let go, and which nothing writes to.
            let locked = unsafe {
                sys::cuMemHostRegister_v2(
                    slice.as_ptr().cast_mut().cast::<c_void>(),
                    size_of_val(slice),
                    sys::CU_MEMHOSTREGISTER_PORTABLE,
                )
            };
            locked.result().map_err(Error::driver(WHAT))?;
        }
        Ok(PageLocked { slice, device: self.clone() })
    }
}

impl<T> Deref for PageLocked<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.slice
    }
}

impl<T: fmt::Debug> fmt::Debug for PageLocked<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slice.fmt(f)
    }
}

impl<T> Drop for PageLocked<'_, T> {
    fn drop(&mut self) {
        if self.slice.is_empty() || self.device.context().bind_to_thread().is_err() {
            return;
        }
        // SAFETY: it was locked when this was made. No call on it runs any more, as each waits for its end.
        let _: Result<(), DriverError> =
            unsafe { sys::cuMemHostUnregister(self.slice.as_ptr().cast_mut().cast::<c_void>()) }.result();
    }
}

/// Whether the memory of a slice is page-locked, as its first byte says. The context of a device is bound.
///
/// If the rest of it is not, a copy from it is slower and no less right: the driver copies it by itself.
pub(crate) fn is_page_locked<T>(slice: &[T]) -> bool {
    let mut kind = 0u32;
    // SAFETY: the attribute is a number of 32 bits; the address is looked up, and not read.
    let found = unsafe {
        sys::cuPointerGetAttribute(
            (&raw mut kind).cast::<c_void>(),
            sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            slice.as_ptr() as sys::CUdeviceptr,
        )
    };
    !slice.is_empty() && found.result().is_ok() && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
}
