//! A batch on its way to child tables, by blocks of a device: a *digit* of each key says where it belongs.
//!
//! | Launch | Does |
//! |---|---|
//! | [`count`] | counts the keys of each digit |
//! | (the host) | works out where those of each digit begin |
//! | [`scatter`] | moves operations there, those of one digit next to each other, in any order |
//! | [`arrange`] | brings each tile, of neighbours in memory, into the order of another digit |
//!
//! Each thread has a few operations of its own. A block counts digits in its shared words, so that device
//! memory has one counter for each digit, to which a block adds once.

use crate::block::{Block, InBlock};
use crate::key::Key;
use crate::memory::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use crate::warp::Warp;

/// The operations of a batch, and places to move them to. A place is in other memory.
pub trait Moves: Copy {
    /// Their keys.
    type Key: Key;

    /// How many there are, less than 2^32.
    fn len(self) -> u32;

    /// The key of operation `at`, which is below [`len`](Self::len).
    fn key(self, at: u32) -> Self::Key;

    /// Moves operation `at` to a place, which no other one is moved to.
    fn put(self, at: u32, place: u32);
}

/// What is not the number of an operation.
const NONE: u32 = u32::MAX;

/// Counts of each digit below `digits` in shared words, and for each of the `R` operations that a thread has
/// its digit and how many of that digit were counted before. Operations are those from number `from` on: `R`
/// for each thread.
#[inline(always)]
fn rank<I: InBlock, const R: usize>(
    m: &mut I,
    (from, end): (u32, u32),
    digit: impl Fn(u32) -> u32,
) -> <I::Warp as Warp>::Lanes<[(u32, u32); R]> {
    const { assert!(I::Warp::LANES == 1, "each lane has operations of its own") };
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().each(|_| {
        core::array::from_fn(|r| {
            let at = from.saturating_add(r as u32 * warps + rank);
            if at >= end {
                return (NONE, 0);
            }
            let digit = digit(at);
            // Relaxed, in this file: barriers and the ends of launches order counters.
            (digit, shared.fetch_add(digit as usize, 1, Order::Relaxed))
        })
    })
}

/// Adds to `counters` how often each of `digits` digits occurs, among the operations from number `from` on:
/// `R` for each thread of the block, which has as many shared words as digits.
#[inline(always)]
pub fn count<I: InBlock, M: Moves, const R: usize>(
    m: &mut I,
    (batch, from): (M, u32),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
    counters: impl IntegerWords<u32>,
) {
    let _ = rank::<I, R>(m, (from, batch.len()), |at| digit(batch.key(at)));
    m.block().sync();
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().elect(0, || {
        each(rank, warps, digits, |digit| {
            let n = shared.load(digit as usize, ReadOrder::Relaxed);
            if n != 0 {
                counters.fetch_add(digit as usize, n, Order::Relaxed);
            }
        })
    });
}

/// Moves the operations from number `from` on, `R` for each thread of the block, to the places of their
/// digits. `next` says where the next operation of each digit goes. As many shared words as digits.
#[inline(always)]
pub fn scatter<I: InBlock, M: Moves, const R: usize>(
    m: &mut I,
    (batch, from): (M, u32),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
    next: impl IntegerWords<u32>,
) {
    let ranks = rank::<I, R>(m, (from, batch.len()), |at| digit(batch.key(at)));
    m.block().sync();
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().elect(0, || {
        each(rank, warps, digits, |digit| {
            let n = shared.load(digit as usize, ReadOrder::Relaxed);
            if n != 0 {
                let place = next.fetch_add(digit as usize, n, Order::Relaxed);
                shared.store(digit as usize, place, WriteOrder::Relaxed);
            }
        })
    });
    m.block().sync();
    put(m, (batch, from), 0, ranks);
}

/// Moves the operations of a tile, those from number `from` on, `R` for each thread of the block, to the places of
/// the tile with the same numbers, in the order of their digits. [`arrange_words`] shared words.
#[inline(always)]
pub fn arrange<I: InBlock, M: Moves, const R: usize>(
    m: &mut I,
    (batch, from): (M, u32),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
) {
    let ranks = rank::<I, R>(m, (from, batch.len()), |at| digit(batch.key(at)));
    m.block().sync();
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    // Each thread adds up some digits; the sums of all threads stand after the digits.
    let some = digits.div_ceil(warps);
    let first = rank * some;
    let those = first.min(digits)..(first + some).min(digits);
    let mine = (digits + rank) as usize;
    let own = m.warp().elect(0, || {
        let sum = those.clone().fold(0, |sum, digit| sum + shared.load(digit as usize, ReadOrder::Relaxed));
        shared.store(mine, sum, WriteOrder::Relaxed);
        sum
    });
    m.block().sync();
    // The sums up to each thread, in as many steps as their number has bits (Hillis, Steele, 1986).
    let (mut sum, mut step) = (own, 1);
    while step < warps {
        let before = m
            .warp()
            .elect(0, || if rank < step { 0 } else { shared.load(mine - step as usize, ReadOrder::Relaxed) });
        sum += before;
        m.block().sync();
        m.warp().elect(0, || {
            shared.store(mine, sum, WriteOrder::Relaxed);
            true
        });
        m.block().sync();
        step *= 2;
    }
    m.warp().elect(0, || {
        let mut start = sum - own;
        those.clone().for_each(|digit| {
            let n = shared.load(digit as usize, ReadOrder::Relaxed);
            shared.store(digit as usize, start, WriteOrder::Relaxed);
            start += n;
        });
        true
    });
    m.block().sync();
    put(m, (batch, from), from, ranks);
}

/// Shared words of a block of so many threads that [`arrange`]s by so many digits.
#[inline(always)]
pub const fn arrange_words(digits: u32, threads: u32) -> u32 {
    digits + threads
}

/// Moves the operations of each thread: the shared word of a digit says where its first one goes, from place
/// `base` on.
#[inline(always)]
fn put<I: InBlock, M: Moves, const R: usize>(
    m: &mut I,
    (batch, from): (M, u32),
    base: u32,
    ranks: <I::Warp as Warp>::Lanes<[(u32, u32); R]>,
) {
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    let _ = m.warp().map(ranks, |_, ranks: [(u32, u32); R]| {
        for (r, (digit, before)) in ranks.into_iter().enumerate() {
            if digit != NONE {
                let start = shared.load(digit as usize, ReadOrder::Relaxed);
                batch.put(from + r as u32 * warps + rank, base + start + before);
            }
        }
    });
}

/// Runs `f` for the numbers below `n` that are this thread's.
#[inline(always)]
fn each(rank: u32, threads: u32, n: u32, mut f: impl FnMut(u32)) -> bool {
    let mut at = rank;
    while at < n {
        f(at);
        at += threads;
    }
    true
}
