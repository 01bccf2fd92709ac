//! Tables that grow: open addressing in a table that a larger one replaces.

use crate::device::Device;
use crate::error::Error;
use crate::handle::Table;
use crate::layout::Layout;
use crate::row::Row;
use crate::table::Tuning;
use core::fmt;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::Seed;
use warpproof_model::growth::{Growing, Locks, Rehash, STEP, kept_load};
use warpproof_model::host::structure::{self, Open};
use warpproof_model::host::{BulkOrdered, BulkTable, OpenGeometry, OpenStats};

/// A concurrent map in device memory that grows: `DynamicMap<u32, u32>` or `DynamicMap<u64, u64>`. It is an
/// [`OpenMap`](crate::OpenMap) that a larger one replaces before it is too full.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicMap};
/// use warpproof_model::host::BulkMap;
///
/// let map = DynamicMap::<u64, u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// map.insert_unique(&keys, &keys)?.all_stored()?;
/// assert_eq!(map.search(&[2, 10_000_000])?, [Some(2), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type DynamicMap<K, V> = Dynamic<(K, V)>;

/// A concurrent set of 32-bit or 64-bit keys in device memory that grows. It is an
/// [`OpenSet`](crate::OpenSet) that a larger one replaces before it is too full.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicSet};
/// use warpproof_model::host::BulkSet;
///
/// let set = DynamicSet::<u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// set.insert(&keys)?.all_stored()?;
/// assert_eq!(set.contains(&[2, 10_000_000])?, [true, false]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type DynamicSet<K> = Dynamic<(K,)>;

mod bulk;
mod on_stream;
mod outcomes;

/// Entries that an empty table has room for.
const FIRST: u64 = 1 << 16;

/// Entries that a table may have room for, even if it has fewer.
const SMALL: u64 = 1 << 20;

/// A concurrent table in device memory that grows: a map of rows `(K, V)`, or a set of rows `(K,)`.
///
/// It is a table of open addressing. Before it would be too full, it moves all entries to a larger one. A
/// kernel cannot allocate memory, so the table grows between the chunks of a batch, never within one;
/// operations of other threads wait until it has grown. No insert is [`Full`](warpproof_model::Insert::Full),
/// unless thousands of keys were chosen for one home and a known seed. If there is no memory to grow, a batch
/// ends with [`Error::OutOfMemory`], which says how many of its operations have run: the first ones.
///
/// **Memory.** Between two batches, a table that never had more than n entries has at most 4 n slots at the
/// default load of 0.8 (3 n divided by the load, and 2 % for sizes that a table cannot have), or the slots
/// that it was made with, or 1,340,000 (for 2^20 entries), whichever is more. This holds for all keys, and
/// however often entries are deleted and added. A batch makes room at once for all entries that it seems to
/// store, by the share of new keys among its first operations. If it stored fewer, the entries move to a
/// smaller table at its end; if there is no memory for that, the table stays as it is. If half of the slots
/// that may be taken are of deleted entries, a table of the same size without them replaces it. While entries
/// move, there are two tables.
///
/// On host slices, its operations are those of [`BulkMap`](warpproof_model::host::BulkMap) or
/// [`BulkSet`](warpproof_model::host::BulkSet), through staging buffers that the device keeps; they need no
/// room for the whole batch on the device. There is no call through staging buffers of the caller: growth
/// allocates memory between two chunks of a batch anyway. On device slices, inserts wait for their stream, as
/// their outcomes say whether there is room; searches and deletes do not.
pub struct Dynamic<R: Row> {
    pub(crate) growing: Growing<Locks<Table<R, Open>>>,
    device: Device,
}

impl<R: Row> Rehash for Table<R, Open> {
    type Error = Error;

    fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Error> {
        self.rehash(Self::size(entries, load)?)
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkTable::stats(self)
    }
    fn slots(&self) -> u64 {
        BulkTable::geometry(self).slots() as u64
    }
    fn is_out_of_memory(error: &Error) -> bool {
        matches!(error, Error::OutOfMemory { .. })
    }
}

impl<R: Row> Dynamic<R> {
    /// An empty table of a small default size.
    ///
    /// # Errors
    /// As [`Table::with_capacity`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        Self::with_capacity(device, FIRST)
    }

    /// An empty table with room for `entries` entries before it grows.
    ///
    /// # Errors
    /// As [`Table::with_capacity`].
    pub fn with_capacity(device: &Device, entries: u64) -> Result<Self, Error> {
        Self::at_load(device, entries, OpenGeometry::DEFAULT_LOAD)
    }

    /// An empty table with room for `entries` entries before it grows. At most `load` of its slots are taken,
    /// and never more than 0.98.
    ///
    /// # Errors
    /// As [`Table::with_capacity`]; [`Error::Refused`] if the load is not above 0 and at most 1.
    pub fn at_load(device: &Device, entries: u64, load: f64) -> Result<Self, Error> {
        Self::with_tuning(device, entries, load, Tuning::default())
    }

    /// An empty table with room for `entries` entries at a load. Its kernels run as `tuning` says.
    ///
    /// # Errors
    /// As [`Dynamic::at_load`].
    pub fn with_tuning(device: &Device, entries: u64, load: f64, tuning: Tuning) -> Result<Self, Error> {
        Self::with_seed(device, entries, load, tuning, Seed::random())
    }

    /// Creates a table as [`with_tuning`](Self::with_tuning) does, but `seed`, instead of a random seed,
    /// decides the places of keys.
    ///
    /// # Errors
    /// As [`Dynamic::at_load`].
    pub fn with_seed(
        device: &Device,
        entries: u64,
        load: f64,
        tuning: Tuning,
        seed: Seed,
    ) -> Result<Self, Error> {
        let load = kept_load(load);
        let table = Table::with_seed(device, Table::<R, Open>::size(entries, load)?, tuning, seed)?;
        let growing = Growing::locked(table, load).in_steps_of(STEP, SMALL).between_batches();
        Ok(Self { growing, device: device.clone() })
    }

    /// Makes room for `more` entries besides the present ones, and removes tombstones. A batch that grows the
    /// table at the same time may give that room back at its end.
    ///
    /// # Errors
    /// As [`Table::rehash`]; nothing has changed then.
    pub fn reserve(&self, more: u64) -> Result<(), Error> {
        self.growing.resize_for(more)
    }

    /// Returns the memory that the entries do not need, and removes tombstones.
    ///
    /// # Errors
    /// As [`Table::rehash`]; nothing has changed then.
    pub fn shrink(&self) -> Result<(), Error> {
        self.growing.resize_for(0)
    }

    /// Deletes everything, on `stream`; the size stays. Waits as [`Table::clear_on`] does.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Driver`].
    pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        self.growing.clear(|table| table.clear_on(stream))
    }

    /// The device of the table.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The layout of its entries in memory.
    pub fn layout(&self) -> Layout {
        self.growing.table().layout()
    }

    /// The seed that decides the places of its keys. It stays when the table grows, unless keys were chosen
    /// for it.
    pub fn seed(&self) -> Seed {
        self.growing.table().seed()
    }

    /// Device memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.growing.table().bytes()
    }
}

impl<R: Row> BulkTable for Dynamic<R> {
    type Error = Error;
    type Structure = structure::Dynamic;
    type Entry = R::Entry;

    fn retrieve_all(&self) -> Result<Vec<R::Entry>, Error> {
        self.growing.table().retrieve_all()
    }
    fn len(&self) -> Result<u64, Error> {
        self.growing.table().len()
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        BulkTable::stats(&*self.growing.table())
    }
    fn geometry(&self) -> OpenGeometry {
        BulkTable::geometry(&*self.growing.table())
    }
    fn clear(&mut self) -> Result<(), Error> {
        self.growing.clear(BulkTable::clear)
    }
}

impl<R: Row> BulkOrdered for Dynamic<R> {
    fn retrieve_all_in_order(&self) -> Result<Vec<R::Entry>, Error> {
        self.growing.table().retrieve_all_in_order()
    }
}

impl<R: Row> fmt::Debug for Dynamic<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dynamic").field("table", &*self.growing.table()).finish_non_exhaustive()
    }
}
