//! Maps and sets that grow: tables of open addressing that larger ones replace, between the parts of a batch.
//! Also [`SubmapMap`], which grows while your own warps work on it.

mod bulk;
mod submaps;
mod table;

pub use submaps::{SubmapMap, SubmapSet};
pub use table::DynamicWords;

use super::error::Error;
use super::grid::CpuTable as _;
use super::open::{Fixed, FixedBuckets as _, LANE_SLOTS, OPEN_LANES, OPEN_MAP_SLOTS, OpenMap, OpenSet};
use core::fmt;
use warpproof_model::Seed;
use warpproof_model::growth::{Growing, Locks, STEP, kept_load};
use warpproof_model::host::{BulkTable, OpenGeometry};

/// Entries that a table may have room for, even if it has fewer.
const SMALL: u64 = 1 << 14;

/// A concurrent map in CPU memory that grows: `DynamicMap<u32, u32>`, `DynamicMap<i64, f64>` and the like. It
/// is an [`OpenMap`] that a larger one replaces before it is too full.
///
/// ```
/// use warpproof_simt::cpu::DynamicMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = DynamicMap::<u64, u64>::with_capacity(100)?;
/// let keys: Vec<u64> = (0..10_000).collect();
/// map.insert_unique(&keys, &keys)?.all_stored()?;
/// assert_eq!(map.search(&[7, 10_000])?, [Some(7), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type DynamicMap<K, V, const L: usize = 1, const S: usize = OPEN_MAP_SLOTS> = Dynamic<OpenMap<K, V, L, S>>;

/// A concurrent set of 32-bit or 64-bit keys in CPU memory that grows. It is an [`OpenSet`] that a larger one
/// replaces before it is too full. See [`Dynamic`].
///
/// ```
/// use warpproof_simt::cpu::DynamicSet;
/// use warpproof_model::host::{BulkSet, BulkTable};
///
/// let set = DynamicSet::<u64>::with_capacity(2)?;
/// set.insert(&(0..10_000).collect::<Vec<u64>>())?.all_stored()?;
/// assert_eq!(set.len()?, 10_000);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type DynamicSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> = Dynamic<OpenSet<K, L, S>>;

/// A concurrent table in CPU memory that grows: a map or set `T` of open addressing, which a larger one
/// replaces before it is too full.
///
/// **Memory.** A table that never had more than n entries has at most 4 n slots at the default load of 0.8 (3
/// n divided by the load, and 2 % for sizes that a table cannot have), or the slots that it was made with, or
/// 21,000 (for 16,384 entries), whichever is more. This holds for all keys, and however often entries are
/// deleted and added. Entries that a running batch is about to store count too, also if another thread
/// deletes them meanwhile. If half of the slots that may be taken are of deleted entries, a table of the same
/// size without them replaces it. While entries move, there are two tables.
///
/// **Time.** If the table has no room for a batch, the distinct keys of the batch are estimated, so that the
/// table grows once for all of them. Many small batches make it three times as large each time, and each
/// entry moves half a time on average. All threads move them. Meanwhile every other call waits, searches too;
/// calls also wait while a thread waits to begin. If nothing moves, no search waits. Each part of a batch
/// takes three locks.
///
/// **Memory that runs out.** No insert is [`Full`](warpproof_model::Insert::Full), unless 2,048 keys or more
/// were chosen for one home and a known seed. A batch of such keys returns `Full`, and the table does not
/// grow for it; when it grows the next time, it takes another seed if necessary. If there is no memory to
/// grow, a batch ends with [`Error::OutOfMemory`], which says how many of its operations have run: the first
/// ones. The entries that they stored are in the table, and all earlier ones.
///
/// The protocol is [`warpproof_model::growth`].
pub struct Dynamic<T> {
    pub(super) growing: Growing<Locks<T>>,
}

impl<T: Fixed> Dynamic<T> {
    /// An empty table with room for `entries` entries before it grows.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the table would be too large to index.
    pub fn with_capacity(entries: u64) -> Result<Self, Error> {
        Self::at_load(entries, OpenGeometry::DEFAULT_LOAD)
    }

    /// An empty table with room for `entries` entries before it grows. At most `load` of its slots are taken,
    /// and never more than 0.98.
    ///
    /// # Errors
    /// As [`Dynamic::with_capacity`]; [`Error::Refused`] if the load is not above 0 and at most 1.
    pub fn at_load(entries: u64, load: f64) -> Result<Self, Error> {
        Self::with_seed(entries, load, Seed::random())
    }

    /// Creates a table as [`at_load`](Self::at_load) does, but `seed`, not a random one, decides the places
    /// of keys.
    ///
    /// # Errors
    /// As [`Dynamic::at_load`].
    pub fn with_seed(entries: u64, load: f64, seed: Seed) -> Result<Self, Error> {
        let load = kept_load(load);
        let table = T::of_size(OpenGeometry::new(entries, load, T::Words::BUCKET_SLOTS)?, seed)?;
        Ok(Self { growing: Growing::locked(table, load).in_steps_of(STEP, SMALL) })
    }

    /// The seed that decides the places of its keys. It stays when the table grows, unless keys were chosen
    /// for it.
    pub fn seed(&self) -> Seed {
        self.growing.table().words().seed()
    }

    /// Makes room for `more` entries besides the present ones, and removes the slots of deleted entries.
    /// Takes memory for both tables meanwhile, and time proportional to the slots.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Refused`]; nothing has changed then.
    pub fn reserve(&self, more: u64) -> Result<(), Error> {
        self.growing.resize_for(more)
    }

    /// Returns the memory that the entries do not need, and removes the slots of deleted ones.
    ///
    /// # Errors
    /// As [`Dynamic::reserve`].
    pub fn shrink(&self) -> Result<(), Error> {
        self.growing.resize_for(0)
    }
}

impl<T: Fixed> fmt::Debug for Dynamic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let geometry = BulkTable::geometry(&*self.growing.table());
        f.debug_struct("Dynamic").field("geometry", &geometry).finish_non_exhaustive()
    }
}
