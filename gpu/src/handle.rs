//! The handle of a table of any structure, a map or a set.

use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::row::Row;
use crate::structures::open::sizes::{bucket_slots, size};
use crate::structures::{Buckets, Geometry, Holds, Kernels, Ordered, Stats};
use crate::table::{DeviceTable, Plan, Tuning};
use core::fmt;
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::Seed;
use warpproof_model::host::{BulkOrdered, BulkTable, OpenGeometry, Refused, Structure};

/// A concurrent table in device memory: a [`Map`] or a [`Set`], by its rows `R`, of a structure `S`.
///
/// On host slices, its operations are those of [`BulkMap`](warpproof_model::host::BulkMap) or
/// [`BulkSet`](warpproof_model::host::BulkSet): each call copies its input to the device, and the answers
/// back, in chunks, and waits for all of it. [`Table::staged`] offers them without a `Vec`, through staging
/// buffers of the caller. On device slices, its operations are those of [`Table::on_stream`].
///
/// Host-slice calls do not wait for device-slice calls that still run on the caller's streams, except
/// [`flush`](warpproof_model::host::BulkFlush::flush). Dropping a table waits for the device.
pub struct Table<R, S: Kernels> {
    on_device: DeviceTable,
    geometry: Geometry<S>,
    parts: S::Parts,
    rows: PhantomData<fn() -> R>,
}

/// A concurrent map in device memory, in a table of structure `S`.
pub type Map<K, V, S> = Table<(K, V), S>;

/// A concurrent set in device memory, in a table of structure `S`.
pub type Set<K, S> = Table<(K,), S>;

impl<R: Row, S: Holds<R>> Table<R, S> {
    /// An empty table made for `entries` entries. How many are sure to fit: see
    /// [`SlabGeometry::for_pairs`](warpproof_model::host::SlabGeometry::for_pairs),
    /// [`HopscotchGeometry::for_pairs`](warpproof_model::host::HopscotchGeometry::for_pairs),
    /// [`WaitFreeGeometry::for_batches`](warpproof_model::host::WaitFreeGeometry::for_batches), or
    /// [`Table::size`] at the default load.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the table would be too large to index;
    /// [`Error::NoWideWords`] for u64 pairs on a device without 128-bit words, if the structure needs them.
    pub fn with_capacity(device: &Device, entries: u64) -> Result<Self, Error> {
        Self::for_entries(device, entries, Seed::random())
    }

    /// An empty table made for `entries` entries, with this seed.
    pub(crate) fn for_entries(device: &Device, entries: u64, seed: Seed) -> Result<Self, Error> {
        Self::with_seed(device, S::size(R::PACKED, entries)?, Tuning::default(), seed)
    }

    /// An empty table of a given size.
    ///
    /// # Errors
    /// As [`Table::with_capacity`]; [`Error::Refused`] as `admit` of the geometry returns it, for the sizes
    /// that have kernels.
    pub fn with_geometry(device: &Device, geometry: Geometry<S>) -> Result<Self, Error> {
        Self::with_tuning(device, geometry, Tuning::default())
    }

    /// An empty table of a given size whose kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`Table::with_geometry`].
    pub fn with_tuning(device: &Device, geometry: Geometry<S>, tuning: Tuning) -> Result<Self, Error> {
        Self::with_seed(device, geometry, tuning, Seed::random())
    }

    /// Creates a table as [`with_tuning`](Self::with_tuning) does, but `seed` decides the places of keys.
    /// Otherwise the seed is random, so that attackers cannot know it. Give a seed to reproduce a run, not to
    /// serve untrusted keys.
    ///
    /// # Errors
    /// As [`Table::with_geometry`].
    pub fn with_seed(
        device: &Device,
        geometry: Geometry<S>,
        tuning: Tuning,
        seed: Seed,
    ) -> Result<Self, Error> {
        let layout = R::layout(S::wide(device, tuning), S::MULTI);
        Self::with_layout(device, layout, (geometry, seed), tuning)
    }

    /// An empty table of this layout.
    pub(crate) fn with_layout(
        device: &Device,
        layout: Layout,
        (geometry, seed): (Geometry<S>, Seed),
        tuning: Tuning,
    ) -> Result<Self, Error> {
        let placed = S::place(device, layout, geometry, seed)?;
        // SAFETY: `Kernels::place` vouches for its plan; nothing else has the memory yet.
        unsafe { Self::of_plan(device, geometry, placed, tuning) }
    }

    /// A table of a plan.
    ///
    /// # Safety
    ///
    /// As [`DeviceTable::new`]; the plan is for these rows, this structure and this size.
    pub(crate) unsafe fn of_plan(
        device: &Device,
        geometry: Geometry<S>,
        (parts, plan): (S::Parts, Plan),
        tuning: Tuning,
    ) -> Result<Self, Error> {
        // SAFETY: the contract of this function.
        let on_device = unsafe { DeviceTable::new(device, plan, tuning)? };
        Ok(Self { on_device, geometry, parts, rows: PhantomData })
    }

    /// Deletes everything, on `stream`: all slots are empty, and all slabs of a pool are free.
    ///
    /// If only `stream` used the table since the last clear, this does not wait; otherwise it waits for the
    /// device first. The first call on another stream afterwards waits for `stream`. The table does not know
    /// of your own kernels on it ([`parts`](Self::parts)): wait for them yourself.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.on_device.clear(stream)
    }

    /// The device of the table.
    pub fn device(&self) -> &Device {
        self.on_device.device()
    }

    /// The layout of its entries in memory.
    pub fn layout(&self) -> Layout {
        self.on_device.family().layout
    }

    /// The addresses of its device memory, for your own kernels.
    pub fn parts(&self) -> S::Parts {
        self.parts
    }

    /// The seed that decides the places of its keys.
    pub fn seed(&self) -> Seed {
        S::seed(&self.parts)
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.on_device.bytes()
    }

    /// Its memory and kernels.
    pub(crate) fn on_device(&self) -> &DeviceTable {
        &self.on_device
    }

    /// The addresses of its device memory, and its memory and kernels, to be changed.
    pub(crate) fn both_mut(&mut self) -> (&mut S::Parts, &mut DeviceTable) {
        (&mut self.parts, &mut self.on_device)
    }

    /// Its memory and kernels, to be changed.
    pub(crate) fn on_device_mut(&mut self) -> &mut DeviceTable {
        &mut self.on_device
    }
}

impl<R: Row, S: Holds<R> + Buckets> Table<R, S> {
    /// Slots of a bucket of a large table. They have 64 bytes: 4 u64 pairs, 8 u64 keys or u32 pairs, and 16
    /// u32 keys. In all tables where keys move they are 8.
    pub const BUCKET_SLOTS: u32 = bucket_slots(R::PACKED, S::MOVES);

    /// The size of such a table for `entries` entries at a load; as [`OpenGeometry::new`]. A bucket has
    /// [`Table::BUCKET_SLOTS`] slots. Tables of up to 96 MiB have buckets of 4 u32 pairs (where keys move,
    /// only up to a load of 0.85: at more, some keys would find no room), or of 8 u32 keys. Much of such a
    /// table is in the L2 cache of a large GPU, which reads buckets of 32 bytes faster.
    ///
    /// # Errors
    /// As [`OpenGeometry::new`].
    pub fn size(entries: u64, load: f64) -> Result<OpenGeometry, Refused> {
        size((R::PACKED, S::MOVES), entries, load)
    }

    /// Moves all entries to a table of another size, or of the same one, so that slots of deleted entries are
    /// free again. Waits for work of other streams on the table, and until it is done. Takes memory for both
    /// tables meanwhile, and time proportional to the slots of the old one and the entries.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`OpenGeometry::admit`] does; [`Error::TableFull`] if
    /// the new table has no room for all entries, under this seed and another one. Nothing has changed then.
    pub fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        let device = self.device().clone();
        let (arrays, len) = S::slots(&self.parts);
        let mut full = Error::TableFull { pairs: 0, left_out: 0 };
        // With the old seed, entries stay near each other. Another seed is needed if keys were chosen for it.
        for seed in [self.seed(), Seed::random()] {
            let size = (geometry, seed);
            let mut moved = Self::with_layout(&device, self.layout(), size, self.on_device.tuning())?;
            let (own, own_len) = S::slots(&moved.parts);
            let left_out = moved.on_device.absorb(&mut self.on_device, (&arrays, len), (&own, own_len))?;
            if left_out == 0 {
                *self = moved;
                return Ok(());
            }
            full = Error::TableFull { pairs: moved.on_device.live()? + left_out, left_out };
        }
        Err(full)
    }
}

impl<R: Row, S: Holds<R>> BulkTable for Table<R, S> {
    type Error = Error;
    type Structure = S::Structure;
    type Entry = R::Entry;

    fn retrieve_all(&self) -> Result<Vec<R::Entry>, Error> {
        // SAFETY: the rows are the table's.
        unsafe { self.on_device.entries::<R>(false) }
    }

    fn len(&self) -> Result<u64, Error> {
        self.on_device.live()
    }

    fn stats(&self) -> Result<Stats<S>, Error> {
        Ok(S::stats(&self.on_device.numbers()?))
    }

    fn geometry(&self) -> Geometry<S> {
        self.geometry
    }

    fn clear(&mut self) -> Result<(), Error> {
        let stream = self.device().stream().clone();
        self.on_device.clear(&stream)?;
        stream.synchronize().map_err(Error::driver("waiting for a table to be cleared"))
    }
}

impl<R: Row, S: Holds<R> + Ordered> BulkOrdered for Table<R, S> {
    fn retrieve_all_in_order(&self) -> Result<Vec<R::Entry>, Error> {
        // SAFETY: the rows are the table's.
        unsafe { self.on_device.entries::<R>(true) }
    }
}

impl<R, S: Kernels> fmt::Debug for Table<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("structure", &S::Structure::NAME)
            .field("device", self.on_device.device())
            .field("layout", &self.on_device.family().layout)
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}
