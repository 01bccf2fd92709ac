//! Tables that are paged: child tables in the host's memory, some of which are in frames of the device's.

mod batch;
pub(crate) mod board;
mod bulk;
mod child;
mod file;
mod memory;
mod on_stream;
pub(crate) mod partition;
mod rebuild;

use crate::device::Device;
use crate::error::Error;
use crate::faults::Faults;
use crate::handle::Table;
use crate::layout::Layout;
use crate::row::Row;
use crate::structures::Kernels as _;
use crate::structures::open::sizes::child_bucket_slots;
use crate::table::Tuning;
use board::Board;
use core::fmt;
use cudarc::driver::CudaStream;
use memory::{Event, Memory};
use partition::Partitioner;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpproof_model::Seed;
use warpproof_model::host::structure::{self, Open};
use warpproof_model::host::{
    BulkPaged, BulkTable, OpenGeometry, OpenStats, PagedGeometry, PagedStats, Refused, SinkOf,
};
use warpproof_model::paged::host::{ChildSlots, Paging, Slots};
use warpproof_model::paged::{Access, Choice, Choose, Pager, Place, Prices, Stream, Way};

/// A concurrent map larger than the memory of the device: `PagedMap<u32, u32>`, `PagedMap<u64, u64>` and the
/// like. See [`Paged`].
///
/// ```no_run
/// use warpproof_gpu::{Device, PagedMap};
/// use warpproof_model::host::BulkMap;
///
/// // A billion pairs, of which 1 GiB is in device memory.
/// let map = PagedMap::<u64, u64>::with_budget(&Device::open(0)?, 1_000_000_000, 1 << 30)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type PagedMap<K, V> = Paged<(K, V)>;

/// A concurrent set larger than the memory of the device. See [`Paged`].
pub type PagedSet<K> = Paged<(K,)>;

/// The least operations of a batch that run at a time, whatever the budget is.
const LEAST: usize = 1 << 16;
/// The most operations of a batch that run at a time: they are counted in 32 bits.
const MOST: usize = 1 << 30;

/// A concurrent table that is partly in the device's memory: a map of rows `(K, V)`, or a set of rows `(K,)`.
///
/// Its *child tables*, of 64 MiB by default, are tables of open addressing in page-locked memory of the host.
/// A key belongs to one of them. The device's memory has *frames* for some. A batch is partitioned by child
/// tables, and makes one job for each. The kernels of a job work on its table in place, over the bus, in the
/// order of its slots; or in a frame. A table that is not in a frame is copied there first, and stays until
/// another one needs the frame. [`Choose`] decides which way. Copies run beside jobs. The protocol is
/// [`warpproof_model::paged`].
///
/// **Batches.** Calls on device slices wait for their stream, as the host decides by the numbers of
/// operations. Batches wait for each other. A batch runs in parts if the budget leaves too little memory for
/// it.
///
/// **Room.** The table does not grow. If slots of deleted entries leave too little room in a child table, it
/// is rebuilt without them, and with another seed if keys were chosen for its own. An insert is
/// [`Full`](warpproof_model::Insert::Full), and changes nothing, if its child table has no room after that
/// either, or if there is no memory to rebuild it. At the load that the table was made for this never
/// happens.
///
/// **Board.** A table whose size has a board ([`PagedGeometry::with_board`]) has a byte in device memory for
/// each slot, which shows whether an operation has to read the slot. So a search of an absent key seldom
/// reads over the bus, a search of a present key reads one slot, and an insert writes one without waiting.
/// Boards are for tables that work in place.
///
/// **Memory.** Device memory for frames and for batches, as the geometry says. The copy of a batch of host
/// slices is part of that; device slices of the caller are not. Besides that, memory for 2^16 operations
/// whatever the budget is, some words for each child table, and memory for one child table during a rebuild.
/// Page-locked host memory for each child table from its first use on. If there is none, the call returns
/// [`Error::OutOfMemory`], and no operation of that part of the batch has run.
///
/// **Errors.** [`Error::OutOfMemory`] says how many operations have run: the first ones of the batch, and no
/// others. After [`Error::Driver`] or [`Error::Kernel`] any of the batch may have run. Earlier entries are
/// kept, and the table works as long as the driver does. Later batches count the child tables whose number of
/// entries became unknown, in time proportional to their slots.
pub struct Paged<R: Row> {
    state: Mutex<State<R>>,
    geometry: PagedGeometry,
    layout: Layout,
    seed: Seed,
    device: Device,
}

/// The part that batches change.
struct State<R: Row> {
    pager: Pager<Event>,
    choice: Choice,
    slots: Vec<ChildSlots>,
    rebuilt: u64,
    geometry: PagedGeometry,
    partitioner: Partitioner,
    board: Option<Board>,
    /// Dropped last: it waits for the device.
    memory: Memory<R>,
}

impl<R: Row> Paged<R> {
    /// The costs of both ways, measured on an H100 with 16 lanes of PCIe 5 (notes/paged.md); a copy by the
    /// byte.
    pub const PRICES: Prices = Prices {
        reads_in_place: 2.3,
        writes_in_place: 5.6,
        in_frame: 0.2,
        copy_in_byte: 0.02,
        copy_back_byte: 0.004,
    };

    /// The way is chosen by [`PRICES`](Self::PRICES).
    pub const CHEAPER: Choose = Choose::Cheaper(Self::PRICES);

    /// The costs of both ways in a table with a board of fingerprints, measured on an H200 (notes/paged.md).
    pub const BOARD_PRICES: Prices = Prices { reads_in_place: 1.4, writes_in_place: 1.6, ..Self::PRICES };

    /// The way is chosen by the prices of a table of this size.
    pub const fn cheaper(size: &PagedGeometry) -> Choose {
        Choose::Cheaper(if size.board { Self::BOARD_PRICES } else { Self::PRICES })
    }

    /// The size of such a table for `entries` entries at a load: child tables of up to `child_bytes` bytes,
    /// and a `budget` of device memory in bytes. As [`PagedGeometry::new`].
    ///
    /// # Errors
    /// As [`PagedGeometry::new`].
    pub fn size(entries: u64, load: f64, child_bytes: u64, budget: u64) -> Result<PagedGeometry, Refused> {
        PagedGeometry::new(entries, load, Self::slots(), (child_bytes, budget))
    }

    /// Slots of its child tables.
    fn slots() -> Slots {
        Slots { bucket_slots: child_bucket_slots(R::PACKED), slot_bytes: R::PACKED.slot_bytes() }
    }

    /// An empty table for `entries` entries, with child tables of 64 MiB at most and a budget of device
    /// memory.
    ///
    /// # Errors
    /// As [`with_seed`](Self::with_seed).
    pub fn with_budget(device: &Device, entries: u64, budget: u64) -> Result<Self, Error> {
        let (load, child_bytes) = (OpenGeometry::DEFAULT_LOAD, PagedGeometry::CHILD_BYTES);
        Self::with_geometry(device, Self::size(entries, load, child_bytes, budget)?)
    }

    /// An empty table of a given size, whose jobs take the cheaper way.
    ///
    /// # Errors
    /// As [`with_seed`](Self::with_seed).
    pub fn with_geometry(device: &Device, geometry: PagedGeometry) -> Result<Self, Error> {
        Self::with_seed(device, geometry, Self::cheaper(&geometry), Tuning::default(), Seed::random())
    }

    /// An empty table of a given size. `choose` decides the way of its jobs, `tuning` how they run, and
    /// `seed` the places of its keys.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the child tables are of another size than this type's,
    /// or more than 8,192; [`Error::NoKernel`] for a board of a map with 64-bit keys on a device without
    /// 128-bit words (before sm_90), or with a tuning that has no such kernel.
    pub fn with_seed(
        device: &Device,
        geometry: PagedGeometry,
        choose: Choose,
        tuning: Tuning,
        seed: Seed,
    ) -> Result<Self, Error> {
        geometry.admit(child_bucket_slots(R::PACKED))?;
        let children = geometry.children;
        let layout = R::layout(Open::wide(device, tuning), false);
        let faults = Faults::default();
        let partitioner = Partitioner::new::<R>(
            device,
            (children, seed),
            (geometry.child, layout),
            (tuning, faults.clone()),
        )?;
        let probes = if layout.lock_word() { 2 } else { 1 };
        let slot_bytes = u64::from(layout.probe_bytes()) * probes;
        let child_bytes = (geometry.child.slots() as u64 + layout.reserved_keys()) * slot_bytes
            + geometry.child.filter_bytes() as u64;
        let frames = geometry.frames(child_bytes);
        let memory = Memory::new(device, (geometry.child, children, frames), (tuning, seed), faults)?;
        let no_memory = |_| Error::OutOfMemory { what: "child tables", bytes: children.into(), ran: 0 };
        let pager = Pager::new(children, frames).map_err(no_memory)?;
        let choice = Choice::new(children, child_bytes, choose).map_err(no_memory)?;
        let mut slots = crate::host::room("child tables", children as usize)?;
        slots.resize(children as usize, ChildSlots::default());
        let mut seeds = crate::host::room("child tables", children as usize)?;
        seeds.extend(memory.seeds().iter().map(|seed| seed.words()));
        partitioner.sorter.set_seeds(0, &seeds, memory.stream(Stream::Run))?;
        let board = match geometry.board {
            true => {
                let size = (children, geometry.child);
                Some(Board::new(device, size, layout, (&partitioner, memory.stream(Stream::Run)))?)
            }
            false => None,
        };
        let state = State { pager, choice, slots, rebuilt: 0, geometry, partitioner, board, memory };
        Ok(Self { state: Mutex::new(state), geometry, layout, seed, device: device.clone() })
    }

    /// Deletes everything, after the work queued on `stream`. Waits.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        stream.synchronize().map_err(Error::driver("waiting for the stream of a table"))?;
        BulkTable::clear(self)
    }

    /// The device of the table.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The layout of its entries in memory.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Sets how the ways of jobs are chosen, from the next batch on.
    pub fn set_choose(&self, choose: Choose) {
        self.state().choice.set(choose);
    }

    /// The seed that decides the child tables of its keys.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Device memory that it takes now, in bytes: frames, and the memory of batches so far.
    pub fn bytes(&self) -> u64 {
        let state = self.state();
        state.memory.frame_bytes() + state.partitioner.bytes() + state.board.as_ref().map_or(0, Board::bytes)
    }

    /// Page-locked host memory that it takes now, in bytes. Batches on host slices take 12 MiB more, which
    /// the device keeps; threads that never call at the same time share it.
    pub fn host_bytes(&self) -> u64 {
        self.state().memory.image_bytes()
    }

    /// Lets call number `call` of the driver from now on fail, counted from 1, or none if it is 0: for tests.
    /// Returns the rest of the last count: 0 if that call has failed.
    #[doc(hidden)]
    pub fn fail_call(&self, call: u64) -> u64 {
        self.state().memory.faults().set(call)
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        // A batch that panicked has left whole tables; they are counted before the next batch.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes all entries to `sink`, one child table at a time; each needs host memory for its entries.
    /// Nothing else uses the table meanwhile, and neither may the sink.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`]; any error of the sink, after which it is not called again.
    pub fn retrieve_to(&self, mut sink: impl FnMut(Vec<R::Entry>) -> Result<(), Error>) -> Result<(), Error> {
        self.state().each(Access::Reads, |_, table| sink(BulkTable::retrieve_all(table)?))
    }
}

impl<R: Row> State<R> {
    /// Runs `f` on each child table that has memory, where it is.
    fn each(
        &mut self,
        access: Access,
        mut f: impl FnMut(u32, &mut Table<R, Open>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for child in 0..self.pager.children() {
            if self.memory.has(child) {
                let job = |memory: &mut Memory<R>, place: Place| f(child, memory.table_mut(child, place)?);
                self.pager.run(&mut self.memory, child, (access, Way::InPlace), job)?;
            }
        }
        Ok(())
    }
}

impl<R: Row> BulkTable for Paged<R> {
    type Error = Error;
    type Structure = structure::Paged;
    type Entry = R::Entry;

    fn retrieve_all(&self) -> Result<Vec<R::Entry>, Error> {
        let mut all = Vec::new();
        self.retrieve_to(|mut entries| {
            crate::host::reserve(&mut all, "entries", entries.len())?;
            all.append(&mut entries);
            Ok(())
        })?;
        Ok(all)
    }

    /// Time proportional to the number of child tables.
    fn len(&self) -> Result<u64, Error> {
        let mut state = self.state();
        (0..self.geometry.children).try_for_each(|child| state.know(child))?;
        Ok(state.slots.iter().map(ChildSlots::live).sum())
    }

    fn stats(&self) -> Result<PagedStats, Error> {
        let mut state = self.state();
        let (traffic, choices) = (state.pager.traffic(), state.choice.choices());
        let resident = (0..state.pager.children()).filter(|&child| state.pager.is_resident(child)).count();
        let (mut slots, mut child_bytes) = (OpenStats::default(), 0);
        state.each(Access::Reads, |_, table| {
            slots = slots.merge(&BulkTable::stats(table)?);
            child_bytes = table.bytes();
            Ok(())
        })?;
        let (resident, rebuilt) = (resident as u32, state.rebuilt);
        Ok(PagedStats { slots, resident, rebuilt, traffic, choices, child_bytes })
    }

    fn geometry(&self) -> PagedGeometry {
        self.geometry
    }

    fn clear(&mut self) -> Result<(), Error> {
        let mut state = self.state();
        state.slots.iter_mut().for_each(ChildSlots::begin);
        if let Some(board) = &mut state.board {
            board.set_stale(None, true);
        }
        state.each(Access::Writes, |_, table| BulkTable::clear(table))?;
        let state = &mut *state;
        if let Some(board) = &mut state.board {
            board.clear(&state.partitioner, state.memory.stream(Stream::Run))?;
            board.set_stale(None, false);
        }
        state.slots.fill(ChildSlots::default());
        Ok(())
    }
}

impl<R: Row> BulkPaged for Paged<R> {
    fn paging(&self) -> Paging {
        let state = self.state();
        let (traffic, choices) = (state.pager.traffic(), state.choice.choices());
        Paging { traffic, choices, child_bytes: state.choice.child_bytes() }
    }

    fn retrieve_to(&self, sink: SinkOf<'_, Self>) -> Result<(), Error> {
        Self::retrieve_to(self, sink)
    }
}

impl<R: Row> fmt::Debug for Paged<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paged")
            .field("device", &self.device)
            .field("layout", &self.layout)
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}
