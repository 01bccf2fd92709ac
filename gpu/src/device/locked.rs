//! Page-locked host memory, from and to which the device copies by itself.

use super::Device;
use crate::error::Error;
use crate::layout::Scalar;
use core::ffi::c_void;
use core::fmt;
use core::ops::{Deref, DerefMut};
use core::slice;
use cudarc::driver::{PinnedHostSlice, sys};

/// Numbers in page-locked host memory: a slice. Made by [`Device::page_locked`].
///
/// Keys and values of a batch that are in such memory ([`Table::staged`](crate::Table::staged), and the calls
/// that return a `Vec`) go to the device straight from there, not through staging buffers, and
/// [`Staged::search_or`](crate::Staged::search_or) writes straight to it. It makes no difference for other
/// answers, for the kinds of mixed operations, and for paged tables. Memory that cudarc or another library
/// has locked is as good.
pub struct PageLocked<T> {
    memory: PinnedHostSlice<u64>,
    /// The first number, as a word of 64 bits.
    first: *mut u64,
    len: usize,
    of: core::marker::PhantomData<T>,
}

// SAFETY: it owns its memory, as a `Vec` does, and hands it out by borrows alone.
unsafe impl<T: Scalar> Send for PageLocked<T> {}
// SAFETY: as above.
unsafe impl<T: Scalar> Sync for PageLocked<T> {}

impl Device {
    /// Page-locked host memory for `len` numbers, all zero. To allocate it takes time for each page; keep it
    /// for many batches.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Driver`].
    pub fn page_locked<T: Scalar>(&self, len: usize) -> Result<PageLocked<T>, Error> {
        let words = len.saturating_mul(size_of::<T>()).div_ceil(size_of::<u64>()).max(1);
        let mut memory = self.pinned("page-locked memory", words)?;
        let first = memory.as_mut_ptr().map_err(Error::driver("taking page-locked memory"))?;
        Ok(PageLocked { memory, first, len, of: core::marker::PhantomData })
    }
}

impl<T: Scalar> Deref for PageLocked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many numbers, all written, which live as long as `memory`. A call that copies from or to
        // them borrows them until it has waited for its end.
        unsafe { slice::from_raw_parts(self.first.cast::<T>(), self.len) }
    }
}

impl<T: Scalar> DerefMut for PageLocked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and this borrow is the only one.
        unsafe { slice::from_raw_parts_mut(self.first.cast::<T>(), self.len) }
    }
}

impl<T: Scalar + fmt::Debug> fmt::Debug for PageLocked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageLocked").field("bytes", &self.memory.num_bytes()).finish_non_exhaustive()
    }
}

/// Whether all memory of a slice is page-locked, and was allocated or locked at once. The context of a device
/// is bound.
pub(crate) fn is_page_locked<T>(slice: &[T]) -> bool {
    use sys::CUpointer_attribute::{
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE as TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE as SIZE,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR as START,
    };
    if slice.is_empty() {
        return false;
    }
    let (mut kind, mut start, mut size) = (0u32, 0u64, 0usize);
    let mut attributes = [TYPE, START, SIZE];
    let mut found = [
        (&raw mut kind).cast::<c_void>(),
        (&raw mut start).cast::<c_void>(),
        (&raw mut size).cast::<c_void>(),
    ];
    let address = slice.as_ptr() as u64;
    // SAFETY: each attribute is written to a number of its own type. The address is looked up, and not read.
    // For other memory the driver writes zeros.
    let asked =
        unsafe { sys::cuPointerGetAttributes(3, attributes.as_mut_ptr(), found.as_mut_ptr(), address) };
    let within = |from: u64| from + size_of_val(slice) as u64 <= size as u64;
    asked.result().is_ok()
        && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
        && address.checked_sub(start).is_some_and(within)
}
