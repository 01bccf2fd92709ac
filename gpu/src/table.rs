//! A slab hash table in device memory, of any layout: what maps and sets share.

use crate::arguments::{Arguments, Head, Operation, Span, kernel_name};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::module::Kernel;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;
use warpproof_model::host::{Refused, SlabGeometry};
use warpproof_model::slab::{SLAB_SLOTS, bitmap_words};

mod phases;
mod users;

use users::Users;

/// How a table is laid out and its kernels are run. A matter of speed, not of meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Lanes per tile; `None` is the width that was fastest ([`Layout::lanes`], and 4 for slabs of 16 slots).
    ///
    /// A `SlabMap<u32, u32>` has kernels for 1, 2, 4 and 8 lanes at 8 slots per slab, and for 4 and 8 at 16 slots.
    /// An operation without a kernel for the width runs at the common one. At 16 slots there are insert_unique,
    /// search, delete, mixed and, at 4 lanes, flush, stats and pairs; the others are [`Error::NoKernel`].
    pub lanes: Option<u32>,
    /// Threads per block, brought to a multiple of 32 between 64 and 1024.
    pub threads: u32,
    /// Whether 64-bit pairs go by the lock-bit protocol also where the device has 128-bit words.
    pub lock_bit: bool,
}

impl Tuning {
    fn threads(self) -> u32 {
        (self.threads / 32 * 32).clamp(64, 1024)
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self { lanes: None, threads: 128, lock_bit: false }
    }
}

/// Lanes that the operations of a layout have kernels for, as far as there are any.
const fn common_lanes(layout: Layout, slab_slots: u32) -> u32 {
    if slab_slots == SLAB_SLOTS as u32 { layout.lanes() } else { 4 }
}

/// Where a table lies in device memory, for kernels of the caller's own: what `SlabTable::new` takes there.
///
/// Addresses are those of the device's primary context. The memory is the table's: it is accessed by atomic
/// instructions alone, and it ends with the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Address of the words that probes read, one per slot.
    pub slots: u64,
    /// Address of the values, in the lock-bit layout.
    pub values: Option<u64>,
    /// Number of slots.
    pub len: u64,
    /// Address of the pool's bitmap, in u32 words.
    pub bitmap: u64,
    /// Words of the bitmap.
    pub bitmap_len: u64,
    /// Number of buckets.
    pub buckets: u32,
}

/// The memory of a table and its kernels.
pub(crate) struct Table {
    head: Head,
    layout: Layout,
    geometry: SlabGeometry,
    tuning: Tuning,
    /// One per operation, in the order of [`Operation::ALL`]; `None` where the layout or tuning has none.
    kernels: Vec<Option<Kernel>>,
    users: Users,
    // The memory behind `head`.
    _slots: CudaSlice<u8>,
    _values: Option<CudaSlice<u8>>,
    _bitmap: CudaSlice<u32>,
    device: Device,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(
        device: &Device,
        layout: Layout,
        geometry: SlabGeometry,
        tuning: Tuning,
    ) -> Result<Self, Error> {
        check(layout, geometry)?;
        let slot_array = |what| -> Result<CudaSlice<u8>, Error> {
            let bytes = geometry.slots() as u64 * layout.probe_bytes() as u64;
            let bytes = usize::try_from(bytes).map_err(|_| Error::OutOfMemory { what, bytes })?;
            device.buffer(what, bytes)
        };
        let slots = slot_array("the table's slots")?;
        let values = if layout.lock_bit() { Some(slot_array("the table's values")?) } else { None };
        let words = bitmap_words(geometry.pool);
        let bitmap = device.buffer::<u32>("the table's bitmap", words)?;
        let stream = device.stream();
        let head = Head {
            slots: slots.device_ptr(stream).0,
            values: values.as_ref().map(|values| values.device_ptr(stream).0),
            len: geometry.slots() as u64,
            bitmap: Span::new(bitmap.device_ptr(stream).0, words),
            buckets: geometry.buckets,
        };
        let kernels = Operation::ALL
            .map(|operation| find(device, layout, operation, geometry.slab_slots, tuning))
            .into_iter()
            .collect::<Result<_, _>>()?;
        let device = device.clone();
        let (_slots, _values, _bitmap) = (slots, values, bitmap);
        let users = Users::default();
        let table = Self { head, layout, geometry, tuning, kernels, users, _slots, _values, _bitmap, device };
        table.fill(stream)?;
        // From now on any stream may use the table.
        stream.synchronize().map_err(Error::driver("filling the table"))?;
        Ok(table)
    }

    /// The table's part of the arguments.
    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Where the table lies.
    pub(crate) fn parts(&self) -> Parts {
        let Head { slots, values, len, bitmap, buckets } = self.head;
        let (bitmap, bitmap_len) = (bitmap.address(), bitmap.len() as u64);
        Parts { slots, values, len, bitmap, bitmap_len, buckets }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The layout.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// The size.
    pub(crate) fn geometry(&self) -> SlabGeometry {
        self.geometry
    }

    /// Device memory of the table.
    pub(crate) fn bytes(&self) -> u64 {
        self.geometry.slots() as u64 * self.layout.slot_bytes() as u64 + self.head.bitmap.len() as u64 * 4
    }

    /// The kernel of an operation.
    pub(crate) fn kernel(&self, operation: Operation) -> Result<&Kernel, Error> {
        match &self.kernels[operation as usize] {
            Some(kernel) => Ok(kernel),
            None => {
                let slots = self.geometry.slab_slots;
                let lanes = self.tuning.lanes.unwrap_or(common_lanes(self.layout, slots));
                Err(Error::NoKernel { kernel: kernel_name(self.layout, operation, lanes, slots) })
            }
        }
    }

    /// Queues an operation.
    ///
    /// # Safety
    ///
    /// `arguments` were made by the function of [`Head`] that `operation` belongs to, for this table's key and
    /// value types. The arrays behind them live until the stream has run the kernel.
    pub(crate) unsafe fn launch(
        &self,
        operation: Operation,
        stream: &Arc<CudaStream>,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        let kernel = self.kernel(operation)?;
        self.users.used(stream)?;
        // SAFETY: `Head` gives number, order and types and has checked the lengths; the table's own memory lives
        // until `drop`, which waits for the device; the arrays are the contract of this function.
        unsafe { kernel.launch(stream, self.tuning.threads(), arguments) }
    }

    /// The outcomes of codes that `operation` wrote.
    pub(crate) fn decode<T>(
        &self,
        operation: Operation,
        codes: &[u8],
        outcome: impl Fn(usize, u8) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let decoded = |(index, &code): (usize, &u8)| match outcome(index, code) {
            Some(outcome) => Ok(outcome),
            None => Err(Error::Code { kernel: self.kernel(operation)?.name().into(), index, code }),
        };
        codes.iter().enumerate().map(decoded).collect()
    }

    /// Waits for the stream of host-slice calls, where `operation` was the last to run.
    pub(crate) fn wait(&self, operation: Operation) -> Result<(), Error> {
        match self.device.stream().synchronize() {
            Ok(()) => Ok(()),
            Err(error) => Err(self.kernel(operation)?.fault(error)),
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // Callers' streams may still use the memory; it is freed in the order of our own stream.
        self.device.settle();
    }
}

/// Refuses sizes that have no kernel, or that no table can have.
fn check(layout: Layout, geometry: SlabGeometry) -> Result<(), Refused> {
    let slots = SLAB_SLOTS as u32;
    let double = layout == Layout::Map32 && geometry.slab_slots == 2 * slots;
    geometry.admit(if double { 2 * slots } else { slots })
}

/// The kernel for the tuning's width, or else for the common one.
fn find(
    device: &Device,
    layout: Layout,
    operation: Operation,
    slab_slots: u32,
    tuning: Tuning,
) -> Result<Option<Kernel>, Error> {
    let common = common_lanes(layout, slab_slots);
    for lanes in [tuning.lanes.unwrap_or(common), common] {
        let name = kernel_name(layout, operation, lanes, slab_slots);
        // The driver compiles the other shapes only when one of them is asked for.
        let kernel = if lanes == common && slab_slots == SLAB_SLOTS as u32 {
            device.kernel(&name, lanes)?
        } else {
            device.tuning_kernel(&name, lanes)?
        };
        if kernel.is_some() {
            return Ok(kernel);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_numbered_as_listed() {
        for (number, operation) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(operation as usize, number);
        }
    }

    #[test]
    fn sizes_without_kernels_are_refused() {
        let size = |slab_slots, buckets, pool| SlabGeometry { slab_slots, buckets, pool };
        assert_eq!(check(Layout::Map32, size(8, 1, 1)), Ok(()));
        assert_eq!(check(Layout::Map32, size(16, 1, 0)), Ok(()));
        assert!(matches!(check(Layout::Set32, size(16, 1, 1)), Err(Refused::SlabSlots { found: 16, .. })));
        assert!(matches!(check(Layout::Map32, size(24, 1, 1)), Err(Refused::SlabSlots { expected: 8, .. })));
        assert!(matches!(check(Layout::Map32, size(8, u32::MAX, 1)), Err(Refused::TooLarge { .. })));
        assert_eq!(check(Layout::Map32, size(16, 0, 1)), Err(Refused::Nothing { what: "bucket" }));
    }
}
