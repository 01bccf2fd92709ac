//! Statistics of a table: tiles count, blocks add up.

use super::{At, Count, In, Launch, Numbers, Tiles};
use crate::matrix::{open, slab};
use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::hopscotch::HopscotchTable;
use warpproof_model::map::{BucketMap, DEFERRED_SPAN};
use warpproof_model::outcome::{Add, Assign, Insert};
use warpproof_model::reserved::{AllKeys as _, ReservedSlots as Reserved, WithChain, WithSlots};
use warpproof_model::slab::{BucketStats, SlabTable, Slots};
use warpproof_model::{Block, IntegerWords, Order, ReadOrder, Warp, WarpMap, Word, Words};

/// Which of the numbers of a slab table is the longest chain, and which is the first count of chains.
const LONGEST: usize = 3;
const CHAINS: usize = 4;

impl<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>> Launch<L, WithChain<SlabTable<C, B, S>>> {
    /// Adds the [`NUMBERS`](slab::NUMBERS) of the table to `numbers`; of the longest chain it keeps the
    /// larger number. The chain of the reserved keys counts if it has a pair or a tombstone. Needs as many
    /// shared words.
    #[inline(always)]
    pub(crate) fn chain_stats(self, numbers: Numbers<{ slab::NUMBERS }>) {
        let (numbers, (mut block, mut tile)) = (numbers.words(), self.tiles.block());
        let (shared, part) = (block.shared(), tile.id());
        let here = part < self.table.parts();
        let (table, bucket) = self.table.part(part);
        let chain = if here { table.bucket_stats(&mut tile, bucket) } else { BucketStats::default() };
        let is_reserved = part == 0;
        if here && (!is_reserved || chain.live + chain.tombstones > 0) {
            let class = CHAINS + (chain.slabs as usize - 1).min(slab::NUMBERS - CHAINS - 1);
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
        add_up::<L, { slab::NUMBERS }>(&mut block, &mut tile, numbers, Some(LONGEST));
    }
}

impl<const L: u32, const S: usize, const N: u32, E: Packed, H: Words<E::Word>>
    Launch<L, WithSlots<HopscotchTable<E, H, S, N>, Reserved<E, H>>>
{
    /// Adds the numbers of the table to `numbers`: live entries, then how many of them are 0, 1, ... groups
    /// after their home; reserved keys count as at home. One more than the groups of a neighbourhood, and as
    /// many shared words.
    #[inline(always)]
    pub(crate) fn group_stats<const D: usize>(self, numbers: Numbers<D>) {
        const { assert!(D == N as usize + 1) };
        let (numbers, (mut block, mut tile)) = (numbers.words(), self.tiles.block());
        let (shared, group) = (block.shared(), tile.id());
        let (table, reserved) = (self.table.table(), self.table.reserved());
        if group == table.groups() {
            let live = reserved.live(&mut tile, 0);
            // Relaxed: the barrier in `add_up` orders them.
            tile.elect(0, || {
                shared.fetch_add(0, live, Order::Relaxed) + shared.fetch_add(1, live, Order::Relaxed)
            });
        }
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
}

impl<const L: u32, T: BucketMap, R: WarpMap<Key = T::Key, Value = T::Value>> Launch<L, WithSlots<T, R>> {
    /// Adds the numbers of the table to `numbers`: live pairs, tombstones. Needs as many shared words.
    #[inline(always)]
    pub(crate) fn stats(self, numbers: Numbers<{ open::NUMBERS }>) {
        let (numbers, (mut block, mut tile)) = (numbers.words(), self.tiles.block());
        let (shared, part, table) = (block.shared(), tile.id(), self.table.table());
        if part < self.table.parts() {
            let live = self.table.live(&mut tile, part);
            // Part 0 has the reserved keys.
            let bucket = part.checked_sub(1);
            let tombstones = bucket.map_or(0, |bucket| table.bucket_tombstones(&mut tile, bucket));
            tile.elect(0, || {
                // Relaxed, both: the barrier in `add_up` orders them.
                shared.fetch_add(0, live, Order::Relaxed);
                shared.fetch_add(1, tombstones, Order::Relaxed);
                true
            });
        }
        add_up::<L, { open::NUMBERS }>(&mut block, &mut tile, numbers, None);
    }
}

impl<const L: u32> Tiles<L> {
    /// Adds the numbers that `of` returns for each of `parts` parts, a tile each, to `numbers`; number
    /// `highest` is raised instead. Needs as many shared words.
    #[inline(always)]
    pub(super) fn chain_numbers<const N: usize>(
        self,
        numbers: Numbers<N>,
        highest: usize,
        parts: u32,
        of: impl FnOnce(&mut Tile<L>, u32) -> [u32; N],
    ) {
        let (numbers, (mut block, mut tile)) = (numbers.words(), self.block());
        let (shared, part) = (block.shared(), tile.id());
        if part < parts {
            let said = of(&mut tile, part);
            tile.elect(0, || {
                for (at, number) in said.into_iter().enumerate() {
                    if at == highest {
                        raise(shared, at, number);
                    } else {
                        // Relaxed: the barrier in `add_up` orders them.
                        shared.fetch_add(at, number, Order::Relaxed);
                    }
                }
                true
            });
        }
        add_up::<L, N>(&mut block, &mut tile, numbers, Some(highest));
    }
}

/// Adds the shared words of a block, `N` numbers, to those of the table; number `highest` is raised instead.
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
    // Relaxed, both: only this word matters.
    let mut seen = words.load(index, ReadOrder::Relaxed);
    while seen < value {
        let now = words.compare_exchange(index, seen, value, Order::Relaxed);
        if now == seen {
            return;
        }
        seen = now;
    }
}

/// Adds to `total` how many of the outcomes say that an entry was stored. A thread per [`DEFERRED_SPAN`]
/// outcomes; 4 bytes of shared memory.
#[cfg(all(feature = "tables", not(feature = "b128")))]
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn count_stored(outcomes: In<u8>, n: Count, total: Numbers<1>) {
    const { assert!(Insert::Inserted.code() == Add::Inserted.code()) };
    const { assert!(Insert::Inserted.code() == Assign::Inserted.code()) };
    let total = total.words();
    // SAFETY: the launch keeps the contract of both, and every thread gets here.
    let (mut block, mut thread) = unsafe { (CtaBlock::<1>::new(), Tile::<1>::new()) };
    let shared = block.shared();
    let first = thread.id() as usize * DEFERRED_SPAN as usize;
    let end = (first + DEFERRED_SPAN as usize).min(n.0 as usize);
    // SAFETY: below `end`, which is at most `n`.
    let stored = |at| (outcomes.read(unsafe { At::new(at) }) == Insert::Inserted.code()) as u32;
    let mine = (first..end).fold(0, |sum, at| sum + stored(at));
    // Relaxed, all: the barrier orders the shared word; `total` is read after the launch.
    shared.fetch_add(0, mine, Order::Relaxed);
    block.sync();
    if block.rank() == 0 {
        let stored = thread.elect(0, || shared.load(0, ReadOrder::Relaxed));
        total.fetch_add(0, stored as u64, Order::Relaxed);
    }
}
