//! Slices in page-locked memory, which the device copies by itself.

use super::Device;
use crate::error::Error;
use crate::layout::Scalar;
use core::ffi::c_void;
use core::fmt;
use core::ops::{Deref, DerefMut};
use cudarc::driver::{DriverError, sys};

/// A slice whose memory stays page-locked as long as this lives. Made by [`Device::page_lock`].
pub struct PageLocked<'a, T> {
    slice: &'a [T],
    _lock: Lock,
}

/// A slice to write to, whose memory stays page-locked as long as this lives. Made by
/// [`Device::page_lock_mut`].
pub struct PageLockedMut<'a, T> {
    slice: &'a mut [T],
    _lock: Lock,
}

/// A lock on the memory from an address on, which is borrowed longer than this lives. None at zero.
struct Lock {
    address: usize,
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
        // SAFETY: the result borrows the slice.
        let lock = unsafe { self.lock(slice.as_ptr(), slice.len())? };
        Ok(PageLocked { slice, _lock: lock })
    }

    /// Locks the memory of a slice that [`search_or`](crate::Staged::search_or) writes to, as
    /// [`page_lock`](Self::page_lock) does.
    ///
    /// # Errors
    /// As of [`page_lock`](Self::page_lock).
    pub fn page_lock_mut<'a, T: Scalar>(&self, slice: &'a mut [T]) -> Result<PageLockedMut<'a, T>, Error> {
        // SAFETY: the result borrows the slice.
        let lock = unsafe { self.lock(slice.as_ptr(), slice.len())? };
        Ok(PageLockedMut { slice, _lock: lock })
    }

    /// Locks memory.
    ///
    /// # Safety
    ///
    /// `len` elements, which are not freed as long as the lock lives.
    unsafe fn lock<T>(&self, first: *const T, len: usize) -> Result<Lock, Error> {
        const WHAT: &str = "locking memory in its pages";
        self.context().bind_to_thread().map_err(Error::driver(WHAT))?;
        let (bytes, flags) = (len * size_of::<T>(), sys::CU_MEMHOSTREGISTER_PORTABLE);
        if bytes == 0 {
            return Ok(Lock { address: 0, device: self.clone() });
        }
        // SAFETY: the contract of this function. The call reads and writes none of it.
        let locked = unsafe { sys::cuMemHostRegister_v2(first.cast_mut().cast::<c_void>(), bytes, flags) };
        locked.result().map_err(Error::driver(WHAT))?;
        Ok(Lock { address: first as usize, device: self.clone() })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.address == 0 || self.device.context().bind_to_thread().is_err() {
            return;
        }
        // SAFETY: it was locked when this was made. No call on it runs any more, as each waits for its end.
        let _: Result<(), DriverError> =
            unsafe { sys::cuMemHostUnregister(self.address as *mut c_void) }.result();
    }
}

impl<T> Deref for PageLocked<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.slice
    }
}

impl<T> Deref for PageLockedMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.slice
    }
}

impl<T> DerefMut for PageLockedMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.slice
    }
}

impl<T: fmt::Debug> fmt::Debug for PageLocked<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slice.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for PageLockedMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slice.fmt(f)
    }
}

/// Whether the memory of a slice is page-locked, as its first byte says. The context of a device is bound.
///
/// If the rest of it is not, a copy is slower and no less right: the driver copies it by itself.
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
