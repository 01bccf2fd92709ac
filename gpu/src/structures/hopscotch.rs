//! Hopscotch tables: an array of groups, of a fixed size.

use super::kernels::sealed::Sealed;
use super::kernels::{Holds, Kernels};
use crate::arguments::{Argument, Head};
use crate::device::Device;
use crate::error::Error;
use crate::handle::{Map, Set};
use crate::layout::Layout;
use crate::row::Row;
use crate::table::{Family, Fill, Plan, Tuning};
use warpproof_model::Seed;
use warpproof_model::hopscotch::{GROUP_WORDS, REACH};
use warpproof_model::host::structure::Hopscotch;
use warpproof_model::host::{HopscotchGeometry, HopscotchStats, Refused};

/// A concurrent hopscotch map in device memory: an array of groups, searched without waiting.
///
/// `HopscotchMap<u32, f32>`, or `HopscotchMap<u64, u64>` where the device has 128-bit words
/// ([`Device::wide`](crate::Device::wide)). Groups have
/// [`GROUP_WORDS`](warpproof_model::hopscotch::GROUP_WORDS) words, neighbourhoods
/// [`REACH`](warpproof_model::hopscotch::REACH) groups.
///
/// A map does not grow. If there is no room for a key in its neighbourhood, and none can be made, its insert
/// is [`Insert::Full`](warpproof_model::Insert::Full) and changes nothing.
///
/// ```no_run
/// use warpproof_gpu::{Device, HopscotchMap};
/// use warpproof_model::host::{BulkMap, BulkTable};
///
/// let device = Device::open(0)?;
/// let map = HopscotchMap::<u32, u32>::with_capacity(&device, 1_000_000)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// println!("{} of 3 stand at home", map.stats()?.distances[0]);
/// # Ok::<(), warpproof_gpu::Error>(())
/// ```
pub type HopscotchMap<K, V> = Map<K, V, Hopscotch>;

/// A concurrent hopscotch set of 32-bit or 64-bit keys in device memory, with the properties of
/// [`HopscotchMap`].
pub type HopscotchSet<K> = Set<K, Hopscotch>;

/// Numbers that the `stats` kernel adds up: live entries, and how many of them are 0, 1, .. groups after
/// their home.
const NUMBERS: usize = 1 + REACH as usize;

/// The place of a hopscotch table in device memory, for your own kernels: the arguments of
/// `HopscotchTable::new`.
///
/// Addresses are those of the device's primary context. The table owns the memory: access it only by atomic
/// instructions, and only as long as the table lives. A group is 8 words, a neighbourhood 8 groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HopscotchParts {
    /// Address of the words: u32 and u64 keys in one each, u32 pairs in a u64, u64 pairs in 128 bits. The
    /// slots of the [reserved keys](warpproof_model::reserved) follow.
    pub words: u64,
    /// Number of words, without those of the reserved keys.
    pub len: u64,
    /// Number of homes.
    pub homes: u32,
    /// The seed that decides the places of keys. A kernel takes its two words ([`Seed::words`]).
    pub seed: Seed,
}

impl HopscotchParts {
    /// The first arguments of the kernels.
    pub(crate) fn head(&self) -> Head {
        let [mask, factor] = self.seed.words();
        let list = vec![
            Argument::Pointer(self.words),
            Argument::U64(self.len),
            Argument::U32(self.homes),
            Argument::U64(mask),
            Argument::U64(factor),
        ];
        // One more part for the reserved keys.
        Head { list, parts: self.homes + REACH, numbers: NUMBERS, slots: 0 }
    }

    /// Makes the table empty: every empty slot, and every home without members, is all ones.
    fn fill(&self, layout: Layout) -> Fill {
        let words =
            (self.len + layout.reserved_keys()) as usize * (layout.slot_bytes() as usize / size_of::<u32>());
        Fill { address: self.words, words, word: u32::MAX }
    }
}

impl Sealed for Hopscotch {}

impl Kernels for Hopscotch {
    type Structure = Self;
    type Parts = HopscotchParts;

    fn size(_: Layout, entries: u64) -> Result<HopscotchGeometry, Refused> {
        HopscotchGeometry::for_pairs(entries)
    }

    fn wide(device: &Device, _: Tuning) -> bool {
        // There is no lock-word protocol to choose.
        device.wide()
    }

    fn place(
        device: &Device,
        layout: Layout,
        geometry: HopscotchGeometry,
        seed: Seed,
    ) -> Result<(HopscotchParts, Plan), Error> {
        geometry.admit(GROUP_WORDS as u32, REACH)?;
        device.admit(layout)?;
        let len = geometry.words() as u64;
        let all = len + layout.reserved_keys();
        let words = device.array("the table's words", all * layout.slot_bytes() as u64)?;
        let parts = HopscotchParts { words: words.address(), len, homes: geometry.homes, seed };
        let (head, fills) = (parts.head(), vec![parts.fill(layout)]);
        Ok((parts, Plan { family: family(layout), head, fills, memory: vec![words], replaced: None }))
    }

    fn seed(parts: &HopscotchParts) -> Seed {
        parts.seed
    }

    fn stats(numbers: &[u64]) -> HopscotchStats {
        let mut stats = HopscotchStats::default();
        if let [live, distances @ ..] = numbers {
            stats.live = *live;
            for (to, from) in stats.distances.iter_mut().zip(distances) {
                *to = *from;
            }
        }
        stats
    }
}

impl<R: Row> Holds<R> for Hopscotch {}

/// The kernels of a layout.
pub(crate) fn family(layout: Layout) -> Family {
    // Operations of different kinds in one warp run fastest by one lane each: `warpproof bench hopscotch
    // --lanes` compares the widths.
    let mixed_lanes = if layout == Layout::Map32 { 1 } else { layout.lanes() };
    Family { mixed_lanes, ..Family::new("hop", layout, layout.lanes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fill_covers_all_groups() {
        let geometry = HopscotchGeometry::for_pairs(5600).expect("a small table");
        let parts = HopscotchParts {
            words: 1 << 20,
            len: geometry.words() as u64,
            homes: geometry.homes,
            seed: Seed::new(1),
        };
        assert_eq!(parts.head().parts, geometry.groups() + 1, "a tile for each group, and the reserved keys");
        let words = |layout| parts.fill(layout).words;
        let all = geometry.groups() as usize * GROUP_WORDS;
        assert_eq!(words(Layout::Set32), all + 2);
        assert_eq!([Layout::Set64, Layout::Map32].map(words), [(all + 3) * 2, (all + 2) * 2]);
        assert_eq!(words(Layout::Map64), (all + 3) * 4);
        assert_eq!(parts.fill(Layout::Map64).word, u32::MAX);
    }

    #[test]
    fn more_words_than_32_bits_count_are_counted() {
        let geometry = HopscotchGeometry::for_pairs(1 << 33).expect("a large table");
        let parts = HopscotchParts {
            words: 0,
            len: geometry.words() as u64,
            homes: geometry.homes,
            seed: Seed::new(1),
        };
        assert_eq!(parts.head().list[1], Argument::U64(geometry.groups() as u64 * 8));
        assert!(parts.fill(Layout::Set32).words > u32::MAX as usize);
    }
}
