//! Operations of a phase of their own: one tile per bucket, nothing else on the table meanwhile.

use super::{per_tile, write};
use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::slab::{SlabTable, Slots};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, Word, Words, WriteOrder};

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

/// Numbers of a table: live pairs, tombstones, slabs, slabs of the longest chain, then how many chains have 1 .. 15
/// and 16 or more slabs.
const NUMBERS: usize = 20;
const LONGEST: usize = 3;
const CHAINS: usize = 4;

/// Adds the [`NUMBERS`] of a table to `numbers` (`numbers[LONGEST]` is raised). Needs [`NUMBERS`] shared words.
///
/// # Safety
///
/// The contracts of [`Tile::new`] and [`CtaBlock::new`].
#[inline(always)]
pub(crate) unsafe fn stats<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    numbers: Global<u64>,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut tile) = unsafe { (CtaBlock::<L>::new(), Tile::<L>::new()) };
    let shared = block.shared();
    let bucket = tile.id();
    if bucket < table.buckets() {
        let chain = table.bucket_stats(&mut tile, bucket);
        let class = CHAINS + (chain.slabs as usize - 1).min(NUMBERS - CHAINS - 1);
        tile.elect(0, || {
            // Relaxed, all: the barrier below orders them.
            shared.fetch_add(0, chain.live, Order::Relaxed);
            shared.fetch_add(1, chain.tombstones, Order::Relaxed);
            shared.fetch_add(2, chain.slabs, Order::Relaxed);
            shared.fetch_add(class, 1, Order::Relaxed);
            raise(shared, LONGEST, chain.slabs);
            true
        });
    }
    block.sync();
    let mut number = (block.rank() * L) as usize;
    // Lane by lane: each takes one number.
    let _ = tile.each(|lane| {
        number += lane as usize;
        while number < NUMBERS {
            // Relaxed, all: counters, read after the launch; the shared words are ordered by the barrier.
            let sum = shared.load(number, ReadOrder::Relaxed) as u64;
            if number == LONGEST {
                raise(numbers, number, sum);
            } else if sum != 0 {
                numbers.fetch_add(number, sum, Order::Relaxed);
            }
            number += (block.warps() * L) as usize;
        }
    });
}

/// Raises a word to at least `value`.
#[inline(always)]
fn raise<T: Word + Ord, H: Words<T>>(words: H, index: usize, value: T) {
    // Relaxed, both: the word alone matters.
    let mut seen = words.load(index, ReadOrder::Relaxed);
    while seen < value {
        let now = words.compare_exchange(index, seen, value, Order::Relaxed);
        if now == seen {
            return;
        }
        seen = now;
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
pub(crate) unsafe fn collect<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    keys: *mut C::Key,
    values: *mut C::Value,
    capacity: u64,
    total: Global<u64>,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut tile) = unsafe { (CtaBlock::<L>::new(), Tile::<L>::new()) };
    let shared = block.shared();
    let bucket = tile.id();
    let here = bucket < table.buckets();
    let live = if here { table.bucket_stats(&mut tile, bucket).live } else { 0 };
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
        table.visit(&mut tile, bucket, |w, number, key, value| {
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
