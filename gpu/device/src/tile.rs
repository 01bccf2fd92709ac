//! Tiles: warps of 1 to 32 neighbouring threads.

use crate::intrinsics::{ballot_sync, bar_warp_sync, block, blocks, lane_id, shfl_idx_sync, thread, threads};
use core::arch::asm;
use core::mem::size_of;
use warpproof_model::{Ballot, Warp, Word};

/// Threads of a hardware warp.
const HARDWARE_LANES: u32 = 32;

/// A warp of `L` neighbouring threads of one hardware warp. `L` is 1, 2, 4, 8, 16 or 32.
///
/// A per-lane value is the value itself: a register. A tile of one lane needs no collective at all. Tiles of
/// one hardware warp may run apart: every collective names only the lanes of its own tile.
///
/// Not `Copy`: a tile is made once per thread, so that its collectives are counted once.
#[derive(Debug)]
pub struct Tile<const L: u32> {
    lane: u32,
    /// The lanes of the tile in the hardware warp.
    mask: u32,
}

impl<const L: u32> Tile<L> {
    /// Shuffle control: segments of `L` lanes, source lane counted in the segment.
    const SEGMENT: u32 = ((HARDWARE_LANES - L) << 8) | (HARDWARE_LANES - 1);

    /// The tile of the calling thread.
    ///
    /// # Safety
    ///
    /// The grid and its blocks have one dimension and the block size is a multiple of `L`. All `L` threads of
    /// the tile make it, and from then on reach the same collectives (calls of [`Warp`] methods) in the same
    /// order, until all of them end.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        const { assert!(L.is_power_of_two() && L <= HARDWARE_LANES, "a tile has 1, 2, 4, 8, 16 or 32 lanes") };
        if L == 1 {
            return Self { lane: 0, mask: 0 };
        }
        let number = lane_id();
        let lane = number % L;
        Self { lane, mask: (u32::MAX >> (HARDWARE_LANES - L)) << (number - lane) }
    }

    /// Number of this tile in its block.
    #[inline(always)]
    pub(crate) fn rank_in_block() -> u32 {
        thread() / L
    }

    /// Tiles per block.
    #[inline(always)]
    pub fn per_block() -> u32 {
        threads() / L
    }

    /// Tiles of the grid.
    #[inline(always)]
    pub fn per_grid() -> u32 {
        blocks() * Self::per_block()
    }

    /// Number of this tile in its hardware warp.
    #[inline(always)]
    pub fn rank_in_warp(&self) -> u32 {
        lane_id() / L
    }

    /// Waits for the other tiles of the hardware warp, so that all run together from here on. It orders no
    /// memory among them.
    ///
    /// # Safety
    ///
    /// All threads of the hardware warp reach this, each equally often.
    #[inline(always)]
    pub unsafe fn meet(&mut self) {
        // SAFETY: the contract of this function.
        unsafe { bar_warp_sync(u32::MAX) }
    }

    /// As [`meet`](Self::meet). True if any thread of the hardware warp votes so.
    ///
    /// # Safety
    ///
    /// All threads of the hardware warp reach this, each equally often.
    #[inline(always)]
    pub unsafe fn meet_any(&mut self, vote: bool) -> bool {
        // SAFETY: the contract of this function.
        unsafe { ballot_sync(u32::MAX, vote) != 0 }
    }

    #[inline(always)]
    fn shfl_part(&mut self, part: u32, source: u32) -> u32 {
        // SAFETY: all lanes of `mask` are here (contract of `new`).
        unsafe { shfl_idx_sync(self.mask, part, source, Self::SEGMENT) }
    }
}

impl<const L: u32> Warp for Tile<L> {
    const LANES: u32 = L;
    type Lanes<T: Copy> = T;

    #[inline(always)]
    fn id(&self) -> u32 {
        // By tiles, not by threads: a grid may have more than 2^32 threads.
        block() * Self::per_block() + Self::rank_in_block()
    }

    #[inline(always)]
    fn each<T: Copy>(&mut self, mut f: impl FnMut(u32) -> T) -> T {
        f(self.lane)
    }

    #[inline(always)]
    fn map<T: Copy, U: Copy>(&mut self, values: T, mut f: impl FnMut(u32, T) -> U) -> U {
        f(self.lane, values)
    }

    #[inline(always)]
    fn both<T: Copy, U: Copy, V: Copy>(&mut self, a: T, b: U, mut f: impl FnMut(u32, T, U) -> V) -> V {
        f(self.lane, a, b)
    }

    #[inline(always)]
    fn ballot(&mut self, vote: bool) -> Ballot {
        if L == 1 {
            return Ballot::from_bits(vote as u32);
        }
        if L <= 8 {
            // By shuffles: for a vote of less than a hardware warp, the assembler makes a call that runs once
            // for each tile.
            let mut bits = (vote as u32) << self.lane;
            let mut step = 1;
            while step < L {
                bits |= self.shfl_part(bits, self.lane ^ step);
                step *= 2;
            }
            return Ballot::from_bits(bits);
        }
        // SAFETY: all lanes of `mask` are here (contract of `new`).
        let bits = unsafe { ballot_sync(self.mask, vote) };
        // Lanes outside the mask vote zero.
        Ballot::from_bits(if L == HARDWARE_LANES { bits } else { bits >> self.mask.trailing_zeros() })
    }

    #[inline(always)]
    fn shfl<T: Word>(&mut self, value: T, source: u32) -> T {
        if L == 1 {
            return value;
        }
        if L > 8 && size_of::<T>() == size_of::<bool>() {
            // By a vote: before a shuffle the assembler also compares the masks of the tiles (MATCH.ANY).
            return T::from_bits(self.ballot(value.to_bits() != 0).has(source) as u128);
        }
        // A word is shuffled in parts of 32 bits; a word without bits is not shuffled.
        let mut bits = 0;
        let mut part = 0;
        while part < size_of::<T>() * 8 {
            let sent = self.shfl_part((value.to_bits() >> part) as u32, source);
            bits |= (sent as u128) << part;
            part += 32;
        }
        T::from_bits(bits)
    }

    #[inline(always)]
    fn elect<T: Word>(&mut self, lane: u32, f: impl FnOnce() -> T) -> T {
        if L == 1 {
            return f();
        }
        let result = if self.lane == lane { f() } else { T::ZERO };
        self.shfl(result, lane)
    }

    #[inline(always)]
    fn elect_with<T: Copy, U: Word>(&mut self, lane: u32, value: T, f: impl FnOnce(T) -> U) -> U {
        self.elect(lane, || f(value))
    }

    #[inline(always)]
    fn sync(&mut self) {
        if L > 1 {
            // SAFETY: all lanes of `mask` are here (contract of `new`).
            unsafe { bar_warp_sync(self.mask) }
        }
    }

    #[inline(always)]
    fn fence(&mut self) {
        self.sync();
        // SAFETY: a fence touches no memory and no register.
        unsafe { asm!("fence.sc.gpu;", options(nostack)) };
        self.sync();
    }

    #[inline(always)]
    fn fence_acquire(&mut self) {
        // It releases too, which is not needed.
        // SAFETY: a fence touches no memory and no register.
        unsafe { asm!("fence.acq_rel.gpu;", options(nostack)) };
        self.sync();
    }

    #[inline(always)]
    fn pause(&mut self) {
        // SAFETY: sleeping for about 20 ns touches no memory and no register.
        unsafe { asm!("nanosleep.u32 20;", options(nostack)) };
    }
}
