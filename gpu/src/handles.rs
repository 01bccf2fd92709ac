//! The maps and sets of each structure.

use crate::dynamic::Dynamic;
use crate::handle::{Map, Set};
use crate::structures::Slab;
use warpproof_model::host::structure::{Cuckoo, Hopscotch, Open};
use warpproof_model::slab::{Multi, Unique};

/// A concurrent map in device memory: chains of slabs. With `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>` or `SlabMap<u64, u64>`. Made by [`with_capacity`](crate::Table::with_capacity), it has
/// room for so many pairs whatever their keys are. Slabs have 8 slots, or 16 in a `SlabMap<u32, u32>`, which
/// then has some of the operations only (see [`Tuning`](crate::Tuning)).
pub type SlabMap<K, V, M = Unique> = Map<K, V, Slab<M>>;

/// A concurrent map in device memory in which a key may have several pairs.
pub type SlabMultimap<K, V> = SlabMap<K, V, Multi>;

/// A concurrent set of u32 keys in device memory: chains of slabs of 8 slots.
pub type SlabSet = Set<u32, Slab>;

/// A concurrent hopscotch map in device memory: an array of groups, searched without waiting.
///
/// `HopscotchMap<u32, u32>`, or `HopscotchMap<u64, u64>` where the device has 128-bit words
/// ([`Device::wide`](crate::Device::wide)). Groups have
/// [`GROUP_WORDS`](warpproof_model::hopscotch::GROUP_WORDS) words, neighbourhoods
/// [`REACH`](warpproof_model::hopscotch::REACH) groups.
///
/// A map does not grow: an insert for whose key there is no room in its neighbourhood, and cannot be made, is
/// [`Insert::Full`](warpproof_model::Insert::Full) and changes nothing.
///
/// ```no_run
/// use warpproof_gpu::{Device, HopscotchMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = HopscotchMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of 3 stand at home", map.stats()?.distances[0]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type HopscotchMap<K, V> = Map<K, V, Hopscotch>;

/// A concurrent hopscotch set of u32 or u64 keys in device memory. What [`HopscotchMap`] says of room holds
/// here too.
pub type HopscotchSet<K> = Set<K, Hopscotch>;

/// A concurrent map in an open-addressing table in device memory: an array of buckets, and a filter that says
/// which keys may stand behind a full one.
///
/// `OpenMap<u32, u32>` or `OpenMap<u64, u64>`, whose pairs are 128-bit words where the device has them
/// (sm_90), and else two words by the lock-bit protocol ([`Layout::Map64Lock`](crate::Layout::Map64Lock)).
///
/// A map does not grow, and the slot of a deleted pair is not used again before
/// [`BulkTable::clear`](warpproof_model::host::BulkTable::clear): an insert is
/// [`Insert::Full`](warpproof_model::Insert::Full), and changes nothing, when no slot is empty any more.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = OpenMap::<u32, u32>::with_geometry(&device, OpenMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of {} slots are taken", map.stats()?.live, map.geometry().slots());
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type OpenMap<K, V> = Map<K, V, Open>;

/// A concurrent set of u32 or u64 keys in an open-addressing table in device memory. What [`OpenMap`] says of
/// room holds here too.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenSet};
/// use warpproof_model::host::BulkSet;
///
/// let device = Device::open(0)?;
/// let set = OpenSet::<u64>::build(&device, &[1, 2, 3])?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type OpenSet<K> = Set<K, Open>;

/// A concurrent map for high loads: an array of buckets, of which a search reads two at most, whatever the
/// load is. The slots of deleted pairs are used again.
///
/// An insert whose two buckets are full moves up to three pairs, each from its first bucket to its second,
/// and says [`Insert::Full`](warpproof_model::Insert::Full) when that makes no room. Deletes, and inserts
/// that change a value, wait for others that work on keys of the same bucket; searches wait for nobody. A map
/// of u64 pairs needs 128-bit words: below sm_90 it is [`Error::NoWideWords`](crate::Error::NoWideWords).
///
/// ```no_run
/// use warpproof_gpu::{CuckooMap, Device};
/// use warpproof_model::host::BulkMap;
///
/// let device = Device::open(0)?;
/// let map = CuckooMap::<u32, u32>::with_geometry(&device, CuckooMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type CuckooMap<K, V> = Map<K, V, Cuckoo>;

/// A concurrent set of u32 or u64 keys for high loads, as [`CuckooMap`] is of maps.
pub type CuckooSet<K> = Set<K, Cuckoo>;

/// A concurrent map in device memory that grows: `DynamicMap<u32, u32>` or `DynamicMap<u64, u64>`, an
/// [`OpenMap`] that is replaced by a larger one before it is too full.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicMap};
/// use warpproof_model::host::BulkMap;
///
/// let map = DynamicMap::<u64, u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// map.insert_unique(&keys, &keys)?;
/// assert_eq!(map.search(&[2, 10_000_000])?, [Some(2), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type DynamicMap<K, V> = Dynamic<(K, V)>;

/// A concurrent set of u32 or u64 keys in device memory that grows: an [`OpenSet`] that is replaced by a
/// larger one before it is too full.
///
/// ```no_run
/// use warpproof_gpu::{Device, DynamicSet};
/// use warpproof_model::host::BulkSet;
///
/// let set = DynamicSet::<u64>::new(&Device::open(0)?)?;
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// set.insert(&keys)?;
/// assert_eq!(set.contains(&[2, 10_000_000])?, [true, false]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type DynamicSet<K> = Dynamic<(K,)>;
