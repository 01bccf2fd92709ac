//! Slots of a bucket and lanes of a tile, by the size of a table of open addressing or cuckoo hashing.

use crate::layout::Layout;
use crate::table::Family;
use warpproof_model::host::{OpenGeometry, Refused};
use warpproof_model::open::{self, BUCKET_SLOTS, CLASSES, WIDE_BUCKET_SLOTS};

/// Slots of a bucket of a large table: at most 64 bytes, which memory reads as fast as less. Where keys move
/// it is 8, so that nearly all keys find room.
pub(crate) const fn bucket_slots(layout: Layout, moves: bool) -> u32 {
    match layout {
        Layout::Set32 if !moves => NARROW_BUCKET_SLOTS,
        _ if moves => BUCKET_SLOTS as u32,
        _ => child_bucket_slots(layout),
    }
}

/// Slots of a bucket of a child table of a paged table, whatever its size is.
pub(crate) const fn child_bucket_slots(layout: Layout) -> u32 {
    match layout {
        // In two words too: a table has one size on all devices.
        Layout::Map64 | Layout::Map64Lock => WIDE_BUCKET_SLOTS as u32,
        _ => BUCKET_SLOTS as u32,
    }
}

/// Slots of a bucket of a small table, if they differ: 32 bytes, a sector, as the L2 cache reads more such
/// buckets per second.
const fn small_bucket_slots(layout: Layout, moves: bool) -> Option<u32> {
    match layout {
        Layout::Map32 => Some(SMALL_BUCKET_SLOTS),
        Layout::Set32 if !moves => Some(BUCKET_SLOTS as u32),
        _ => None,
    }
}

/// Slots of a bucket of a large table of u32 keys.
const NARROW_BUCKET_SLOTS: u32 = 16;

/// Slots of a bucket of a small table of u32 pairs.
const SMALL_BUCKET_SLOTS: u32 = 4;

/// Tables with up to this many bytes of slots have small buckets. Measured (`notes/open.md`): at 64 MiB small
/// buckets are faster, at 1 GiB one lane is slower. The exact limit between the two was not measured: 96 MiB
/// is about twice an L2 cache of 50 to 60 MiB.
const SMALL_BYTES: u64 = 96 << 20;

/// The highest load with small buckets where keys move: beyond 0.88 an insert may find no room in them
/// (README of [`cuckoo`](warpproof_model::cuckoo)).
const SMALL_LOAD_IF_MOVED: f64 = 0.85;

/// The size of a table for `entries` entries at a load.
pub(crate) fn size(
    (layout, moves): (Layout, bool),
    entries: u64,
    load: f64,
) -> Result<OpenGeometry, Refused> {
    let large = OpenGeometry::new(entries, load, bucket_slots(layout, moves))?;
    let few = large.slots() as u64 * layout.slot_bytes() as u64 <= SMALL_BYTES;
    match small_bucket_slots(layout, moves) {
        Some(slots) if few && (!moves || load <= SMALL_LOAD_IF_MOVED) => {
            OpenGeometry::new(entries, load, slots)
        }
        _ => Ok(large),
    }
}

/// Refuses a size without kernels.
pub(crate) fn admit((layout, moves): (Layout, bool), geometry: OpenGeometry) -> Result<(), Refused> {
    match small_bucket_slots(layout, moves) {
        Some(slots) if slots == geometry.bucket_slots => geometry.admit(slots),
        _ => geometry.admit(bucket_slots(layout, moves)),
    }
}

/// Words of a table's filter, or of its locks. The kernels of buckets of 32 bytes know only filters of all
/// classes, so such a table has one, also if somebody asked for a large one.
pub(crate) fn filter_words((layout, moves): (Layout, bool), geometry: OpenGeometry) -> usize {
    match small_bucket_slots(layout, moves) {
        Some(slots) if slots == geometry.bucket_slots => open::filter_words(CLASSES, geometry.buckets),
        _ => geometry.filter_words(),
    }
}

/// Up to this many bytes of slots, one lane that reads all slots of a bucket is the fastest; in a larger
/// table it is much slower (`notes/open.md`). A guess is that its loads have too many addresses to translate.
const ONE_LANE_BYTES: u64 = 256 << 20;

/// The kernels of a layout, for a table of `len` slots, in buckets of `slots` slots each.
pub(crate) fn family((layout, moves): (Layout, bool), (len, slots): (u64, u32)) -> Family {
    let common = layout.lanes();
    let small = small_bucket_slots(layout, moves) == Some(slots);
    let bytes = len.saturating_mul(layout.slot_bytes() as u64);
    let few = bytes <= ONE_LANE_BYTES;
    let (lanes, mixed_lanes) = match layout {
        Layout::Map64 if moves => (common, common),
        Layout::Map32 if few || small => (1, 1),
        Layout::Map32 => (common, 1),
        // 32 bytes for a lane, as in a large table of pairs.
        Layout::Set32 if !small && !moves => (2, 2),
        // No other width was measured.
        Layout::Set32 | Layout::Map64Lock => (1, 1),
        Layout::Map64 | Layout::Set64 if few && !moves => (1, 1),
        Layout::Map64 => (2, 2),
        _ => (common, common),
    };
    let structure = if moves { "cuckoo" } else { "open" };
    let suffix = match slots {
        SMALL_BUCKET_SLOTS if small => "_x4",
        NARROW_BUCKET_SLOTS => "_x16",
        _ => "",
    };
    let large = bytes > SMALL_BYTES;
    Family { suffix, mixed_lanes, large, one_array: true, ..Family::new(structure, layout, lanes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_of_a_small_table_is_a_sector() {
        let map32 = (Layout::Map32, false);
        let slots = |entries| size(map32, entries, 0.8).expect("a size").bucket_slots;
        assert_eq!([1, 10_000_000, 10_100_000].map(slots), [4, 4, 8]);
        let small = size(map32, 1_000, 0.8).expect("a size");
        assert_eq!(small.bucket_slots * Layout::Map32.slot_bytes(), 32);
        assert!(small.slots() >= 1_250, "{small:?}");
        assert_eq!((admit(map32, small), family(map32, (1_000, 4)).suffix), (Ok(()), "_x4"));
        let large = OpenGeometry { bucket_slots: 8, buckets: 11 };
        assert_eq!((admit(map32, large), family(map32, (88, 8)).suffix), (Ok(()), ""));
        let refused = Refused::BucketSlots { found: 2, expected: 8 };
        assert_eq!(admit(map32, OpenGeometry { bucket_slots: 2, buckets: 11 }), Err(refused));
        let refused = Refused::BucketSlots { found: 4, expected: 16 };
        assert_eq!(admit((Layout::Set32, false), small), Err(refused));
        assert_eq!(size((Layout::Map64, false), 1_000, 0.8).expect("a size").bucket_slots, 4);
        assert_eq!(size((Layout::Set64, false), 1_000, 0.8).expect("a size").bucket_slots, 8);
    }

    #[test]
    fn a_large_table_of_small_buckets_has_all_classes() {
        let words = |bucket_slots, layout| {
            filter_words((layout, false), OpenGeometry { bucket_slots, buckets: 100_000_007 })
        };
        assert_eq!([4, 8].map(|slots| words(slots, Layout::Map32)), [50_000_004, 12_500_001]);
        assert_eq!([8, 16].map(|slots| words(slots, Layout::Set32)), [50_000_004, 12_500_001]);
        assert_eq!([Layout::Map64, Layout::Map64Lock].map(|layout| words(4, layout)), [12_500_001; 2]);
    }

    #[test]
    fn a_bucket_of_u32_keys_is_a_sector_or_a_line() {
        let set32 = (Layout::Set32, false);
        let slots = |entries| size(set32, entries, 0.8).expect("a size").bucket_slots;
        assert_eq!([1, 20_000_000, 20_200_000].map(slots), [8, 8, 16]);
        let names = [8, 16].map(|slots| {
            let family = family(set32, (1_000, slots));
            family.name("search", family.lanes)
        });
        assert_eq!(names, ["open_set32_search_l1", "open_set32_search_l2_x16"]);
        assert_eq!(family((Layout::Set32, true), (1 << 30, 8)).name("search", 1), "cuckoo_set32_search_l1");
        assert_eq!(child_bucket_slots(Layout::Set32), 8);
    }

    #[test]
    fn kernels_of_tables_larger_than_a_cache_keep_the_filter() {
        let large = |layout, len| family((layout, false), (len, 8)).large;
        assert_eq!(
            [8 << 20, 12 << 20, (12 << 20) + 8].map(|len| large(Layout::Map32, len)),
            [false, false, true]
        );
        assert_eq!([24 << 20, (24 << 20) + 8].map(|len| large(Layout::Set32, len)), [false, true]);
    }

    /// Where keys move, a small table has small buckets as long as all keys find room in them.
    #[test]
    fn a_bucket_of_keys_that_move_is_a_sector_up_to_a_load() {
        let moving = (Layout::Map32, true);
        let slots = |load| size(moving, 1_000, load).expect("a size").bucket_slots;
        assert_eq!([0.5, 0.85, 0.86, 0.97].map(slots), [4, 4, 8, 8]);
        assert_eq!(size(moving, 20_000_000, 0.5).expect("a size").bucket_slots, 8);
        let small = OpenGeometry { bucket_slots: 4, buckets: 11 };
        assert_eq!(
            (admit(moving, small), family(moving, (44, 4)).name("search", 1)),
            (Ok(()), "cuckoo_map32_search_l1_x4".to_string())
        );
    }
}
