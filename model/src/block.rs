//! Blocks: several warps that share words and meet at barriers.

use crate::memory::IntegerWords;

/// What a warp sees of the block it runs in.
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
