//! Maps and sets that grow while your own warps work on them.

use super::table::DynamicWords;
use crate::cpu::error::Error;
use crate::cpu::map::Map;
use crate::cpu::open::{LANE_SLOTS, OPEN_LANES};
use crate::cpu::packed::{PackedEntry, PackedWords};
use crate::cpu::set::Set;
use warpproof_model::entry::Packed;

/// A concurrent map in CPU memory that grows while your own warps work on it ([`Map::table`]): open
/// addressing in submaps, each as large as all before it.
///
/// An insert that finds no room allocates another submap, while other operations go on; no pair moves, and no
/// search waits. An insert is [`Full`](warpproof_model::Insert::Full) if there is no memory, or if less than
/// a sixteenth of a sample of the slots is taken, as its key was then chosen for a known seed. Nothing has
/// changed in either case. A search reads up to four buckets of each submap before that of its key. Only
/// [`SubmapMap::compact`] frees the slots of deleted pairs. A [`DynamicMap`](super::DynamicMap) has neither
/// cost, but moves its pairs when it grows.
///
/// ```
/// use warpproof_simt::cpu::dynamic::SubmapMap;
/// use warpproof_model::host::BulkMap;
///
/// let mut map = SubmapMap::<u64, u64>::with_capacity(100)?;
/// let keys: Vec<u64> = (0..10_000).collect();
/// map.insert_unique(&keys, &keys)?.all_stored()?;
/// map.compact()?;
/// assert_eq!(map.search(&[7, 10_000])?, [Some(7), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type SubmapMap<K, V, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Map<K, V, DynamicWords<<(K, V) as PackedEntry>::Store, L, S>>;

/// A concurrent set of 32-bit or 64-bit keys in CPU memory that grows while your own warps work on it. See
/// [`SubmapMap`].
pub type SubmapSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Set<K, DynamicWords<<(K, ()) as PackedEntry>::Store, L, S>>;

impl<K, V, St, const L: usize, const S: usize> Map<K, V, DynamicWords<St, L, S>>
where
    St: PackedWords,
{
    /// Moves all pairs to one submap of a fitting size: then searches read one bucket again, the slots of
    /// deleted pairs are free, and memory that is not needed is returned. Takes memory for both meanwhile,
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
    St: PackedWords<Entry: Packed<Value = ()>>,
{
    /// Moves all keys to one submap: as [`SubmapMap::compact`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn compact(&mut self) -> Result<(), Error> {
        self.table = self.table.compacted()?;
        Ok(())
    }
}
