//! The floors of random access: what a device can do at best, to compare tables with.

use crate::arguments::{Arguments, Span};
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use crate::slices::{Call, Input, Output};
use crate::table::Tuning;
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;
use warpproof_model::slab::SLAB_SLOTS;

/// An array of 8-byte slots, and kernels that do the least work that an operation of a table must do. Each
/// runs one operation per key, at a place that is computed from the key.
pub struct Floors {
    find: Kernel,
    insert: Kernel,
    bucket: Kernel,
    slots: CudaSlice<u64>,
    buckets: u32,
    threads: u32,
    device: Device,
}

impl Floors {
    /// The most buckets: their slots are counted in 32 bits.
    pub const MOST: u32 = u32::MAX / SLAB_SLOTS as u32;

    /// `buckets` empty buckets of 8 slots; at least one and at most [`Floors::MOST`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn new(device: &Device, buckets: u32) -> Result<Self, Error> {
        let buckets = buckets.clamp(1, Self::MOST);
        let find = |name: &str, lanes| match device.kernel(name, lanes)? {
            Some(kernel) => Ok(kernel),
            None => Err(Error::NoKernel { kernel: name.into() }),
        };
        let mut slots = device.buffer("the floors' slots", buckets as usize * SLAB_SLOTS)?;
        device.fill(&mut slots, u8::MAX)?;
        device.synchronize()?;
        Ok(Self {
            find: find("floor_find_u32", 1)?,
            insert: find("floor_insert_u32", 1)?,
            bucket: find("floor_bucket_cas", 4)?,
            slots,
            buckets,
            threads: Tuning::default().threads,
            device: device.clone(),
        })
    }

    /// Bytes of the slots.
    pub fn bytes(&self) -> u64 {
        self.slots.num_bytes() as u64
    }

    /// A find: reads a key, reads a slot at random, writes a value. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn find(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u32>,
        values: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.output("values", values.view_mut())?;
        self.run(call, &self.find, self.slots.len() as u32, keys, values)
    }

    /// An insert: reads a key and a value, compares and swaps a slot at random. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u32>,
        values: &impl Input<u32>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        self.run(call, &self.insert, self.slots.len() as u32, keys, values)
    }

    /// An insert that looks first: four lanes read a bucket of 64 bytes at random, and one of them compares
    /// and swaps a slot of it. Queues it on `stream`.
    ///
    /// # Errors
    /// As [`OnStream`](crate::OnStream).
    pub fn bucket(
        &self,
        stream: &Arc<CudaStream>,
        keys: &impl Input<u32>,
        values: &impl Input<u32>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.device.context(), stream)?;
        let keys = call.input("keys", keys.view())?;
        let values = call.input("values", values.view())?;
        self.run(call, &self.bucket, self.buckets, keys, values)
    }

    fn run(
        &self,
        call: Call<'_>,
        kernel: &Kernel,
        number: u32,
        keys: Span<u32>,
        values: Span<u32>,
    ) -> Result<(), Error> {
        let slots = Span::new(self.slots.device_ptr(self.device.stream()).0, self.slots.len());
        let arguments = Arguments::floor(slots, number, keys, values)?;
        // SAFETY: `Arguments::floor` belongs to the three floors, and `number` is the number of slots, or of
        // buckets of eight; `drop` waits for the device, and `Call` keeps the order of the other slices.
        let launched = unsafe { kernel.launch(call.stream(), self.threads, &arguments) };
        call.finish().and(launched)
    }
}

impl Drop for Floors {
    fn drop(&mut self) {
        // Callers' streams may still use the slots; they are freed in the order of our own stream.
        self.device.wait_idle();
    }
}

impl fmt::Debug for Floors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Floors").field("buckets", &self.buckets).finish_non_exhaustive()
    }
}
