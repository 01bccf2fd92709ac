//! What stands between a kernel's scalar arguments and an operation of a structure.
//!
//! Codes and conventions, the same for every kernel:
//!
//! - One operation per tile. A batch of `n` operations needs a grid of at least `n` tiles; tiles beyond it do
//!   nothing. All lanes read the inputs; the lane that has an answer writes it, and lane 0 what all know.
//! - `outcomes[op]` is the code of an outcome (`warpproof_model::outcome`), [`RESERVED_KEY`] if the key is reserved
//!   and nothing was done. Where the output is a number of pairs, a reserved key has none.
//! - An operation that a structure leaves to a second kernel ([`WarpMap::try_mixed`](warpproof_model::WarpMap)) has the
//!   code [`LEFT`]; the second kernel, with the same arguments, runs those.
//! - Inputs and outputs are plain memory of this launch: nobody writes the inputs meanwhile, each output belongs to
//!   one operation.

mod bulk;
mod phase;
mod query;
mod retrieve;
#[cfg(feature = "stress")]
mod stamped;
mod stats;
mod update;

pub(crate) use bulk::{bins, fill, make_up, outcomes, scatter, scatter_again, settle, tally};
pub(crate) use phase::{collect, count_stored, flush};
pub(crate) use query::{count, search, search_all};
pub(crate) use retrieve::{BlockScan, PerSlot, SharedCounter, WarpCounter, retrieve, retrieve_in_order};
#[cfg(feature = "stress")]
pub(crate) use stamped::stamped;
pub(crate) use stats::{CHAIN_NUMBERS, TAKEN_NUMBERS, distances, stats, taken};
pub(crate) use update::{
    ASSIGN, UNIQUE, absorb, absorb_pairs, add, delete, delete_all, insert, mixed, mixed_left, put, put_left,
};

use warpproof_device::Tile;
use warpproof_model::map::{LEFT, LEFT_SPAN};
use warpproof_model::outcome::RESERVED_KEY;
use warpproof_model::{AtLane, Key, UserKey, Warp};

/// Runs `f` for the operation of this tile, if there is one.
///
/// # Safety
///
/// The contract of [`Tile::new`], where `f` counts as part of the kernel.
#[inline(always)]
pub(crate) unsafe fn per_tile<const L: u32>(n: u32, f: impl FnOnce(&mut Tile<L>, usize)) {
    // SAFETY: the contract of this function. The branch is uniform in the tile.
    let mut tile = unsafe { Tile::<L>::new() };
    let op = tile.id();
    if op < n {
        f(&mut tile, op as usize);
    }
}

/// Reads element `index` of an input.
///
/// # Safety
///
/// `input` has an element `index` and nobody writes it during the launch.
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(input: *const T, index: usize) -> T {
    // SAFETY: the contract of this function.
    unsafe { input.add(index).read() }
}

/// Lane 0 writes element `index` of an output.
///
/// # Safety
///
/// `output` has an element `index`, which belongs to this tile.
#[inline(always)]
pub(crate) unsafe fn write<W: Warp, T: Copy>(w: &mut W, output: *mut T, index: usize, value: T) {
    let _ = w.each(|lane| {
        if lane == 0 {
            // SAFETY: the contract of this function; one lane writes.
            unsafe { output.add(index).write(value) }
        }
    });
}

/// Runs `f` on the key of each operation and writes the code that it returns, by the lane that has it.
///
/// # Safety
///
/// As [`per_tile`]. `keys` and `outcomes` have `n` elements each.
#[inline(always)]
pub(crate) unsafe fn per_key<const L: u32, K: Key>(
    keys: *const K,
    outcomes: *mut u8,
    n: u32,
    f: impl FnOnce(&mut Tile<L>, usize, UserKey<K>) -> AtLane<Tile<L>, u8>,
) {
    let operation = |w: &mut Tile<L>, op: usize| {
        // SAFETY: `op` is below `n`.
        let code = match UserKey::new(unsafe { read(keys, op) }) {
            Some(key) => f(w, op, key),
            None => AtLane::known(w, RESERVED_KEY),
        };
        // SAFETY: `op` is below `n` and this tile's own, and one lane writes.
        code.give(w, |code| unsafe { outcomes.add(op).write(code) });
    };
    // SAFETY: the contract of this function.
    unsafe { per_tile(n, operation) }
}

/// Runs `f` on the key of each operation that the first kernel left, and writes the code that it returns. A tile looks
/// through [`LEFT_SPAN`] operations.
///
/// # Safety
///
/// As [`per_key`]; `outcomes` are those of the first kernel, which has ended.
#[inline(always)]
pub(crate) unsafe fn per_left<const L: u32, K: Key>(
    keys: *const K,
    outcomes: *mut u8,
    n: u32,
    mut f: impl FnMut(&mut Tile<L>, usize, UserKey<K>) -> AtLane<Tile<L>, u8>,
) {
    let operations = |w: &mut Tile<L>, span: usize| {
        let first = span * LEFT_SPAN as usize;
        let end = (first + LEFT_SPAN as usize).min(n as usize);
        let lanes = w.each(|lane| {
            // Few spans have one that is left: all lanes look at once, without a branch.
            let at = |i| (first + (lane * (LEFT_SPAN / L) + i) as usize).min(end - 1);
            // SAFETY: below `end`, which is at most `n`.
            (0..LEFT_SPAN / L).fold(false, |any, i| any | (unsafe { *outcomes.add(at(i)) } == LEFT))
        });
        if !w.ballot(lanes).any() {
            return;
        }
        let mut next = first;
        loop {
            // SAFETY: `op` is below `n`. In a loop of its own: the tiles of a warp meet behind it, and run `f` together.
            let Some(op) = (next..end).find(|&op| unsafe { read(outcomes, op) } == LEFT) else { return };
            next = op + 1;
            // SAFETY: as above. The first kernel leaves no reserved key.
            if let Some(key) = UserKey::new(unsafe { read(keys, op) }) {
                let code = f(w, op, key);
                // SAFETY: `op` is below `n` and this tile's own, and one lane writes.
                code.give(w, |code| unsafe { outcomes.add(op).write(code) });
            }
        }
    };
    // SAFETY: the contract of this function.
    unsafe { per_tile(n.div_ceil(LEFT_SPAN), operations) }
}
