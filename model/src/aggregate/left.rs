//! The sums of a batch that were left because they lost an exchange.

use super::block::{add, find};
use crate::block::{Block, InBlock};
use crate::key::Key;
use crate::memory::{ReadOrder, Words, WriteOrder};
use crate::outcome::Add;
use crate::warp::Warp;
use core::ops::Range;

/// Slots of a block on a device: their words are 48 KiB, which every device gives a block.
pub const LEFT_SLOTS: u32 = 1 << 12;

/// The most operations of a warp.
pub const LEFT_EACH: u32 = u32::BITS;

/// The most slots at which a key is looked for. A sum whose key has none of them goes to the table alone.
const PROBES: u32 = 16;

/// The operations of a batch, some of which were left.
pub trait Left: Copy {
    /// Their keys.
    type Key: Key;

    /// Whether an operation was left.
    fn is_left(self, op: u32) -> bool;

    /// The key of an operation.
    fn key(self, op: u32) -> Self::Key;

    /// What an operation adds.
    fn value(self, op: u32) -> u64;

    /// Tells an operation its outcome.
    fn tell(self, op: u32, said: Add);
}

/// Shared words of a block with so many slots: a leader, and a sum of two words, for each.
#[inline(always)]
pub const fn left_words(slots: u32) -> u32 {
    3 * slots
}

/// Runs the sums among the operations in `range` that were left. Those of one key become one sum; `insert`
/// adds it to the table. There are at most [`LEFT_EACH`] operations for each warp of the block, and their
/// numbers are below 2^31.
///
/// All warps of the block call this. The block has [`left_words`] shared words, zero at first, for `slots`
/// slots, which are a power of two. `slot` is where the search for a key's slot begins; only its low bits
/// count. Operations that were added up take effect with the sum, one after the other: the first in the
/// order of effect has the outcome of the sum, and the others have [`Add::Added`], or [`Add::Full`] if there
/// was no room.
#[inline(always)]
pub fn add_left<I: InBlock, L: Left>(
    m: &mut I,
    (left, range): (L, Range<u32>),
    (slots, slot): (u32, impl Fn(L::Key) -> u32),
    mut insert: impl FnMut(&mut I::Warp, L::Key, u64) -> Add,
) {
    const { assert!(I::Warp::LANES == 1, "each lane has operations of its own") };
    let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
    let (sums, probes) = (slots as usize, if slots < PROBES { slots } else { PROBES });
    let place = |op: u32| {
        let key = left.key(op);
        let leads = |leader: u32| left.key(range.start + (leader - 1)) == key;
        find(shared, 0, (slots, slot(key), probes), op - range.start + 1, leads)
    };
    // The operations of this warp have numbers from 0 on, and a set of them has a bit for each.
    let op = |number: u32| range.start + rank + number * warps;
    // Relaxed, in this function: barriers and the ends of launches order everything else.
    let word = |index: usize| shared.load(index, ReadOrder::Relaxed);
    let sum_words = |at: u32| sums + 2 * at as usize;
    let mine = m.warp().elect(0, || {
        // Without a branch for each: a GPU waits for all at once.
        (0..LEFT_EACH).fold(0, |mine, number| {
            let is_left = op(number) < range.end && left.is_left(op(number));
            mine | (is_left as u32) << number
        })
    });
    let mut alone = m.warp().elect(0, || {
        let (mut rest, mut alone) = (mine, 0);
        while let Some(number) = take(&mut rest) {
            match place(op(number)) {
                Some((at, _)) => add(shared, sum_words(at), left.value(op(number))),
                None => alone |= 1 << number,
            }
        }
        alone
    });
    m.block().sync();
    let placed = mine & !alone;
    // The slots, then the operations of this warp that have none: a table's code stands here once.
    let mut at = rank;
    while at < slots || alone != 0 {
        let of_slot = at < slots;
        let number = match of_slot {
            true => m.warp().elect(0, || word(at as usize)),
            false => take(&mut alone).map_or(0, |number| op(number) - range.start + 1),
        };
        if number != 0 {
            let number = range.start + (number - 1);
            let value = m.warp().elect(0, || match of_slot {
                true => word(sum_words(at)) as u64 | (word(sum_words(at) + 1) as u64) << u32::BITS,
                false => left.value(number),
            });
            let key = m.warp().elect(0, || left.key(number));
            let said = insert(m.warp(), key, value);
            m.warp().elect(0, || {
                match of_slot {
                    // Nobody reads the sum again.
                    true => shared.store(sum_words(at), said.code() as u32, WriteOrder::Relaxed),
                    false => left.tell(number, said),
                }
                true
            });
        }
        // Past the slots there is nothing to count.
        at = if of_slot { at + warps } else { at };
    }
    m.block().sync();
    m.warp().elect(0, || {
        let mut rest = placed;
        while let Some(number) = take(&mut rest) {
            // They find the slot of their key again: a slot that was passed stays taken.
            if let Some((at, _)) = place(op(number)) {
                let leads = word(at as usize) == op(number) - range.start + 1;
                let said = match Add::from_code(word(sum_words(at)) as u8) {
                    Some(Add::Full) | None => Add::Full,
                    Some(said) if leads => said,
                    Some(_) => Add::Added,
                };
                left.tell(op(number), said);
            }
        }
        true
    });
}

/// Takes the lowest number out of a set.
#[inline(always)]
fn take(set: &mut u32) -> Option<u32> {
    if *set == 0 {
        return None;
    }
    let number = set.trailing_zeros();
    *set &= *set - 1;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_taken_once() {
        let mut set = 1 << 31 | 1 << 5 | 1;
        let taken = core::array::from_fn(|_| take(&mut set));
        assert_eq!(taken, [Some(0), Some(5), Some(31), None]);
    }

    #[test]
    fn a_slot_has_a_leader_and_a_sum() {
        assert_eq!(left_words(64), 64 * 3);
    }
}
