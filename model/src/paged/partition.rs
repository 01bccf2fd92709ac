//! Partitions a batch by child tables, by blocks of a device: a *digit* of each key says where it belongs.
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

/// Operations of each thread in a launch that counts, that scatters and that arranges.
pub const COUNTED: u32 = 32;
/// See [`COUNTED`].
pub const SCATTERED: u32 = 32;
/// See [`COUNTED`]; where a block sorts its operations before it scatters them.
pub const SORTED: u32 = 8;
/// See [`COUNTED`].
pub const ARRANGED: u32 = 8;

/// The most digits by which a block sorts its operations before it scatters them: it has shared words for
/// them, and enough operations of each.
pub const SORTED_DIGITS: u32 = 1024;

/// Counts of the outcomes of a batch on a child table: stored entries, deleted entries, operations without
/// room.
pub const TALLIES: usize = 3;

/// The operations of a batch, and the places to move them to, which are in other memory.
pub trait Moves: Copy {
    /// Their keys.
    type Key: Key;

    /// How many there are, less than 2^32.
    fn operations(self) -> u32;

    /// The key of operation `at`, which is below [`operations`](Self::operations).
    fn key(self, at: u32) -> Self::Key;

    /// Moves operation `at` to a place, to which no other one is moved.
    fn put(self, at: u32, place: u32);
}

/// The operations of a block: those from number `from` on, `each` for every thread.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The first one.
    pub from: u32,
    /// How many each thread has.
    pub each: u32,
}

impl Share {
    /// Runs `f` for the operations of the calling thread, in a batch of `len`: thread `rank` of so many.
    #[inline(always)]
    fn run(self, (rank, threads): (u32, u32), len: u32, mut f: impl FnMut(u32)) -> bool {
        let mut at = self.from.saturating_add(rank);
        for _ in 0..self.each {
            if at < len {
                f(at);
            }
            at = at.saturating_add(threads);
        }
        true
    }
}

/// Counts the digits of a block's operations in its shared words.
#[inline(always)]
fn count_digits<I: InBlock, M: Moves>(m: &mut I, (batch, share): (M, Share), digit: &impl Fn(M::Key) -> u32) {
    const { assert!(I::Warp::LANES == 1, "each lane has operations of its own") };
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().elect(0, || {
        share.run((rank, warps), batch.operations(), |at| {
            // Relaxed, in this file: barriers and the ends of launches order counters.
            shared.fetch_add(digit(batch.key(at)) as usize, 1, Order::Relaxed);
        })
    });
    m.block().sync();
}

/// Moves the operations of a block: the shared word of a digit is the place of its next one.
#[inline(always)]
fn put<I: InBlock, M: Moves>(m: &mut I, (batch, share): (M, Share), digit: &impl Fn(M::Key) -> u32) {
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().elect(0, || {
        share.run((rank, warps), batch.operations(), |at| {
            let digit = digit(batch.key(at)) as usize;
            batch.put(at, shared.fetch_add(digit, 1, Order::Relaxed));
        })
    });
}

/// Adds to `counters` how often each of `digits` digits occurs among the operations of the block. It has as
/// many shared words as digits.
#[inline(always)]
pub fn count<I: InBlock, M: Moves>(
    m: &mut I,
    share: (M, Share),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
    counters: impl IntegerWords<u32>,
) {
    count_digits(m, share, &digit);
    each_that_occurs(m, digits, |digit, n| {
        counters.fetch_add(digit, n, Order::Relaxed);
    });
}

/// Moves the operations of the block to the places of their digits. `next` has the place of the next
/// operation of each digit. [`scatter_words`] shared words.
///
/// If the block is `sorted`, it first puts its operations into the order of their digits
/// ([`scatter_sorted`]). Neighbouring threads then write to neighbouring places, which takes the memory a
/// part of the time.
#[inline(always)]
pub fn scatter<I: InBlock, M: Moves>(
    m: &mut I,
    (batch, share): (M, Share),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
    next: impl IntegerWords<u32>,
    sorted: bool,
) {
    if sorted {
        return scatter_sorted(m, (batch, share), (digits, digit), next);
    }
    count_digits(m, (batch, share), &digit);
    let shared = m.block().shared();
    each_that_occurs(m, digits, |digit, n| {
        let place = next.fetch_add(digit, n, Order::Relaxed);
        shared.store(digit, place, WriteOrder::Relaxed);
    });
    m.block().sync();
    put(m, (batch, share), &digit);
}

/// As [`scatter`], by a block that puts its operations, fewer than 2^16, into the order of their fewer than
/// 2^16 digits.
///
/// A counter of each digit tells each operation its *rank*: how many of the digit came before it. So a digit
/// is worked out once for each operation, and is kept with the rank, and later with the operation's number in
/// the block.
#[inline(always)]
pub fn scatter_sorted<I: InBlock, M: Moves>(
    m: &mut I,
    (batch, share): (M, Share),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
    next: impl IntegerWords<u32>,
) {
    const { assert!(I::Warp::LANES == 1, "each lane has operations of its own") };
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    let shift = |digit: u32| (digits + warps + digit) as usize;
    let ranked = |number: u32| (2 * digits + warps + number) as usize;
    let order = |number: u32| ranked(number + warps * share.each);
    let halves = |word: u32| (word >> HALF, word & ((1 << HALF) - 1));
    m.warp().elect(0, || {
        share.run((rank, warps), batch.operations(), |at| {
            let digit = digit(batch.key(at));
            let before = shared.fetch_add(digit as usize, 1, Order::Relaxed);
            shared.store(ranked(at - share.from), digit << HALF | before, WriteOrder::Relaxed);
        })
    });
    m.block().sync();
    // From the places in the order of the block to those in memory, for each digit.
    begin_digits(m, digits, 0, |digit, start, n| {
        let place = if n == 0 { start } else { next.fetch_add(digit as usize, n, Order::Relaxed) };
        shared.store(shift(digit), place.wrapping_sub(start), WriteOrder::Relaxed);
    });
    m.warp().elect(0, || {
        share.run((rank, warps), batch.operations(), |at| {
            let number = at - share.from;
            let (digit, before) = halves(shared.load(ranked(number), ReadOrder::Relaxed));
            let start = shared.load(digit as usize, ReadOrder::Relaxed);
            shared.store(order(start + before), digit << HALF | number, WriteOrder::Relaxed);
        })
    });
    m.block().sync();
    m.warp().elect(0, || {
        share.run((rank, warps), batch.operations(), |at| {
            let place = at - share.from;
            let (digit, number) = halves(shared.load(order(place), ReadOrder::Relaxed));
            let shift = shared.load(shift(digit), ReadOrder::Relaxed);
            batch.put(share.from + number, shift.wrapping_add(place));
        })
    });
}

/// Bits of a half of a word.
const HALF: u32 = u32::BITS / 2;

/// Shared words of a block of `threads` threads that [`scatter`]s by `digits` digits, with `each` operations
/// of every thread.
#[inline(always)]
pub const fn scatter_words(digits: u32, (threads, each): (u32, u32), sorted: bool) -> u32 {
    if sorted { 2 * digits + threads + 2 * threads * each } else { digits }
}

/// Puts in place of the counts of digits in the shared words where the operations of each begin, if those of
/// all digits stand one after the other from `from` on. Calls `each` with a digit, its start and its count.
/// [`arrange_words`] shared words.
#[inline(always)]
fn begin_digits<I: InBlock>(m: &mut I, digits: u32, from: u32, mut each: impl FnMut(u32, u32, u32)) {
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    // Each thread adds up some digits; the sums of all threads come after the digits.
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
        let mut start = from + sum - own;
        those.clone().for_each(|digit| {
            let n = shared.load(digit as usize, ReadOrder::Relaxed);
            shared.store(digit as usize, start, WriteOrder::Relaxed);
            each(digit, start, n);
            start += n;
        });
        true
    });
    m.block().sync();
}

/// Moves the operations of the block, a tile, to the places of the tile with the same numbers, in the order
/// of their digits. [`arrange_words`] shared words.
#[inline(always)]
pub fn arrange<I: InBlock, M: Moves>(
    m: &mut I,
    share: (M, Share),
    (digits, digit): (u32, impl Fn(M::Key) -> u32),
) {
    count_digits(m, share, &digit);
    begin_digits(m, digits, share.1.from, |_, _, _| ());
    put(m, share, &digit);
}

/// Moves the operations of the block for which `stays` is true to adjacent places, in any order: `put` gets
/// an operation and its place. `left` counts them, for all blocks. One operation for each thread, and
/// [`SIFT_WORDS`] shared words.
#[inline(always)]
pub fn sift<I: InBlock>(
    m: &mut I,
    (from, len): (u32, u32),
    stays: impl FnOnce(u32) -> bool,
    put: impl FnOnce(u32, u32),
    left: impl IntegerWords<u32>,
) {
    const { assert!(I::Warp::LANES == 1, "each lane has an operation of its own") };
    let (rank, shared) = (m.block().rank(), m.block().shared());
    let at = from.saturating_add(rank);
    let stays = at < len && stays(at);
    let place = m.warp().elect(0, || if stays { shared.fetch_add(0, 1, Order::Relaxed) } else { 0 });
    m.block().sync();
    m.warp().elect(0, || {
        if rank == 0 {
            let n = shared.load(0, ReadOrder::Relaxed);
            let first = if n == 0 { 0 } else { left.fetch_add(0, n, Order::Relaxed) };
            shared.store(1, first, WriteOrder::Relaxed);
        }
        true
    });
    m.block().sync();
    if stays {
        put(at, m.warp().elect(0, || shared.load(1, ReadOrder::Relaxed)) + place);
    }
}

/// Shared words of a block that [`sift`]s: how many stay, and the place of the first of them.
pub const SIFT_WORDS: u32 = 2;

/// The most operations from one to its [`leader`].
pub const RUN: u32 = 32;

/// The operation that answers for operation `at`: the first one of its run of operations on one key, in an
/// order in which such operations are often neighbours. Runs end at multiples of [`RUN`].
#[inline(always)]
pub fn leader<K: Key>(at: u32, key: impl Fn(u32) -> K) -> u32 {
    let mut first = at;
    while !first.is_multiple_of(RUN) && key(first - 1) == key(at) {
        first -= 1;
    }
    first
}

/// Whether an operation is the first of its run.
#[inline(always)]
pub fn leads<K: Key>(at: u32, key: impl Fn(u32) -> K) -> bool {
    at.is_multiple_of(RUN) || key(at - 1) != key(at)
}

/// Shared words of a block of `threads` threads that [`arrange`]s by `digits` digits.
#[inline(always)]
pub const fn arrange_words(digits: u32, threads: u32) -> u32 {
    digits + threads
}

/// Runs `f` for each of this thread's digits below `digits` that were counted in the shared words, with how
/// often it occurs.
#[inline(always)]
fn each_that_occurs<I: InBlock>(m: &mut I, digits: u32, mut f: impl FnMut(usize, u32)) {
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    m.warp().elect(0, || {
        let mut digit = rank;
        while digit < digits {
            let n = shared.load(digit as usize, ReadOrder::Relaxed);
            if n != 0 {
                f(digit as usize, n);
            }
            digit += warps;
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of each run leads it, and all others know which one that is.
    #[test]
    fn a_run_is_of_neighbours_on_one_key() {
        let keys = |at: u32| if at < 40 { 7u32 } else { 8 + at / 3 };
        for at in 0..100 {
            let first = leader(at, keys);
            assert!(first <= at && leads(first, keys), "{at}");
            assert!((first..at).all(|between| keys(between) == keys(at)), "{at}");
            assert_eq!(first / RUN, at / RUN, "{at}");
            assert_eq!(leads(at, keys), first == at, "{at}");
        }
        assert_eq!([31, 39, 40, 41].map(|at| leader(at, keys)), [0, 32, 40, 40]);
    }
}
