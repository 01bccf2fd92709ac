//! Maps and sets that grow while they are used.

mod table;

pub use table::DynamicWords;

use super::error::Error;
use super::map::Map;
use super::open::{LANE_SLOTS, OPEN_LANES};
use super::packed::{PackedEntry, PackedWords};
use super::set::Set;
use warpproof_model::entry::Packed;
use warpproof_model::{Key, Word};

/// A concurrent map in CPU memory that grows while it is used.
///
/// `DynamicMap<u32, u32>` or `DynamicMap<u64, u64>`: open addressing in submaps, each as large as all before
/// it. The insert that finds no room takes the memory for another one, while other operations go on; no pair
/// moves. An insert answers [`Full`](warpproof_model::Insert::Full) if there is no memory, and nothing has
/// changed then. [`DynamicMap::compact`] moves all pairs to one submap, which searches are faster in.
///
/// ```
/// use warpproof_simt::cpu::DynamicMap;
/// use warpproof_model::host::BulkMap;
///
/// let mut map = DynamicMap::<u64, u64>::with_capacity(100)?;
/// let keys: Vec<u64> = (0..10_000).collect();
/// map.insert_unique(&keys, &keys)?;
/// map.compact()?;
/// assert_eq!(map.search(&[7, 10_000])?, [Some(7), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type DynamicMap<K, V, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Map<K, V, DynamicWords<<(K, V) as PackedEntry>::Store, L, S>>;

/// A concurrent set of u32 or u64 keys in CPU memory that grows while it is used. See [`DynamicMap`].
///
/// ```
/// use warpproof_simt::cpu::DynamicSet;
/// use warpproof_model::host::{BulkSet, BulkTable};
///
/// let set = DynamicSet::<u64>::with_capacity(2)?;
/// set.insert(&(0..10_000).collect::<Vec<u64>>())?;
/// assert_eq!(set.len()?, 10_000);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type DynamicSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Set<K, DynamicWords<<(K, ()) as PackedEntry>::Store, L, S>>;

impl<K, V, St, const L: usize, const S: usize> Map<K, V, DynamicWords<St, L, S>>
where
    K: Key,
    V: Word,
    St: PackedWords<Entry: Packed<Key = K, Value = V>>,
{
    /// Moves all pairs to one submap, of a size for as many: searches read one bucket again, the slots of
    /// deleted pairs are free, and memory that is not needed is given back. Takes memory for both meanwhile,
    /// and time proportional to the slots.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn compact(&mut self) -> Result<(), Error> {
        self.table = self.table.compacted()?;
        Ok(())
    }
}

impl<K, St, const L: usize, const S: usize> Set<K, DynamicWords<St, L, S>>
where
    K: Key,
    St: PackedWords<Entry: Packed<Key = K, Value = ()>>,
{
    /// Moves all keys to one submap: as [`DynamicMap::compact`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn compact(&mut self) -> Result<(), Error> {
        self.table = self.table.compacted()?;
        Ok(())
    }
}
