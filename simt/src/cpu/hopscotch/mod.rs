//! Maps and sets in hopscotch tables.

mod table;

pub use table::{HOPSCOTCH_LANES, HopscotchWords};

use super::map::Map;
use super::packed::PackedEntry;
use super::set::Set;
use warpproof_model::hopscotch::{GROUP_WORDS, REACH};

/// Words that each lane reads by default.
const LANE_WORDS: usize = GROUP_WORDS / HOPSCOTCH_LANES;

/// A concurrent map in a hopscotch table in CPU memory.
///
/// `HopscotchMap<u32, u32>`, `HopscotchMap<i64, f64>` and the like. The table does not grow. If no room can
/// be made near a key, its insert returns [`Full`](warpproof_model::Insert::Full), and nothing has changed.
/// The width of a warp (`L` lanes of `S` words) only changes the speed; `N` is the number of groups of a
/// neighbourhood.
///
/// ```
/// use warpproof_simt::cpu::HopscotchMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = HopscotchMap::<u32, u32>::with_capacity(100)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type HopscotchMap<
    K,
    V,
    const L: usize = HOPSCOTCH_LANES,
    const S: usize = LANE_WORDS,
    const N: u32 = REACH,
> = Map<K, V, HopscotchWords<<(K, V) as PackedEntry>::Store, L, S, N>>;

/// A concurrent set of 32-bit or 64-bit keys in a hopscotch table in CPU memory. See [`HopscotchMap`].
///
/// ```
/// use warpproof_simt::cpu::HopscotchSet;
/// use warpproof_model::host::BulkSet;
///
/// let set = HopscotchSet::<i64>::with_capacity(100)?;
/// set.insert(&[-1, 2])?.all_stored()?;
/// set.delete(&[-1])?;
/// assert_eq!(set.contains(&[-1, 2])?, [false, true]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type HopscotchSet<
    K,
    const L: usize = HOPSCOTCH_LANES,
    const S: usize = LANE_WORDS,
    const N: u32 = REACH,
> = Set<K, HopscotchWords<<(K, ()) as PackedEntry>::Store, L, S, N>>;
