//! What a table holds: a tile per part looks at it, and each block adds its numbers to those of the table.

use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::hopscotch::HopscotchTable;
use warpproof_model::open::{Filter, OpenSlots, OpenTable, Probing};
use warpproof_model::slab::{SlabTable, Slots};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, Word, Words};

/// Numbers of a slab table: live pairs, tombstones, slabs, slabs of the longest chain, then how many chains have
/// 1 .. 15 and 16 or more slabs.
pub(crate) const CHAIN_NUMBERS: usize = 20;
const LONGEST: usize = 3;
const CHAINS: usize = 4;

/// Numbers of an open-addressing table: live pairs, tombstones.
pub(crate) const TAKEN_NUMBERS: usize = 2;

/// Adds the [`CHAIN_NUMBERS`] of a slab table to `numbers` (`numbers[LONGEST]` is raised). Needs as many shared words.
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
        let class = CHAINS + (chain.slabs as usize - 1).min(CHAIN_NUMBERS - CHAINS - 1);
        tile.elect(0, || {
            // Relaxed, all: the barrier in `add_up` orders them.
            shared.fetch_add(0, chain.live, Order::Relaxed);
            shared.fetch_add(1, chain.tombstones, Order::Relaxed);
            shared.fetch_add(2, chain.slabs, Order::Relaxed);
            shared.fetch_add(class, 1, Order::Relaxed);
            raise(shared, LONGEST, chain.slabs);
            true
        });
    }
    add_up::<L, CHAIN_NUMBERS>(&mut block, &mut tile, numbers, Some(LONGEST));
}

/// Adds the numbers of a hopscotch table to `numbers`: live entries, then how many of them stand 0, 1, ... groups
/// behind their home. `D` numbers, one more than the groups of a neighbourhood, and as many shared words.
///
/// # Safety
///
/// As [`stats`].
#[inline(always)]
pub(crate) unsafe fn distances<
    const L: u32,
    const D: usize,
    const S: usize,
    const N: u32,
    E: Packed,
    H: Words<E::Word>,
>(
    table: HopscotchTable<E, H, S, N>,
    numbers: Global<u64>,
) {
    const { assert!(D == N as usize + 1) };
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut tile) = unsafe { (CtaBlock::<L>::new(), Tile::<L>::new()) };
    let shared = block.shared();
    let group = tile.id();
    if group < table.groups() {
        let live = table.group_entries(&mut tile, group);
        // Relaxed, here and below: the barrier in `add_up` orders them.
        tile.elect(0, || shared.fetch_add(0, live, Order::Relaxed));
        for distance in 0..N {
            let entries = table.entries_from(&mut tile, group, distance);
            tile.elect(0, || shared.fetch_add(1 + distance as usize, entries, Order::Relaxed));
        }
    }
    add_up::<L, D>(&mut block, &mut tile, numbers, None);
}

/// Adds the numbers of an open-addressing table to `numbers`: the [`TAKEN_NUMBERS`]. Needs as many shared words.
///
/// # Safety
///
/// As [`stats`].
#[inline(always)]
pub(crate) unsafe fn taken<
    const L: u32,
    const S: usize,
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    numbers: Global<u64>,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut block, mut tile) = unsafe { (CtaBlock::<L>::new(), Tile::<L>::new()) };
    let shared = block.shared();
    let bucket = tile.id();
    if bucket < table.buckets() {
        let live = table.bucket_entries(&mut tile, bucket);
        let tombstones = table.bucket_tombstones(&mut tile, bucket);
        tile.elect(0, || {
            // Relaxed, both: the barrier in `add_up` orders them.
            shared.fetch_add(0, live, Order::Relaxed);
            shared.fetch_add(1, tombstones, Order::Relaxed);
            true
        });
    }
    add_up::<L, TAKEN_NUMBERS>(&mut block, &mut tile, numbers, None);
}

/// Adds the shared words of a block, `N` numbers, to those of the table; the one named `highest` is raised.
#[inline(always)]
fn add_up<const L: u32, const N: usize>(
    block: &mut CtaBlock<L>,
    tile: &mut Tile<L>,
    numbers: Global<u64>,
    highest: Option<usize>,
) {
    let shared = block.shared();
    block.sync();
    let mut number = (block.rank() * L) as usize;
    // Lane by lane: each takes one number.
    let _ = tile.each(|lane| {
        number += lane as usize;
        while number < N {
            // Relaxed, all: counters, read after the launch; the shared words are ordered by the barrier.
            let sum = shared.load(number, ReadOrder::Relaxed) as u64;
            if Some(number) == highest {
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
