//! Open-addressing tables: an array of buckets and a filter, of a fixed size.

use super::kernels::sealed::Sealed;
use super::kernels::{Buckets, Counter, Holds, Kernels, Ordered};
use crate::arguments::{Argument, Head};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::handle::{Map, Set};
use crate::layout::Layout;
use crate::row::Row;
use crate::table::{Fill, Plan};
use sizes::{admit, filter_words, size};
use warpproof_model::Seed;
use warpproof_model::host::structure::Open;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused};

mod levels;
mod partitioned;
mod partitions;
pub(crate) mod sizes;

pub use partitions::Partitions;

/// A concurrent map in an open-addressing table in device memory: an array of buckets, and a filter that
/// records which keys may be after a full bucket.
///
/// `OpenMap<u32, u32>`, `OpenMap<i64, f64>` and the like. 64-bit pairs are 128-bit words if the device has
/// them (sm_90), otherwise two words by the lock-word protocol
/// ([`Layout::Map64Lock`](crate::Layout::Map64Lock)).
///
/// A map does not grow, and the slot of a deleted pair is not used again before
/// [`Table::rehash`](crate::Table::rehash) or [`BulkTable::clear`](warpproof_model::host::BulkTable::clear).
/// If none of the 512 buckets of a key has an empty slot, its insert is
/// [`Insert::Full`](warpproof_model::Insert::Full) and changes nothing; up to a load of 0.98 this happens
/// only to keys that were chosen for a known seed.
/// [`BulkTable::stats`](warpproof_model::host::BulkTable::stats) counts the slots of deleted pairs.
///
/// ```no_run
/// use warpproof_gpu::{Device, OpenMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = OpenMap::<u32, u32>::with_geometry(&device, OpenMap::<u32, u32>::size(1_000_000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of {} slots are taken", map.stats()?.live, map.geometry().slots());
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type OpenMap<K, V> = Map<K, V, Open>;

/// A concurrent set of 32-bit or 64-bit keys in an open-addressing table in device memory. It has the
/// properties of [`OpenMap`].
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
pub(crate) use sizes::family;

/// Numbers that the `stats` kernel adds up: live, tombstones.
const NUMBERS: usize = 2;

/// The place of an open-addressing table in device memory, for your own kernels: the arguments of
/// `OpenTable::new` and `OverflowFilter::new`.
///
/// Addresses are those of the device's primary context. The table owns the memory: access it only by atomic
/// instructions, and only as long as the table lives. A bucket has 16 bits of the filter, or 8 or 4
/// in a large table, as `OverflowFilter` finds out from `filter_len` and `buckets`. Slots with `values`
/// are `LockWordSlots`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenParts {
    /// Address of the words that probes read, one for each slot: u32 and u64 keys, u32 pairs in a u64, u64
    /// pairs in 128 bits, and in the lock-word layout the keys. The slots of the [reserved
    /// keys](warpproof_model::reserved) follow.
    pub slots: u64,
    /// Address of the values, in the lock-word layout: as many as slots.
    pub values: Option<u64>,
    /// Number of slots, without those of the reserved keys.
    pub len: u64,
    /// Address of the filter, in u32 words.
    pub filter: u64,
    /// Words of the filter.
    pub filter_len: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// Slots of a bucket: 8, or 4 of u64 pairs and of u32 pairs in a small table, or 16 of u32 keys in a
    /// large one.
    pub bucket_slots: u32,
    /// The seed that decides the places of keys. A kernel takes its two words ([`Seed::words`]).
    pub seed: Seed,
}

impl OpenParts {
    /// The first arguments of the kernels.
    pub(crate) fn head(&self) -> Head {
        let [mask, factor] = self.seed.words();
        let mut list = vec![Argument::Pointer(self.slots)];
        list.extend(self.values.map(Argument::Pointer));
        list.extend([
            Argument::U64(self.len),
            Argument::Pointer(self.filter),
            Argument::U64(self.filter_len),
            Argument::U32(self.buckets),
            Argument::U64(mask),
            Argument::U64(factor),
        ]);
        // One more part for the reserved keys.
        Head { list, parts: self.buckets + 1, numbers: NUMBERS, slots: self.len }
    }

    /// Makes the table empty: every slot is all ones, and the filter records nothing. Values without a key
    /// are never read, so they stay.
    pub(super) fn fills(&self, layout: Layout) -> Vec<Fill> {
        let slots = (self.len + layout.reserved_keys()) as usize;
        let words = slots * (layout.probe_bytes() as usize / size_of::<u32>());
        vec![
            Fill { address: self.slots, words, word: u32::MAX },
            Fill { address: self.filter, words: self.filter_len as usize, word: 0 },
        ]
    }
}

/// Allocates the memory of an array of buckets of a layout, whose keys may move; the words beside the slots
/// are for `what`.
pub(super) fn buckets(
    device: &Device,
    of: (Layout, bool),
    size: (OpenGeometry, Seed),
    what: &'static str,
) -> Result<(OpenParts, Vec<Array>), Error> {
    buckets_in(|what, bytes| device.array(what, bytes), of, size, what)
}

/// The arrays of a table of this size, in memory that `array` takes.
fn buckets_in(
    array: impl Fn(&'static str, u64) -> Result<Array, Error>,
    of: (Layout, bool),
    (geometry, seed): (OpenGeometry, Seed),
    what: &'static str,
) -> Result<(OpenParts, Vec<Array>), Error> {
    let (layout, _) = of;
    let (len, filter_len) = (geometry.slots() as u64, filter_words(of, geometry) as u64);
    let probed = (len + layout.reserved_keys()) * layout.probe_bytes() as u64;
    let slots = array("the table's slots", probed)?;
    let values = if layout.lock_word() { Some(array("the table's values", probed)?) } else { None };
    let filter = array(what, filter_len * size_of::<u32>() as u64)?;
    let parts = OpenParts {
        slots: slots.address(),
        values: values.as_ref().map(Array::address),
        len,
        filter: filter.address(),
        filter_len,
        buckets: geometry.buckets,
        bucket_slots: geometry.bucket_slots,
        seed,
    };
    Ok((parts, [slots, filter].into_iter().chain(values).collect()))
}

/// The statistics of an array of buckets, from its numbers.
pub(super) fn stats(numbers: &[u64]) -> OpenStats {
    match numbers {
        [live, tombstones, ..] => OpenStats { live: *live, tombstones: *tombstones },
        _ => OpenStats::default(),
    }
}

/// The plan of a table with this memory.
fn plan(layout: Layout, (parts, memory): (OpenParts, Vec<Array>)) -> (OpenParts, Plan) {
    let (head, fills) = (parts.head(), parts.fills(layout));
    let family = family((layout, Open::MOVES), (parts.len, parts.bucket_slots));
    (parts, Plan { family, head, fills, memory, replaced: None })
}

/// As [`Kernels::place`], in page-locked memory of the host.
pub(crate) fn place_on_host(
    device: &Device,
    layout: Layout,
    geometry: OpenGeometry,
    seed: Seed,
) -> Result<(OpenParts, Plan), Error> {
    admit((layout, Open::MOVES), geometry)?;
    let array = |what, bytes| device.host_array(what, bytes);
    let taken = buckets_in(array, (layout, Open::MOVES), (geometry, seed), "the table's filter")?;
    Ok(plan(layout, taken))
}

impl Sealed for Open {}

impl Kernels for Open {
    type Structure = Self;
    type Parts = OpenParts;

    fn size(packed: Layout, entries: u64) -> Result<OpenGeometry, Refused> {
        size((packed, Self::MOVES), entries, OpenGeometry::DEFAULT_LOAD)
    }

    fn place(
        device: &Device,
        layout: Layout,
        geometry: OpenGeometry,
        seed: Seed,
    ) -> Result<(OpenParts, Plan), Error> {
        admit((layout, Self::MOVES), geometry)?;
        let taken = buckets(device, (layout, Self::MOVES), (geometry, seed), "the table's filter")?;
        Ok(plan(layout, taken))
    }

    fn seed(parts: &OpenParts) -> Seed {
        parts.seed
    }

    fn stats(numbers: &[u64]) -> OpenStats {
        stats(numbers)
    }
}

impl<R: Row> Holds<R> for Open {}
impl Counter for Open {}
impl Ordered for Open {}

impl Buckets for Open {
    const MOVES: bool = false;

    fn slots(parts: &OpenParts) -> (Vec<u64>, u64) {
        ([parts.slots].into_iter().chain(parts.values).collect(), parts.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_cover_the_slots_and_the_filter() {
        let geometry = OpenGeometry { bucket_slots: 8, buckets: 1009 };
        let (len, filter_len) = (geometry.slots() as u64, geometry.filter_words() as u64);
        let (slots, filter, values) = (1 << 20, 1 << 22, Some(1 << 23));
        let seed = Seed::new(1);
        let OpenGeometry { bucket_slots, buckets } = geometry;
        let parts = OpenParts { slots, values, len, filter, filter_len, buckets, bucket_slots, seed };
        assert_eq!(parts.head().parts, geometry.buckets + 1, "a tile for each bucket, and the reserved keys");
        let fills = parts.fills(Layout::Map32).into_iter();
        let fills: Vec<_> = fills.map(|fill| (fill.address, fill.words, fill.word)).collect();
        assert_eq!(fills, [(1 << 20, (1009 * 8 + 2) * 2, u32::MAX), (1 << 22, 505, 0)]);
        // Of the lock-word layout only the keys.
        let layouts = [Layout::Set32, Layout::Set64, Layout::Map64, Layout::Map64Lock];
        let words = layouts.map(|layout| parts.fills(layout)[0].words);
        assert_eq!(words, [(2, 1), (3, 2), (3, 4), (3, 2)].map(|(more, words)| (1009 * 8 + more) * words));
    }

    #[test]
    fn more_slots_than_32_bits_count_are_counted() {
        let geometry = OpenGeometry::for_pairs(1 << 34).expect("a large table");
        let len = geometry.slots() as u64;
        let (filter, filter_len) = (0, 1);
        let parts = OpenParts {
            slots: 0,
            values: None,
            len,
            filter,
            filter_len,
            buckets: geometry.buckets,
            bucket_slots: geometry.bucket_slots,
            seed: Seed::new(1),
        };
        assert_eq!(parts.head().list[1], Argument::U64(geometry.buckets as u64 * 8));
        assert!(parts.fills(Layout::Map32)[0].words > u32::MAX as usize);
    }
}
