//! `SELECT key, SUM(amount) GROUP BY key` as one kernel.
//!
//! The table maps a key to its group: the number of the first row that came with it. Each row finds or founds
//! its group and adds its amount to the group's sum. One tile of two lanes per row.

use warpproof_device::{Global, Tile};
use warpproof_model::entry::Pair32;
use warpproof_model::slab::{PackedSlots, SlabTable, Unique};
use warpproof_model::{AllKeys, Insert, IntegerWords, Order, Seed, Warp};

/// Lanes of a tile, and slots per lane: a slab of `warpproof_gpu::SlabMap<u32, u32>` has eight.
const LANES: u32 = 2;
const SLOTS: usize = 4;

type Table = SlabTable<PackedSlots<Pair32, Global<u64>, Unique>, Global<u32>, SLOTS>;

/// The group of a row that has none: the table was full.
const NO_GROUP: u32 = u32::MAX;

/// Adds `amounts[row]` to `sums[group]` and writes the group to `groups[row]`, for each row.
///
/// # Safety
///
/// The first seven arguments are the parts of a table of u32 pairs, each key once. `keys`, `amounts`,
/// `groups` and `sums` have `rows` elements; `sums` is zero. Blocks have a multiple of 32 threads, the grid a
/// tile per row.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn group_sums(
    slots: *mut u64,
    slots_len: usize,
    bitmap: *mut u32,
    bitmap_len: usize,
    buckets: u32,
    mask: u64,
    factor: u64,
    keys: *const u32,
    amounts: *const u32,
    groups: *mut u32,
    sums: *mut u64,
    rows: u32,
) {
    // SAFETY: the branch below is the same for both lanes of a tile, and so is all control flow in the table.
    let w = &mut unsafe { Tile::<LANES>::new() };
    let row = w.id();
    if row >= rows {
        return;
    }
    // SAFETY: the contract of this function.
    let (table, sums) = unsafe {
        let slots = PackedSlots::new(Global::new(slots, slots_len));
        let (bitmap, seed) = (Global::new(bitmap, bitmap_len), Seed::from_words([mask, factor]));
        (Table::of_all_keys(slots, bitmap, buckets, seed), Global::new(sums, rows as usize))
    };
    // SAFETY: `row` is below `rows`, and nothing writes the inputs.
    let (key, amount) = unsafe { (keys.add(row as usize).read(), amounts.add(row as usize).read()) };
    let group = match table.insert_unique(w, key, row) {
        Insert::Inserted => Some(row),
        Insert::Present => table.search(w, key),
        Insert::Full => None,
    };
    if let Some(group) = group {
        // Relaxed: a sum, read after the launch.
        w.elect(0, || sums.fetch_add(group as usize, amount as u64, Order::Relaxed));
    }
    let _ = w.each(|lane| {
        if lane == 0 {
            // SAFETY: `row` is below `rows` and this tile's own; one lane writes.
            unsafe { groups.add(row as usize).write(group.unwrap_or(NO_GROUP)) }
        }
    });
}
