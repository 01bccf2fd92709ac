//! Operations of a phase of their own: one tile per part of the table, nothing else on it meanwhile.

use super::{per_tile, write};
use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::map::WarpMap;
use warpproof_model::slab::{SlabTable, Slots};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};

/// Reclaims the slots of deleted pairs; adds the number of slabs given back to `freed[0]`.
///
/// # Safety
///
/// The contract of [`per_tile`]; no other operation on the table runs meanwhile.
#[inline(always)]
pub(crate) unsafe fn flush<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    freed: Global<u64>,
) {
    // SAFETY: the contract of this function.
    unsafe {
        per_tile::<L>(table.buckets(), |w, bucket| {
            let slabs = table.flush(w, bucket as u32);
            if slabs != 0 {
                // Relaxed: a counter, read after the launch.
                w.elect(0, || freed.fetch_add(0, slabs as u64, Order::Relaxed));
            }
        });
    }
}

/// Shared words of [`collect`]: pairs of the block, and the place of its first pair in two halves.
const PAIRS: usize = 0;
const PLACE: usize = 1;

/// Writes all pairs to `keys` and `values`, in no particular order, as many as `capacity`; adds how many there are to
/// `total[0]`, which is zero at first. Needs three shared words.
///
/// A block counts its pairs, reserves their places by one addition to `total` and then writes them.
///
/// # Safety
///
/// The contracts of [`Tile::new`] and [`CtaBlock::new`]. `keys` and `values` have `capacity` elements. No other
/// operation on the table runs meanwhile.
#[inline(always)]
pub(crate) unsafe fn collect<const L: u32, T: WarpMap>(
    table: T,
    keys: *mut T::Key,
    values: *mut T::Value,
    capacity: u64,
    total: Global<u64>,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut tile) = unsafe { (CtaBlock::<L>::new(), Tile::<L>::new()) };
    let shared = block.shared();
    let part = tile.id();
    let here = part < table.parts();
    let live = if here { table.live(&mut tile, part) } else { 0 };
    // Relaxed, here and below: the barriers order the shared words; `total` is read after the launch.
    let mine = tile.elect(0, || shared.fetch_add(PAIRS, live, Order::Relaxed));
    block.sync();
    if block.rank() == 0 {
        tile.elect(0, || {
            let pairs = shared.load(PAIRS, ReadOrder::Relaxed) as u64;
            let first = total.fetch_add(0, pairs, Order::Relaxed);
            shared.store(PLACE, first as u32, WriteOrder::Relaxed);
            shared.store(PLACE + 1, (first >> 32) as u32, WriteOrder::Relaxed);
            true
        });
    }
    block.sync();
    let low = shared.load(PLACE, ReadOrder::Relaxed) as u64;
    let first = low | (shared.load(PLACE + 1, ReadOrder::Relaxed) as u64) << 32;
    if here {
        table.visit(&mut tile, part, |w, number, key, value| {
            let place = first + mine as u64 + number as u64;
            if place < capacity {
                // SAFETY: below `capacity`, and the places of a block and in it are disjoint.
                unsafe {
                    write(w, keys, place as usize, key);
                    write(w, values, place as usize, value);
                }
            }
        });
    }
}
