//! Maps and sets in chains of nodes that never change.

mod memory;
mod turns;
mod view;

pub use memory::{NODE_LANES, WaitFreeMemory};
pub use view::View;

use super::map::Map;
use super::packed::PackedEntry;
use super::set::Set;
use memory::LANE_WORDS;

/// A concurrent map in CPU memory. Each operation ends in a bounded number of steps, whatever other threads
/// do.
///
/// `WaitFreeMap<u32, u32>`, `WaitFreeMap<i64, f64>` and the like; bulk operations are those of
/// [`warpproof_model::host::BulkMap`]. A search reads a head and the nodes of a chain, and never waits. An
/// update replaces nodes. It makes at most [`warpproof_model::waitfree::rounds`] exchanges; after that,
/// faster threads run it. Replaced nodes are used again when no thread is in the middle of a chunk of
/// operations: between chunks a thread may wait for others.
///
/// An insert is [`Full`](warpproof_model::Insert::Full) if there is no free node; a delete always succeeds.
/// The width of a warp (`L` lanes of `S` words) only changes the speed.
///
/// ```
/// use warpproof_simt::cpu::WaitFreeMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = WaitFreeMap::<u64, u64>::with_capacity(100)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type WaitFreeMap<K, V, const L: usize = NODE_LANES, const S: usize = LANE_WORDS> =
    Map<K, V, WaitFreeMemory<<(K, V) as PackedEntry>::Store, L, S>>;

impl<K, V, St, const L: usize, const S: usize> Map<K, V, WaitFreeMemory<St, L, S>> {
    /// Words of a node.
    pub const NODE_WORDS: u32 = (L * S) as u32;
}

impl<K, St, const L: usize, const S: usize> Set<K, WaitFreeMemory<St, L, S>> {
    /// Words of a node.
    pub const NODE_WORDS: u32 = (L * S) as u32;
}

/// A concurrent set in CPU memory. Each operation ends in a bounded number of steps. See [`WaitFreeMap`].
///
/// ```
/// use warpproof_simt::cpu::WaitFreeSet;
/// use warpproof_model::host::BulkSet;
///
/// let set = WaitFreeSet::<u32>::with_capacity(100)?;
/// set.insert(&[1, 2, 3])?.all_stored()?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type WaitFreeSet<K, const L: usize = NODE_LANES, const S: usize = LANE_WORDS> =
    Set<K, WaitFreeMemory<<(K, ()) as PackedEntry>::Store, L, S>>;
