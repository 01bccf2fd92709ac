//! Staging buffers: page-locked host memory and device memory for batches on host slices, which pass through
//! them in chunks.

use crate::device::{Device, Slots};
use crate::error::Error;
use core::fmt;
use cudarc::driver::CudaContext;
use std::sync::Arc;

mod bounce;
mod chunks;
mod copy_threads;
mod run;

pub(crate) use bounce::{Answers, Bounce};
pub(crate) use copy_threads::CopyThreads;
pub(crate) use run::{Back, Batch, Task};

/// Staging buffers: page-locked host memory, device memory and streams for batches on host slices, which pass
/// through them in chunks.
///
/// While the device copies one chunk and runs another, the host copies the next one into page-locked memory
/// and takes the answers of the one before. Staging buffers serve any number of batches, of any size, on any
/// table of their device, whatever its structure and types, one call at a time:
/// [`Table::staged`](crate::Table::staged). Such a call allocates nothing: no memory of the device or the
/// host (except when a `Vec` of answers lacks room), no stream, no event. Threads that call at the same time
/// need staging buffers of their own.
///
/// The calls that return a `Vec`, such as those of [`BulkMap`](warpproof_model::host::BulkMap), use staging
/// buffers of the device ([`Staging::DEFAULT_ELEMENTS`], [`Staging::in_parallel`]). The device makes as many
/// as threads call at the same time, and keeps them as long as its handles live.
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
/// map.staged(&mut staging).insert_unique(&keys, &keys, &mut outcomes[..])?;
/// // or to a closure, in the order of the keys.
/// let mut found = 0;
/// map.staged(&mut staging).contains(&keys, |there: bool| found += there as u64)?;
/// assert_eq!(found, 1_000_000);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub struct Staging {
    slots: Slots,
    elements: usize,
    threads: CopyThreads,
    context: Arc<CudaContext>,
}

impl Staging {
    /// The operations of a chunk in the staging buffers of a device: 2^18.
    pub const DEFAULT_ELEMENTS: usize = 1 << 18;

    /// Staging buffers for chunks of at most `elements` operations; 0 counts as 1. They take 51 bytes of
    /// page-locked host memory and 78 bytes of device memory for each operation. Large batches are faster in
    /// larger chunks, up to some millions (`notes/staging.md`).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Driver`] if the driver refuses a stream.
    pub fn new(device: &Device, elements: usize) -> Result<Self, Error> {
        let elements = elements.max(1);
        Ok(Self::of(device, device.slots(elements)?, elements))
    }

    /// Staging buffers from existing slots, of chunks of `elements` operations.
    fn of(device: &Device, slots: Slots, elements: usize) -> Self {
        Self { slots, elements, threads: CopyThreads::One, context: device.stream().context().clone() }
    }

    /// Lets all threads of rayon copy between the slices of a large batch and the page-locked memory, not
    /// only the calling thread, which reached an eighth of the speed of the bus (`notes/staging.md`). The
    /// threads allocate memory for their queue now and then. If a thread of rayon makes the call, it copies
    /// alone.
    #[must_use]
    pub fn in_parallel(self) -> Self {
        Self { threads: CopyThreads::Many, ..self }
    }

    /// The most operations of a chunk.
    pub fn elements(&self) -> usize {
        self.elements
    }
}

/// Runs a call through staging buffers of the device that no other call uses now. Makes new ones if there are
/// none.
pub(crate) fn lent<T>(
    device: &Device,
    call: impl FnOnce(&mut Staging) -> Result<T, Error>,
) -> Result<T, Error> {
    let spare = device.spare().pop();
    let mut staging = match spare {
        Some(slots) => Staging::of(device, slots, Staging::DEFAULT_ELEMENTS),
        None => Staging::new(device, Staging::DEFAULT_ELEMENTS)?,
    }
    .in_parallel();
    let result = call(&mut staging);
    device.spare().push(staging.slots);
    result
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("elements", &self.elements).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::chunks::Places;
    use crate::device::words;

    #[test]
    fn a_chunk_fits_whatever_its_elements_are() {
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
}
