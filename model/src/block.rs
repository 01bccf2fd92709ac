//! Blocks: several warps that share words and meet at barriers.

use crate::memory::{IntegerWords, StagedWords, Word};
use crate::warp::Warp;

/// The block of a warp, as the warp sees it.
///
/// Every warp of the block must reach the same barriers in the same order. Outside the per-lane closures
/// control flow is uniform in a warp, but not among the warps of a block: the simulator reports a warp that
/// is missing at a barrier as *barrier divergence*.
pub trait Block {
    /// Words shared by the warps of this block, at block scope. Zero when the block starts.
    type Shared: IntegerWords<u32>;

    /// Index of the calling warp in its block.
    fn rank(&self) -> u32;

    /// Number of warps in the block.
    fn warps(&self) -> u32;

    /// The shared words.
    fn shared(&self) -> Self::Shared;

    /// Waits for all warps of the block and orders memory among all their lanes.
    fn sync(&mut self);
}

/// A block that also has scratch words: shared words that change hands at its barriers.
pub trait Scratch<T: Word>: Block {
    /// Words shared by the warps of this block. They are uninitialized when it starts.
    type Words: StagedWords<T>;

    /// The words.
    fn scratch(&self) -> Self::Words;
}

/// A warp and its block, for code that needs both.
pub trait InBlock {
    /// The warp.
    type Warp: Warp;
    /// Its block.
    type Block: Block;

    /// The warp.
    fn warp(&mut self) -> &mut Self::Warp;

    /// Its block.
    fn block(&mut self) -> &mut Self::Block;
}

impl<W: Warp, B: Block> InBlock for (W, B) {
    type Warp = W;
    type Block = B;

    #[inline(always)]
    fn warp(&mut self) -> &mut W {
        &mut self.0
    }

    #[inline(always)]
    fn block(&mut self) -> &mut B {
        &mut self.1
    }
}
