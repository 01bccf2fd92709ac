//! The shared words of a block that retrieves.

use crate::memory::{IntegerWords, ReadOrder, WriteOrder};

/// Entries of the block in this round.
pub(super) const ENTRIES: usize = 0;
/// Where the block's places of this round begin, in two halves.
pub(super) const PLACE: usize = 1;
/// The number of the chunk that the block works on, in two halves.
pub(super) const TICKET: usize = 3;
/// The entries of each warp in this round.
pub(super) const TOTALS: usize = 5;

/// Words up to [`PLACE`].
pub(super) const UP_TO_PLACE: u32 = 3;

/// Words of a block of so many warps, [`TOTALS`] included.
#[inline(always)]
pub(super) const fn up_to_totals(warps: u32) -> u32 {
    TOTALS as u32 + warps
}

/// Writes 64 bits in two halves.
#[inline(always)]
pub(super) fn store_wide<H: IntegerWords<u32>>(shared: H, at: usize, value: u64) {
    // Relaxed, in this file: a barrier is between these accesses and those of the other warps.
    shared.store(at, value as u32, WriteOrder::Relaxed);
    shared.store(at + 1, (value >> 32) as u32, WriteOrder::Relaxed);
}

/// Reads what [`store_wide`] wrote.
#[inline(always)]
pub(super) fn load_wide<H: IntegerWords<u32>>(shared: H, at: usize) -> u64 {
    let low = shared.load(at, ReadOrder::Relaxed) as u64;
    low | (shared.load(at + 1, ReadOrder::Relaxed) as u64) << 32
}

/// The sum of the totals of the warps below `warps`.
#[inline(always)]
pub(super) fn sum_of_totals<H: IntegerWords<u32>>(shared: H, warps: u32) -> u32 {
    (0..warps as usize).fold(0, |sum, warp| sum + shared.load(TOTALS + warp, ReadOrder::Relaxed))
}
