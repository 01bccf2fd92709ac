//! Slab hash tables: chains of slabs from a pool.

use super::kernels::sealed::Sealed;
use super::kernels::{Holds, Kernels};
use crate::arguments::{Argument, Head};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::handle::{Map, Set};
use crate::layout::{Entry, Layout, Scalar};
use crate::table::{Family, Fill, LARGE_SLABS, Plan};
use core::marker::PhantomData;
use warpproof_model::Seed;
use warpproof_model::host::{Refused, SlabGeometry, SlabStats, structure};
use warpproof_model::reclaim::{bitmap_words, free_word};
use warpproof_model::slab::{Multi, Multiplicity, SLAB_SLOTS, Unique};

/// A concurrent map in device memory: chains of slabs. With `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>`, `SlabMap<i64, f64>` and the like. A map made by
/// [`with_capacity`](crate::Table::with_capacity) has room for that many pairs whatever their keys are. Slabs
/// have 8 slots. A `SlabMap<u32, u32>` may have slabs of 16 slots, and then has only some of the operations
/// (see [`Tuning`](crate::Tuning)).
pub type SlabMap<K, V, M = Unique> = Map<K, V, Slab<M>>;

/// A concurrent map in device memory in which a key may have several pairs.
pub type SlabMultimap<K, V> = SlabMap<K, V, Multi>;

/// A concurrent set of u32 keys in device memory: chains of slabs of 8 slots.
pub type SlabSet = Set<u32, Slab>;

mod chains;

/// Numbers that the `stats` kernel adds up: live entries, tombstones, slabs, longest chain, chains of 1, 2,
/// .. 16 slabs.
pub(crate) const NUMBERS: usize = 20;

/// The place of a slab table in device memory, for your own kernels: the arguments of
/// `SlabTable::of_all_keys`.
///
/// Addresses are those of the device's primary context. The table owns the memory: access it only by atomic
/// instructions, and only as long as the table lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlabParts {
    /// Address of the words that probes read, one per slot.
    pub slots: u64,
    /// Address of the values, in the lock-word layout.
    pub values: Option<u64>,
    /// Number of slots: of the base slabs, of the slab of the [reserved keys](warpproof_model::reserved), and
    /// of the pool.
    pub len: u64,
    /// Address of the pool's bitmap, in u32 words.
    pub bitmap: u64,
    /// Words of the bitmap.
    pub bitmap_len: u64,
    /// Number of buckets.
    pub buckets: u32,
    /// The seed that decides the places of keys. A kernel takes its two words ([`Seed::words`]).
    pub seed: Seed,
}

impl SlabParts {
    /// The first arguments of the kernels.
    pub(crate) fn head(&self) -> Head {
        let [mask, factor] = self.seed.words();
        let mut list = vec![Argument::Pointer(self.slots)];
        list.extend(self.values.map(Argument::Pointer));
        list.extend([
            Argument::U64(self.len),
            Argument::Pointer(self.bitmap),
            Argument::U64(self.bitmap_len),
            Argument::U32(self.buckets),
            Argument::U64(mask),
            Argument::U64(factor),
        ]);
        // One more part for the reserved keys.
        Head { list, parts: self.buckets + 1, numbers: NUMBERS, slots: 0 }
    }

    /// Makes the table empty: every empty slot and every nil link is all ones; every slab of the pool is
    /// free. Values without a key are never read, so they stay.
    fn fills(&self, layout: Layout, pool: u32) -> Vec<Fill> {
        let bytes = self.len as usize * layout.probe_bytes() as usize;
        let bitmap = self.bitmap_len as usize;
        let mut fills = vec![
            Fill { address: self.slots, words: bytes / size_of::<u32>(), word: u32::MAX },
            Fill { address: self.bitmap, words: bitmap, word: 0 },
        ];
        // Only the last word of a free pool's bitmap may be other than zero.
        if let Some(last) = bitmap.checked_sub(1) {
            let address = self.bitmap + (last * size_of::<u32>()) as u64;
            fills.push(Fill { address, words: 1, word: free_word(pool, last) });
        }
        fills
    }
}

/// Chains of slabs; with `M` = [`Multi`](warpproof_model::slab::Multi), a key may have several pairs.
#[derive(Clone, Copy, Debug)]
pub struct Slab<M = Unique>(PhantomData<M>);

impl<M: Multiplicity> Sealed for Slab<M> {}

impl<M: Multiplicity> Kernels for Slab<M> {
    type Structure = structure::Slab;
    type Parts = SlabParts;
    const MULTI: bool = M::MULTI;
    const COUNTS: bool = true;

    fn size(_: Layout, entries: u64) -> Result<SlabGeometry, Refused> {
        SlabGeometry::for_pairs(entries)
    }

    fn place(
        device: &Device,
        layout: Layout,
        geometry: SlabGeometry,
        seed: Seed,
    ) -> Result<(SlabParts, Plan), Error> {
        check(layout, geometry)?;
        let len = geometry.slots() as u64;
        let probed = len * layout.probe_bytes() as u64;
        let bitmap_len = bitmap_words(geometry.pool) as u64;
        let slots = device.array("the table's slots", probed)?;
        let values =
            if layout.lock_word() { Some(device.array("the table's values", probed)?) } else { None };
        let bitmap = device.array("the table's bitmap", bitmap_len * size_of::<u32>() as u64)?;
        let parts = SlabParts {
            slots: slots.address(),
            values: values.as_ref().map(Array::address),
            len,
            bitmap: bitmap.address(),
            bitmap_len,
            buckets: geometry.buckets,
            seed,
        };
        let memory = [slots, bitmap].into_iter().chain(values).collect();
        let (head, fills) = (parts.head(), parts.fills(layout, geometry.pool));
        Ok((parts, Plan { family: family(layout, geometry.slab_slots), head, fills, memory, replaced: None }))
    }

    fn seed(parts: &SlabParts) -> Seed {
        parts.seed
    }

    fn stats(numbers: &[u64]) -> SlabStats {
        let mut stats = SlabStats::default();
        if let [live, tombstones, slabs, longest, chains @ ..] = numbers {
            (stats.live, stats.tombstones, stats.slabs) = (*live, *tombstones, *slabs);
            stats.longest = *longest as u32;
            for (to, from) in stats.chains.iter_mut().zip(chains) {
                *to = *from;
            }
        }
        stats
    }
}

impl<K: Scalar, V: Scalar, M: Multiplicity> Holds<(K, V)> for Slab<M> where (K, V): Entry {}
impl Holds<(u32,)> for Slab {}

/// Refuses sizes that have no kernel, or that no table can have.
fn check(layout: Layout, geometry: SlabGeometry) -> Result<(), Refused> {
    let slots = SLAB_SLOTS as u32;
    let double = layout == Layout::Map32 && geometry.slab_slots == 2 * slots;
    geometry.admit(if double { 2 * slots } else { slots })
}

/// The kernels of a layout; `slab_slots` as [`check`] admits them.
pub(crate) fn family(layout: Layout, slab_slots: u32) -> Family {
    let (suffix, lanes) =
        if slab_slots == SLAB_SLOTS as u32 { ("", layout.lanes()) } else { (LARGE_SLABS, 4) };
    Family { suffix, ..Family::new("slab", layout, lanes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::Operation;
    use crate::table::Tuning;

    #[test]
    fn sizes_without_kernels_are_refused() {
        let size = |slab_slots, buckets, pool| SlabGeometry { slab_slots, buckets, pool };
        assert_eq!(check(Layout::Map32, size(8, 1, 1)), Ok(()));
        assert_eq!(check(Layout::Map32, size(16, 1, 0)), Ok(()));
        assert!(matches!(check(Layout::Set32, size(16, 1, 1)), Err(Refused::SlabSlots { found: 16, .. })));
        assert!(matches!(check(Layout::Map32, size(24, 1, 1)), Err(Refused::SlabSlots { expected: 8, .. })));
        assert!(matches!(check(Layout::Map32, size(8, u32::MAX, 1)), Err(Refused::TooLarge { .. })));
        assert_eq!(check(Layout::Map32, size(16, 0, 1)), Err(Refused::Nothing { what: "bucket" }));
    }

    #[test]
    fn fills_cover_the_slots_and_the_bitmap() {
        let parts = SlabParts {
            slots: 1 << 20,
            values: Some(1 << 21),
            len: 80,
            bitmap: 1 << 22,
            bitmap_len: 2,
            buckets: 5,
            seed: Seed::new(1),
        };
        let fills = |layout, pool| {
            let fills = parts.fills(layout, pool).into_iter();
            fills.map(|fill| (fill.address, fill.words, fill.word)).collect::<Vec<_>>()
        };
        let last = ((1 << 22) + 4, 1, free_word(33, 1));
        assert_eq!(fills(Layout::Map32, 33), [(1 << 20, 160, u32::MAX), (1 << 22, 2, 0), last]);
        // Of the lock-word layout only the keys.
        assert_eq!(fills(Layout::Map64Lock, 33)[0], (1 << 20, 160, u32::MAX));
        assert_eq!(fills(Layout::Map64, 33)[0], (1 << 20, 320, u32::MAX));
        let without_pool = SlabParts { bitmap_len: 0, ..parts };
        assert_eq!(without_pool.fills(Layout::Set32, 0).len(), 2);
    }

    #[test]
    fn kernels_are_named_after_layout_and_slots() {
        assert_eq!(family(Layout::Map64, 8).name("search", 4), "slab_map64_search_l4");
        assert_eq!(
            family(Layout::Map32, 16).tuned_name(Operation::Delete, Tuning::default()),
            "slab_map32_delete_l4_x16"
        );
    }
}
