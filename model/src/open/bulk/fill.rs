//! A block fills the buckets of a bin in its scratch words.

use super::tally::{Counts, FULL, FULL_AGAIN, INSERTED, LOST, TALLY};
use super::{Batch, Bins, Bulk, Numbered, home};
use crate::block::{Block, InBlock, Scratch};
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, ReadOrder, StagedWords, Words, WriteOrder};
use crate::open::slots::OnPresent;
use crate::open::{End, Filter, Probing};
use crate::partition::Partitioning;
use crate::retrieve::Source;
use crate::warp::Warp;
use core::ops::Range;

/// How many slots of each bucket of the bin are taken, and how many entries wanted more.
const TAKEN: usize = TALLY;

/// Bits of an entry's place in its bin, which is kept for each slot where outcomes are told.
const PLACE_BITS: u32 = 16;
/// Places in a word.
const PLACES: usize = (u32::BITS / PLACE_BITS) as usize;

/// The most entries of a bin where outcomes are told.
pub const MOST_TOLD: u32 = 1 << PLACE_BITS;

/// Shared words of a block that fills a bin of `1 << shift` buckets, which have `told` slots in all where
/// outcomes are told.
#[inline(always)]
pub const fn fill_words(shift: u32, told: u32) -> u32 {
    TALLY as u32 + (1 << shift) + told.div_ceil(PLACES as u32)
}

/// Shared words of a block that inserts the overflow, or lost entries.
#[inline(always)]
pub const fn insert_words() -> u32 {
    TALLY as u32
}

impl<
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
    N: IntegerWords<u64>,
    O: StagedWords<u8>,
    const S: usize,
> Bulk<E, H, F, P, N, O, S>
{
    /// Inserts the entries of a bin whose home has room; puts the others, whose keys may be there, into the
    /// same bin of `overflow`.
    ///
    /// A bin has `1 << shift` buckets. All warps of the block call this. The block has [`fill_words`] shared
    /// words, zero at first, and as many scratch words as a bin has slots. Nothing else uses the buckets of
    /// the bin meanwhile. Where outcomes are told, a bin has room for at most [`MOST_TOLD`] entries.
    #[inline(always)]
    pub fn fill<I: InBlock, B: StagedWords<E::Word>, G: StagedWords<u32>, C: IntegerWords<u32>>(
        self,
        m: &mut I,
        bin: u32,
        shift: u32,
        (bins, overflow): (Bins<B, G, C>, Bins<B, G, C>),
    ) where
        I::Block: Scratch<E::Word>,
    {
        const { assert!(I::Warp::LANES == 1, "each lane has entries of its own") };
        let Range { start: first, end } = Partitioning::new(shift).homes(bin, self.table.buckets());
        let buckets = end - first;
        if buckets == 0 {
            return;
        }
        let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
        let scratch = m.block().scratch();
        let (slots, place) = (buckets as usize * S, first as usize * S);
        let (told, places) = (self.outcomes.are_told(), TAKEN + (1 << shift));
        let words = self.table.slots();
        let mut counts = Counts::default();
        // Relaxed, in this function: there are barriers between the accesses of different warps to a word,
        // and launches around all.
        m.warp().elect(0, || {
            each(rank, warps, slots as u32, |at| {
                let word = words.load(place + at as usize, ReadOrder::Relaxed);
                scratch.store(at as usize, word);
                if E::key(word) != E::key(E::EMPTY) {
                    shared.fetch_add(TAKEN + at as usize / S, 1, Order::Relaxed);
                }
            })
        });
        m.block().sync();
        m.warp().elect(0, || {
            each(rank, warps, bins.len(bin), |at| {
                let word: E::Word = bins.load(bin, at);
                let bucket = home(self.table, word).wrapping_sub(first) as usize;
                let slot = shared.fetch_add(TAKEN + bucket, 1, Order::Relaxed) as usize;
                if slot < S {
                    let slot = bucket * S + slot;
                    scratch.store(slot, word);
                    counts.add(INSERTED, 1);
                    if told {
                        let at = at << shift_of(slot);
                        shared.fetch_or(places + slot / PLACES, at, Order::Relaxed);
                    }
                } else {
                    let place = overflow.take(bin, 1);
                    overflow.store(bin, place, word);
                    if told {
                        overflow.store_number(bin, place, bins.number(bin, at));
                    }
                }
            })
        });
        m.block().sync();
        let mut twice = 0;
        m.warp().elect(0, || {
            each(rank, warps, buckets, |bucket| {
                let mut again = once::<E, _, S>(scratch, bucket);
                twice += again.count_ones();
                while told && again != 0 {
                    let slot = bucket as usize * S + again.trailing_zeros() as usize;
                    let word = shared.load(places + slot / PLACES, ReadOrder::Relaxed);
                    let at = (word >> shift_of(slot)) & (MOST_TOLD - 1);
                    self.outcomes.tell(bins.number(bin, at), End::Present);
                    again &= again - 1;
                }
            })
        });
        counts.take_back(INSERTED, twice);
        m.block().sync();
        m.warp().elect(0, || {
            each(rank, warps, slots as u32, |at| {
                let word = scratch.load(at as usize);
                words.store(place + at as usize, word, WriteOrder::Relaxed);
            })
        });
        counts.report(m, self.tally);
    }

    /// Inserts the entries of a bin whose home was full in [`fill`](Self::fill). As many shared words, and no
    /// scratch.
    #[inline(always)]
    pub fn insert_overflow<I: InBlock, B: StagedWords<E::Word>>(
        self,
        m: &mut I,
        bin: u32,
        overflow: Bins<B, impl StagedWords<u32>, impl IntegerWords<u32>>,
    ) {
        const { assert!(I::Warp::LANES == 1, "each lane has entries of its own") };
        let (rank, warps) = (m.block().rank(), m.block().warps());
        let n = m.warp().elect(0, || overflow.len(bin));
        let mut counts = Counts::default();
        // Reads one entry ahead of the one that is inserted, so that no warp waits for it.
        let entry = |at: u32| if at < n { overflow.load(bin, at) } else { E::EMPTY };
        let mut at = rank;
        let mut ahead = m.warp().elect(0, || entry(at));
        let next = |w: &mut I::Warp| {
            let (word, place) = (ahead, at);
            at = at.saturating_add(warps);
            ahead = w.elect(0, || entry(at));
            (word, place)
        };
        self.table.put_each(m.warp(), next, |w, place, end| {
            counts.note(end, FULL);
            if self.outcomes.are_told() && end != End::Inserted {
                w.elect(0, || self.outcomes.tell(overflow.number(bin, place), end));
            }
        });
        counts.report(m, self.tally);
    }

    /// Inserts the entries of a batch once more, if any of them was lost; those that are there are found.
    /// Where outcomes are told, only the lost ones. Block number `block` of `blocks` takes its share of the
    /// batch. As many shared words as for [`insert_overflow`](Self::insert_overflow), and no scratch.
    #[inline(always)]
    pub fn insert_lost<I: InBlock, A: Source<Entry = E>>(
        self,
        m: &mut I,
        source: Batch<A>,
        (block, blocks): (u32, u32),
    ) {
        const { assert!(I::Warp::LANES == 1, "each lane has entries of its own") };
        let (rank, warps) = (m.block().rank(), m.block().warps());
        // Relaxed: written by an earlier launch, and by no warp of this one.
        if m.warp().elect(0, || self.tally.load(LOST, ReadOrder::Relaxed)) == 0 {
            return;
        }
        let told = self.outcomes.are_told();
        let step = blocks as u64 * warps as u64;
        let mut at = block as u64 * warps as u64 + rank as u64;
        let mut counts = Counts::default();
        while at < source.slots() {
            let number = source.number(at);
            let again = m.warp().elect(0, || {
                counts.add(FULL_AGAIN, (told && self.outcomes.is_full(number)) as u32);
                !told || self.outcomes.is_deferred(number)
            });
            let word = m.warp().elect(0, || if again { source.load(at) } else { E::EMPTY });
            if let Some(key) = UserKey::new(E::key(word)) {
                let put = self.table.put(m.warp(), key, E::value(word), OnPresent::Keep);
                let end = End::told(m.warp(), put);
                counts.note(end, FULL_AGAIN);
                if told {
                    m.warp().elect(0, || self.outcomes.tell(number, end));
                }
            }
            at += step;
        }
        counts.report(m, self.tally);
    }
}

/// Where the place of a slot's entry begins in its word.
#[inline(always)]
fn shift_of(slot: usize) -> u32 {
    (slot % PLACES) as u32 * PLACE_BITS
}

/// Runs `f` for the numbers below `n` that are this warp's.
#[inline(always)]
fn each(rank: u32, warps: u32, n: u32, mut f: impl FnMut(u32)) -> bool {
    let mut at = rank;
    while at < n {
        f(at);
        at += warps;
    }
    true
}

/// Leaves each key of a bucket in its lowest slot, and no gap. Returns a bit for each slot that was emptied.
#[inline(always)]
fn once<E: Packed, H: StagedWords<E::Word>, const S: usize>(slots: H, bucket: u32) -> u32 {
    let words: [E::Word; S] = slots.load_row(bucket as usize);
    let is_again = |at: usize| {
        let lower = (0..at).fold(false, |any, i| any | (E::key(words[i]) == E::key(words[at])));
        lower & UserKey::new(E::key(words[at])).is_some()
    };
    // In quarters: a loop over 16 slots, with a loop in it, is too long to be unrolled, and then the words
    // would be in memory.
    let of = |slots: Range<usize>| slots.fold(0u32, |bits, at| bits | (is_again(at) as u32) << at);
    let again = of(0..S / 4) | of(S / 4..S / 2) | of(S / 2..S * 3 / 4) | of(S * 3 / 4..S);
    if again == 0 {
        return again;
    }
    let first = bucket as usize * S;
    let mut place = 0;
    for at in 0..S {
        if again >> at & 1 == 0 {
            let word = slots.load(first + at);
            slots.store(first + place, word);
            place += 1;
        }
    }
    for at in place..S {
        slots.store(first + at, E::EMPTY);
    }
    again
}
