//! The LLVM intrinsics in use: special registers, collectives, barriers.
//!
//! The collectives and barriers are convergent by their definition in LLVM.

// SAFETY: intrinsics of LLVM, with the types that it gives them.
unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    safe fn laneid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    safe fn tid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    safe fn ntid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    safe fn ctaid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
    safe fn nctaid_x() -> u32;

    /// One bit per lane of `mask`. All lanes of `mask` reach it.
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    pub(crate) fn ballot_sync(mask: u32, vote: bool) -> u32;
    /// The value of lane `source` of the segment that `clamp` describes. All lanes of `mask` reach it.
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    pub(crate) fn shfl_idx_sync(mask: u32, value: u32, source: u32, clamp: u32) -> u32;
    /// Waits for the lanes of `mask` and orders memory among them. All of them reach it.
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    pub(crate) fn bar_warp_sync(mask: u32);
    /// Waits for all threads of the block and orders memory among them. All of them reach it.
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    pub(crate) fn barrier_cta_sync(barrier: u32);
}

/// Number of this thread in its hardware warp.
#[inline(always)]
pub(crate) fn lane_id() -> u32 {
    laneid()
}

/// Number of this thread in its block.
#[inline(always)]
pub(crate) fn thread() -> u32 {
    tid_x()
}

/// Threads per block.
#[inline(always)]
pub(crate) fn threads() -> u32 {
    ntid_x()
}

/// Blocks of the grid.
#[inline(always)]
pub(crate) fn blocks() -> u32 {
    nctaid_x()
}

/// Number of this block in the grid.
#[inline(always)]
pub(crate) fn block() -> u32 {
    ctaid_x()
}
