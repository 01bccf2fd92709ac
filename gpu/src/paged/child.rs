//! Child tables: of open addressing, in page-locked memory of the host or in frames.

use crate::device::Device;
use crate::error::Error;
use crate::faults::Faults;
use crate::handle::Table;
use crate::row::Row;
use crate::structures::open::place_on_host;
use crate::structures::{Buckets as _, Kernels as _};
use crate::table::Tuning;
use cudarc::driver::CudaStream;
use warpproof_model::Seed;
use warpproof_model::host::structure::Open;
use warpproof_model::host::{BulkTable as _, OpenGeometry};

impl<R: Row> Table<R, Open> {
    /// An empty table in page-locked memory of the host.
    pub(crate) fn on_host(
        device: &Device,
        geometry: OpenGeometry,
        tuning: Tuning,
        seed: Seed,
    ) -> Result<Self, Error> {
        let layout = R::layout(Open::wide(device, tuning), false);
        let placed = place_on_host(device, layout, geometry, seed)?;
        // SAFETY: `place_on_host` vouches for its plan; nothing else has the memory yet.
        unsafe { Self::of_plan(device, geometry, placed, tuning) }
    }

    /// Queues a copy of another table of the same size and layout, and takes its seed: kernels queued from
    /// now on use it. `&mut`: no call begins meanwhile. The caller orders all other queued work.
    pub(crate) fn copy_from(&mut self, from: &Self, stream: &CudaStream) -> Result<(), Error> {
        let (parts, on_device) = self.both_mut();
        on_device.copy_from(from.on_device(), stream)?;
        parts.seed = from.seed();
        on_device.set_head(parts.head());
        Ok(())
    }

    /// Moves all entries to new memory and back, with this seed, so that slots of deleted entries are free
    /// again. Waits. Returns whether there was room for all entries; if not, nothing has changed.
    pub(super) fn rebuild(&mut self, seed: Seed, faults: &Faults) -> Result<bool, Error> {
        let call = |what| faults.call().map_err(Error::driver(what));
        let device = self.device().clone();
        let tuning = self.on_device().tuning();
        faults.memory("a child table that is rebuilt", self.bytes())?;
        let mut moved = Self::with_layout(&device, self.layout(), (self.geometry(), seed), tuning)?;
        let [(arrays, len), (own, own_len)] = [self.parts(), moved.parts()].map(|parts| Open::slots(&parts));
        call("moving the entries of a child table")?;
        let lost = moved.on_device_mut().absorb(self.on_device_mut(), (&arrays, len), (&own, own_len))?;
        if lost != 0 {
            return Ok(false);
        }
        let stream = device.stream();
        call("copying a table that was rebuilt")?;
        self.copy_from(&moved, stream)?;
        stream.synchronize().map_err(Error::driver("copying a table that was rebuilt"))?;
        Ok(true)
    }
}
