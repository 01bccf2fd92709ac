//! Maps and sets that are paged: child tables of open addressing, some of which are in frames.

mod batch;
mod file;
mod memory;
mod partitioned;
#[cfg(test)]
mod tests;

use super::error::Error;
use super::grid::{CpuTable as _, room_for};
use super::open::{Fixed, FixedBuckets as _, LANE_SLOTS, OPEN_LANES, OPEN_MAP_SLOTS, OpenMap, OpenSet};
use core::fmt;
use memory::Memory;
use std::sync::{Mutex, MutexGuard, PoisonError};
use warpproof_model::Seed;
use warpproof_model::host::{OpenGeometry, PagedGeometry, Refused};
use warpproof_model::paged::host::{ChildSlots, Slots, child_seed};
use warpproof_model::paged::{Choice, Choose, Pager, Stream, Way};
use warpproof_model::partition::HashPartitions;

/// A concurrent map that is paged: `PagedMap<u32, u32>`, `PagedMap<i64, f64>` and the like, whose child
/// tables are [`OpenMap`]s. See [`Paged`].
///
/// ```
/// use warpproof_simt::cpu::PagedMap;
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// // For 100,000 pairs in child tables of 64 KiB, with 256 KiB for frames and batches.
/// let size = PagedMap::<u64, u64>::size(100_000, 0.8, 64 << 10, 256 << 10)?;
/// let map = PagedMap::<u64, u64>::with_geometry(size)?;
/// let keys: Vec<u64> = (0..100_000).collect();
/// map.insert_unique(&keys, &keys)?.all_stored()?;
/// assert_eq!(map.search(&[7, 100_000])?, [Some(7), None]);
/// assert!(map.stats()?.traffic.copies_in > 3);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type PagedMap<K, V, const L: usize = 1, const S: usize = OPEN_MAP_SLOTS> = Paged<OpenMap<K, V, L, S>>;

/// A concurrent set that is paged, of 32-bit or 64-bit keys, whose child tables are [`OpenSet`]s. See
/// [`Paged`].
///
/// ```
/// use warpproof_simt::cpu::PagedSet;
/// use warpproof_model::host::BulkSet;
///
/// let set = PagedSet::<u64>::with_budget(1_000, 1 << 20)?;
/// set.insert(&[1, 2, 3])?.all_stored()?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type PagedSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> = Paged<OpenSet<K, L, S>>;

/// A concurrent table that is partly in memory of a limited size, the *frames*. The whole table is in the
/// host's memory, as *images* of its *child tables*. A key belongs to one child table.
///
/// On a CPU both are ordinary memory, and a frame is no faster than an image. This type runs the paging that
/// a GPU needs, with the same [pager](warpproof_model::paged::Pager), without a GPU. If a table need not be
/// paged, use a [`DynamicMap`](super::DynamicMap) or an [`OpenMap`].
///
/// **Batches.** A batch is partitioned by the child tables of its keys, and makes one job for each.
/// [`Choose`] decides whether a job runs in place or in a frame, which then stays for later batches. Child
/// tables that are in frames come first. Batches wait for each other; all threads run each of them. A batch
/// that takes more than the budget leaves for it runs in parts.
///
/// **Room.** The table does not grow. If slots of deleted entries leave too little room in a child table, it
/// is rebuilt without them, and with another seed if keys were chosen for its own. An insert is
/// [`Full`](warpproof_model::Insert::Full), and changes nothing, if its child table has no room after that
/// either, or if there is no memory to rebuild it. At the load that the table was made for this never
/// happens. If less than one in sixty-four slots is left, each batch with a full child table may read all of
/// its slots.
///
/// **Memory.** Images and frames; for a batch a copy of its keys, values and answers, for as many operations
/// as the budget leaves room for, and at least 2^16; one child table during a rebuild. If memory is missing,
/// the call returns [`Error::OutOfMemory`] before the operations run that needed it.
pub struct Paged<T> {
    state: Mutex<State<T>>,
    /// Decides the child table of a key.
    children: HashPartitions,
    geometry: PagedGeometry,
}

/// The part that batches change.
struct State<T> {
    pager: Pager<Stream>,
    choice: Choice,
    memory: Memory<T>,
    slots: Vec<ChildSlots>,
    rebuilt: u64,
}

impl<T: Fixed> Paged<T> {
    /// The size of such a table for `entries` entries at a load: child tables of up to `child_bytes` bytes,
    /// at least 4 KiB, and a `budget` in bytes for frames and batches. As [`PagedGeometry::new`].
    ///
    /// # Errors
    /// As [`PagedGeometry::new`].
    pub fn size(entries: u64, load: f64, child_bytes: u64, budget: u64) -> Result<PagedGeometry, Refused> {
        PagedGeometry::new(entries, load, Self::slots(), (child_bytes, budget))
    }

    /// An empty table for `entries` entries, with child tables of 64 MiB at most.
    ///
    /// # Errors
    /// As [`with_geometry`](Self::with_geometry).
    pub fn with_budget(entries: u64, budget: u64) -> Result<Self, Error> {
        let (load, child_bytes) = (OpenGeometry::DEFAULT_LOAD, PagedGeometry::CHILD_BYTES);
        Self::with_geometry(Self::size(entries, load, child_bytes, budget)?)
    }

    /// An empty table of a given size, all of whose jobs run in frames if there are any.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or [`Error::Refused`] if the child tables are of another size than this
    /// type's, or the size has a board of fingerprints, which is only for memory that is expensive to reach.
    pub fn with_geometry(geometry: PagedGeometry) -> Result<Self, Error> {
        Self::with_seed(geometry, Choose::Always(Way::Resident), Seed::random())
    }

    /// An empty table of a given size. `choose` decides the way of its jobs, and `seed` the places of its
    /// keys. Give a seed to repeat a run, not to serve strangers.
    ///
    /// # Errors
    /// As [`with_geometry`](Self::with_geometry).
    pub fn with_seed(geometry: PagedGeometry, choose: Choose, seed: Seed) -> Result<Self, Error> {
        geometry.admit(T::Words::BUCKET_SLOTS)?;
        if geometry.board {
            let (what, found) = ("bytes of a board of fingerprints on a CPU", geometry.board_bytes());
            return Err(Refused::TooLarge { what, found, most: 0 }.into());
        }
        let children = geometry.children;
        let mut memory = Memory { images: room_for(children as usize)?, frames: Vec::new() };
        for child in 0..children {
            memory.images.push(T::of_size(geometry.child, child_seed(seed, child))?);
        }
        let child_bytes = memory.images.first().map_or(1, |image| image.words().bytes() as u64);
        let frames = geometry.frames(child_bytes);
        memory.frames = room_for(frames as usize)?;
        for _ in 0..frames {
            memory.frames.push(T::of_size(geometry.child, seed)?);
        }
        let no_memory = |_| Error::no_memory_for::<[u64; 16]>(children as usize);
        let pager = Pager::new(children, frames).map_err(no_memory)?;
        let choice = Choice::new(children, child_bytes, choose).map_err(no_memory)?;
        let mut slots = room_for(children as usize)?;
        slots.resize(children as usize, ChildSlots::default());
        let state = Mutex::new(State { pager, choice, memory, slots, rebuilt: 0 });
        Ok(Self { state, children: HashPartitions::new(children, seed), geometry })
    }

    /// Sets how the ways of jobs are chosen, from the next batch on.
    pub fn set_choose(&self, choose: Choose) {
        self.state().choice.set(choose);
    }

    /// The seed that decides the child tables of its keys.
    pub fn seed(&self) -> Seed {
        self.children.seed()
    }

    /// Slots of its child tables.
    fn slots() -> Slots {
        Slots { bucket_slots: T::Words::BUCKET_SLOTS, slot_bytes: T::Words::SLOT_BYTES }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // A batch that panicked has left whole tables; they are counted before the next batch.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Fixed> fmt::Debug for Paged<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paged").field("geometry", &self.geometry).finish_non_exhaustive()
    }
}
