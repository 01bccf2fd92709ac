//! Staging buffers: page-locked host memory and device memory that batches on host slices pass through in parts.

use crate::device::Device;
use crate::error::Error;
use crate::layout::Scalar;
use core::fmt;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result};
use std::sync::Arc;

mod hands;
mod parts;
mod run;

pub(crate) use hands::Hands;
pub(crate) use run::{Arrays, Back, Batch, Task};

/// Parts of a batch that are under way at a time: one on its way to the device, one in the kernel, one on its way back.
const SLOTS: usize = 3;

/// Staging buffers: page-locked host memory, device memory and streams through which batches on host slices go, in parts.
///
/// While the device copies one part and runs another, the host copies the next one into page-locked memory and takes the answers
/// of the one before out of it. Made once, they serve any number of batches, of any size, on any table of their device, whatever
/// its structure and its keys and values are, one call at a time: [`OpenMap::through`](crate::OpenMap::through) and its likes.
/// Such a call allocates nothing: no memory of the device or the host, no stream, no event. Threads that call at once need staging
/// buffers of their own.
///
/// The calls that return a `Vec`, such as those of [`BulkMap`](warpproof_model::host::BulkMap), go through staging buffers that the
/// device keeps for them ([`Staging::DEFAULT_ELEMENTS`], [`Staging::in_parallel`]). As many are made as threads call at once, and they are kept as long as the
/// device's handles.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenMap, Staging};
/// use warpproof_model::outcome::Insert;
///
/// let device = Device::open(0)?;
/// let map = OpenMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
/// let mut staging = Staging::new(&device, 1 << 16)?;
/// let keys: Vec<u32> = (0..1_000_000).collect();
///
/// // The outcomes to a slice,
/// let mut outcomes = vec![Insert::Full; keys.len()];
/// map.through(&mut staging).insert_unique(&keys, &keys, &mut outcomes[..])?;
/// // or to a closure, in the order of the keys.
/// let mut found = 0;
/// map.through(&mut staging).contains(&keys, |there: bool| found += there as u64)?;
/// assert_eq!(found, 1_000_000);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct Staging {
    slots: [Slot; SLOTS],
    elements: usize,
    hands: Hands,
    context: Arc<CudaContext>,
}

/// What one part takes.
struct Slot {
    /// Where all of the part runs, in order.
    stream: Arc<CudaStream>,
    /// The input of a part until it is copied to the device, and then its answers.
    host: PinnedHostSlice<u64>,
    /// The input on the device.
    input: CudaSlice<u64>,
    /// The answers there.
    output: CudaSlice<u64>,
    /// Whether the stream may have work to run.
    busy: bool,
}

impl Staging {
    /// The operations of a part of those that a device keeps: 2^18.
    pub const DEFAULT_ELEMENTS: usize = 1 << 18;

    /// Staging buffers for parts of at most `elements` operations; 0 is taken for 1. They take 51 bytes of page-locked host memory
    /// and 78 bytes of device memory for each. Of large batches larger parts are faster, up to some millions (BENCHMARKS.md).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Driver`] if the driver refuses a stream.
    pub fn new(device: &Device, elements: usize) -> Result<Self, Error> {
        let elements = elements.max(1);
        let slot = || Slot::new(device, elements);
        let slots = [slot()?, slot()?, slot()?];
        // The device memory is filled on the stream that it is freed on; from now on the slots' own may use it.
        device.stream().synchronize().map_err(Error::driver("filling staging buffers"))?;
        Ok(Self { slots, elements, hands: Hands::One, context: device.stream().context().clone() })
    }

    /// The same, but all of rayon's threads copy between the slices of a large batch and the page-locked memory, and not the one
    /// that calls: where that was measured, one copies an eighth of what the bus carries (BENCHMARKS.md). They take memory for their queue now and then. A call by one of
    /// rayon's own threads copies alone.
    #[must_use]
    pub fn in_parallel(self) -> Self {
        Self { hands: Hands::Many, ..self }
    }

    /// How many operations a part has at most.
    pub fn elements(&self) -> usize {
        self.elements
    }
}

impl Slot {
    fn new(device: &Device, elements: usize) -> Result<Self, Error> {
        let (input, output) = words(elements);
        let stream = device.new_stream()?;
        let host = device.pinned("page-locked staging buffers", input)?;
        let mut slot = Self {
            stream,
            host,
            input: device.buffer("staging buffers", input)?,
            output: device.buffer("staging buffers", output)?,
            busy: false,
        };
        // All of a part's answers are copied back, also where a kernel has written none.
        device.fill(&mut slot.output, 0)?;
        Ok(slot)
    }

    /// The page-locked memory. The stream was waited for.
    fn host(&mut self) -> Result<&mut [u8], Error> {
        let words = self.host.as_mut_slice().map_err(Error::driver("using page-locked memory"))?;
        Ok(bytes_mut(words))
    }

    /// Where the device memory lies, of the input and of the answers.
    fn addresses(&self) -> (u64, u64) {
        (self.input.device_ptr(&self.stream).0, self.output.device_ptr(&self.stream).0)
    }

    /// Queues the copy of the first `len` bytes to the device.
    fn copy_in(&mut self, len: usize) -> Result<(), Error> {
        let (to, stream) = (self.addresses().0, self.stream.cu_stream());
        let from = &self.host()?[..len];
        // SAFETY: `input` is as long as `host`; both live until the stream was waited for, and nobody writes them before.
        unsafe { result::memcpy_htod_async(to, from, stream) }.map_err(Error::driver("copying to the device"))
    }

    /// Queues the copy of the first `len` bytes of answers to the host.
    fn copy_out(&mut self, len: usize) -> Result<(), Error> {
        let (from, stream) = (self.addresses().1, self.stream.cu_stream());
        let to = &mut self.host()?[..len];
        // SAFETY: `len` bytes of `output`, which was filled when it was made; both live until the stream was waited for, and
        // nobody looks at `to` before.
        unsafe { result::memcpy_dtoh_async(to, from, stream) }
            .map_err(Error::driver("copying from the device"))
    }
}

/// Words of the input of so many operations, and of their answers: keys, values and kinds, and values and codes.
fn words(elements: usize) -> (usize, usize) {
    let codes = elements.div_ceil(8);
    (elements.saturating_mul(2).saturating_add(codes), elements.saturating_add(codes))
}

/// The bytes of numbers.
fn bytes<T: Scalar>(numbers: &[T]) -> &[u8] {
    // SAFETY: a `Scalar` is a u32 or u64, all of whose bytes are initialized.
    unsafe { numbers.align_to::<u8>() }.1
}

/// The same, to be written.
fn bytes_mut<T: Scalar>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes are a number.
    unsafe { numbers.align_to_mut::<u8>() }.1
}

/// The numbers that aligned bytes are.
fn numbers<T: Scalar>(bytes: &[u8]) -> &[T] {
    // SAFETY: a `Scalar` is a u32 or u64, which any bytes are.
    unsafe { bytes.align_to::<T>() }.1
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("elements", &self.elements).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::parts::Places;
    use super::*;

    #[test]
    fn a_part_fits_whatever_its_elements_are() {
        fn bytes<T>(elements: usize) -> (usize, usize) {
            let (mut input, mut output) = (Places::default(), Places::default());
            let _: [_; 3] =
                [input.next::<T>(elements), input.next::<T>(elements), input.next::<u8>(elements)];
            let _: [_; 2] = [output.next::<T>(elements), output.next::<u8>(elements)];
            (input.bytes(), output.bytes())
        }
        for elements in [1, 2, 7, 8, 9, 1_000] {
            let (input, output) = words(elements);
            assert_eq!(bytes::<u64>(elements), (17 * elements, 9 * elements));
            for (from, to) in [bytes::<u32>(elements), bytes::<u64>(elements)] {
                assert!(from <= 8 * input && to <= 8 * output, "{elements}");
            }
        }
        assert_eq!(words(usize::MAX).0, usize::MAX);
    }

    #[test]
    fn numbers_are_their_bytes() {
        let mut words = [1u64, 2 << 32];
        bytes_mut(&mut words)[8..12].copy_from_slice(bytes(&[7u32]));
        assert_eq!(words, [1, 2 << 32 | 7]);
        assert_eq!(numbers::<u32>(bytes(&words)), [1, 0, 7, 2]);
        assert_eq!(numbers::<u64>(&bytes(&words)[8..]), [2 << 32 | 7]);
    }
}
