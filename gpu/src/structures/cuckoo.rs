//! Cuckoo hash tables: an array of buckets, two for each key, which moves between them, and their locks.

use super::kernels::sealed::Sealed;
use super::kernels::{Buckets, Counter, Holds, Kernels, Ordered};
use super::open::sizes::{admit, family, size};
use super::open::{OpenParts, buckets, stats};
use crate::device::Device;
use crate::error::Error;
use crate::handle::{Map, Set};
use crate::layout::Layout;
use crate::row::Row;
use crate::table::Plan;
use warpproof_model::Seed;
use warpproof_model::host::structure::Cuckoo;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused};

/// A concurrent map for high loads: an array of buckets. A search reads at most two of them, at any load. The
/// slots of deleted pairs are used again.
///
/// An insert whose two buckets are full moves up to three pairs, each from its first bucket to its second,
/// and returns [`Insert::Full`](warpproof_model::Insert::Full) if that makes no room. Deletes, and inserts
/// that change a value, wait for others that work on keys of the same bucket; searches never wait. A map
/// of u64 pairs needs 128-bit words: below sm_90 it is [`Error::NoWideWords`](crate::Error::NoWideWords).
///
/// ```no_run
/// use warpproof_gpu::{CuckooMap, Device};
/// use warpproof_model::host::BulkMap;
///
/// let device = Device::open(0)?;
/// let map = CuckooMap::<u32, u32>::with_geometry(&device, CuckooMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type CuckooMap<K, V> = Map<K, V, Cuckoo>;

/// A concurrent set of 32-bit or 64-bit keys for high loads, with the properties of [`CuckooMap`].
pub type CuckooSet<K> = Set<K, Cuckoo>;

/// The place of a cuckoo table in device memory, for your own kernels: the arguments of `CuckooTable::new`.
///
/// Addresses are those of the device's primary context. The table owns the memory: access it only by atomic
/// instructions, and only as long as the table lives. A bucket has 16 bits of the locks, or 8 or 4 in
/// a large table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CuckooParts {
    /// Address of the slots, a word each: u32 and u64 keys, u32 pairs in a u64, u64 pairs in 128 bits. The
    /// slots of the [reserved keys](warpproof_model::reserved) follow.
    pub slots: u64,
    /// Number of slots, without those of the reserved keys.
    pub len: u64,
    /// Address of the locks, in u32 words.
    pub locks: u64,
    /// Words of the locks.
    pub locks_len: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// Slots of a bucket: 8, or 4 of u32 pairs in a small table.
    pub bucket_slots: u32,
    /// The seed that decides the places of keys. A kernel takes its two words ([`Seed::words`]).
    pub seed: Seed,
}

impl Sealed for Cuckoo {}

impl Kernels for Cuckoo {
    type Structure = Self;
    type Parts = CuckooParts;

    fn size(packed: Layout, entries: u64) -> Result<OpenGeometry, Refused> {
        size((packed, Self::MOVES), entries, OpenGeometry::DEFAULT_LOAD)
    }

    fn place(
        device: &Device,
        layout: Layout,
        geometry: OpenGeometry,
        seed: Seed,
    ) -> Result<(CuckooParts, Plan), Error> {
        admit((layout, Self::MOVES), geometry)?;
        // A key moves together with its value, in one word.
        device.admit(layout)?;
        let (parts, memory) = buckets(device, (layout, Self::MOVES), (geometry, seed), "the table's locks")?;
        // Zero means that every lock is free, as it means an empty filter.
        let (head, fills) = (parts.head(), parts.fills(layout));
        let family = family((layout, Self::MOVES), (parts.len, geometry.bucket_slots));
        let OpenParts { slots, len, filter: locks, filter_len: locks_len, buckets, bucket_slots, .. } = parts;
        let parts = CuckooParts { slots, len, locks, locks_len, buckets, bucket_slots, seed };
        Ok((parts, Plan { family, head, fills, memory, replaced: None }))
    }

    fn seed(parts: &CuckooParts) -> Seed {
        parts.seed
    }

    fn stats(numbers: &[u64]) -> OpenStats {
        stats(numbers)
    }
}

impl<R: Row> Holds<R> for Cuckoo {}
impl Counter for Cuckoo {}
impl Ordered for Cuckoo {}

impl Buckets for Cuckoo {
    const MOVES: bool = true;

    fn slots(parts: &CuckooParts) -> (Vec<u64>, u64) {
        (vec![parts.slots], parts.len)
    }
}
