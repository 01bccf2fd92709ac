//! A GPU, opened.

use crate::driver;
use crate::error::Error;
use crate::layout::Layout;
use crate::module::{Kernel, Modules};
use core::fmt;
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod array;
mod extra;
mod locked;
mod memory;
mod piece;
mod slot;

pub(crate) use array::Array;
pub use extra::Extra;
pub use locked::PageLocked;
pub(crate) use locked::is_page_locked;
pub(crate) use piece::{PIECE, Pieces};
#[cfg(test)]
pub(crate) use slot::words;
pub(crate) use slot::{SLOTS, Slot, Slots, bytes, bytes_mut, numbers};

/// The kernels of tables for compute capability 7.5 and up: those of operations, and those that run seldom.
pub(crate) const BASE_IMAGES: [&str; 2] = [
    concat!(include_str!("../ptx/warpproof.sm_75.ptx"), "\0"),
    concat!(include_str!("../ptx/cold.sm_75.ptx"), "\0"),
];
/// Those on 128-bit words, for 9.0 and up.
pub(crate) const WIDE_IMAGES: [&str; 2] = [
    concat!(include_str!("../ptx/warpproof.sm_90.ptx"), "\0"),
    concat!(include_str!("../ptx/cold.sm_90.ptx"), "\0"),
];

/// For 8.0 and up, those of tables larger than the L2 cache, which they ask to keep the words of filters and
/// locks.
pub(crate) const KEPT_IMAGES: [&str; 1] = [concat!(include_str!("../ptx/kept.sm_80.ptx"), "\0")];

/// Lowest compute capability of the kernels.
const BASE: (u32, u32) = (7, 5);
/// Lowest compute capability with hints to the L2 cache.
const KEPT: (u32, u32) = (8, 0);
/// Lowest compute capability with 128-bit atomics.
const WIDE: (u32, u32) = (9, 0);

/// A GPU. A handle: clones are cheap and name the same device.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    ordinal: usize,
    name: String,
    capability: (u32, u32),
    wide: bool,
    tables: Modules,
    /// Loaded when first asked for: benches alone need it.
    tuning: Mutex<Option<Modules>>,
    /// Where tables are filled and looked at as a whole, and batches of host slices go that do not go in
    /// chunks.
    stream: Arc<CudaStream>,
    /// Memory of host-slice calls that none of them uses now.
    spare: Mutex<Vec<Slots>>,
    /// Memory of host-slice calls on paged tables that none of them uses now.
    spare_pieces: Mutex<Vec<Pieces>>,
    /// The context that this crate allocates from, without tracking; see `Device::open`.
    own: Arc<CudaContext>,
    /// The context that callers allocate from.
    context: Arc<CudaContext>,
}

impl Device {
    /// Number of CUDA devices; zero if there is a driver but no device.
    ///
    /// # Errors
    /// [`Error::NoDriver`] if there is no driver; [`Error::DriverTooOld`]; [`Error::Driver`].
    pub fn count() -> Result<usize, Error> {
        driver::devices()
    }

    /// Opens device `ordinal` (the first is 0) in its primary context and loads the kernels for it: from
    /// compute capability 9.0 on those with 128-bit words, if the driver supports them (CUDA 12.3).
    ///
    /// The driver compiles the kernels. That takes seconds the first time; then the driver keeps them on
    /// disk.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::NoDevice`], [`Error::DriverTooOld`], [`Error::DeviceTooOld`],
    /// [`Error::OutOfMemory`]; [`Error::Driver`] for other errors of the driver.
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        let devices = driver::devices()?;
        if ordinal >= devices {
            return Err(Error::NoDevice { ordinal, devices });
        }
        let open = || CudaContext::new(ordinal).map_err(Error::memory("the device's context", 0));
        let (own, context) = (open()?, open()?);
        // cudarc can record each use of a slice in events, so that streams wait for each other. For our own
        // memory that would cost two events per buffer, and a wait and a record per buffer and launch. It
        // would not be enough either: many streams use a table at once, and an event keeps only the last of
        // them. So it is off in the context that we allocate from, and on in the one that callers get.
        // SAFETY: our buffers are used on `stream` alone, except a table's and staging buffers: those are
        // filled before they can be used elsewhere. Dropping a table waits for the whole device; a call
        // through staging buffers waits for their streams before it returns.
        unsafe { own.disable_event_tracking() };
        let stream = own.new_stream().map_err(Error::memory("a stream", 0))?;
        let name = context.name().map_err(Error::driver("asking for the device's name"))?;
        let (major, minor) =
            context.compute_capability().map_err(Error::driver("asking for the compute capability"))?;
        let capability = (major.max(0) as u32, minor.max(0) as u32);
        if capability < BASE {
            return Err(Error::DeviceTooOld { name, capability });
        }
        let (tables, wide) = load_tables(&own, capability)?;
        let inner = Inner {
            ordinal,
            name,
            capability,
            wide,
            tables,
            tuning: Mutex::new(None),
            stream,
            spare: Mutex::default(),
            spare_pieces: Mutex::default(),
            own,
            context,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The number by which it was opened.
    pub fn ordinal(&self) -> usize {
        self.inner.ordinal
    }

    /// The name of the device, from the driver.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.inner.capability
    }

    /// Whether tables of u64 pairs use 128-bit words. Otherwise slabs and open addressing use the lock-word
    /// protocol, and hopscotch maps of u64 pairs do not exist.
    pub fn wide(&self) -> bool {
        self.inner.wide
    }

    /// Refuses a layout that needs 128-bit words on a device without them, for tables without a lock-word
    /// protocol.
    ///
    /// # Errors
    /// [`Error::NoWideWords`].
    pub(crate) fn admit(&self, layout: Layout) -> Result<(), Error> {
        if layout.lock_word() {
            let (name, capability) = (self.name().to_owned(), self.capability());
            return Err(Error::NoWideWords { name, capability, driver: self.driver_version() });
        }
        Ok(())
    }

    /// The CUDA version that the driver supports, as 1000 * major + 10 * minor.
    pub fn driver_version(&self) -> u32 {
        driver::version()
    }

    /// Memory in bytes: free and in all.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn memory(&self) -> Result<(u64, u64), Error> {
        let (free, all) = self.inner.own.mem_get_info().map_err(Error::driver("asking for the memory"))?;
        Ok((free as u64, all as u64))
    }

    /// cudarc's context of the device, to make streams and slices with: its primary context, with cudarc's
    /// default tracking of slices. Streams and slices of any other handle to the primary context work as
    /// well.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.context
    }

    /// Waits for everything on the device.
    ///
    /// # Errors
    /// [`Error::Driver`]; the error of an earlier kernel that no call waited for is returned here.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.inner.own.synchronize().map_err(Error::driver("waiting for the device"))
    }

    /// Waits for everything on the device, also after errors: for the drop of tables.
    pub(crate) fn wait_idle(&self) {
        // cudarc reports an error of an earlier drop first and forgets it; the second call waits.
        if self.inner.own.synchronize().is_err() {
            let _ = self.inner.own.synchronize();
        }
    }

    /// Our own stream, where our buffers are freed.
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.inner.stream
    }

    /// Makes another stream.
    pub(crate) fn new_stream(&self) -> Result<Arc<CudaStream>, Error> {
        self.inner.own.new_stream().map_err(Error::memory("a stream", 0))
    }

    /// Memory of host-slice calls that none of them uses now.
    pub(crate) fn spare(&self) -> MutexGuard<'_, Vec<Slots>> {
        // A panic elsewhere leaves the list whole.
        self.inner.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory of host-slice calls on paged tables that none of them uses now.
    pub(crate) fn spare_pieces(&self) -> MutexGuard<'_, Vec<Pieces>> {
        self.inner.spare_pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables' kernel `name`, for tiles of `lanes` lanes; `None` if there is none.
    pub(crate) fn kernel(&self, name: &str, lanes: u32) -> Result<Option<Kernel>, Error> {
        self.inner.tables.kernel(name, lanes)
    }

    /// A kernel among the other shapes, run by tiles of `lanes`; `None` if there is none, or if they are not
    /// built.
    pub(crate) fn tuning_kernel(&self, name: &str, lanes: u32) -> Result<Option<Kernel>, Error> {
        // A failed load leaves the place empty, so a panic elsewhere does no harm.
        let mut tuning = self.inner.tuning.lock().unwrap_or_else(PoisonError::into_inner);
        let modules = match &*tuning {
            Some(modules) => modules.clone(),
            None if Extra::Tuning.missing().is_some() => return Ok(None),
            None => tuning.insert(self.extra(Extra::Tuning)?).clone(),
        };
        modules.kernel(name, lanes)
    }

    /// Kernels that are no part of the library, loaded anew.
    pub(crate) fn extra(&self, extra: Extra) -> Result<Modules, Error> {
        let images = extra.images(self.inner.wide)?;
        Modules::load(&self.inner.own, images.iter().map(String::as_str))
    }
}

/// The kernels of tables, and whether some are on 128-bit words.
fn load_tables(context: &Arc<CudaContext>, capability: (u32, u32)) -> Result<(Modules, bool), Error> {
    let (wide, kept) = (WIDE_IMAGES.into_iter(), KEPT_IMAGES.into_iter());
    // An older driver on a new device knows fewer: then the lock word serves, and no cache gets a hint.
    if capability >= WIDE {
        match Modules::load(context, wide.chain(kept.clone()).chain(BASE_IMAGES)) {
            Err(Error::DriverTooOld { .. }) => {}
            loaded => return Ok((loaded?, true)),
        }
    }
    if capability >= KEPT {
        match Modules::load(context, kept.chain(BASE_IMAGES)) {
            Err(Error::DriverTooOld { .. }) => {}
            loaded => return Ok((loaded?, false)),
        }
    }
    Ok((Modules::load(context, BASE_IMAGES)?, false))
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("ordinal", &self.inner.ordinal)
            .field("name", &self.inner.name)
            .field("capability", &self.inner.capability)
            .field("wide", &self.inner.wide)
            .finish_non_exhaustive()
    }
}
