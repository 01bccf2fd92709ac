//! Operations of a phase of their own: one tile per part of the table, nothing else on it meanwhile.

use super::{per_tile, read, write};
use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::map::{LEFT_SPAN, WarpMap};
use warpproof_model::outcome::{Add, Assign, Insert};
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

/// Adds to `total[0]` how many of the `n` codes in `outcomes` say that an entry was stored. A thread looks through
/// [`LEFT_SPAN`] of them. Needs one shared word.
///
/// # Safety
///
/// The contracts of [`Tile::new`] and [`CtaBlock::new`]. `outcomes` has `n` elements, which nobody writes meanwhile.
#[inline(always)]
pub(crate) unsafe fn count_stored(outcomes: *const u8, n: u32, total: Global<u64>) {
    const { assert!(Insert::Inserted.code() == Add::Inserted.code()) };
    const { assert!(Insert::Inserted.code() == Assign::Inserted.code()) };
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut thread) = unsafe { (CtaBlock::<1>::new(), Tile::<1>::new()) };
    let shared = block.shared();
    let first = thread.id() as usize * LEFT_SPAN as usize;
    let end = (first + LEFT_SPAN as usize).min(n as usize);
    // SAFETY: below `end`, which is at most `n`.
    let stored = |at| (unsafe { read(outcomes, at) } == Insert::Inserted.code()) as u32;
    let mine = (first..end).fold(0, |sum, at| sum + stored(at));
    // Relaxed, all: the barrier orders the shared word; `total` is read after the launch.
    shared.fetch_add(0, mine, Order::Relaxed);
    block.sync();
    if block.rank() == 0 {
        let stored = thread.elect(0, || shared.load(0, ReadOrder::Relaxed));
        total.fetch_add(0, stored as u64, Order::Relaxed);
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
