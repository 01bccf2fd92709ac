//! The methods by which the entries of a round get places in the output, in any order.

use super::Retrieval;
use super::round::{Rows, number, put, write};
use super::shared::{
    ENTRIES, PLACE, TOTALS, UP_TO_PLACE, load_wide, store_wide, sum_of_totals, up_to_totals,
};
use super::source::{Sink, Source, Word};
use crate::block::{Block, InBlock};
use crate::memory::{IntegerWords, Order, Words, WriteOrder};
use crate::warp::Warp;

/// A method to give the entries of a round their places.
pub trait Method: Copy {
    /// Shared words that a block of so many warps needs.
    fn shared_words(warps: u32) -> u32;

    /// Copies the entries that the warps of a block have read in a round. All of them call this, also those
    /// without an entry.
    fn place<I: InBlock, A: Source, K: Sink<A::Entry>, N: IntegerWords<u64>, const R: usize, const S: usize>(
        m: &mut I,
        to: Retrieval<A, K, N, R, S>,
        rows: Rows<I::Warp, A, R, S>,
    );
}

/// Every entry adds one to the count of the output. Variant 1 of the publication.
#[derive(Clone, Copy, Debug)]
pub struct PerSlot;

/// Every lane adds its entries to a counter of the block, and the block adds the sum to the count. Variant
/// 2a.
#[derive(Clone, Copy, Debug)]
pub struct SharedCounter;

/// The totals of the warps are added up in order: the entries of a block keep the order of their slots.
/// Variant 2b.
#[derive(Clone, Copy, Debug)]
pub struct BlockScan;

/// Every warp adds its entries to a counter of the block: an entry's place follows from ballots. Variant 3a,
/// and with narrower tiles 3b.
#[derive(Clone, Copy, Debug)]
pub struct WarpCounter;

impl Method for PerSlot {
    #[inline(always)]
    fn shared_words(_: u32) -> u32 {
        0
    }

    #[inline(always)]
    fn place<
        I: InBlock,
        A: Source,
        K: Sink<A::Entry>,
        N: IntegerWords<u64>,
        const R: usize,
        const S: usize,
    >(
        m: &mut I,
        to: Retrieval<A, K, N, R, S>,
        rows: Rows<I::Warp, A, R, S>,
    ) {
        let _ = m.warp().map(rows, |_, rows: [[Word<A>; S]; R]| {
            // Two loops, not one over all words: a GPU would put them in memory.
            for row in rows {
                for word in row {
                    if A::is_entry(word) {
                        // Relaxed: a place depends on no other memory, and the count is read after the
                        // launch.
                        put::<A, K>(to.sink, to.count.fetch_add(0, 1, Order::Relaxed), word);
                    }
                }
            }
        });
    }
}

impl Method for SharedCounter {
    #[inline(always)]
    fn shared_words(_: u32) -> u32 {
        UP_TO_PLACE
    }

    #[inline(always)]
    fn place<
        I: InBlock,
        A: Source,
        K: Sink<A::Entry>,
        N: IntegerWords<u64>,
        const R: usize,
        const S: usize,
    >(
        m: &mut I,
        to: Retrieval<A, K, N, R, S>,
        rows: Rows<I::Warp, A, R, S>,
    ) {
        let shared = m.block().shared();
        // The entries of a lane before each of its rows, and all of them.
        let own = m.warp().map(rows, |_, rows: [[Word<A>; S]; R]| {
            let (mut before, mut all) = ([0; R], 0);
            for r in 0..R {
                before[r] = all;
                for word in rows[r] {
                    all += A::is_entry(word) as u32;
                }
            }
            (before, all)
        });
        // Relaxed: the barriers in `reserve` are between this and the accesses of the other warps' lanes to
        // the word.
        let mine = m.warp().map(own, |_, (_, all)| shared.fetch_add(ENTRIES, all, Order::Relaxed));
        let first = reserve(m, to.count, take_counter);
        let base = m.warp().both(first, mine, |_, first, mine| first + mine as u64);
        let before = m.warp().map(own, |_, (before, _)| before);
        write::<_, A, _, R, S>(m.warp(), to.sink, rows, base, before);
    }
}

impl Method for BlockScan {
    #[inline(always)]
    fn shared_words(warps: u32) -> u32 {
        up_to_totals(warps)
    }

    #[inline(always)]
    fn place<
        I: InBlock,
        A: Source,
        K: Sink<A::Entry>,
        N: IntegerWords<u64>,
        const R: usize,
        const S: usize,
    >(
        m: &mut I,
        to: Retrieval<A, K, N, R, S>,
        rows: Rows<I::Warp, A, R, S>,
    ) {
        let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
        let (before, total) = number::<_, A, R, S>(m.warp(), rows);
        say_total(m, total);
        m.block().sync();
        take(m, to.count, |shared| sum_of_totals(shared, warps));
        // Before the second barrier: after it, the warps write their totals of the next round.
        let lower = m.warp().elect(0, || sum_of_totals(shared, rank));
        m.block().sync();
        let base = m.warp().each(|_| load_wide(shared, PLACE) + lower as u64);
        write::<_, A, _, R, S>(m.warp(), to.sink, rows, base, before);
    }
}

impl Method for WarpCounter {
    #[inline(always)]
    fn shared_words(_: u32) -> u32 {
        UP_TO_PLACE
    }

    #[inline(always)]
    fn place<
        I: InBlock,
        A: Source,
        K: Sink<A::Entry>,
        N: IntegerWords<u64>,
        const R: usize,
        const S: usize,
    >(
        m: &mut I,
        to: Retrieval<A, K, N, R, S>,
        rows: Rows<I::Warp, A, R, S>,
    ) {
        let shared = m.block().shared();
        let (before, total) = number::<_, A, R, S>(m.warp(), rows);
        // Relaxed: the barriers in `reserve` are between this and the accesses of the other warps to the
        // word.
        let mine = m.warp().elect(0, || shared.fetch_add(ENTRIES, total, Order::Relaxed));
        let first = reserve(m, to.count, take_counter);
        let base = m.warp().map(first, |_, first| first + mine as u64);
        write::<_, A, _, R, S>(m.warp(), to.sink, rows, base, before);
    }
}

/// Lane 0 writes how many entries its warp has in this round.
#[inline(always)]
pub(super) fn say_total<I: InBlock>(m: &mut I, total: u32) {
    let (rank, shared) = (m.block().rank(), m.block().shared());
    m.warp().elect(0, || {
        // Relaxed: a barrier is between this and the reads of the other warps.
        shared.store(TOTALS + rank as usize, total, WriteOrder::Relaxed);
        true
    });
}

/// Reserves places for the entries of all warps of the block, between two barriers; every lane learns where
/// they begin.
#[inline(always)]
fn reserve<I: InBlock, N: IntegerWords<u64>>(
    m: &mut I,
    count: N,
    entries: impl FnOnce(Shared<I>) -> u32,
) -> <I::Warp as Warp>::Lanes<u64> {
    m.block().sync();
    take(m, count, entries);
    m.block().sync();
    let shared = m.block().shared();
    m.warp().each(|_| load_wide(shared, PLACE))
}

/// One lane of the block adds its entries to the count, and writes where their places begin.
#[inline(always)]
fn take<I: InBlock, N: IntegerWords<u64>>(m: &mut I, count: N, entries: impl FnOnce(Shared<I>) -> u32) {
    let shared = m.block().shared();
    if m.block().rank() == 0 {
        m.warp().elect(0, || {
            // Relaxed: places depend on no other memory, and the count is read after the launch.
            store_wide(shared, PLACE, count.fetch_add(0, entries(shared) as u64, Order::Relaxed));
            true
        });
    }
}

/// Reads the counter of the block and sets it back for the next round.
#[inline(always)]
fn take_counter<H: IntegerWords<u32>>(shared: H) -> u32 {
    // Relaxed: there are barriers before and after.
    shared.swap(ENTRIES, 0, Order::Relaxed)
}

/// The shared words of a block.
type Shared<I> = <<I as InBlock>::Block as Block>::Shared;
