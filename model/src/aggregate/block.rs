//! A block makes the groups of its rows.

use crate::block::{Block, InBlock};
use crate::key::Key;
use crate::memory::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use crate::warp::Warp;
use core::ops::Range;

/// The counters of all blocks: how many groups there are, and how many blocks had too few slots.
pub const TOTALS: usize = 2;
/// The counter of groups.
pub const TOTAL: usize = 0;
/// The counter of blocks that had too few slots. Their groups are incomplete.
pub const FULL: usize = 1;

/// Shared words: the groups of the block, the place of the first one, and whether there were too few slots.
const FOUND: usize = 0;
const FIRST: usize = 1;
const NO_SLOT: usize = 2;
/// From here on the leaders of the slots; then the list of slots that have one, and what is added up.
const LEADERS: usize = 3;

/// A group: the rows of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group<K> {
    /// The key.
    pub key: K,
    /// How many rows have it; 0 unless that is asked for.
    pub rows: u32,
    /// The sum of their values modulo 2^64; 0 unless that is asked for.
    pub sum: u64,
}

/// The rows of a column, which nothing writes meanwhile, and the places of its groups.
pub trait Rows: Copy {
    /// Their keys.
    type Key: Key;

    /// The key of a row.
    fn key(self, row: u32) -> Self::Key;

    /// The value of a row; called only if values are added up.
    fn value(self, row: u32) -> u64;

    /// Writes a group to its place, to which no other one is written.
    fn put(self, place: u32, group: Group<Self::Key>);
}

/// What is asked for of each group besides its key. Equal in all warps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// How many rows it has.
    pub rows: bool,
    /// The sum of their values.
    pub sum: bool,
}

/// Shared words of a block with so many slots.
#[inline(always)]
pub const fn aggregate_words(slots: u32, told: Told) -> u32 {
    LEADERS as u32 + slots * (2 + told.rows as u32 + 2 * told.sum as u32)
}

/// Makes the groups of the rows in `range`, whose numbers are below 2^31. Writes them to the next places that
/// the counter [`TOTAL`] of `totals` gives.
///
/// All warps of the block call this. The block has [`aggregate_words`] shared words, zero at first, for
/// `slots` slots, which are a power of two. `slot` is where the search for a key's slot begins; only its low
/// bits count.
#[inline(always)]
pub fn aggregate<I: InBlock, R: Rows>(
    m: &mut I,
    (rows, range): (R, Range<u32>),
    (slots, slot): (u32, impl Fn(R::Key) -> u32),
    told: Told,
    totals: impl IntegerWords<u32>,
) {
    const { assert!(I::Warp::LANES == 1, "each lane has rows of its own") };
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    let listed = LEADERS + slots as usize;
    let counts = listed + slots as usize;
    let sums = counts + if told.rows { slots as usize } else { 0 };
    // Relaxed, in this function: barriers and the ends of launches order everything else.
    m.warp().elect(0, || {
        let mut row = range.start + rank;
        while row < range.end {
            let key = rows.key(row);
            let leads = |leader: u32| rows.key(range.start + (leader - 1)) == key;
            match find(shared, LEADERS, (slots, slot(key), slots), row - range.start + 1, leads) {
                Some((at, leader)) => {
                    if leader {
                        let place = shared.fetch_add(FOUND, 1, Order::Relaxed) as usize;
                        shared.store(listed + place, at, WriteOrder::Relaxed);
                    }
                    if told.rows {
                        shared.fetch_add(counts + at as usize, 1, Order::Relaxed);
                    }
                    if told.sum {
                        add(shared, sums + 2 * at as usize, rows.value(row));
                    }
                }
                None => shared.store(NO_SLOT, 1, WriteOrder::Relaxed),
            }
            row += warps;
        }
        true
    });
    m.block().sync();
    m.warp().elect(0, || {
        if rank == 0 {
            let n = shared.load(FOUND, ReadOrder::Relaxed);
            let first = if n == 0 { 0 } else { totals.fetch_add(TOTAL, n, Order::Relaxed) };
            shared.store(FIRST, first, WriteOrder::Relaxed);
            if shared.load(NO_SLOT, ReadOrder::Relaxed) != 0 {
                totals.fetch_add(FULL, 1, Order::Relaxed);
            }
        }
        true
    });
    m.block().sync();
    m.warp().elect(0, || {
        let (n, first) = (shared.load(FOUND, ReadOrder::Relaxed), shared.load(FIRST, ReadOrder::Relaxed));
        let word = |index: usize| shared.load(index, ReadOrder::Relaxed);
        let mut place = rank;
        while place < n {
            let at = word(listed + place as usize) as usize;
            let half = |half: usize| if told.sum { word(sums + 2 * at + half) as u64 } else { 0 };
            let group = Group {
                key: rows.key(range.start + (word(LEADERS + at) - 1)),
                rows: if told.rows { word(counts + at) } else { 0 },
                sum: half(0) | half(1) << u32::BITS,
            };
            rows.put(first + place, group);
            place += warps;
        }
        true
    });
}

/// The slot of a row's key, and whether the row leads it; `None` if the `probes` slots from `slot` on are of
/// other keys. `number` is that of the row, and `leads` says whether that one has the key. The leaders of the
/// slots are the words from `leaders` on.
#[inline(always)]
pub(super) fn find(
    shared: impl IntegerWords<u32>,
    leaders: usize,
    (slots, slot, probes): (u32, u32, u32),
    number: u32,
    leads: impl Fn(u32) -> bool,
) -> Option<(u32, bool)> {
    for probe in 0..probes {
        let at = slot.wrapping_add(probe) & (slots - 1);
        let word = leaders + at as usize;
        let mut leader = shared.load(word, ReadOrder::Relaxed);
        if leader == 0 {
            leader = shared.compare_exchange(word, 0, number, Order::Relaxed);
        }
        if leader == 0 {
            return Some((at, true));
        }
        if leads(leader) {
            return Some((at, false));
        }
    }
    None
}

/// Adds to a number of two words, the low one first.
#[inline(always)]
pub(super) fn add(shared: impl IntegerWords<u32>, low: usize, value: u64) {
    let (added, mut high) = (value as u32, (value >> u32::BITS) as u32);
    if added != 0 {
        let before = shared.fetch_add(low, added, Order::Relaxed);
        high = high.wrapping_add(before.overflowing_add(added).1 as u32);
    }
    if high != 0 {
        shared.fetch_add(low + 1, high, Order::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::noted::Noted;

    #[test]
    fn a_slot_has_a_leader_a_place_in_the_list_and_what_is_told() {
        let words = |rows, sum| aggregate_words(64, Told { rows, sum });
        assert_eq!(words(false, false), 3 + 64 * 2);
        assert_eq!(words(true, false), 3 + 64 * 3);
        assert_eq!(words(false, true), 3 + 64 * 4);
        assert_eq!(words(true, true), 3 + 64 * 5);
    }

    #[test]
    fn halves_are_added_up_with_their_carry() {
        let numbers = [1, 1 << 32, u32::MAX.into(), 1, 0, 1 << 32 | 1, u64::MAX, 5 << 40 | 7];
        let (words, mut sum) = (Noted::<u32, 3>::new(), 0u64);
        for number in numbers {
            add(&words, 1, number);
            sum = sum.wrapping_add(number);
            assert_eq!(words.words(), [0, sum as u32, (sum >> 32) as u32], "{number} was added");
        }
    }
}
