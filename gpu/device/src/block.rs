//! A thread block, as its tiles see it.

use crate::intrinsics::{barrier_cta_sync, block, thread, threads};
use crate::shared::Shared;
use crate::tile::Tile;
use warpproof_model::{Block, Words, WriteOrder};

/// The block of the calling thread, divided into tiles of `L` lanes.
#[derive(Debug)]
pub struct CtaBlock<const L: u32> {
    shared: Shared,
}

impl<const L: u32> CtaBlock<L> {
    /// The block of the calling thread. Sets its shared words to zero and waits for all its threads.
    ///
    /// # Safety
    ///
    /// Blocks have one dimension and their size is a multiple of `L`. All threads of the block make it before
    /// they use its shared memory, and from then on reach the same [`Block::sync`] calls in the same order,
    /// until all of them end. The kernel's crate declares the shared memory
    /// ([`kernel_crate!`](crate::kernel_crate)) and uses it through this type only.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        // SAFETY: declared, and used through this type only (contract of this function).
        let shared = unsafe { Shared::new() };
        // SAFETY: the contract of this function.
        unsafe { Self::of(shared) }
    }

    /// The block of the calling thread, with these shared words.
    ///
    /// # Safety
    ///
    /// As [`new`](Self::new), but other code may use the shared memory after these words.
    #[inline(always)]
    pub(crate) unsafe fn of(shared: Shared) -> Self {
        let mut block = Self { shared };
        let mut index = thread() as usize;
        while index < shared.len() {
            // Relaxed: the barrier below orders it.
            shared.store(index, 0, WriteOrder::Relaxed);
            index += threads() as usize;
        }
        block.sync();
        block
    }
}

impl<const L: u32> CtaBlock<L> {
    /// Number of the block in its grid.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        block()
    }
}

impl<const L: u32> Block for CtaBlock<L> {
    type Shared = Shared;

    #[inline(always)]
    fn rank(&self) -> u32 {
        Tile::<L>::rank_in_block()
    }

    #[inline(always)]
    fn warps(&self) -> u32 {
        Tile::<L>::per_block()
    }

    #[inline(always)]
    fn shared(&self) -> Shared {
        self.shared
    }

    #[inline(always)]
    fn sync(&mut self) {
        // SAFETY: all threads of the block are here (contract of `new`).
        unsafe { barrier_cta_sync(0) }
    }
}
