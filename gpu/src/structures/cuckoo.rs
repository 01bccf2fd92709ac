//! Cuckoo hash tables: an array of buckets, of which a key has two and moves between them, and their locks.

use super::kernels::sealed::Sealed;
use super::kernels::{Buckets, Counter, Holds, Kernels, Ordered};
use super::open::sizes::{admit, family, size};
use super::open::{OpenParts, buckets, stats};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::row::Row;
use crate::table::Plan;
use warpproof_model::host::structure::Cuckoo;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused};

/// Where a cuckoo table lies in device memory, for kernels of the caller's own: what
/// `CuckooTable::new` takes there.
///
/// Addresses are those of the device's primary context. The memory is the table's: it is accessed by atomic
/// instructions alone, and it ends with the table. A bucket has 16 bits of the locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CuckooParts {
    /// Address of the slots, a word each: u32 and u64 keys, u32 pairs in a u64, u64 pairs in 128 bits.
    pub slots: u64,
    /// Number of slots.
    pub len: u64,
    /// Address of the locks, in u32 words.
    pub locks: u64,
    /// Words of the locks.
    pub locks_len: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// Slots of a bucket: 8, or 4 of u32 pairs in a small table.
    pub bucket_slots: u32,
}

impl Sealed for Cuckoo {}

impl Kernels for Cuckoo {
    type Structure = Self;
    type Parts = CuckooParts;

    fn size(packed: Layout, entries: u64) -> Result<OpenGeometry, Refused> {
        size((packed, Self::MOVES), entries, OpenGeometry::DEFAULT_LOAD)
    }

    fn place(device: &Device, layout: Layout, geometry: OpenGeometry) -> Result<(CuckooParts, Plan), Error> {
        admit((layout, Self::MOVES), geometry)?;
        // A key moves with its value.
        device.admit(layout)?;
        let (parts, memory) = buckets(device, layout, geometry, "the table's locks")?;
        // Every lock is free when it is zero, as an empty filter is.
        let (head, fills) = (parts.head(), parts.fills(layout));
        let family = family((layout, Self::MOVES), (parts.len, geometry.bucket_slots));
        let OpenParts { slots, len, filter: locks, filter_len: locks_len, buckets, bucket_slots, .. } = parts;
        let parts = CuckooParts { slots, len, locks, locks_len, buckets, bucket_slots };
        Ok((parts, Plan { family, head, fills, memory }))
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
