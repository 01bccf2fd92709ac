//! Page-locked host memory and device memory for one chunk of a batch.

use crate::error::Error;
use crate::layout::Scalar;
use core::ops::Range;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result};
use std::sync::Arc;

/// Chunks of a batch that are under way at a time: one on its way to the device, one in the kernel, one on
/// its way back.
pub(crate) const SLOTS: usize = 3;

/// Slots for all chunks of a batch that are under way at a time.
pub(crate) type Slots = [Slot; SLOTS];

/// The memory of one chunk.
pub(crate) struct Slot {
    /// The stream on which all of the chunk runs, in order.
    pub(crate) stream: Arc<CudaStream>,
    /// The input of a chunk until it is copied to the device, and then its answers.
    pub(super) host: PinnedHostSlice<u64>,
    /// The input on the device.
    pub(super) input: CudaSlice<u64>,
    /// The answers there.
    pub(super) output: CudaSlice<u64>,
    /// Whether the stream may have work to run.
    pub(crate) busy: bool,
}

impl Slot {
    /// The page-locked memory, after the stream has ended.
    pub(crate) fn host(&mut self) -> Result<&mut [u8], Error> {
        let words = self.host.as_mut_slice().map_err(Error::driver("using page-locked memory"))?;
        Ok(bytes_mut(words))
    }

    /// The addresses of the device memory, of the input and of the answers.
    pub(crate) fn addresses(&self) -> (u64, u64) {
        (self.input.device_ptr(&self.stream).0, self.output.device_ptr(&self.stream).0)
    }

    /// Bytes of the device memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.input.num_bytes() + self.output.num_bytes()) as u64
    }

    /// Queues the copy of some bytes to the same place on the device.
    pub(crate) fn copy_in(&mut self, place: Range<usize>) -> Result<(), Error> {
        if place.is_empty() {
            return Ok(());
        }
        let (to, stream) = (self.addresses().0 + place.start as u64, self.stream.cu_stream());
        let from = &self.host()?[place];
        // SAFETY: `input` is as long as `host`; both live until the stream was waited for, and nothing writes
        // them before.
        unsafe { result::memcpy_htod_async(to, from, stream) }.map_err(Error::driver("copying to the device"))
    }

    /// Queues the copy of the caller's bytes to a place of as many on the device.
    ///
    /// # Safety
    ///
    /// Nothing writes or frees the bytes before the stream was waited for.
    pub(crate) unsafe fn copy_from(&mut self, place: Range<usize>, from: &[u8]) -> Result<(), Error> {
        let (to, stream) = (self.addresses().0 + place.start as u64, self.stream.cu_stream());
        let from = &from[..place.len().min(from.len())];
        // SAFETY: `input` has that place, as `host` has; the rest is the contract of this function.
        unsafe { result::memcpy_htod_async(to, from, stream) }.map_err(Error::driver("copying to the device"))
    }

    /// Queues the copy of as many bytes of answers to the caller's memory.
    ///
    /// # Safety
    ///
    /// There are as many. Nothing accesses or frees `to` before the stream was waited for.
    pub(crate) unsafe fn copy_to(&mut self, to: &mut [u8]) -> Result<(), Error> {
        let (from, stream) = (self.addresses().1, self.stream.cu_stream());
        // SAFETY: the contract of this function; `output` was filled when it was made.
        unsafe { result::memcpy_dtoh_async(to, from, stream) }
            .map_err(Error::driver("copying from the device"))
    }

    /// Queues the copy of the first `len` bytes of answers to the host.
    pub(crate) fn copy_out(&mut self, len: usize) -> Result<(), Error> {
        let (from, stream) = (self.addresses().1, self.stream.cu_stream());
        let to = &mut self.host()?[..len];
        // SAFETY: `len` bytes of `output`, which was filled when it was made; both live until the stream was
        // waited for, and nothing reads `to` before.
        unsafe { result::memcpy_dtoh_async(to, from, stream) }
            .map_err(Error::driver("copying from the device"))
    }
}

/// Words of the input of `elements` operations, and of their answers: keys, values and kinds; values and
/// codes.
pub(crate) fn words(elements: usize) -> (usize, usize) {
    let codes = elements.div_ceil(8);
    (elements.saturating_mul(2).saturating_add(codes), elements.saturating_add(codes))
}

/// The bytes of numbers.
pub(crate) fn bytes<T: Scalar>(numbers: &[T]) -> &[u8] {
    // SAFETY: a `Scalar` is a number, all of whose bytes are initialized.
    unsafe { numbers.align_to::<u8>() }.1
}

/// The bytes of numbers, for writing.
pub(crate) fn bytes_mut<T: Scalar>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes are a number.
    unsafe { numbers.align_to_mut::<u8>() }.1
}

/// The numbers in aligned bytes.
pub(crate) fn numbers<T: Scalar>(bytes: &[u8]) -> &[T] {
    // SAFETY: a `Scalar` is a number of 32 or 64 bits, which any bytes are.
    unsafe { bytes.align_to::<T>() }.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_bytes() {
        let mut words = [1u64, 2 << 32];
        bytes_mut(&mut words)[8..12].copy_from_slice(bytes(&[7u32]));
        assert_eq!(words, [1, 2 << 32 | 7]);
        assert_eq!(numbers::<u32>(bytes(&words)), [1, 0, 7, 2]);
        assert_eq!(numbers::<u64>(&bytes(&words)[8..]), [2 << 32 | 7]);
    }
}
