//! Maps and sets in open-addressing tables.

mod apply;
mod fixed;
mod table;

pub use apply::Applies;
pub use fixed::Fixed;
pub(super) use table::{Beside, stats};
pub use table::{OPEN_LANES, OpenFilter, OpenWords};

use super::columns;
use super::error::Error;
use super::grid::{CpuTable, live, move_all, run};
use super::map::Map;
use super::packed::PackedEntry;
use super::set::Set;
use warpproof_model::Seed;
use warpproof_model::bits::{Integer, TableKey, TableValue};
use warpproof_model::host::{
    BulkCounter, BulkOrdered, BulkTable, OpenGeometry, OpenStats, Outcomes, Refused, Structure,
};
use warpproof_model::open::{BUCKET_SLOTS, BoundedStride};
use warpproof_model::outcome::Add;

/// Slots that each lane reads by default, in sets, in tables that grow, and where keys move.
pub(super) const LANE_SLOTS: usize = BUCKET_SLOTS / OPEN_LANES;

/// Slots of a bucket of an [`OpenMap`] by default. One lane reads them: a cache line of u64 pairs, half a
/// line of u32 pairs. Compared with two lanes and with eight slots in `notes/cpu.md`.
pub const OPEN_MAP_SLOTS: usize = 4;

/// A concurrent map in an open-addressing table in CPU memory.
///
/// `OpenMap<u32, u32>`, `OpenMap<i64, f64>` and the like. The table does not grow, and the slot of a deleted
/// pair is not used again. If none of the 512 buckets of a key has an empty slot, its insert returns
/// [`Full`](warpproof_model::Insert::Full), and nothing has changed. In tables of 2^21 slots that happened to
/// no key up to a load of 0.98 (`cargo test --test bounded_probes`). [`rehash`](Map::rehash) makes the slots
/// of deleted pairs free again, and [`stats`](BulkTable::stats) counts them. The width of a warp (`L` lanes
/// of `S` slots, together a bucket) only changes the speed. `P` decides which buckets a key probes: those
/// near its home ([`BoundedStride`]), or any ([`DoubleHashing`](warpproof_model::open::DoubleHashing)). A
/// [`CuckooMap`](super::CuckooMap) is for higher loads.
///
/// While a batch that is large beside a table of 2 MiB or more runs, it takes memory for a copy of its keys
/// and values, up to five bytes more for each key, and at most as much again as the answers take. Without
/// that memory it runs slower.
///
/// ```
/// use warpproof_simt::cpu::OpenMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = OpenMap::<u32, u32>::with_geometry(OpenMap::<u32, u32>::size(100, 0.9)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type OpenMap<K, V, const L: usize = 1, const S: usize = OPEN_MAP_SLOTS, P = BoundedStride> =
    Map<K, V, OpenWords<<(K, V) as PackedEntry>::Store, L, S, P>>;

/// A concurrent set of 32-bit or 64-bit keys in an open-addressing table in CPU memory. See [`OpenMap`].
///
/// ```
/// use warpproof_simt::cpu::OpenSet;
/// use warpproof_model::host::BulkSet;
///
/// let set = OpenSet::<u64>::build(&[1, 2, 3])?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type OpenSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS, P = BoundedStride> =
    Set<K, OpenWords<<(K, ()) as PackedEntry>::Store, L, S, P>>;

impl<K: TableKey, V: TableValue<T::Value>, T: FixedBuckets<Key = K::Bits>> Map<K, V, T> {
    /// Slots of a bucket.
    pub const BUCKET_SLOTS: u32 = T::BUCKET_SLOTS;

    /// The size of such a map for `pairs` pairs at a load; as [`OpenGeometry::new`].
    ///
    /// # Errors
    /// As [`OpenGeometry::new`].
    pub fn size(pairs: u64, load: f64) -> Result<OpenGeometry, Refused> {
        OpenGeometry::new(pairs, load, Self::BUCKET_SLOTS)
    }

    /// Moves all pairs to a table of another size, or of the same one, so that slots of deleted pairs are
    /// free again. Takes memory for both tables meanwhile, and time proportional to the slots of the old one
    /// and the pairs.
    ///
    /// # Errors
    /// As [`Map::with_geometry`]; [`Error::TableFull`] if the new table has no room for all pairs, under this
    /// seed and another one. Nothing has changed then.
    pub fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.table = rehashed(&self.table, geometry)?;
        Ok(())
    }
}

impl<K: TableKey, T: FixedBuckets<Key = K::Bits, Value = ()>> Set<K, T> {
    /// Moves all keys to a table of another size, or of the same one: as [`OpenMap::rehash`].
    ///
    /// # Errors
    /// As [`OpenMap::rehash`].
    pub fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
        self.table = rehashed(&self.table, geometry)?;
        Ok(())
    }
}

/// A table of another size with the same entries.
///
/// # Errors
/// As [`CpuTable::new`]; [`Error::TableFull`].
fn rehashed<T: FixedBuckets>(table: &T, geometry: OpenGeometry) -> Result<T, Error> {
    // Counts the entries only if they might not fit.
    let fits = geometry.slots() >= table.geometry().slots() || live(table) <= geometry.slots() as u64;
    // With the old seed, entries stay near each other. Another seed is needed if keys were chosen for it.
    let seeds = [table.seed(), Seed::random()];
    moved(table, geometry, if fits { &seeds } else { &[] })
}

/// A table of the same size with the same entries, with another seed if `other_seed`.
///
/// # Errors
/// As [`CpuTable::new`]; [`Error::TableFull`].
fn rebuilt<T: FixedBuckets>(table: &T, other_seed: bool) -> Result<T, Error> {
    let seeds = [table.seed(), Seed::random()];
    moved(table, table.geometry(), if other_seed { &seeds[1..] } else { &seeds })
}

/// A table with the same entries, and the first of these seeds that leaves room for all.
fn moved<T: FixedBuckets>(table: &T, geometry: OpenGeometry, seeds: &[Seed]) -> Result<T, Error> {
    for &seed in seeds {
        let moved = T::new(geometry, seed)?;
        if move_all(table, &moved) {
            return Ok(moved);
        }
    }
    let live = live(table);
    Err(Error::TableFull { pairs: live, left_out: live.saturating_sub(geometry.slots() as u64).max(1) })
}

/// A table of buckets, of a fixed size or one that grows.
pub trait Buckets: CpuTable<Structure: Structure<Geometry = OpenGeometry, Stats = OpenStats>> {
    /// Adds a pair, or its value to that of its key.
    fn insert_or_add(all: Self::AllKeys<'_>, w: &mut Self::Warp, key: Self::Key, value: Self::Value) -> Add;
}

/// A table of buckets of a fixed size, which can be rehashed to another size.
pub trait FixedBuckets: Buckets {
    /// Slots of a bucket.
    const BUCKET_SLOTS: u32;
    /// Bytes of a slot.
    const SLOT_BYTES: u32;

    /// Copies all words and the seed of a table of the same size, with all threads.
    fn copy_from(&mut self, from: &Self);
}

impl<K: TableKey, V: TableValue<T::Value> + Integer, T: Buckets<Key = K::Bits>> BulkCounter<K, V>
    for Map<K, V, T>
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        Self::values_match(keys, values)?;
        let insert = |keys: &[K], values: &[V]| {
            run(&self.table, keys, values, |t, w, key, value| T::insert_or_add(t, w, key, value.to_word()))
        };
        columns::insert_or_add(keys, values, insert).map(Outcomes::from)
    }
}

impl<K: TableKey, V: TableValue<T::Value>, T: Buckets<Key = K::Bits>> BulkOrdered for Map<K, V, T> {
    fn retrieve_all_in_order(&self) -> Result<Vec<(K, V)>, Error> {
        // Rayon joins the results in the order of the parts, and a bucket is visited from its lowest slot on.
        self.retrieve_all()
    }
}

impl<K: TableKey, T: Buckets<Key = K::Bits, Value = ()>> BulkOrdered for Set<K, T> {
    fn retrieve_all_in_order(&self) -> Result<Vec<K>, Error> {
        // In order for the same reasons as the pairs of a map.
        self.retrieve_all()
    }
}
